/** The console: people sign in with a key, and use the operations on pages. */

import { createConsoleLinks } from '../../infra/sessions/console-links.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createSessionStore } from '../../infra/sessions/session-store.ts';
import { createSessions, removeEndedSessions } from '../../infra/sessions/sessions.ts';
import { consolePath, consolePortal } from '../../pages/console/portal.ts';
import { consoleLinkOperation } from '../../write-api/console-links.ts';
import type { Wing } from '../foundation/wing.ts';

const tidyEveryMs = 10 * 60_000;

export const consoleWing: Wing = {
  name: 'console',
  open({ baseUrl, clock, config, storage, keys }) {
    const db = storage.readDb;
    const store = createSessionStore(db);
    const key = keys.derive('console-sessions');
    const { sessionsPerKey: mostPerKey, consoleLinksPerKey } = config.limits;
    const links = createConsoleLinks({ db, clock, key, mostPerKey: consoleLinksPerKey });
    return {
      write: () => [
        consoleLinkOperation({
          links,
          urlOf: (token) => `${baseUrl}${consolePath}/sign-in/link#token=${token}`,
        }),
      ],
      portals(credentials) {
        return [
          consolePortal({
            baseUrl,
            service: config.serviceName,
            cookie: sessionCookie(baseUrl, consolePath),
            sessions: createSessions({ store, credentials, links, key, clock, mostPerKey }),
          }),
        ];
      },
      react: () => ({
        chores: [
          {
            what: 'removing the sessions that ended',
            everyMs: tidyEveryMs,
            work: () => removeEndedSessions(store, clock()),
          },
          { what: 'removing old links to the console', everyMs: tidyEveryMs, work: links.tidy },
        ],
      }),
    };
  },
};
