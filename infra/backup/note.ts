/** The note of a backup: what it holds, by which it is verified and compared after a restore. */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredRoots } from '../keys/root-table.ts';
import type { Content } from './hashed-file.ts';
import { syncPath } from './hashed-file.ts';
import type { SavedLog } from './saved-log.ts';
import type { SavedSequence, SavedTable } from './tables.ts';

export const noteFormat = 2;

/** The books up to their last entry in the snapshot. */
export type SavedBooks = {
  lastEventId: string;
  /** Accounts of the ledger, which `sha256` has with their balances, one a line. */
  accounts: number;
  /** By kind of account: `available` and `held` are those of wallets. */
  sumsMicro: Record<string, string>;
  sha256: string;
};

export type BackupNote = {
  format: number;
  /**
   * Counts the backups of a folder, whatever the clock says and wherever the log ends: a restore shortens it, and
   * another store has other positions. Absent: an earlier build made the backup, before those that have a number.
   */
  number?: number;
  /**
   * The backups without a number that the folder had: they are older than this one. Others without a number are newer,
   * because the operator went back to an earlier build that made them. Absent: the times of backups decide.
   */
  unnumbered?: string[];
  /** RFC 3339; the moment of the snapshot. */
  at: string;
  /** Version of the program, and the schema files that the database has. */
  program: string;
  schema: number[];
  /** The end of the log in the snapshot. */
  log: { head: string; lastEventId: string | null };
  /** The log itself, if it is not in the tables. */
  savedLog?: SavedLog;
  /** The log of credentials: the checkpoint that was signed last. */
  checkpoint: { size: string; root: string } | null;
  /** Absent: nothing was booked, or an earlier build made the backup. */
  books?: SavedBooks;
  /** A value that the active root sealed: by it a wrong key is noticed before anything is written. */
  keyCheck: string;
  /** The roots, sealed under the key-encryption key of the service. */
  roots: StoredRoots;
  recipients: string[];
  tables: (SavedTable & Content & { file: string })[];
  sequences: SavedSequence[];
  blobs: Content & { file: string; count: number; totalBytes: number };
  erasures: Content & { file: string };
  reports: (Content & { file: string })[];
  keys: { file: string; sha256: string };
};

const noteName = 'note.json';

/** Written last: a backup without a note is not complete. Its own hash guards it against damage. */
export const writeNote = async (folder: string, note: BackupNote): Promise<void> => {
  const text = JSON.stringify(note, null, 1);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const draft = join(folder, `${noteName}.draft`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${sha256}\n${text}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, noteName));
  await syncPath(folder);
};

/** The hash and the text after it. Undefined where there is no note. */
const noteIn = async (folder: string): Promise<{ sha256: string; text: string } | undefined> => {
  const found = await readFile(join(folder, noteName), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    },
  );
  if (found === undefined) return undefined;
  const [sha256 = '', ...lines] = found.split('\n');
  return { sha256, text: lines.join('\n').trimEnd() };
};

/** Undefined where there is no note. @throws Error when it was damaged */
export const readNote = async (folder: string): Promise<BackupNote | undefined> => {
  const found = await noteIn(folder);
  if (!found) return undefined;
  const { sha256, text } = found;
  if (createHash('sha256').update(text).digest('hex') !== sha256) {
    throw new Error(`${join(folder, noteName)} was damaged`);
  }
  return JSON.parse(text) as BackupNote;
};

type Found = Pick<BackupNote, 'number' | 'unnumbered'> & { name: string; atMs: number };

/** An unreadable note counts as the newest, so that no older backup is taken for it unnoticed. */
const foundBy = (name: string, text: string): Found => {
  try {
    const { number, unnumbered, at } = JSON.parse(text) as BackupNote;
    const atMs = Date.parse(at);
    if (number === undefined) return { name, atMs };
    return { name, atMs, number, ...(unnumbered ? { unnumbered } : {}) };
  } catch {
    return { name, atMs: Number.POSITIVE_INFINITY, number: Number.MAX_SAFE_INTEGER };
  }
};

const inOrder = (found: readonly Found[]): Found[] => {
  const follows = (plain: Found, { unnumbered, atMs }: Found): boolean =>
    unnumbered ? !unnumbered.includes(plain.name) : plain.atMs > atMs;
  const numbered = found.filter(({ number }) => number !== undefined);
  /** A backup without a number comes right after the last one that it follows. */
  const rankOf = (one: Found): number =>
    one.number ??
    Math.max(
      0,
      ...numbered.filter((other) => follows(one, other)).map((other) => other.number ?? 0),
    ) + 0.5;
  // The sort is stable: backups of one rank stay in the order of their names.
  return found.toSorted((a, b) => rankOf(a) - rankOf(b));
};

/** Complete backups in a folder, in the order in which they were made. */
const backupsIn = async (root: string): Promise<Found[]> => {
  const names = await readdir(root).catch(() => []);
  const found: Found[] = [];
  for (const name of names.toSorted()) {
    if (!/^\d{4}-\d{2}-\d{2}T/.test(name)) continue;
    const note = await noteIn(join(root, name));
    if (note) found.push(foundBy(name, note.text));
  }
  return inOrder(found);
};

/** Names of backups in a folder that are complete, in the order in which they were made. */
export const completeBackups = async (root: string): Promise<string[]> =>
  (await backupsIn(root)).map(({ name }) => name);

/** The part of the next backup's note that says which backups of the folder are older. */
export const nextInOrder = async (
  root: string,
): Promise<Required<Pick<BackupNote, 'number' | 'unnumbered'>>> => {
  const found = await backupsIn(root);
  return {
    number: Math.max(0, ...found.map(({ number }) => number ?? 0)) + 1,
    unnumbered: found.filter(({ number }) => number === undefined).map(({ name }) => name),
  };
};
