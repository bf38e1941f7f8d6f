/**
 * The log of requests that are refused because a store is away. Many callers try again meanwhile: the first
 * refusal of an outage is a line, the others are counted, and the line that says that the outage is over
 * gives their number.
 */
import type { Log } from '../ground/log.ts';
import { loggableError } from './error-translation.ts';

/** How often a store is asked whether it answers again. */
const askEveryMs = 1_000;

/** Nothing is asked of the document store, so its outage is over when it refused nothing for this time. */
const calmMs = 30_000;

/** `log`: the event log and its database. `documents`: the store of documents. */
type AwayStore = 'log' | 'documents';

export type OutageLog = {
  refused(about: Record<string, unknown>, cause: unknown, store: AwayStore): void;
};

/** Its code tells an expired key of the document store, or a changed password of the database, from a store that is down. */
const reasonOf = (cause: unknown): Record<string, unknown> =>
  cause === undefined ? {} : { ...loggableError(cause), stack: undefined };

const words: Record<AwayStore, { away: string; over: string }> = {
  log: { away: 'requests are refused: the store is unavailable', over: 'the log answers again' },
  documents: {
    away: 'requests are refused: the document store is unavailable',
    over: `the document store refused nothing for ${calmMs / 1_000} s`,
  },
};

/** The outages of one store. `answers`: whether it answers; `quietMs`: it is over only after this time without a refusal. */
const outagesOf = (
  log: Pick<Log, 'warn'>,
  { away, over }: { away: string; over: string },
  answers: () => Promise<boolean>,
  quietMs: number,
) => {
  let outage: { sinceMs: number; lastMs: number; refused: number } | undefined;

  const ask = async (): Promise<void> => {
    if (!outage) return;
    const askedMs = performance.now();
    if (!(await answers()) || outage.lastMs > askedMs - quietMs) return askLater();
    const forMs = Math.round(outage.lastMs - outage.sinceMs);
    log.warn({ refused: outage.refused, forMs }, over);
    outage = undefined;
  };
  const askLater = (): void => void setTimeout(() => void ask(), askEveryMs).unref();

  return (about: Record<string, unknown>, cause: unknown): void => {
    const now = performance.now();
    if (outage) {
      outage.refused += 1;
      outage.lastMs = now;
      return;
    }
    outage = { sinceMs: now, lastMs: now, refused: 1 };
    log.warn({ ...about, code: 'store_unavailable', ...reasonOf(cause) }, away);
    askLater();
  };
};

/** `head`: a call of the log that fails while it is away. `quietMs`: of the document store. */
export const createOutageLog = (
  log: Pick<Log, 'warn'>,
  head: () => Promise<unknown>,
  quietMs = calmMs,
): OutageLog => {
  const logAnswers = () =>
    head().then(
      () => true,
      () => false,
    );
  const refused = {
    log: outagesOf(log, words.log, logAnswers, askEveryMs),
    documents: outagesOf(log, words.documents, async () => true, quietMs),
  };
  return { refused: (about, cause, store) => refused[store](about, cause) };
};
