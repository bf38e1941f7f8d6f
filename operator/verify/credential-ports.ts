import { publicKeyFromMultikey } from '../../identity/keys.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import type { Foundation } from '../../service/foundation.ts';
import type { CredentialPorts } from './credentials.ts';

/** What it takes to issue every credential again, and to compare. */
export const credentialPortsOf = (
  foundation: Pick<Foundation, 'readDb' | 'clock' | 'serviceKeys' | 'credentials'>,
): CredentialPorts => {
  const { readDb: db, clock, serviceKeys, credentials } = foundation;
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
