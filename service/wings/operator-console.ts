/** The console of the people who run the service. It stands before the other console, whose path it lies below. */
import { hash } from 'node:crypto';
import { createOperatorOidc } from '../../infra/sessions/operator-oidc.ts';
import {
  createOperatorSessions,
  removeEndedOperators,
} from '../../infra/sessions/operator-sessions.ts';
import { createOperatorStore } from '../../infra/sessions/operator-store.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { operatorPath } from '../../pages/console/paths.ts';
import type { Site, Wing } from '../foundation/wing.ts';

const tidyEveryMs = 10 * 60_000;

const providerOf = ({ config, keys, baseUrl }: Site) =>
  config.operatorOidc &&
  createOperatorOidc({
    settings: config.operatorOidc,
    redirectUri: `${baseUrl}${operatorPath}/sign-in/callback`,
    operatorOf: (issuer, subject) =>
      `opr_${keys.indexOf('operator', `${issuer}\n${subject}`).slice(0, 22)}`,
  });

/** Sign-ins with the identity provider that a browser can have under way. More would make its requests too large. */
const mostLogins = 8;

const loginCookiesOf = ({ baseUrl }: Site) =>
  Array.from({ length: mostLogins }, (_, index) =>
    sessionCookie(baseUrl, operatorPath, `operator-login-${index}`),
  ).filter((one) => one !== undefined);

/** Digest of the settings that decide which persons may sign in with the identity provider. */
const settingsHashOf = ({ config: { operatorOidc } }: Site): string | undefined => {
  if (!operatorOidc) return undefined;
  const { issuer, clientId, operators, auditors } = operatorOidc;
  return hash('sha256', JSON.stringify({ issuer, clientId, operators, auditors }), 'base64url');
};

export const operatorConsole: Wing = {
  name: 'operator-console',
  open(site) {
    const { baseUrl, clock, config, storage } = site;
    const store = createOperatorStore(storage.readDb);
    return {
      async portals(_credentials, desk) {
        const { operatorPortal } = await import('../../pages/console/operator/operator-portal.ts');
        return [
          operatorPortal({
            baseUrl,
            service: config.serviceName.name,
            cookie: sessionCookie(baseUrl, operatorPath, 'operator'),
            loginCookies: loginCookiesOf(site),
            provider: providerOf(site),
            sessions: createOperatorSessions({
              store,
              clock,
              settingsHash: settingsHashOf(site),
            }),
            desk,
          }),
        ];
      },
      react: () => ({
        chores: [
          {
            what: 'removing the sessions of operators that ended',
            everyMs: tidyEveryMs,
            work: () => removeEndedOperators(store, clock()),
          },
        ],
      }),
    };
  },
};
