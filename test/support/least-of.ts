import { setTimeout as delay } from 'node:timers/promises';

export const mostTries = 20;
const triesAtOnce = 5;
const pauseMs = 1_000;

/** Waits before a try, except before the first ones: a machine that is busy now may be less busy a second later. */
export const pauseBefore = async (nth: number): Promise<void> => {
  if (nth >= triesAtOnce) await delay(pauseMs);
};

/**
 * The least that `measure` returns in several tries. The first result below `limit` ends them, because a busy
 * machine can only add to a measurement.
 */
export const leastOf = async (
  limit: number,
  measure: (n: number) => Promise<number> | number,
  tries = mostTries,
): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < tries && least >= limit; n++) {
    await pauseBefore(n);
    least = Math.min(least, await measure(n));
  }
  return least;
};

/** The CPU time that this process spends on `work`, in milliseconds. */
export const cpuMs = (work: () => void): number => {
  const started = process.cpuUsage().user;
  work();
  return (process.cpuUsage().user - started) / 1_000;
};

/** How long `work` takes, in milliseconds. */
export const tookMs = async (work: () => Promise<unknown> | unknown): Promise<number> => {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
};
