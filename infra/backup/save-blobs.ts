/**
 * Documents in a backup folder, each once, by the hash of its bytes. Backups share them: a document that the backup
 * before has is not read again.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../commands/preparation/blob-store.ts';
import { giveToOwner, makeOwnFolder } from '../host/give-to-owner.ts';
import { readContent, syncPath } from './hashed-file.ts';

export type SavedBlob = { key: string; bytes: number; storedAt: number; sha256: string };

const folderOf = (root: string, sha256: string): string => join(root, 'blobs', sha256.slice(0, 2));

export const blobPath = (root: string, { sha256 }: Pick<SavedBlob, 'sha256'>): string =>
  join(folderOf(root, sha256), sha256);

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Durable when it resolves, and stored as a whole or not at all. A damaged document is replaced. */
const keep = async (root: string, sha256: string, bytes: Buffer): Promise<void> => {
  const folder = folderOf(root, sha256);
  const path = join(folder, sha256);
  await makeOwnFolder(folder);
  if ((await readFile(path).catch(() => undefined))?.equals(bytes)) return;
  const draft = `${path}.draft`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    giveToOwner(draft);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncPath(folder);
};

/** The documents that a backup lists. */
export const listedBlobs = async (path: string): Promise<SavedBlob[]> => {
  let text = '';
  await readContent(path, async (source) => {
    for await (const chunk of source) text += chunk;
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SavedBlob);
};

/** @throws Error when a document is missing or has another size */
export const assertSaved = async (root: string, blob: SavedBlob): Promise<void> => {
  const { size } = await stat(blobPath(root, blob));
  if (size !== blob.bytes) throw new Error(`${blobPath(root, blob)} has ${size} bytes`);
};

const isSaved = (root: string, blob: SavedBlob): Promise<boolean> =>
  assertSaved(root, blob).then(
    () => true,
    () => false,
  );

/**
 * Saves every document of a store. Documents that are deleted meanwhile are left out. Those that the backup before has
 * are read again only if its file is lost or cut off.
 */
export async function* saveBlobs(
  blobs: BlobStore,
  root: string,
  before: ReadonlyMap<string, SavedBlob>,
): AsyncGenerator<SavedBlob & { copied: boolean }> {
  for await (const key of blobs.list('')) {
    const storedAt = await blobs.storedAt(key);
    const size = await blobs.sizeOf(key);
    if (storedAt === undefined || size === undefined) continue;
    const known = before.get(key);
    if (known?.storedAt === storedAt && known.bytes === size && (await isSaved(root, known))) {
      yield { ...known, copied: false };
      continue;
    }
    const bytes = await blobs.get(key);
    if (!bytes) continue;
    const sha256 = hashOf(bytes);
    await keep(root, sha256, bytes);
    yield { key, bytes: bytes.length, storedAt, sha256, copied: true };
  }
}

/** @throws Error when a document is missing or was damaged */
export const readSaved = async (root: string, blob: SavedBlob): Promise<Buffer> => {
  const bytes = await readFile(blobPath(root, blob));
  if (hashOf(bytes) !== blob.sha256) {
    throw new Error(`the document ${blobPath(root, blob)} was damaged`);
  }
  return bytes;
};

/** Deletes documents that no backup lists any longer. Returns how many. */
export const dropBlobs = async (root: string, wanted: ReadonlySet<string>): Promise<number> => {
  let dropped = 0;
  for (const shard of await readdir(join(root, 'blobs')).catch(() => [])) {
    for (const name of await readdir(join(root, 'blobs', shard))) {
      if (wanted.has(name)) continue;
      await rm(join(root, 'blobs', shard, name), { force: true });
      dropped += 1;
    }
  }
  return dropped;
};
