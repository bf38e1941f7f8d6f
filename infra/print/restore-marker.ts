/**
 * A file in the print folder by which a restore is noticed. It holds a mark that the database knows, too, and
 * that is renewed again and again. Backups leave the print folder out (docs/deployment.md), so after a restore
 * the file is missing; when only the database or only the folder was restored, the marks differ.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { TransactionalDb } from '../../ground/db.ts';
import { type LogGeneration, renewMark } from '../postgres/log-generations.ts';

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
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${markerName}.draft`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${mark}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, markerName));
};

export const markFolder = (db: TransactionalDb, folder: string): Promise<void> =>
  renewMark(db, (mark) => writeMark(folder, mark));

/** How the folder and the database stand to each other. */
export const compareMarker = async (
  folder: string,
  { mark, next_mark: next }: Pick<LogGeneration, 'mark' | 'next_mark'>,
): Promise<'same' | 'missing' | 'other'> => {
  // Begun, and not marked yet.
  if (mark === null) return 'same';
  const found = await readMark(folder);
  if (found === undefined) return 'missing';
  return found === mark || found === next ? 'same' : 'other';
};

/** Whether a folder was marked at all, by whichever database. */
export const isMarked = async (folder: string): Promise<boolean> =>
  (await readMark(folder)) !== undefined;
