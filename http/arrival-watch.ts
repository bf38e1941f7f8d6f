/** Ensures that a body in transfer keeps arriving. */

type Arrival = { sinceMs: number; bytes: number; tooSlow: () => void };

export type ArrivalWatch = ReturnType<typeof createArrivalWatch>;

/**
 * Tells of each arrival that brought less than `bytesPerSecond` over a period of `paceMs`. One timer for
 * all, and none while nothing arrives.
 */
export const createArrivalWatch = (options: { bytesPerSecond: number; paceMs: number }) => {
  const { bytesPerSecond, paceMs } = options;
  const leastBytes = (bytesPerSecond * paceMs) / 1000;
  const everyMs = Math.max(10, paceMs / 10);
  const arrivals = new Set<Arrival>();
  let timer: NodeJS.Timeout | undefined;
  let lookedMs = 0;

  const look = (): void => {
    const nowMs = performance.now();
    // A process that was busy for this time has not read what had arrived, and no caller is to blame.
    const wasBusy = nowMs - lookedMs > 2 * everyMs + 100;
    lookedMs = nowMs;
    for (const arrival of arrivals) {
      if (!wasBusy && nowMs - arrival.sinceMs < paceMs) continue;
      const slow = !wasBusy && arrival.bytes < leastBytes;
      arrival.sinceMs = nowMs;
      arrival.bytes = 0;
      if (slow) arrival.tooSlow();
    }
    if (arrivals.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    /** Calls `tooSlow` when it is, as long as `end` was not called. */
    begin(tooSlow: () => void): { count(bytes: number): void; end(): void } {
      const arrival = { sinceMs: performance.now(), bytes: 0, tooSlow };
      if (timer === undefined) {
        lookedMs = arrival.sinceMs;
        timer = setInterval(look, everyMs).unref();
      }
      arrivals.add(arrival);
      return {
        count(bytes) {
          arrival.bytes += bytes;
        },
        end: () => void arrivals.delete(arrival),
      };
    },
  };
};
