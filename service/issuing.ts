import type { EventStore } from '../events/event-store.ts';
import { logOriginOf } from '../identity/service-did.ts';
import { liveTables } from '../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../infra/identity/issuer-at.ts';
import type { ServiceKeys } from '../infra/identity/service-keys.ts';
import type { Db } from '../projections/projection.ts';
import { startIssuing } from '../reactors/issue-credentials.ts';
import type { Checkpoints } from '../reactors/reactor.ts';

/** Issues credentials of what is in the log and of what comes, in this process or after another one. */
export const startCredentials = (
  ports: {
    store: EventStore;
    readDb: Db;
    clock: () => number;
    serviceKeys: ServiceKeys;
    log: { error(fields: object, message: string): void };
  },
  checkpoints: Checkpoints,
  baseUrl: string,
) => {
  const { store, readDb: db, clock, serviceKeys, log } = ports;
  return startIssuing({
    store,
    checkpoints,
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
