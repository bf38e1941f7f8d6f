/**
 * Requests that begin when their time has come, whether or not the ones before were answered, as those of
 * many independent callers do. The time between two is random (exponential). A request that finds no free
 * connection waits for one, and its latency counts from when it should have begun.
 */
import { performance } from 'node:perf_hooks';
import { type Loop, latencyHistogram, type Measured, measuredOf, wait } from './closed-loop.ts';

/** `step` says whether it succeeded; it does not throw. `callers`: connections. */
export const openLoop = async (
  loop: Loop & { arrivalsPerSecond: number },
  step: (caller: number) => Promise<boolean>,
): Promise<Measured> => {
  const histogram = latencyHistogram();
  const free = Array.from({ length: loop.callers }, (_, caller) => caller);
  const late: number[] = [];
  const running = new Set<Promise<void>>();
  let measuring = false;
  let stopped = false;

  const run = async (caller: number, dueMs: number): Promise<void> => {
    const counted = measuring;
    const succeeded = await step(caller);
    if (succeeded && counted) {
      histogram.record(Math.max(1, Math.round((performance.now() - dueMs) * 1_000)));
    }
    const next = late.shift();
    if (next === undefined) free.push(caller);
    else await run(caller, next);
  };
  const begin = (dueMs: number): void => {
    const caller = free.pop();
    if (caller === undefined) {
      late.push(dueMs);
      return;
    }
    const ended = run(caller, dueMs).finally(() => running.delete(ended));
    running.add(ended);
  };
  const arrive = async (): Promise<void> => {
    let dueMs = performance.now();
    while (!stopped) {
      for (const nowMs = performance.now(); dueMs <= nowMs && !stopped; ) {
        begin(dueMs);
        dueMs += (-Math.log(1 - Math.random()) * 1_000) / loop.arrivalsPerSecond;
      }
      await wait(1);
    }
  };
  const arriving = arrive();

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
  await arriving;
  late.length = 0;
  await Promise.all(running);
  return measuredOf(histogram, seconds, cpu);
};
