import { setTimeout as delay } from 'node:timers/promises';

const leastMs = 20;
const mostMs = 250;

/**
 * Pauses between the checks of a caller that waits for something. Each pause is at least a tenth of the time waited so far
 * and twice as long as the check before it, up to `mostMs`, because a check takes CPU time that the awaited work needs.
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
