import type { Db } from '../contract/db.ts';
import type { Log } from '../contract/log.ts';
import type { EventStore } from '../events/event-store.ts';
import type { Leases } from '../events/lease.ts';
import { logOriginOf } from '../identity/service-did.ts';
import { liveTables } from '../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../infra/identity/issuer-at.ts';
import type { ServiceKeys } from '../infra/identity/service-keys.ts';
import { startIssuing } from '../reactors/issue-credentials.ts';

/** Issues credentials of what is in the log and of what comes, in this process or after another one. */
export const startCredentials = (
  ports: {
    store: EventStore;
    readDb: Db;
    clock: () => number;
    serviceKeys: ServiceKeys;
    log: Pick<Log, 'warn' | 'error'>;
  },
  leases: Leases,
  baseUrl: string,
) => {
  const { store, readDb: db, clock, serviceKeys, log } = ports;
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
