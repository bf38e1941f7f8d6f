import { StartRefused } from '../../contract/start-refused.ts';
import { open, seal } from '../../events/sealing.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { deriveKey } from './derive.ts';
import { type MasterKey, makeMasterKey, readMasterKey } from './master-key.ts';

/** Authenticated with the check value; its content says nothing. */
const context = 'master-key-check';

/** A value that the master key of this database sealed, and what is derived from it for that. */
type Sealed = { sealed: string; purpose: string; context: string };

/** A database, or a connection to one. */
type SealedIn = { query(text: string): Promise<{ rows: unknown[] }> };

/** The check value; of a database of an earlier version, a data key. */
export const findSealed = async (db: SealedIn): Promise<Sealed | undefined> => {
  const { rows } = await db.query(
    `select sealed, 'check' as purpose, '${context}' as context from keys.master_key_check
     union all
     (select wrapped, 'wrap', subject from keys.data_keys where wrapped is not null limit 1)
     order by purpose limit 1`,
  );
  return rows[0] as Sealed | undefined;
};

/** Whether the value was sealed with this master key. */
export const opens = ({ key }: MasterKey, { sealed, purpose, context: about }: Sealed): boolean => {
  try {
    open(sealed, deriveKey(key, purpose), about);
    return true;
  } catch {
    return false;
  }
};

/** Whether a check value was sealed with this master key. */
export const opensCheck = (key: Buffer, sealed: string): boolean =>
  opens({ key, source: '' }, { sealed, purpose: 'check', context });

const remedy = 'No new key is made, as nothing personal in this data could be read with it.';

/**
 * The master key of the existing data, recognised by a value that it sealed. Without any data a new key is
 * made; of processes that start at the same time, also on several machines, one makes it.
 * @throws StartRefused when data exists and the key is missing, damaged or another one
 */
export const openMasterKey = (options: {
  masterKey: Buffer | undefined;
  dataDir: string;
  db: TransactionalDb;
  /** Whether the log holds events of the service; it may lie in another database. */
  hasEvents: () => Promise<boolean>;
  log: (line: string) => void;
}): Promise<Buffer> =>
  options.db.transaction(async (db) => {
    const { dataDir, hasEvents, log } = options;
    await db.query('select pg_advisory_xact_lock(7305513262)');
    const sealed = await findSealed(db);
    const found = await readMasterKey(options);
    if (!found && (sealed || (await hasEvents()))) {
      throw new StartRefused(
        `There is no master key: ${dataDir}/master.key is missing and MASTER_KEY is not set, but there is data ` +
          `that was sealed with one. Restore the file from your backup, or set MASTER_KEY to that key. ${remedy}`,
      );
    }
    if (found && sealed && !opens(found, sealed)) {
      throw new StartRefused(
        `${found.source} is not the master key that the data here was sealed with: ` +
          `restore that key from your backup, or set DATA_DIR and DATABASE_URL to the data of this key.`,
      );
    }
    const master = found ?? (await makeMasterKey(dataDir, log));
    if (sealed?.purpose !== 'check') {
      await db.query('insert into keys.master_key_check (sealed) values ($1)', [
        seal('', deriveKey(master.key, 'check'), context),
      ]);
    }
    return master.key;
  });
