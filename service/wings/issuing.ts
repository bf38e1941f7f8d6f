import type { Leases } from '../../events/lease.ts';
import { asPosition } from '../../events/position.ts';
import { logOriginOf } from '../../identity/service-did.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import { startIssuing } from '../../reactors/issue-credentials.ts';
import type { Foundation } from '../foundation/wing.ts';

const firstEvents = 100;

/**
 * Events without a checkpoint: a new service, or one whose schema `identity` was emptied. All credentials
 * are issued again then, and only checkpoints that others kept show whether the events are the same.
 */
export const warnOfLostCheckpoints = async ({
  log,
  storage,
}: Pick<Foundation, 'log' | 'storage'>): Promise<void> => {
  if (await storage.credentials.checkpoint()) return;
  const events = await storage.store.readAll({ after: asPosition(0n), limit: firstEvents });
  const isUsed = events.some(({ type }) => type !== 'ServiceIdentityChanged');
  if (!isUsed) return;
  log.warn(
    {},
    'the store has events but no signed checkpoint (identity.checkpoints is empty): all credentials are issued again. If you did not restore or move the store, compare the new checkpoint with one that you kept: verify-audit.mjs --checkpoint',
  );
};

/** Issues credentials of all events in the log and of new ones, in this process or after another one. */
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
