/** The console: people sign in with a key, and use the operations on pages. Operators have pages of their own. */
import { createConsoleLinks } from '../../infra/sessions/console-links.ts';
import { createOperatorOidc } from '../../infra/sessions/operator-oidc.ts';
import {
  createOperatorSessions,
  removeEndedOperators,
} from '../../infra/sessions/operator-sessions.ts';
import { createOperatorStore } from '../../infra/sessions/operator-store.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createSessionStore } from '../../infra/sessions/session-store.ts';
import { createSessions, removeEndedSessions } from '../../infra/sessions/sessions.ts';
import { operatorPath, operatorPortal } from '../../pages/console/operator/operator-portal.ts';
import { consolePath, consolePortal } from '../../pages/console/portal.ts';
import { consoleLinkOperation } from '../../write-api/console-links.ts';
import type { Wing } from '../foundation/wing.ts';

const tidyEveryMs = 10 * 60_000;

export const consoleWing: Wing = {
  name: 'console',
  open({ baseUrl, clock, config, storage, keys }) {
    const db = storage.readDb;
    const store = createSessionStore(db);
    const operators = createOperatorStore(db);
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
      portals(credentials, desk) {
        return [
          // Its path is below the other one's: it comes first.
          operatorPortal({
            baseUrl,
            service: config.serviceName.name,
            cookie: sessionCookie(baseUrl, operatorPath, 'operator'),
            loginCookie: sessionCookie(baseUrl, operatorPath, 'operator-login'),
            provider:
              config.operatorOidc &&
              createOperatorOidc({
                settings: config.operatorOidc,
                redirectUri: `${baseUrl}${operatorPath}/sign-in/callback`,
                operatorOf: (issuer, subject) =>
                  `opr_${keys.indexOf('operator', `${issuer}\n${subject}`).slice(0, 22)}`,
              }),
            sessions: createOperatorSessions({ store: operators, clock }),
            desk,
          }),
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
            work: async () => {
              await removeEndedSessions(store, clock());
              await removeEndedOperators(operators, clock());
            },
          },
          { what: 'removing old links to the console', everyMs: tidyEveryMs, work: links.tidy },
        ],
      }),
    };
  },
};
