/** Waits for a letter. */
import { clientError } from './errors.ts';
import type { Letter, LetterStatus } from './generated/schemas.ts';
import { pause } from './pause.ts';

export type { Letter, LetterStatus };

export type WaitOptions = {
  /** How long at most; default 10 minutes. Real letters take days: ask again, or use the webhook. */
  timeoutMs?: number;
  /** Between two looks; default 2 s at first, then longer up to a minute. */
  intervalMs?: number;
  signal?: AbortSignal;
};

/** The letter once it has the status or one after it. @throws ServiceError status_unreachable, wait_timed_out */
export type WaitFor = (
  letterId: string,
  status: LetterStatus,
  options?: WaitOptions,
) => Promise<Letter>;

const flow = ['draft', 'queued', 'processing', 'posted', 'in_transit', 'delivered'];
const ends = ['delivered', 'cancelled', 'failed'];

const hasReached = (now: string, wanted: string): boolean =>
  now === wanted || (flow.includes(wanted) && flow.indexOf(now) > flow.indexOf(wanted));

/** Nothing follows an end, and a letter that is on its way is no longer cancelled. */
const isOver = (now: string, wanted: string): boolean =>
  ends.includes(now) || (wanted === 'cancelled' && ['posted', 'in_transit'].includes(now));

/** With NaN as a time, the wait would never end. @throws ServiceError invalid_arguments */
const assertTimes = (timeoutMs: number, intervalMs = 0): void => {
  if (!Number.isNaN(timeoutMs) && intervalMs >= 0) return;
  const detail = `timeoutMs ${timeoutMs} or intervalMs ${intervalMs} is not a number of milliseconds.`;
  throw clientError('invalid_arguments', detail, 'Leave it out for the default; nothing was sent.');
};

export const createWaiter =
  (read: (letterId: string, signal: AbortSignal | undefined) => Promise<Letter>): WaitFor =>
  async (letterId, status, { timeoutMs = 600_000, intervalMs, signal } = {}) => {
    if (![...flow, ...ends].includes(status)) {
      const detail = `${JSON.stringify(status)} is no status of a letter.`;
      throw clientError(
        'invalid_arguments',
        detail,
        `There are: ${[...flow, ...ends.slice(1)].join(', ')}.`,
      );
    }
    assertTimes(timeoutMs, intervalMs);
    const untilMs = Date.now() + timeoutMs;
    for (
      let waitMs = intervalMs ?? 2_000;
      ;
      waitMs = intervalMs ?? Math.min(waitMs * 1.5, 60_000)
    ) {
      const letter = await read(letterId, signal);
      if (hasReached(letter.status, status)) return letter;
      if (isOver(letter.status, status)) {
        throw clientError(
          'status_unreachable',
          `The letter is ${letter.status}; it will not be ${status}.`,
          'Read the letter: it says what happened.',
        );
      }
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0) {
        throw clientError(
          'wait_timed_out',
          `The letter is ${letter.status} and not ${status} after ${timeoutMs / 1000} seconds.`,
          'Wait again later, or set a webhook.',
          { retryable: true },
        );
      }
      // The next look reports an abort.
      await pause(Math.min(waitMs, leftMs), signal).catch(() => {});
    }
  };
