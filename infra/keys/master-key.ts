import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

export const masterKeyBytes = 32;

/** 32 bytes out of hex, base64 or base64url; `undefined` when it is none of them. */
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
const createKeyFile = async (dataDir: string, path: string): Promise<boolean> => {
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(masterKeyBytes).toString('base64')}\n`);
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

/**
 * The key that wraps all data keys: `masterKey` if configured, else the one in
 * `<dataDir>/master.key` (0600), which is made once, with a warning.
 * @returns 32 bytes
 * @throws Error when the file does not hold 32 bytes; a damaged key is never replaced
 */
export const loadMasterKey = async (options: {
  masterKey?: Buffer;
  dataDir: string;
  log: (line: string) => void;
}): Promise<Buffer> => {
  if (options.masterKey) return options.masterKey;
  const path = join(options.dataDir, 'master.key');
  const read = (): Promise<string | undefined> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  let text = await read();
  if (text === undefined) {
    if (await createKeyFile(options.dataDir, path)) {
      options.log(
        `MASTER_KEY is not set: made ${path}. Back it up; without it no letter can be read again`,
      );
    }
    text = await read();
  }
  const key = parseMasterKey(text?.trim() ?? '');
  if (!key) throw new Error(`${path} does not hold a key of ${masterKeyBytes} bytes: restore it`);
  return key;
};
