/**
 * A file in the print folder by which a restore is noticed. It holds a mark that the database knows, too, and
 * that is renewed again and again. Backups leave the print folder out (docs/deployment.md), so after a restore
 * the file is missing; when only the database or only the folder was restored, the marks differ. Nodes that share
 * no folder have one each, with a mark of its own.
 */
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db, TransactionalDb } from '../../ground/db.ts';
import { giveToOwner } from '../host/give-to-owner.ts';
import { isFolderMark, renewMark, restMark } from '../postgres/folder-marks.ts';
import type { LogGeneration } from '../postgres/log-generations.ts';

const markerName = '.restore-marker';

/** The mark of a folder; undefined where there is none. */
const readMark = async (folder: string): Promise<string | undefined> => {
  try {
    return (await readFile(join(folder, markerName), 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const writeMark = async (folder: string, mark: string): Promise<void> => {
  const draft = join(folder, `${markerName}.draft`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${mark}\n`);
    giveToOwner(draft);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, markerName));
};

export const markFolder = (db: TransactionalDb, folder: string): Promise<void> =>
  renewMark(db, { read: () => readMark(folder), write: (mark) => writeMark(folder, mark) });

/** To be called when a service stops that marked the folder. */
export const restFolder = async (db: Db, folder: string): Promise<void> => {
  const mark = await readMark(folder);
  if (mark !== undefined) await restMark(db, mark);
};

/**
 * How the folder relates to the database. `earlier`: the marks differ, and the folder was last marked before
 * the last restore was declared.
 */
export const compareMarker = async (
  db: Db,
  folder: string,
  current: Pick<LogGeneration, 'mark' | 'next_mark' | 'began_at'>,
): Promise<'same' | 'missing' | 'earlier' | 'other'> => {
  // Begun, and not marked yet.
  if (current.mark === null) return 'same';
  const found = await readMark(folder);
  if (found === undefined) return 'missing';
  if (found === current.mark || found === current.next_mark) return 'same';
  if (await isFolderMark(db, found)) return 'same';
  const { mtime } = await stat(join(folder, markerName));
  return mtime < current.began_at ? 'earlier' : 'other';
};

/** Whether a folder was marked at all, by whichever database. */
export const isMarked = async (folder: string): Promise<boolean> =>
  (await readMark(folder)) !== undefined;
