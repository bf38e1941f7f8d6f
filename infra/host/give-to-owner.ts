/**
 * The owner of files that root makes. An operator's command often runs as root, and would otherwise lock out a service
 * that runs as the owner of the folder.
 */
import { chownSync, statSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Gives a new file or folder to the owner of `other`, which is the folder that it is in unless it is named. Does nothing
 * unless root runs this process.
 */
export const giveToOwner = (path: string, other: string = dirname(path)): void => {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(other);
  if (uid === 0) return;
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    // A file system or a container where root may not do that.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
};

/** The same of a folder with all that is in it. */
export const giveAllToOwner = async (folder: string): Promise<void> => {
  if (process.getuid?.() !== 0) return;
  giveToOwner(folder);
  // A folder comes before what it holds.
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    giveToOwner(join(folder, name));
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
