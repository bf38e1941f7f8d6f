import { publicKeyFromMultikey } from '../../identity/keys.ts';
import type { CredentialPorts } from '../operator/verify/credentials.ts';
import type { Foundation } from '../service/foundation.ts';
import { liveTables } from './credential-tables.ts';
import { createCredentialWriter } from './credential-writer.ts';
import { createIssuerAt } from './issuer-at.ts';

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
