import { logoBlobPrefix } from '../commands/logos/logos.ts';
import type { BlobStore } from '../commands/preparation/blob-store.ts';
import type { Clock } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';

/** Longer than any request lives: an image that no logo names by then will never be named. */
const orphanAfterMs = dayMs;

/**
 * Deletes images of uploads that died before they were recorded, and logos that were unused for long. Safe to
 * repeat, and during uploads. Ends early when `signal` is aborted. Returns how many it deleted.
 */
export const createSweepLogos =
  (ports: {
    blobs: Pick<BlobStore, 'list' | 'storedAt'>;
    clock: Clock;
    /** The account that a blob is counted for. */
    ownerOf(blob: string): Promise<string | undefined>;
    logos: {
      isKept(accountId: string, blob: string): Promise<boolean>;
      /** Deletes a logo that was not used for RETENTION_DAYS. */
      expire(accountId: string, blob: string): Promise<boolean>;
      erase(blob: string): Promise<void>;
    };
  }) =>
  async (signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    for await (const blob of ports.blobs.list(logoBlobPrefix)) {
      if (signal.aborted) return deleted;
      const storedAt = await ports.blobs.storedAt(blob);
      if (storedAt === undefined || ports.clock() - storedAt < orphanAfterMs) continue;
      const owner = await ports.ownerOf(blob);
      // Nothing is known of it: it is not ours to judge.
      if (owner === undefined) continue;
      if (await ports.logos.isKept(owner, blob)) {
        if (await ports.logos.expire(owner, blob)) deleted++;
        continue;
      }
      await ports.logos.erase(blob);
      deleted++;
    }
    return deleted;
  };
