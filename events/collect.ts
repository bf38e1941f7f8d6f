import type { Time } from '../ground/time.ts';

/** CHOICE: shorter than people notice. At 100 sends a second about 8 letters share a statement. */
export const usualCollectMs = 80;

/** A batch of this many events says that there is more: the next one follows at once. */
const largeBatch = 500;

/**
 * Lets events of the log collect after a small batch, so that many of them share a transaction and a
 * checkpoint. The pauses of all followers of a process end at the same moments, multiples of `collectMs`, so that
 * one read of the log serves them all. Nothing is collected while somebody waits for an event that has not been
 * handled.
 */
export const createCollector = (collectMs: number, time: Time) => {
  let wanted = 0n;
  let handled = 0n;
  let collecting: AbortController | undefined;

  return {
    /** Pauses after a batch of `size` events up to `position` that began at `beganMs` of `time`. */
    async collect(
      { size, position, beganMs }: { size: number; position: bigint; beganMs: number },
      signal: AbortSignal,
    ): Promise<void> {
      handled = position;
      const nowMs = time.elapsedMs();
      const isLate = nowMs - beganMs >= collectMs;
      if (size >= largeBatch || wanted > handled || isLate || signal.aborted) return;
      const leftMs = collectMs - (nowMs % collectMs);
      const pausing = new AbortController();
      const end = (): void => pausing.abort();
      collecting = pausing;
      signal.addEventListener('abort', end, { once: true });
      await time.pause(leftMs, pausing.signal);
      signal.removeEventListener('abort', end);
      collecting = undefined;
    },
    /** Until `position` is handled, batches follow each other without a pause. */
    want(position: bigint): void {
      if (position > wanted) wanted = position;
      if (wanted > handled) collecting?.abort();
    },
  };
};
