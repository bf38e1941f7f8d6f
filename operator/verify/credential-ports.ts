import type { Clock } from '../../ground/clock.ts';
import { publicKeyFromMultikey } from '../../identity/keys.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import type { CredentialPorts } from './credentials.ts';

/** Ports to issue every credential again and compare. */
export const credentialPortsOf = ({
  clock,
  storage,
  keys,
}: {
  clock: Clock;
  storage: Pick<Foundation['storage'], 'readDb' | 'credentials'>;
  keys: Pick<Foundation['keys'], 'serviceKeys'>;
}): CredentialPorts => {
  const { readDb: db, credentials } = storage;
  const { serviceKeys } = keys;
  const { place, previous } = createCredentialWriter({ db, tables: liveTables, clock });
  return {
    credentials,
    place,
    previous,
    issuerAt: createIssuerAt(serviceKeys),
    logKeys: () =>
      serviceKeys
        .identity()
        .keys.filter(({ purpose }) => purpose === 'log')
        .map(({ publicKey }) => publicKeyFromMultikey(publicKey)),
  };
};
