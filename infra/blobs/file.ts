import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { assertBlobKey, type BlobStore } from '../../commands/preparation/blob-store.ts';
import { giveToOwner, makeOwnFolder } from '../host/give-to-owner.ts';

/** A draft of this age belongs to a process that died: no write takes so long. */
const abandonedAfterMs = 3_600_000;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const unlessMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Makes a folder; when it resolves, the folder and those above that had to be made are on disk. */
const makeFolder = async (folder: string): Promise<void> => {
  const firstMade = await makeOwnFolder(folder);
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
};

const writeDraft = async (path: string, bytes: Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    giveToOwner(path);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const removeAbandoned = async (drafts: string): Promise<void> => {
  for (const name of await readdir(drafts)) {
    const path = join(drafts, name);
    const found = await stat(path).catch(unlessMissing);
    if (found && Date.now() - found.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
  }
};

/**
 * Blobs as files of a folder, in 256 shards by the hash of the key. A blob is written outside the shards
 * and then moved into place, so that nobody sees half of it. Several processes may share the folder.
 */
export async function openFileBlobStore(root: string): Promise<BlobStore> {
  const folder = resolve(root);
  const drafts = join(folder, 'drafts');
  await makeFolder(drafts);
  await removeAbandoned(drafts);

  const place = (key: string): { shard: string; path: string } => {
    assertBlobKey(key);
    const shard = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 2));
    return { shard, path: join(shard, key) };
  };

  return {
    async put(key, bytes) {
      const { shard, path } = place(key);
      const draft = join(drafts, randomBytes(16).toString('hex'));
      await makeFolder(shard);
      try {
        await writeDraft(draft, bytes);
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(shard);
    },
    async get(key) {
      return readFile(place(key).path).catch(unlessMissing);
    },
    async delete(key) {
      const { shard, path } = place(key);
      await unlink(path).catch(unlessMissing);
      // Also when nothing was there: the one who unlinked it may have died before the sync.
      await syncFolder(shard).catch(unlessMissing);
    },
    async storedAt(key) {
      return (await stat(place(key).path).catch(unlessMissing))?.mtimeMs;
    },
    async sizeOf(key) {
      return (await stat(place(key).path).catch(unlessMissing))?.size;
    },
    async *list(prefix) {
      for (const shard of await readdir(folder)) {
        if (!/^[0-9a-f]{2}$/.test(shard)) continue;
        const keys = await readdir(join(folder, shard));
        yield* keys.filter((key) => key.startsWith(prefix));
      }
    },
  };
}
