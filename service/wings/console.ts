/** The console: people sign in with a key, and use the operations on pages. */

import { createConsoleLinks } from '../../infra/sessions/console-links.ts';
import { createMailedLinks } from '../../infra/sessions/mailed-links.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createSessionStore } from '../../infra/sessions/session-store.ts';
import { createSessions, removeEndedSessions } from '../../infra/sessions/sessions.ts';
import { consolePath, consolePortal } from '../../pages/console/portal.ts';
import { consoleLinkOperation } from '../../write-api/console-links.ts';
import type { Wing } from '../foundation/wing.ts';
import { createSignInMails, signInTokensOf } from './recovery.ts';

const tidyEveryMs = 10 * 60_000;

export const consoleWing: Wing = {
  name: 'console',
  open(site) {
    const { baseUrl, clock, config, storage, keys, commands, log } = site;
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
        const mailed = createMailedLinks({
          db,
          clock,
          handler: commands.handler,
          tokens: signInTokensOf({ keys }),
          keyOfAddress: commands.accounts.signInKeys.ofAddress,
        });
        const sendLink = createSignInMails(site, commands.accounts.findAddress);
        return [
          consolePortal({
            baseUrl,
            service: config.serviceName,
            cookie: sessionCookie(baseUrl, consolePath),
            sessions: createSessions({
              store,
              credentials,
              links: [links, mailed],
              key,
              clock,
              mostPerKey,
            }),
            // Not awaited, so that the answer takes as long for unknown addresses.
            mailLink: config.mail
              ? (email) =>
                  void sendLink(email).catch((error: unknown) =>
                    log.warn({ err: String(error) }, 'a link to sign in was not sent'),
                  )
              : undefined,
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
