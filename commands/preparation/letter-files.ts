import { letterDeleted } from '../../contract/refusals.ts';
import { DocumentLost, documentStoreRefusal } from '../../contract/store-refusals.ts';
import { type DataKey, type DataKeys, KeyErased } from '../../events/data-keys.ts';
import { letterStream } from '../../events/letter.ts';
import type { BlobStore, ClaimStorage } from './blob-store.ts';
import type { FileWork } from './file-work.ts';

/** A document of a letter that is too large for its event. `key` is the blob's. */
export type LetterFile = { key: string; bytes: Buffer };

/** A document of at most this many bytes is stored in the event itself. */
export const inlineBytes = 32 * 1024;

/** The data key of a letter, created if it does not exist yet. @throws AppError letter_deleted */
export const makeLetterKey = (
  dataKeys: Pick<DataKeys, 'create'>,
  letterId: string,
): Promise<DataKey> =>
  dataKeys.create(letterStream(letterId)).catch((error: unknown) => {
    throw error instanceof KeyErased ? letterDeleted() : error;
  });

export type LetterFiles = ReturnType<typeof createLetterFiles>;

/** Documents of letters: in the blob store, sealed with the letter's data key for their blob key. */
export const createLetterFiles = ({
  blobs,
  dataKeys,
  claim,
  work,
}: {
  blobs: BlobStore;
  dataKeys: DataKeys;
  claim: ClaimStorage;
  work: FileWork;
}) => ({
  /** The commitment that the letter's event makes to a document outside of it. @throws AppError overloaded */
  async commitment(salt: string, document: Buffer): Promise<string> {
    return (await work.digest([Buffer.from(salt), document])).toString('base64url');
  },

  /** Durable when it resolves. @throws AppError letter_deleted, quota_exceeded, store_unavailable, storage_full */
  async put(
    { letterId, accountId }: { letterId: string; accountId: string },
    files: LetterFile[],
  ): Promise<void> {
    if (files.length === 0) return;
    await claim(accountId, files);
    const dataKey = await makeLetterKey(dataKeys, letterId);
    const stored = files.map(async ({ key, bytes }) =>
      blobs.put(key, await work.seal([bytes], dataKey, key)),
    );
    // All writes have ended when this fails, so that the written files can be deleted.
    for (const outcome of await Promise.allSettled(stored)) {
      if (outcome.status === 'rejected') throw documentStoreRefusal(outcome.reason);
    }
  },

  /** @throws AppError letter_deleted, store_unavailable; DocumentLost */
  async get(letterId: string, key: string): Promise<Buffer> {
    const dataKey = await dataKeys.get(letterStream(letterId));
    if (!dataKey) {
      throw letterDeleted();
    }
    const sealed = await blobs.get(key).catch((error: unknown) => {
      throw documentStoreRefusal(error);
    });
    if (!sealed) throw new DocumentLost(key);
    return work.open(sealed, dataKey, key);
  },

  /** @throws AppError store_unavailable */
  async delete(keys: string[]): Promise<void> {
    await Promise.all(keys.map((key) => blobs.delete(key))).catch((error: unknown) => {
      throw documentStoreRefusal(error);
    });
  },
});
