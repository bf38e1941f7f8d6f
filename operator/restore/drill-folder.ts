/** The folder of a restore-drill. It contains a whole service, so it is removed with everything in it. */
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { endEmbeddedPostgres } from '../../infra/postgres/embedded.ts';

const prefix = 'letters-restore-drill-';
/** Ctrl-C at a terminal. */
const interruptedCode = 130;

/** The folder gets another name first, so that its database is not started again. */
const removeFolder = async (folder: string): Promise<void> => {
  const over = `${folder}-over`;
  try {
    await rename(folder, over);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await endEmbeddedPostgres(over);
  await rm(over, { recursive: true, force: true });
};

/** Whether a folder belongs to a drill whose process is gone. Its name contains the process id. */
const isAbandoned = async (within: string, name: string): Promise<boolean> => {
  if (!name.startsWith(prefix)) return false;
  const [, pid] = /^(\d+)-/.exec(name.slice(prefix.length)) ?? [];
  if (pid !== undefined && Number(pid) !== process.pid && isAlive(Number(pid))) return false;
  const found = await lstat(join(within, name)).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
};

/** Removes the folders of drills that were killed, and ends their databases. */
const removeAbandoned = async (within: string): Promise<void> => {
  for (const name of await readdir(within)) {
    if (await isAbandoned(within, name)) await removeFolder(join(within, name));
  }
};

/** Makes a folder for `work` and removes it afterwards. An interruption removes it, too, and ends the program. */
export const inDrillFolder = async <T>(
  within: string,
  work: (dataDir: string) => Promise<T>,
): Promise<T> => {
  await removeAbandoned(within);
  const folder = await mkdtemp(join(within, `${prefix}${process.pid}-`));
  let removing: Promise<void> | undefined;
  const interrupted = (): void => {
    removing ??= removeFolder(folder).finally(() => {
      // The work that was interrupted may have written meanwhile.
      rmSync(folder, { recursive: true, force: true });
      process.exit(interruptedCode);
    });
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    return await work(folder);
  } finally {
    removing ??= removeFolder(folder);
    await removing;
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
};
