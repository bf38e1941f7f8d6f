/**
 * A record of erasures outside the database: an append-only file that a restore reads and never overwrites. A backup
 * from before an erasure still holds the erased key, so a restore erases it again.
 */
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartRefused } from '../../contract/start-refused.ts';
import type { DataKeys, LetterErasure } from '../../events/data-keys.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { giveToOwner } from '../host/give-to-owner.ts';

/**
 * `subject`: whose data key was erased. An id, nothing personal. `begun`: the erasure of this account began, and its
 * key is the last one that goes. `reason`: of a letter; earlier versions did not write it.
 */
export type Erasure = { at: string; subject: string; begun?: true; reason?: LetterErasure };

/** Lines are durable when the promise resolves. Several processes may append at the same time. */
type ErasureJournal = {
  add(subject: string, reason?: LetterErasure): Promise<void>;
  /** Records that an erasure of several rounds is under way. */
  begin(subject: string): Promise<void>;
};

const newline = 10;

/** Whether the last line of a file was cut off, by a crash or a full disk. */
const isCut = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== newline;
};

/** Durable when the promise resolves. @throws Error unless the disk took every line */
export const appendErasures = async (path: string, erasures: readonly Erasure[]): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a+', 0o600);
  try {
    giveToOwner(path);
    const lines = erasures.map((one) => `${JSON.stringify(one)}\n`).join('');
    const bytes = Buffer.from((await isCut(file)) ? `\n${lines}` : lines);
    // One write of a file that is open for appending is never mixed with another.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) {
      throw new Error(`${path} cannot be written: the disk took ${bytesWritten} bytes of an entry`);
    }
    await file.datasync();
  } finally {
    await file.close();
  }
};

/** Codes of errors that another path or other rights mend; a disk that is away or full may come back by itself. */
const wrongPath = new Set(['EACCES', 'EISDIR', 'ENOENT', 'ENOTDIR', 'EEXIST', 'EPERM', 'EROFS']);

/** @throws StartRefused when the file that `ERASURE_JOURNAL` names cannot be one of this service */
export const assertWritableJournal = async (path: string): Promise<void> => {
  try {
    await appendErasures(path, []);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!wrongPath.has(code)) return;
    throw new StartRefused(
      `ERASURE_JOURNAL ${path} cannot be written (${code}); name a file that the service may make and write.`,
    );
  }
};

export const createErasureJournal = (path: string, clock: Clock): ErasureJournal => {
  const append = (erasure: Omit<Erasure, 'at'>): Promise<void> =>
    appendErasures(path, [{ at: toTimestamp(clock()), ...erasure }]);
  return {
    add: (subject, reason) => append({ subject, ...(reason ? { reason } : {}) }),
    begin: (subject) => append({ subject, begun: true }),
  };
};

/** Between entries. Earlier versions wrote the next one behind one that was cut off, in the same line. */
const border = /\n|(?=\{"at":)/;

/**
 * The erasures in the lines of a journal. An entry that was cut off is left out: its key was not erased yet.
 */
export const erasuresIn = (text: string): Erasure[] =>
  text.split(border).flatMap((line) => {
    try {
      const { at, subject, begun, reason } = JSON.parse(line) as Partial<Erasure>;
      if (typeof at !== 'string' || typeof subject !== 'string') return [];
      return [
        {
          at,
          subject,
          ...(begun === true ? { begun } : {}),
          ...(reason === 'deleted' || reason === 'retention' ? { reason } : {}),
        },
      ];
    } catch {
      return [];
    }
  });

/** Empty where there is no journal yet. */
export const readJournal = async (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** The lines of several journals. */
export const readJournals = async (paths: readonly string[]): Promise<string> => {
  const texts = await Promise.all(paths.map(readJournal));
  return texts.filter((text) => text !== '').join('\n');
};

/** Writes down each erasure before the key is destroyed. */
export const withJournal = <K extends DataKeys>(dataKeys: K, journal: ErasureJournal): K => ({
  ...dataKeys,
  async erase(subject, reason) {
    await journal.add(subject, reason);
    await dataKeys.erase(subject);
  },
});
