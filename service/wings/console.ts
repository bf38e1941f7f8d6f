/** The console: people sign in with a key, and use the operations on pages. Operators have pages of their own. */
import {
  createOperatorSessions,
  removeEndedOperators,
} from '../../infra/sessions/operator-sessions.ts';
import { createOperatorStore } from '../../infra/sessions/operator-store.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createSessionStore } from '../../infra/sessions/session-store.ts';
import { createSessions, removeEndedSessions } from '../../infra/sessions/sessions.ts';
import { operatorAssets } from '../../pages/console/operator/operator-link-script.ts';
import { operatorPath, operatorPortal } from '../../pages/console/operator/operator-portal.ts';
import { consolePath, consolePortal } from '../../pages/console/portal.ts';
import type { Wing } from '../foundation/wing.ts';

const tidyEveryMs = 10 * 60_000;

export const consoleWing: Wing = {
  name: 'console',
  open({ baseUrl, clock, config, storage }) {
    const store = createSessionStore(storage.readDb);
    const operators = createOperatorStore(storage.readDb);
    return {
      pages: () => [operatorAssets()],
      portals(keys, desk) {
        const mostPerKey = config.limits.sessionsPerKey;
        return [
          // Its path is below the other one's: it comes first.
          operatorPortal({
            baseUrl,
            service: config.serviceName.name,
            cookie: sessionCookie(baseUrl, operatorPath, 'operator'),
            loginCookie: sessionCookie(baseUrl, operatorPath, 'operator-login'),
            provider: undefined,
            sessions: createOperatorSessions({ store: operators, clock }),
            desk,
          }),
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
            work: async () => {
              await removeEndedSessions(store, clock());
              await removeEndedOperators(operators, clock());
            },
          },
        ],
      }),
    };
  },
};
