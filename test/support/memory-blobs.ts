import { assertBlobKey, type BlobStore } from '../../commands/preparation/blob-store.ts';

/** Blobs in a map, for tests. */
export const createMemoryBlobs = (): BlobStore & { keys(): string[] } => {
  const blobs = new Map<string, Buffer>();
  const times = new Map<string, number>();
  return {
    async put(key, bytes) {
      assertBlobKey(key);
      blobs.set(key, Buffer.from(bytes));
      times.set(key, Date.now());
    },
    get: async (key) => blobs.get(key),
    async delete(key) {
      blobs.delete(key);
    },
    storedAt: async (key) => (blobs.has(key) ? times.get(key) : undefined),
    sizeOf: async (key) => blobs.get(key)?.length,
    async *list(prefix) {
      yield* [...blobs.keys()].filter((key) => key.startsWith(prefix));
    },
    keys: () => [...blobs.keys()],
  };
};
