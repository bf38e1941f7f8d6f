import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../../commands/preparation/blob-store.ts';
import { type Check, fail, ok } from '../../ground/check.ts';

const probe = Buffer.from('written by doctor');

/** Everything that the service does with documents, on a small object that is deleted again. */
const tryOut = async (blobs: BlobStore): Promise<boolean> => {
  const key = `doctor-${randomUUID()}`;
  await blobs.put(key, probe);
  try {
    const listed = await Array.fromAsync(blobs.list(key));
    return listed.includes(key) && ((await blobs.get(key))?.equals(probe) ?? false);
  } finally {
    await blobs.delete(key);
  }
};

/** @param bucket absent: documents are in the data folder, which the check of the disk covers */
export const checkBlobs = (bucket: string | undefined, open: () => Promise<BlobStore>): Check => ({
  name: 'documents',
  remedy:
    'correct the settings S3_…, and let the key put, get, list and delete objects of the bucket',
  async run() {
    if (bucket === undefined) return ok('in DATA_DIR (BLOB_STORE)');
    if (await tryOut(await open())) return ok(`the bucket ${bucket} stores, lists and deletes`);
    return fail(
      `the bucket ${bucket} does not return what was stored`,
      'use a store that shows an object as soon as it is stored',
    );
  },
});
