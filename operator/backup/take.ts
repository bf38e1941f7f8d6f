/** Takes a backup: one snapshot of the database, then the documents, then the master key for its recipients. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { BlobStore } from '../../commands/preparation/blob-store.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import { messageOf } from '../../ground/message-of.ts';
import { sealFor } from '../../infra/backup/age.ts';
import { syncPath, writeContent } from '../../infra/backup/hashed-file.ts';
import {
  type BackupNote,
  completeBackups,
  nextInOrder,
  noteFormat,
  readNote,
  writeNote,
} from '../../infra/backup/note.ts';
import { listedBlobs, type SavedBlob, saveBlobs } from '../../infra/backup/save-blobs.ts';
import { type SavedKeys, writeKeys } from '../../infra/backup/saved-keys.ts';
import { savedSequences, savedTables, selectAll } from '../../infra/backup/tables.ts';
import { giveAllToOwner, makeOwnFolder } from '../../infra/host/give-to-owner.ts';
import { readJournals } from '../../infra/keys/erasure-journal.ts';
import { findSealed, opensCheck } from '../../infra/keys/key-check.ts';
import type { KeyProvider } from '../../infra/keys/providers/provider.ts';
import { openStoredRoots, readStoredRoots } from '../../infra/keys/root-table.ts';
import { copyOut } from '../../infra/postgres/copy-out.ts';
import { appliedNumbers, schemaFiles } from '../../infra/schema/migrate.ts';
import { serviceVersion } from '../../read-api/general.ts';
import { Refused } from '../command.ts';
import { savedBooks } from './books.ts';
import { beginLog, finishLog, reachedIn } from './save-log.ts';
import { verifyBackup } from './verify-backup.ts';

type Sources = {
  client: Client;
  blobs: BlobStore;
  /** The log, where it is not in the database. */
  store: Pick<EventStore, 'readAll' | 'head'> | undefined;
  /** Opens the roots, which are saved for the recipients. */
  provider: KeyProvider;
  /** The files of erasures, and the folder of reports of the print house. */
  journals: readonly string[];
  inbox: string;
};

type Taken = { name: string; note: BackupNote; copied: number };

const logAt = async (client: Client): Promise<BackupNote['log']> => {
  const { rows } = await client.query<{ head: string; id: string | null }>(
    `select h.position::text as head, e.id::text as id from event_log.head h
     left join event_log.events e on e.position = h.position`,
  );
  return { head: rows[0]?.head ?? '0', lastEventId: rows[0]?.id ?? null };
};

const checkpointAt = async (client: Client): Promise<BackupNote['checkpoint']> => {
  const { rows } = await client.query<{ size: string; root: string }>(
    `select size::text, encode(root, 'hex') as root from identity.checkpoints
     order by identity.checkpoints.size desc limit 1`,
  );
  return rows[0] ?? null;
};

/**
 * The schema files that the database has: a restore makes the same tables.
 * @throws Refused when a newer program made tables
 */
const schemaOf = async (client: Client): Promise<number[]> => {
  const found = [...(await appliedNumbers(client))].toSorted((a, b) => a - b);
  const ours = new Set(schemaFiles().map(({ number }) => number));
  const unknown = found.filter((number) => !ours.has(number));
  if (unknown.length === 0) return found;
  throw new Refused(
    `the tables are of a newer version (schema file ${unknown.join(', ')}), and this one could not restore them: run backup with that version, also next to a service of version ${serviceVersion} (docs/backup.md)`,
  );
};

type Snapshot = Pick<
  BackupNote,
  'at' | 'schema' | 'log' | 'checkpoint' | 'books' | 'keyCheck' | 'roots' | 'tables' | 'sequences'
> & { reached: Position };

/** Every table as it was at one moment, while other processes keep writing. */
const saveDatabase = async (client: Client, folder: string): Promise<Snapshot> => {
  await client.query('begin isolation level repeatable read read only');
  try {
    const { rows } = await client.query<{ now: Date }>('select now()');
    const schema = await schemaOf(client);
    const sealed = await findSealed(client);
    if (sealed?.purpose !== 'check') throw new Refused('there is nothing to back up yet');
    const tables: BackupNote['tables'] = [];
    for (const table of await savedTables(client)) {
      const file = join('tables', `${table.name}.copy.gz`);
      const content = await writeContent(join(folder, file), (sink) =>
        copyOut(client, selectAll(table), sink),
      );
      tables.push({ ...table, ...content, file });
    }
    const books = await savedBooks(client);
    return {
      at: rows[0]?.now.toISOString() ?? '',
      schema,
      log: await logAt(client),
      reached: await reachedIn(client),
      checkpoint: await checkpointAt(client),
      ...(books ? { books } : {}),
      keyCheck: sealed.sealed,
      roots: await readStoredRoots(client),
      tables,
      sequences: await savedSequences(client),
    };
  } finally {
    await client.query('commit').catch(() => undefined);
  }
};

type Before = { note: BackupNote | undefined; blobs: ReadonlyMap<string, SavedBlob> };

