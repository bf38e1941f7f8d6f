/**
 * The store of documents. The caller has already encrypted them: a store sees no plaintext and needs no secrecy
 * of its own. Keys are opaque lower-case ids (see `assertBlobKey`).
 */
export type BlobStore = {
  /**
   * Durable when it resolves, and stored as a whole or not at all. Idempotent: the same key again replaces
   * the blob, and a repeated call with the same bytes changes nothing.
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where nothing was put under the key, or it was deleted. */
  get(key: string): Promise<Buffer | undefined>;
  /** Durable when it resolves. Deleting a missing blob is not an error. */
  delete(key: string): Promise<void>;
  /** When the key was last put, epoch ms, by the store's clock; undefined where there is nothing. */
  storedAt(key: string): Promise<number | undefined>;
  /** Bytes under the key; undefined where there is nothing. */
  sizeOf(key: string): Promise<number | undefined>;
  /** The keys that begin with `prefix` (which may be empty), in no particular order. */
  list(prefix: string): AsyncIterable<string>;
};

/**
 * Counts files against an account's quota before they are stored; deleting them gives it back.
 * @throws AppError quota_exceeded
 */
export type ClaimStorage = (
  accountId: string,
  files: readonly { key: string; bytes: { length: number } }[],
) => Promise<void>;

const keyPattern = /^[a-z0-9][a-z0-9_-]{0,127}$/;

/**
 * Restricts a key to characters that every store keeps as they are: 1 to 128 of `a-z 0-9 - _`, the first a
 * letter or a digit. So no key is a path.
 * @throws RangeError
 */
export function assertBlobKey(key: string): void {
  if (!keyPattern.test(key)) {
    throw new RangeError(`${JSON.stringify(key.slice(0, 140))} is not a blob key`);
  }
}
