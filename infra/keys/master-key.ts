import { randomBytes } from 'node:crypto';
import { access, copyFile, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartRefused } from '../../contract/start-refused.ts';
import { giveToOwner } from '../host/give-to-owner.ts';

const masterKeyBytes = 32;

/** 32 bytes out of hex, base64 or base64url; `undefined` for any other text. */
export const parseMasterKey = (text: string): Buffer | undefined => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64url');
  return key.length === masterKeyBytes ? key : undefined;
};

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** On disk as a whole before it has its name, so that no other key is ever made after it. */
const createKeyFile = async (
  dataDir: string,
  path: string,
  key: Buffer = randomBytes(masterKeyBytes),
): Promise<boolean> => {
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${key.toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
    await sync(dataDir);
  }
};

const pathIn = (dataDir: string): string => join(dataDir, 'master.key');

/** The key that wraps all data keys, and where it is from. */
export type MasterKey = { key: Buffer; source: string };

/**
 * `masterKey` if it is configured, otherwise the 32 bytes in `<dataDir>/master.key`; undefined where there is neither.
 * @throws StartRefused when the file holds something else
 */
export const readMasterKey = async (options: {
  masterKey: Buffer | undefined;
  dataDir: string;
}): Promise<MasterKey | undefined> => {
  if (options.masterKey) return { key: options.masterKey, source: 'MASTER_KEY' };
  const path = pathIn(options.dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = parseMasterKey(text.trim());
  if (key) return { key, source: path };
  throw new StartRefused(
    `${path} does not hold a key of ${masterKeyBytes} bytes: restore it from your backup`,
  );
};

/** Writes a master key that was restored. @throws Error when there is one already */
export const restoreMasterKey = async (dataDir: string, key: Buffer): Promise<void> => {
  if (!(await createKeyFile(dataDir, pathIn(dataDir), key))) {
    throw new Error(`${pathIn(dataDir)} is there already`);
  }
};

/** Makes `<dataDir>/master.key` (0600), with a warning, where there is none. */
export const makeMasterKey = async (
  dataDir: string,
  log: (line: string) => void,
): Promise<MasterKey> => {
  const path = pathIn(dataDir);
  if (await createKeyFile(dataDir, path)) {
    log(`MASTER_KEY is not set: made ${path}. Back it up; without it no letter can be read again`);
  }
  const made = await readMasterKey({ masterKey: undefined, dataDir });
  if (!made) throw new Error(`${path} went away while it was made`);
  return made;
};

const nextPathIn = (dataDir: string): string => `${pathIn(dataDir)}.new`;
const previousPathIn = (dataDir: string): string => `${pathIn(dataDir)}.old`;

/** The key that shall follow the one in `master.key`: made once, and kept next to it until it takes its place. */
export const nextMasterKey = async (dataDir: string): Promise<MasterKey> => {
  const path = nextPathIn(dataDir);
  await createKeyFile(dataDir, path);
  const key = parseMasterKey((await readFile(path, 'utf8')).trim());
  if (!key)
    throw new StartRefused(`${path} does not hold a key: delete it, and repeat the command`);
  return { key, source: path };
};

/** Whether a key waits to take the place of the one in `master.key`. */
export const hasNextMasterKey = (dataDir: string): Promise<boolean> =>
  access(nextPathIn(dataDir)).then(
    () => true,
    () => false,
  );

/** Puts the next key in place; the one before stays as `master.key.old`. At any moment `master.key` is one of both. */
export const replaceMasterKey = async (dataDir: string): Promise<void> => {
  giveToOwner(nextPathIn(dataDir), pathIn(dataDir));
  await copyFile(pathIn(dataDir), previousPathIn(dataDir));
  await sync(previousPathIn(dataDir));
  await rename(nextPathIn(dataDir), pathIn(dataDir));
  await sync(dataDir);
};

/** Deletes the key before. */
export const removePreviousMasterKey = (dataDir: string): Promise<void> =>
  rm(previousPathIn(dataDir), { force: true });
