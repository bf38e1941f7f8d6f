/**
 * Marks a data folder while a restore fills it. A service that started before the restore is complete would
 * print and mail again what was printed and mailed since the backup.
 */
import { access, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartRefused } from '../../contract/start-refused.ts';

const markIn = (dataDir: string): string => join(dataDir, 'restore-unfinished');

const syncFolder = async (dataDir: string): Promise<void> => {
  const folder = await open(dataDir, 'r');
  await folder.sync().finally(() => folder.close());
};

/** On disk when this returns. */
export const markRestore = async (dataDir: string): Promise<void> => {
  const mark = await open(markIn(dataDir), 'wx', 0o600);
  await mark.sync().finally(() => mark.close());
  await syncFolder(dataDir);
};

export const unmarkRestore = async (dataDir: string): Promise<void> => {
  await rm(markIn(dataDir));
  await syncFolder(dataDir);
};

/** @throws StartRefused while the restore of the folder is running, or after it ended early */
export const assertRestored = async (dataDir: string): Promise<void> => {
  const isMarked = await access(markIn(dataDir)).then(
    () => true,
    () => false,
  );
  if (!isMarked) return;
  throw new StartRefused(
    `The restore into ${dataDir} is not complete. If it no longer runs, empty the folder, the database and the EventStoreDB of the log, if there is one, and repeat it (docs/backup.md).`,
  );
};
