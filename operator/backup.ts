/** Backups of everything that the service needs to continue elsewhere. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Log } from '../ground/log.ts';
import { isRecipient } from '../infra/backup/age.ts';
import { completeBackups, readNote } from '../infra/backup/note.ts';
import { realPathOf } from '../infra/backup/real-path.ts';
import { dropBlobs, listedBlobs } from '../infra/backup/save-blobs.ts';
import { openClient } from '../infra/event-store/postgres/connection.ts';
import { findProvider } from '../infra/keys/providers/find-provider.ts';
import { assertFollowedLog } from '../infra/postgres/followed-log.ts';
import type { Config } from '../service/config/config.ts';
import { openDerivedKeys } from '../service/foundation/keys.ts';
import { erasureJournalsOf, logNameOf, type Storage } from '../service/foundation/storage.ts';
import { isDiskFull, isOfFile } from '../service/run/explain-start.ts';
import { printFolders } from '../service/wings/print-partners.ts';
import { describeBooks } from './backup/books.ts';
import { takeBackup } from './backup/take.ts';
import { apartCommand, type Command, count, type Print, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { openStores } from './open-stores.ts';
import { recorded } from './recorded.ts';

/** One backup at a time. */
const lock = 7_305_513_270;

type Wanted = { root: string; recipients: string[]; keep: number | undefined };

const assertPossible = async (config: Config, { root, recipients }: Wanted): Promise<void> => {
  const wrong = recipients.find((one) => !isRecipient(one));
  if (wrong !== undefined) {
    throw new Refused(`--recipient ${wrong} is not a public key of age; backup-key makes a pair`);
  }
  const [place, data] = [await realPathOf(root), await realPathOf(resolve(config.dataDir))];
  if (`${place}${sep}`.startsWith(`${data}${sep}`)) {
    throw new Refused(`${root} is in the data folder, and would be lost with it`);
  }
};

/**
 * Deletes all but the newest backups, and the documents that no backup has any longer.
 * @param made the backup of this run, which stays
 */
const prune = async (
  root: string,
  made: string,
  keep: number,
): Promise<{ backups: number; blobs: number }> => {
  const older = (await completeBackups(root)).filter((name) => name !== made);
  const gone = older.slice(0, Math.max(0, older.length + 1 - keep));
  for (const name of gone) await rm(join(root, name), { recursive: true });
  const wanted = new Set<string>();
  for (const name of await completeBackups(root)) {
    const note = await readNote(join(root, name));
    if (!note) continue;
    for (const { sha256 } of await listedBlobs(join(root, name, note.blobs.file))) {
      wanted.add(sha256);
    }
  }
  return { backups: gone.length, blobs: await dropBlobs(root, wanted) };
};

/** A backup writes files into its folder only. */
const explainFull = (error: unknown, root: string): unknown =>
  isDiskFull(error) && isOfFile(error)
    ? new Refused(
        `the disk of ${root} is full (${error.message}): make room there or name a folder of another disk, then back up again`,
      )
    : error;

const take = async (
  config: Config,
  log: Log,
  storage: Storage,
  { root, recipients, keep }: Wanted,
  print: Print,
): Promise<string> => {
  const { url, blobs, store } = storage;
  // With the settings of another log the backup would lack events, and --keep would delete those that have them.
  await assertFollowedLog({ db: storage.readDb, store, logName: logNameOf(config) });
  // Data of a version without roots gets its first one.
  await openDerivedKeys(config, log, storage);
  const provider = await findProvider(config);
  if (!provider) throw new Refused('there is no master key');
  const client = await openClient({ url, applicationName: 'letters-backup' });
  try {
    const locked = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(${lock}) as locked`,
    );
    if (!locked.rows[0]?.locked) throw new Refused('another backup is running');
    const sources = {
      client,
      blobs,
      store: config.eventStore === 'eventstoredb' ? store : undefined,
      provider,
      journals: erasureJournalsOf(config),
      inbox: printFolders(config).inbox,
    };
    const taken = takeBackup(sources, root, recipients).catch((error: unknown) => {
      throw explainFull(error, root);
    });
    const { name, note, copied } = await taken;
    const rows = note.tables.reduce((sum, { lines }) => sum + lines, 0);
    print(`${join(root, name)}`);
    print(`log: head ${note.log.head}, last event ${note.log.lastEventId ?? 'none'}`);
    print(`database: ${count(note.tables.length)} tables, ${count(rows)} rows`);
    if (note.books) print(`books: ${describeBooks(note.books)}`);
    print(`documents: ${count(note.blobs.count)}, of which ${count(copied)} are new`);
    print(`keys: for ${recipients.join(', ')}`);
    if (keep !== undefined) {
      const dropped = await prune(root, name, keep);
      print(`deleted: ${count(dropped.backups)} older backups, ${count(dropped.blobs)} documents`);
    }
    print('OK: everything was read again and is as the note says.');
    return `head ${note.log.head}, ${count(note.blobs.count)} documents`;
  } finally {
    await client.end();
  }
};

const work = async (config: Config, log: Log, wanted: Wanted, print: Print): Promise<number> => {
  await using storage = await openStores(config, log);
  return await recorded({ db: storage.readDb, clock: Date.now, command: 'backup' }, async () => {
    await assertPossible(config, wanted);
    return { succeeded: true, detail: await take(config, log, storage, wanted, print) };
  });
};

type Options = { to?: string; recipient?: string; keep?: string };

/** @throws UsageError */
const backup = (positionals: string[], { to, recipient, keep }: Options): Command => {
  if (positionals.length > 0 || to === undefined || recipient === undefined) {
    throw new UsageError('backup takes --to FOLDER --recipient AGE1…');
  }
  const recipients = recipient.split(',').map((one) => one.trim());
  if (keep !== undefined && !/^[1-9]\d{0,3}$/.test(keep)) {
    throw new UsageError(`--keep ${keep} must be a number of backups from 1 to 9999`);
  }
  const wanted: Wanted = {
    root: resolve(to),
    recipients,
    keep: keep === undefined ? undefined : Number(keep),
  };
  return apartCommand((config, log, print) => work(config, log, wanted, print));
};

/** The folder of a backup: the newest one where a folder of backups is named. @throws Refused */
export const backupNamed = async (path: string): Promise<string> => {
  const folder = resolve(path);
  if (existsSync(join(folder, 'note.json'))) return folder;
  const last = (await completeBackups(folder)).at(-1);
  if (last === undefined) throw new Refused(`${folder} has no complete backup`);
  return join(folder, last);
};

export const backupCommand = defineCommand({
  name: 'backup',
  usage: '--to FOLDER --recipient AGE1…[,AGE1…] [--keep N]',
  summary: 'Saves database, documents and keys in a folder, and verifies what it wrote.',
  help: `It runs next to the service, which goes on. A log in EventStoreDB is saved first. The database is one snapshot; documents that an earlier backup in FOLDER has are not copied again.
--recipient: public keys of age (age-keygen prints one). The keys of the service are sealed for them; keep the secret key elsewhere.
--keep: afterwards deletes all but the newest N backups, and the documents that no backup has any longer.`,
  examples: ['backup --to /var/backups/letters --recipient age1… --keep 14'],
  options: { to: 'text', recipient: 'text', keep: 'text' },
  read: backup,
});
