/** Access to files in the hotfolder for users other than the service's own. */
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { StartRefused } from '../../contract/start-refused.ts';

export type FolderAccess = {
  /** `undefined`: as the service's user has it. */
  uid: number | undefined;
  gid: number | undefined;
  /** Of files. */
  mode: number;
};

/** As configured: names or numbers. */
type FolderAccessWish = {
  owner: string | undefined;
  group: string | undefined;
  mode: number | undefined;
};

/** Readable by the service's user only. */
export const ownAccess: FolderAccess = { uid: undefined, gid: undefined, mode: 0o600 };

const idOf = async (
  wanted: string | undefined,
  { setting, file }: { setting: string; file: string },
): Promise<number | undefined> => {
  if (wanted === undefined) return undefined;
  if (/^\d+$/.test(wanted)) return Number(wanted);
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const id = lines.map((line) => line.split(':')).find(([name]) => name === wanted)?.[2];
  if (id !== undefined) return Number(id);
  throw new StartRefused(
    `${setting} ${wanted} is not in ${file}; set it to a name there or a number.`,
  );
};

/** @throws StartRefused for a name that the machine does not know */
export const resolveAccess = async (wish: FolderAccessWish): Promise<FolderAccess> => ({
  uid: await idOf(wish.owner, { setting: 'PRINT_HOTFOLDER_OWNER', file: '/etc/passwd' }),
  gid: await idOf(wish.group, { setting: 'PRINT_HOTFOLDER_GROUP', file: '/etc/group' }),
  mode: wish.mode ?? ownAccess.mode,
});

/** Gives a path away as far as that is configured. `-1` leaves the id as it is. */
export const give = async (path: string, { uid, gid }: FolderAccess): Promise<void> => {
  if (uid !== undefined || gid !== undefined) await chown(path, uid ?? -1, gid ?? -1);
};

/** A reader takes a file by renaming it, which needs all permissions on the folder. */
const folderMode = (fileMode: number): number =>
  [0o700, 0o070, 0o007].reduce((mode, who) => (fileMode & who & 0o444 ? mode | who : mode), 0);

/**
 * Makes the folder, and gives it to the users of its files.
 * @throws StartRefused where that is not allowed
 */
export const shareFolder = async (path: string, access: FolderAccess): Promise<void> => {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await give(path, access);
    await chmod(path, folderMode(access.mode));
  } catch (error) {
    throw new StartRefused(
      `${path} cannot be given to PRINT_HOTFOLDER_OWNER, _GROUP and _MODE (${(error as Error).message}): ` +
        'another owner needs root, and a group one that the service is in.',
    );
  }
};

/**
 * A folder that is missing is made or waited for; a file in its place stays in the way.
 * @throws StartRefused where the path, or a part of it, is a file
 */
export const assertNoFile = async (path: string): Promise<void> => {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOTDIR',
  );
  if (isFolder) return;
  throw new StartRefused(
    `The print folder ${path} is not a folder; correct PRINT_HOTFOLDER, or remove the file in its place.`,
  );
};
