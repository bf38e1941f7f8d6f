import type { Leases } from '../../events/lease.ts';
import { asPosition } from '../../events/position.ts';
import { logOriginOf } from '../../identity/service-did.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import {
  type CheckpointSigner,
  createCredentialWriter,
} from '../../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import { renewCheckpoint } from '../../infra/identity/renew-checkpoint.ts';
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

type Site = Foundation & { baseUrl: string };

const signerOf =
  ({ keys, baseUrl }: Site): CheckpointSigner =>
  () => ({ origin: logOriginOf(baseUrl), key: keys.serviceKeys.signingKey('log') });

/** Gives the log a checkpoint under the name that it has now. The service starts without one, too. */
export const renewLogCheckpoint = async (site: Site): Promise<void> => {
  const { clock, log, storage } = site;
  try {
    await renewCheckpoint({ db: storage.readDb, clock, sign: signerOf(site) });
  } catch (err) {
    log.warn({ err }, 'the latest checkpoint could not be signed under the name of the log');
  }
};

/** Issues credentials of all events in the log and of new ones, in this process or after another one. */
export const startCredentials = (site: Site, leases: Leases) => {
  const { clock, log, keys, storage } = site;
  const { store, readDb: db } = storage;
  const { serviceKeys } = keys;
  return startIssuing({
    store,
    leases,
    writer: createCredentialWriter({
      db,
      tables: liveTables,
      clock,
      sign: signerOf(site),
    }),
    issuerAt: createIssuerAt(serviceKeys),
    refreshIdentity: serviceKeys.refresh,
    log,
  });
};
