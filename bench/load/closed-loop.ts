/**
 * Callers that each wait for an answer before they ask again. What is answered in the warm-up is not
 * measured. Latencies go into an HDR histogram, so that percentiles are exact to three digits.
 */
import { createHistogram, performance } from 'node:perf_hooks';

export type Latency = { p50: number; p95: number; p99: number; p999: number; max: number };

export type Measured = {
  /** Answered and successful within the window. */
  count: number;
  seconds: number;
  perSecond: number;
  /** Milliseconds, of the successful ones. */
  latency: Latency;
  /** CPU time of this process over the window, in cores. */
  cpuShare: number;
};

export type Loop = {
  callers: number;
  warmUpSeconds: number;
  seconds: number;
  /** All callers together ask no more often than this. */
  perSecond?: number | undefined;
  onMeasuring?: () => void;
  onMeasured?: () => void;
};

/** How much of what was missed is made up for. */
const longestDebtMs = 1_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `step` says whether it succeeded; it does not throw. */
export const closedLoop = async (
  loop: Loop,
  step: (caller: number) => Promise<boolean>,
): Promise<Measured> => {
  const histogram = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 });
  let measuring = false;
  let stopped = false;

  let nextTurn = performance.now();
  const turn = async (): Promise<void> => {
    if (loop.perSecond === undefined) return;
    const mine = nextTurn;
    nextTurn = Math.max(mine + 1_000 / loop.perSecond, performance.now() - longestDebtMs);
    const early = mine - performance.now();
    if (early > 0) await wait(early);
  };

  const call = async (caller: number): Promise<void> => {
    while (!stopped) {
      await turn();
      const began = performance.now();
      const succeeded = await step(caller);
      if (succeeded && measuring) {
        histogram.record(Math.max(1, Math.round((performance.now() - began) * 1_000)));
      }
    }
  };
  const calls = Promise.all(Array.from({ length: loop.callers }, (_, caller) => call(caller)));

  await wait(loop.warmUpSeconds * 1_000);
  loop.onMeasuring?.();
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  measuring = true;
  await wait(loop.seconds * 1_000);
  measuring = false;
  stopped = true;
  const seconds = (performance.now() - began) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  loop.onMeasured?.();
  await calls;

  const ms = (percentile: number): number => histogram.percentile(percentile) / 1_000;
  return {
    count: histogram.count,
    seconds,
    perSecond: histogram.count / seconds,
    latency: { p50: ms(50), p95: ms(95), p99: ms(99), p999: ms(99.9), max: histogram.max / 1_000 },
    cpuShare: (cpu.user + cpu.system) / 1e6 / seconds,
  };
};
