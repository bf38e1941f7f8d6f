/** The console: people sign in with a key, and use the operations on pages. */
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createSessionStore } from '../../infra/sessions/session-store.ts';
import { createSessions, removeEndedSessions } from '../../infra/sessions/sessions.ts';
import { consolePath, consolePortal } from '../../pages/console/portal.ts';
import type { Wing } from '../foundation/wing.ts';

const tidyEveryMs = 10 * 60_000;

export const consoleWing: Wing = {
  name: 'console',
  open({ baseUrl, clock, config, storage }) {
    const store = createSessionStore(storage.readDb);
    return {
      portals(keys) {
        const mostPerKey = config.limits.sessionsPerKey;
        return [
          consolePortal({
            baseUrl,
            service: config.serviceName,
            cookie: sessionCookie(baseUrl, consolePath),
            sessions: createSessions({ store, keys, clock, mostPerKey }),
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
        ],
      }),
    };
  },
};
