/**
 * The owner of files that root makes. An operator's command often runs as root, and would otherwise lock out a service
 * that runs as the owner of the folder. That owner may put a link in the place of a file at any moment, so none is
 * followed.
 */
import { constants, lchownSync, statSync } from 'node:fs';
import { lchown, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** @throws an error other than that a file system or a container does not let root do it */
const assertForbidden = (error: unknown): void => {
  if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
};

/**
 * Gives a new file or folder to the owner of `other`, which is the folder that it is in unless it is named. Does nothing
 * unless root runs this process.
 */
export const giveToOwner = (path: string, other: string = dirname(path)): void => {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(other);
  if (uid === 0) return;
  try {
    lchownSync(path, uid, gid);
  } catch (error) {
    assertForbidden(error);
  }
};

const giveInside = async (folder: string, uid: number, gid: number): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await lchown(path, uid, gid);
    if (entry.isDirectory()) await giveInside(path, uid, gid);
  }
};

/**
 * The same of a new folder with all that is in it, on Linux. Until then only root can enter it. It is reached by its
 * handle, because the owner of the folder that it is in could put another one in its place.
 */
export const giveAllToOwner = async (folder: string): Promise<void> => {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return;
  const { uid, gid } = await stat(dirname(folder));
  if (uid === 0) return;
  const handle = await open(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if ((await handle.stat()).uid !== 0) throw new Error(`${folder} was replaced`);
    await giveInside(`/proc/self/fd/${handle.fd}`, uid, gid);
    await handle.chown(uid, gid);
  } catch (error) {
    assertForbidden(error);
  } finally {
    await handle.close();
  }
};

/**
 * Makes a folder and those above it, for the owner of the folder that the first of them is in.
 * @returns the first folder that was made; undefined: all were there
 */
export const makeOwnFolder = async (folder: string): Promise<string | undefined> => {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return undefined;
  const made = [folder];
  while (made[0] !== undefined && made[0].length > firstMade.length) made.unshift(dirname(made[0]));
  for (const one of made) giveToOwner(one);
  return firstMade;
};
