import type { Leases } from '../events/lease.ts';
import { logOriginOf } from '../identity/service-did.ts';
import { liveTables } from '../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../infra/identity/issuer-at.ts';
import { startIssuing } from '../reactors/issue-credentials.ts';
import type { Foundation } from './wing.ts';

/** Issues credentials of what is in the log and of what comes, in this process or after another one. */
export const startCredentials = (
  { clock, log, keys, storage, baseUrl }: Foundation & { baseUrl: string },
  leases: Leases,
) => {
  const { store, readDb: db } = storage;
  const { serviceKeys } = keys;
  return startIssuing({
    store,
    leases,
    writer: createCredentialWriter({
      db,
      tables: liveTables,
      clock,
      sign: () => ({ origin: logOriginOf(baseUrl), key: serviceKeys.signingKey('log') }),
    }),
    issuerAt: createIssuerAt(serviceKeys),
    refreshIdentity: serviceKeys.refresh,
    log,
  });
};
