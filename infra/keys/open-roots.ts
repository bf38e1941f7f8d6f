import { randomBytes } from 'node:crypto';
import { StartRefused } from '../../contract/start-refused.ts';
import type { Transaction, TransactionalDb } from '../../ground/db.ts';
import { findSealed, opens, sealCheck } from './key-check.ts';
import type { Roots } from './keyring.ts';
import { makeMasterKey } from './master-key.ts';
import { createLocalProvider } from './providers/local.ts';
import type { KeyProvider } from './providers/provider.ts';
import { insertRoot, openStoredRoots, readStoredRoots } from './root-table.ts';

type OpenRootsOptions = {
  /** Undefined: the master key of a file that is not there yet. @throws StartRefused */
  findProvider: () => Promise<KeyProvider | undefined>;
  dataDir: string;
  db: TransactionalDb;
  /** Whether the log has events of the service; it may be in another database. */
  hasEvents: () => Promise<boolean>;
  log: (line: string) => void;
};

const wayOut = 'No new key is made, as nothing personal in this data could be read with it.';

const noKey = (dataDir: string): StartRefused =>
  new StartRefused(
    `There is no master key: ${dataDir}/master.key is missing and MASTER_KEY is not set, but there is data ` +
      `that was sealed with one. Restore the file from your backup, or set MASTER_KEY to that key. ${wayOut}`,
  );

/** Root 1 of data of versions without roots is their master key. @throws StartRefused */
const masterKeyOf = (
  { name, masterKey }: KeyProvider,
  sealed: Awaited<ReturnType<typeof findSealed>>,
): Buffer => {
  if (!masterKey) {
    throw new StartRefused(
      `The data here was sealed with a master key, not with ${name}: start with KEY_PROVIDER=local, then change the key as docs/keys.md says.`,
    );
  }
  if (!sealed || opens(masterKey, sealed)) return masterKey;
  throw new StartRefused(
    `${name} is not the master key that the data here was sealed with: ` +
      `restore that key from your backup, or set DATA_DIR and DATABASE_URL to the data of this key.`,
  );
};

/** Makes root 1 if no root exists. */
const makeFirst = async (tx: Transaction, options: OpenRootsOptions): Promise<void> => {
  const { dataDir, hasEvents, log } = options;
  const found = await options.findProvider();
  const sealed = await findSealed(tx);
  const hasData = sealed !== undefined || (await hasEvents());
  if (!found && hasData) throw noKey(dataDir);
  const provider = found ?? createLocalProvider(await makeMasterKey(dataDir, log));
  const material = hasData ? masterKeyOf(provider, sealed) : randomBytes(32);
  await insertRoot(tx, provider, { n: 1, state: 'active', material });
  if (sealed?.purpose === 'check') return;
  await tx.query('insert into keys.master_key_check (sealed) values ($1)', [sealCheck(material)]);
};

/**
 * Opens the roots of the existing data. Without any data a first one is made; of processes that start at the same time,
 * also on several machines, one makes it.
 * @throws StartRefused when data exists and its key is missing, damaged or another one, or does not answer
 */
export const openRoots = async (options: OpenRootsOptions): Promise<Roots> => {
  const { db, dataDir } = options;
  const before = await readStoredRoots(db);
  if (before.roots.length === 0) {
    await db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(7305513262)');
      const { roots } = await readStoredRoots(tx);
      if (roots.length === 0) await makeFirst(tx, options);
    });
  }
  const provider = await options.findProvider();
  if (!provider) throw noKey(dataDir);
  return openStoredRoots(provider, await readStoredRoots(db));
};
