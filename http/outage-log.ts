/**
 * The log of requests that are refused because the store is away. Many callers try again meanwhile: the first
 * refusal of an outage is a line, the others are counted, and the line that says that the log answers again
 * gives their number.
 */
import type { Log } from '../ground/log.ts';
import { loggableError } from './error-translation.ts';

/** How often the store is asked whether it answers again. */
const askEveryMs = 1_000;

export type OutageLog = { refused(about: Record<string, unknown>, cause: unknown): void };

/** Its code tells an expired key of the document store, or a changed password of the database, from a store that is down. */
const reasonOf = (cause: unknown): Record<string, unknown> =>
  cause === undefined ? {} : { ...loggableError(cause), stack: undefined };

/** `head`: a call of the store that fails while it is away. */
export const createOutageLog = (
  log: Pick<Log, 'warn'>,
  head: () => Promise<unknown>,
): OutageLog => {
  let outage: { sinceMs: number; lastMs: number; refused: number } | undefined;

  const ask = async (): Promise<void> => {
    if (!outage) return;
    const askedMs = performance.now();
    const answers = await head().then(
      () => true,
      () => false,
    );
    if (!answers || outage.lastMs > askedMs - askEveryMs) return askLater();
    const forMs = Math.round(outage.lastMs - outage.sinceMs);
    log.warn({ refused: outage.refused, forMs }, 'the log answers again');
    outage = undefined;
  };
  const askLater = (): void => void setTimeout(() => void ask(), askEveryMs).unref();

  return {
    refused(about, cause) {
      const now = performance.now();
      if (outage) {
        outage.refused += 1;
        outage.lastMs = now;
        return;
      }
      outage = { sinceMs: now, lastMs: now, refused: 1 };
      const fields = { ...about, code: 'store_unavailable', ...reasonOf(cause) };
      log.warn(fields, 'requests are refused: the store is unavailable');
      askLater();
    },
  };
};
