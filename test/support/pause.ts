import { setTimeout as delay } from 'node:timers/promises';

const leastMs = 20;
const mostMs = 100;

/** The pauses of somebody who waits: each a tenth of the time waited so far. A look costs CPU time, often a request. */
export const createPause = (): (() => Promise<void>) => {
  const startedMs = performance.now();
  return () => {
    const waitedMs = performance.now() - startedMs;
    return delay(Math.min(mostMs, Math.max(leastMs, waitedMs / 10)));
  };
};
