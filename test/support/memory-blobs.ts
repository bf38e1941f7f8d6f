import { assertBlobKey, type BlobStore } from '../../commands/blob-store.ts';

/** Blobs in a map, for tests. */
export const createMemoryBlobs = (): BlobStore & { keys(): string[] } => {
  const blobs = new Map<string, Buffer>();
  return {
    async put(key, bytes) {
      assertBlobKey(key);
      blobs.set(key, Buffer.from(bytes));
    },
    get: async (key) => blobs.get(key),
    async delete(key) {
      blobs.delete(key);
    },
    async *list(prefix) {
      yield* [...blobs.keys()].filter((key) => key.startsWith(prefix));
    },
    keys: () => [...blobs.keys()],
  };
};
