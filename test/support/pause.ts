import { setTimeout as delay } from 'node:timers/promises';

const leastMs = 20;
const mostMs = 250;

/**
 * The pauses of a caller that waits for something. Each is a tenth of the time waited so far, and twice as long as the look
 * before it: a look costs CPU time that the awaited work needs.
 */
export const createPause = (): (() => Promise<void>) => {
  const startedMs = performance.now();
  let lookedAtMs = startedMs;
  return async () => {
    const nowMs = performance.now();
    const wantedMs = Math.max(leastMs, (nowMs - startedMs) / 10, 2 * (nowMs - lookedAtMs));
    await delay(Math.min(mostMs, wantedMs));
    lookedAtMs = performance.now();
  };
};
