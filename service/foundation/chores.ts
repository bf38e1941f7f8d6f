import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import { pause } from '../../ground/pause.ts';

export type Chore = {
  /** Says in a log line what failed: `reading status reports`. */
  what: string;
  everyMs: number;
  work(): Promise<unknown>;
};

/** The next chore waits no longer than this for the first run of the one before it. */
const mostTurnMs = 1_000;

const once = async ({ what, work }: Chore, log: Log): Promise<void> => {
  try {
    await work();
  } catch (error) {
    log.error({ err: messageOf(error) }, `${what} failed`);
  }
};

/**
 * Repeats each chore with a pause after each run. Chores begin one after the other, so that a start needs few connections
 * to the database. The returned function stops them, and waits for the runs in progress.
 */
export const startChores = (chores: readonly Chore[], log: Log): (() => Promise<void>) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = async (chore: Chore, first: Promise<void>): Promise<void> => {
    await first;
    while (!signal.aborted) {
      await pause(chore.everyMs, signal);
      if (!signal.aborted) await once(chore, log);
    }
  };
  const loops: Promise<void>[] = [];
  const begun = (async () => {
    for (const chore of chores) {
      if (signal.aborted) return;
      const first = once(chore, log);
      loops.push(repeat(chore, first));
      await Promise.race([first, pause(mostTurnMs, signal)]);
    }
  })();
  return async () => {
    stopping.abort();
    await begun;
    await Promise.all(loops);
  };
};
