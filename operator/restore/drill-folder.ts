/** The folder of a restore-drill. It contains a whole service, so it is removed with everything in it. */
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { processSpace } from '../../infra/host/process-space.ts';
import { isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { endEmbeddedPostgres } from '../../infra/postgres/embedded.ts';
import { onInterruption } from '../interruption.ts';

const prefix = 'letters-restore-drill-';
/** At this interval a drill updates the time of its folder, as a sign that it goes on. */
const showEveryMs = 10_000;
/** Without a sign for this long, a drill of another container is gone. Clocks of machines may differ by some minutes. */
const goneAfterMs = 900_000;

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

/**
 * Whether a folder belongs to a drill whose process is gone. Its name contains the process id and the space of that id,
 * such as a container. For a process of another space, only the time of the folder tells.
 */
const isAbandoned = async (within: string, name: string): Promise<boolean> => {
  if (!name.startsWith(prefix)) return false;
  const [, pid, space] = /^(\d+)-(?:([0-9a-f]+)-)?/.exec(name.slice(prefix.length)) ?? [];
  const isHere = (space ?? processSpace()) === processSpace();
  if (isHere && pid !== undefined && Number(pid) !== process.pid && isAlive(Number(pid))) {
    return false;
  }
  const found = await lstat(join(within, name)).catch(() => undefined);
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
  return isHere || Date.now() - found.mtimeMs > goneAfterMs;
};

const showUse = (folder: string): { stop(): void } => {
  const show = () => utimes(folder, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(show, showEveryMs).unref();
  return { stop: () => clearInterval(timer) };
};

/** Removes the folders of drills that were killed, and ends their databases. */
const removeAbandoned = async (within: string): Promise<void> => {
  for (const name of await readdir(within)) {
    if (await isAbandoned(within, name)) await removeFolder(join(within, name));
  }
};

/** Makes a folder for `work` and removes it afterwards. A signal that ends the program removes it, too. */
export const inDrillFolder = async <T>(
  within: string,
  work: (dataDir: string) => Promise<T>,
): Promise<T> => {
  await removeAbandoned(within);
  const space = processSpace();
  const named = `${prefix}${process.pid}-${space === '' ? '' : `${space}-`}`;
  const folder = await mkdtemp(join(within, named));
  const use = showUse(folder);
  let removing: Promise<void> | undefined;
  const forget = onInterruption(async () => {
    removing ??= removeFolder(folder);
    await removing.finally(() => {
      // The work that was interrupted may have written meanwhile.
      rmSync(folder, { recursive: true, force: true });
    });
  });
  try {
    return await work(folder);
  } finally {
    use.stop();
    removing ??= removeFolder(folder);
    await removing;
    forget();
  }
};