/** The backup before this one. @throws Refused when its note was damaged */
const backupBefore = async (root: string): Promise<Before> => {
  const last = (await completeBackups(root)).at(-1);
  if (last === undefined) return { note: undefined, blobs: new Map() };
  const note = await readNote(join(root, last)).catch((error: unknown) => {
    throw new Refused(
      `${messageOf(error)}, so the newest backup cannot be used. Move the folder ${join(root, last)} away, then back up again`,
    );
  });
  if (note === undefined) return { note, blobs: new Map() };
  const listed = await listedBlobs(join(root, last, note.blobs.file));
  return { note, blobs: new Map(listed.map((blob) => [blob.key, blob])) };
};

const saveDocuments = async (
  blobs: BlobStore,
  root: string,
  folder: string,
  before: ReadonlyMap<string, SavedBlob>,
) => {
  const file = 'documents.ndjson.gz';
  let [count, totalBytes, copied] = [0, 0, 0];
  /** Hashes of documents that the backup before had, and that were lost in its folder. */
  const repaired: string[] = [];
  const content = await writeContent(join(folder, file), async (sink) => {
    for await (const { copied: isCopied, ...blob } of saveBlobs(blobs, root, before)) {
      sink.write(`${JSON.stringify(blob)}\n`);
      count += 1;
      totalBytes += blob.bytes;
      if (isCopied) copied += 1;
      if (isCopied && before.has(blob.key)) repaired.push(blob.sha256);
    }
  });
  return { blobs: { ...content, file, count, totalBytes }, copied, repaired };
};

/** Reports that the print house left and that were not read yet. */
const saveReports = async (inbox: string, folder: string): Promise<BackupNote['reports']> => {
  const reports: BackupNote['reports'] = [];
  const names = await readdir(inbox, { withFileTypes: true }).catch(() => []);
  for (const entry of names.filter((one) => one.isFile() && !one.name.startsWith('.'))) {
    // A report that is read meanwhile is in the log.
    const bytes = await readFile(join(inbox, entry.name)).catch(() => undefined);
    if (!bytes) continue;
    const file = join('reports', `${entry.name}.gz`);
    const content = await writeContent(join(folder, file), async (sink) => {
      sink.write(bytes);
    });
    reports.push({ ...content, file });
  }
  return reports;
};

const saveKeys = async (
  folder: string,
  recipients: readonly string[],
  keys: SavedKeys,
): Promise<BackupNote['keys']> => {
  const file = 'keys.age';
  const sealed = await sealFor(recipients, writeKeys(keys));
  const path = join(folder, file);
  await writeFile(path, sealed, { flag: 'wx', mode: 0o600 });
  await syncPath(path);
  return { file, sha256: createHash('sha256').update(sealed).digest('hex') };
};

const partialPrefix = '.partial-';

/** Removes the remains of a backup that was killed. One backup runs at a time. Only root can remove those of root. */
const removePartial = async (root: string): Promise<void> => {
  for (const name of await readdir(root)) {
    if (!name.startsWith(partialPrefix)) continue;
    await rm(join(root, name), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    });
  }
};

/** One of the service's roots sealed the check value of the backup before. @throws Refused */
const assertOwn = async (
  { client, provider }: Pick<Sources, 'client' | 'provider'>,
  root: string,
  before: BackupNote,
): Promise<void> => {
  const { list } = await openStoredRoots(provider, await readStoredRoots(client));
  if (list.some(({ material }) => opensCheck(material, before.keyCheck))) return;
  throw new Refused(`${root} has backups of another service: name a folder of its own`);
};

/**
 * Writes a backup into a new folder of `root` and reads it again. The folder has its name only when everything in it
 * was verified.
 */
export const takeBackup = async (
  sources: Sources,
  root: string,
  recipients: readonly string[],
): Promise<Taken> => {
  const before = await backupBefore(root);
  if (before.note) await assertOwn(sources, root, before.note);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await makeOwnFolder(join(root, 'blobs'));
  const name = new Date().toISOString().replaceAll(':', '-');
  await removePartial(root);
  const folder = join(root, `${partialPrefix}${name}`);
  await mkdir(join(folder, 'tables'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'reports'), { mode: 0o700 });
  if (sources.store) await mkdir(join(folder, 'log'), { mode: 0o700 });
  try {
    const begun = await beginLog(sources.store, folder);
    const { reached, ...database } = await saveDatabase(sources.client, folder);
    const saved = begun ? await finishLog(begun, folder, reached) : {};
    const roots = await openStoredRoots(sources.provider, database.roots);
    const documents = await saveDocuments(sources.blobs, root, folder, before.blobs);
    const { blobs, copied, repaired } = documents;
    const journal = await readJournals(sources.journals);
    const erasures = await writeContent(join(folder, 'erasures.log.gz'), async (sink) => {
      sink.write(journal);
    });
    const note: BackupNote = {
      format: noteFormat,
      ...(await nextInOrder(root)),
      program: serviceVersion,
      ...database,
      ...saved,
      recipients: [...recipients],
      blobs,
      erasures: { ...erasures, file: 'erasures.log.gz' },
      reports: await saveReports(sources.inbox, folder),
      keys: await saveKeys(folder, recipients, {
        roots,
        masterKey: sources.provider.masterKey,
      }),
    };
    const verified = new Set([...before.blobs.values()].map(({ sha256 }) => sha256));
    for (const sha256 of repaired) verified.delete(sha256);
    await verifyBackup(root, folder, note, verified);
    await writeNote(folder, note);
    await giveAllToOwner(folder);
    await rename(folder, join(root, name));
    await syncPath(root);
    return { name, note, copied };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};
