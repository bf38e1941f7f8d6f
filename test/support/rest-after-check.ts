import { setTimeout as delay } from 'node:timers/promises';

const [leastMs, mostMs] = [20, 250];

/**
 * Rests after a check that began at `beganMs`, before it is made again: twice as long as it took, because it takes CPU time
 * that the awaited work needs. A quick check is made again at once, so that a test sees a state that soon ends.
 */
export const restAfterCheck = (beganMs: number): Promise<void> =>
  delay(Math.min(mostMs, Math.max(leastMs, 2 * (performance.now() - beganMs))));
