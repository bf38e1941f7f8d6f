import type { Time } from '../ground/time.ts';

/** A batch of this many events says that there is more: the next one follows at once. */
const largeBatch = 500;

/**
 * Lets events of the log collect after a small batch, so that many of them share a transaction and a
 * checkpoint. Nothing is collected while somebody waits for an event that has not been handled.
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
      const leftMs = collectMs - (time.elapsedMs() - beganMs);
      if (size >= largeBatch || wanted > handled || leftMs <= 0 || signal.aborted) return;
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
