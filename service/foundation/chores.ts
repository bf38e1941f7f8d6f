import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import { pause } from '../../ground/pause.ts';

export type Chore = {
  /** Says in a log line what failed: `reading status reports`. */
  what: string;
  everyMs: number;
  work(): Promise<unknown>;
};

/** Does the chore again and again with a pause between, until it is stopped; then the last time ends. */
export const startChore = ({ what, everyMs, work }: Chore, log: Log): (() => Promise<void>) => {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await work();
      } catch (error) {
        log.error({ err: messageOf(error) }, `${what} failed`);
      }
      await pause(everyMs, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
};
