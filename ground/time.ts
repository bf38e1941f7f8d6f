import { pause } from './pause.ts';

/** How time passes, for whoever waits: another one in a simulation. The time of day is a `Clock`. */
export type Time = {
  /** Milliseconds since some moment; never goes back. */
  elapsedMs(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted; never rejects. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
};

export const realTime: Time = { elapsedMs: () => performance.now(), pause };
