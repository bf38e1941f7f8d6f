import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` is aborted; never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
