import type { AnyOperation } from '../contract/operation.ts';
import { verifierKey } from '../identity/note.ts';
import { logOriginOf } from '../identity/service-did.ts';
import type { CredentialStore } from '../infra/identity/credential-store.ts';
import type { DidResolver } from '../infra/identity/did-resolver.ts';
import type { ServiceKeys } from '../infra/identity/service-keys.ts';
import { createVerifyPorts } from '../infra/identity/verify-ports.ts';
import { logOperations } from '../read-api/log.ts';
import { verifyCredentialOperations } from '../read-api/verify-credential.ts';

/** What everybody may ask of the log, and verify. */
export const publicLogOperations = (
  ports: {
    credentials: CredentialStore;
    serviceKeys: ServiceKeys;
    didResolver: DidResolver;
    clock: () => number;
  },
  baseUrl: string,
): AnyOperation[] => {
  const { credentials, serviceKeys, didResolver: resolver, clock } = ports;
  const verifier = (): string =>
    verifierKey(logOriginOf(baseUrl), serviceKeys.signingKey('log').publicKey);
  return [
    ...logOperations({ log: credentials, verifierKey: verifier }),
    ...verifyCredentialOperations(
      createVerifyPorts({ keys: serviceKeys, credentials, resolver, clock }),
    ),
  ];
};
