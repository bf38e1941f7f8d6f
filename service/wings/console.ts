/** The console: people sign in with a key, and use the operations on pages. */

import { createRequestLog } from '../../infra/requests/request-log.ts';
import { createConsoleLinks } from '../../infra/sessions/console-links.ts';
import { createMailedLinks } from '../../infra/sessions/mailed-links.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createSessionStore } from '../../infra/sessions/session-store.ts';
import { createSessions, removeEndedSessions } from '../../infra/sessions/sessions.ts';
import { consolePath } from '../../pages/console/paths.ts';
import { requestsOperation } from '../../read-api/requests.ts';
import { consoleLinkOperation } from '../../write-api/console-links.ts';
import type { Wing } from '../foundation/wing.ts';
import { openPasskeys } from './console-passkeys.ts';
import { createSignInMails, signInTokensOf } from './recovery.ts';

const tidyEveryMs = 10 * 60_000;

export const consoleWing: Wing = {
  name: 'console',
  open(site) {
    const { baseUrl, clock, config, storage, keys, commands, log, closing } = site;
    const db = storage.readDb;
    const store = createSessionStore(db);
    const key = keys.derive('console-sessions');
    const { sessionsPerKey: mostPerKey, consoleLinksPerKey } = config.limits;
    const links = createConsoleLinks({ db, clock, key, mostPerKey: consoleLinksPerKey });
    const passkeys = openPasskeys(site, key);
    const requests = createRequestLog({
      db,
      clock,
      mostPerAccount: config.limits.requestsPerAccount,
      keptDays: config.limits.requestLogDays,
      onError: (error) => log.warn({ err: String(error) }, 'requests were not logged'),
    });
    closing.defer(() => requests.stop());
    return {
      requestLog: requests,
      read: () => [requestsOperation({ list: requests.list, limits: config.limits })],
      write: () => [
        consoleLinkOperation({
          links,
          urlOf: (token) => `${baseUrl}${consolePath}/sign-in/link#token=${token}`,
        }),
      ],
      async portals(credentials) {
        const { consolePortal } = await import('../../pages/console/portal.ts');
        const mailed = createMailedLinks({
          db,
          clock,
          handler: commands.handler,
          tokens: signInTokensOf({ keys }),
          keyOfAddress: commands.accounts.signInKeys.ofAddress,
        });
        const sessions = createSessions({
          store,
          credentials,
          links: [links, mailed],
          key,
          clock,
          mostPerKey,
        });
        const sendLink = createSignInMails(site, commands.accounts.findAddress);
        return [
          consolePortal({
            baseUrl,
            service: config.serviceName,
            offered: config.prices.services,
            cookie: sessionCookie(baseUrl, consolePath),
            sessions: {
              ...sessions,
              async beginByPasskey(answered, about) {
                const known = await passkeys?.recognise(answered);
                return known && sessions.beginByPasskey(known.source, about);
              },
            },
            passkeys: passkeys?.forPages(sessions.confirm),
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
          { what: 'removing old requests', everyMs: tidyEveryMs, work: requests.tidy },
          { what: 'removing old links to the console', everyMs: tidyEveryMs, work: links.tidy },
          ...(passkeys?.chores ?? []),
        ],
      }),
    };
  },
};
