import type { Log } from '../../ground/log.ts';
import type { Chore } from './wing.ts';

/** Does the chore again and again with a pause between, until it is stopped; then the last time ends. */
export const startChore = ({ what, everyMs, work }: Chore, log: Log): (() => Promise<void>) => {
  let stopped = false;
  let wake = (): void => {};
  const loop = (async () => {
    while (!stopped) {
      try {
        await work();
      } catch (error) {
        const err = error instanceof Error ? error.message : String(error);
        log.error({ err }, `${what} failed`);
      }
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await loop;
  };
};
