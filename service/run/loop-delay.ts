/** How long the event loop of this process is held up. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const windowMs = 15_000;
const resolutionMs = 20;

/** Seconds, over the last 15 to 30 s. */
export type LoopDelay = { p50: number; p99: number; max: number };

const none: LoopDelay = { p50: 0, p99: 0, max: 0 };
const seconds = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000) || 0;

export const watchLoopDelay = () => {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let before = none;
  let sinceMs = performance.now();
  const now = (): LoopDelay =>
    histogram.count === 0
      ? none
      : {
          p50: seconds(histogram.percentile(50)),
          p99: seconds(histogram.percentile(99)),
          max: seconds(histogram.max),
        };
  return {
    read(): LoopDelay {
      const current = now();
      const shown = {
        p50: Math.max(before.p50, current.p50),
        p99: Math.max(before.p99, current.p99),
        max: Math.max(before.max, current.max),
      };
      if (performance.now() - sinceMs >= windowMs) {
        before = current;
        sinceMs = performance.now();
        histogram.reset();
      }
      return shown;
    },
    stop(): void {
      histogram.disable();
    },
  };
};
