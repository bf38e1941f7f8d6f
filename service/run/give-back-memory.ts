/**
 * Gives memory back to the system after a start or a burst of work, some 20 MB a process: V8 keeps it for
 * hours otherwise. It takes about 100 ms, so it is done when there is hardly any work.
 */
import { performance } from 'node:perf_hooks';

const lookEveryMs = 5_000;
/** Share of the time since the last look that the event loop was busy, at most. */
const quiet = 0.1;
/** By how much memory has to have grown, bytes. */
const worthwhile = 12e6;

export const createGiveBack = (ports: {
  /** Since it was asked before, 0 to 1. */
  utilization(): number;
  residentBytes(): number;
  collect(): void;
}): (() => void) => {
  let least = 0;
  return () => {
    const isQuiet = ports.utilization() <= quiet;
    if (!isQuiet || ports.residentBytes() - least < worthwhile) return;
    ports.collect();
    least = ports.residentBytes();
  };
};

/** Needs `--expose-gc`, which `npm start` sets; without it nothing is done. */
export const giveBackMemory = (): void => {
  const { gc } = globalThis;
  if (gc === undefined) return;
  let before = performance.eventLoopUtilization();
  const look = createGiveBack({
    utilization() {
      const since = before;
      before = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(before, since).utilization;
    },
    residentBytes: () => process.memoryUsage.rss(),
    // Only this flavour returns the pages that a collection has freed.
    collect: () => gc({ type: 'major', flavor: 'last-resort' }),
  });
  setInterval(look, lookEveryMs).unref();
};
