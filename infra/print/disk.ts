/**
 * The few things that a print folder does to a disk. The steps of every letter use file descriptors: the
 * handles of `node:fs/promises` take twice the time of this process.
 */
import * as fs from 'node:fs';
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import { makeOwnFolder } from '../host/give-to-owner.ts';
import { type FolderAccess, give, ownAccess, shareFolder } from './folder-access.ts';

export type Disk = {
  makeFolder(path: string): Promise<void>;
  /** Makes a folder if it is missing, and gives the readers access to it. */
  openFolder(path: string): Promise<void>;
  /** A new file; its content is on the disk when this resolves, its name once the folder is synced. */
  write(path: string, bytes: Buffer | string): Promise<void>;
  /** Moves a file if it is there, at once for everybody who looks; says whether it was. */
  move(from: string, to: string): Promise<boolean>;
  /** @throws whatever keeps it from being known, such as a disk that does not answer */
  exists(path: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Names in a folder; none where there is no folder. */
  namesIn(folder: string): Promise<string[]>;
  /** Epoch ms; absent: there is no such file. */
  changedAt(path: string): Promise<number | undefined>;
  /** The number of the file system of a path; absent: there is no such file. */
  deviceOf(path: string): Promise<number | undefined>;
  /** The names in a folder are on the disk when this resolves. */
  sync(folder: string): Promise<void>;
};

const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const chmod = promisify(fs.fchmod);
const flush = promisify(fs.fsync);
const close = promisify(fs.close);
const rename = promisify(fs.rename);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The result, or `otherwise` where there is no such file. */
const unlessMissing = async <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> => {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return otherwise;
    throw error;
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const file = await open(folder, 'r');
  await flush(file).finally(() => close(file));
};

/** Requests that arrive during a sync of a folder share the next one. */
const createFolderSync = () => {
  const syncs = new Map<string, (asked: undefined) => Promise<undefined>>();
  return async (folder: string): Promise<void> => {
    const known = syncs.get(folder);
    const sync =
      known ??
      createBatchLoader<undefined, undefined>({
        async load(asked) {
          await syncFolder(folder);
          return asked;
        },
        maxBatch: Number.POSITIVE_INFINITY,
      });
    if (!known) syncs.set(folder, sync);
    await sync(undefined);
  };
};

const makeFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
};

/**
 * `readers`: users who may read the files that it writes. `isGiven`: the print folder belongs to the print house. Only
 * root can give it away, so the service is root, and keeps the folders for itself that it makes in there.
 */
export const createDisk = (
  readers: FolderAccess = ownAccess,
  isGiven: boolean = readers.uid !== undefined,
): Disk => ({
  makeFolder: isGiven ? makeFolder : async (path) => void (await makeOwnFolder(path)),
  openFolder: (path) => (readers === ownAccess ? makeFolder(path) : shareFolder(path, readers)),
  async write(path, bytes) {
    const file = await open(path, 'wx', 0o600);
    try {
      await writeFile(file, bytes);
      if (readers !== ownAccess) {
        await give(path, readers);
        await chmod(file, readers.mode);
      }
      await flush(file);
    } finally {
      await close(file);
    }
  },
  move: (from, to) =>
    unlessMissing(
      rename(from, to).then(() => true),
      false,
    ),
  exists: (path) =>
    unlessMissing(
      access(path).then(() => true),
      false,
    ),
  remove: (path) => rm(path, { force: true }),
  namesIn: (folder) => unlessMissing(readdir(folder), []),
  changedAt: (path) =>
    unlessMissing(
      stat(path).then(({ mtimeMs }) => mtimeMs),
      undefined,
    ),
  deviceOf: (path) =>
    unlessMissing(
      stat(path).then(({ dev }) => dev),
      undefined,
    ),
  sync: createFolderSync(),
});
