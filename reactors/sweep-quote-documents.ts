import type { BlobStore } from '../commands/preparation/blob-store.ts';
import { quoteBlobPrefix } from '../commands/preparation/quote-documents.ts';
import type { Clock } from '../ground/clock.ts';

/** CHOICE: for clocks of the store and of the service that differ. */
const marginMs = 300_000;

/**
 * Deletes the documents of dry runs whose quotes have expired. Safe to repeat, and beside quotes and other
 * sweeps. Ends early when `signal` is aborted. Returns how many it deleted.
 */
export const createSweepQuoteDocuments =
  (ports: {
    blobs: Pick<BlobStore, 'list' | 'storedAt' | 'delete'>;
    clock: Clock;
    /** How long a quote holds. */
    quoteMs: number;
  }) =>
  async (signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    for await (const key of ports.blobs.list(quoteBlobPrefix)) {
      if (signal.aborted) return deleted;
      const storedAt = await ports.blobs.storedAt(key);
      if (storedAt === undefined || ports.clock() - storedAt < ports.quoteMs + marginMs) continue;
      await ports.blobs.delete(key);
      deleted++;
    }
    return deleted;
  };
