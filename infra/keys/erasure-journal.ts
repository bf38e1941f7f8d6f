/**
 * A record of erasures outside the database: an append-only file that a restore reads and never overwrites. A backup
 * from before an erasure still holds the erased key, so a restore erases it again.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataKeys } from '../../events/data-keys.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';

/**
 * `subject`: whose data key was erased. An id, nothing personal. `begun`: the erasure of this account began, and its
 * key is the last one that goes.
 */
export type Erasure = { at: string; subject: string; begun?: true };

/** Lines are durable when the promise resolves. Several processes may append at the same time. */
type ErasureJournal = {
  add(subject: string): Promise<void>;
  /** Records that an erasure of several rounds is under way. */
  begin(subject: string): Promise<void>;
};

const appendTo =
  (path: string, clock: Clock) =>
  async (erasure: Omit<Erasure, 'at'>): Promise<void> => {
    const line = `${JSON.stringify({ at: toTimestamp(clock()), ...erasure })}\n`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a', 0o600);
    try {
      // One short write of a file that is open for appending is never mixed with another.
      await file.write(line);
      await file.datasync();
    } finally {
      await file.close();
    }
  };

export const createErasureJournal = (path: string, clock: Clock): ErasureJournal => {
  const append = appendTo(path, clock);
  return {
    add: (subject) => append({ subject }),
    begin: (subject) => append({ subject, begun: true }),
  };
};

/**
 * The erasures in the lines of a journal. A line that a crash cut off is left out: its key was not erased
 * yet.
 */
export const erasuresIn = (text: string): Erasure[] =>
  text.split('\n').flatMap((line) => {
    try {
      const { at, subject, begun } = JSON.parse(line) as Partial<Erasure>;
      if (typeof at !== 'string' || typeof subject !== 'string') return [];
      return [{ at, subject, ...(begun === true ? { begun } : {}) }];
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

/** Writes down each erasure before the key is destroyed. */
export const withJournal = <K extends DataKeys>(dataKeys: K, journal: ErasureJournal): K => ({
  ...dataKeys,
  async erase(subject) {
    await journal.add(subject);
    await dataKeys.erase(subject);
  },
});
