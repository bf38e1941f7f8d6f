/**
 * Callers that each wait for an answer before their next request. Answers in the warm-up are not measured.
 * Latencies go into an HDR histogram, so that percentiles are exact to three digits.
 */
import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';

type Latency = { p50: number; p95: number; p99: number; p999: number; max: number };

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
  /** Ends the window before `seconds` have passed. */
  enough?: Promise<void>;
  onMeasuring?: () => void;
  onMeasured?: () => void;
};

/** Latencies in µs, to three digits. */
export const latencyHistogram = (): RecordableHistogram =>
  createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 });

export const measuredOf = (
  histogram: RecordableHistogram,
  seconds: number,
  cpu: NodeJS.CpuUsage,
): Measured => {
  const ms = (percentile: number): number => histogram.percentile(percentile) / 1_000;
  return {
    count: histogram.count,
    seconds,
    perSecond: histogram.count / seconds,
    latency: { p50: ms(50), p95: ms(95), p99: ms(99), p999: ms(99.9), max: histogram.max / 1_000 },
    cpuShare: (cpu.user + cpu.system) / 1e6 / seconds,
  };
};

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** `step` says whether it succeeded; it does not throw. */
export const closedLoop = async (
  loop: Loop,
  step: (caller: number) => Promise<boolean>,
): Promise<Measured> => {
  const histogram = latencyHistogram();
  let measuring = false;
  let stopped = false;

  const call = async (caller: number): Promise<void> => {
    while (!stopped) {
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
  await Promise.race([wait(loop.seconds * 1_000), ...(loop.enough ? [loop.enough] : [])]);
  measuring = false;
  stopped = true;
  const seconds = (performance.now() - began) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  loop.onMeasured?.();
  await calls;

  return measuredOf(histogram, seconds, cpu);
};
