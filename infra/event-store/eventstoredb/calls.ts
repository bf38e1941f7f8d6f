import {
  AccessDeniedError,
  InvalidArgumentError,
  InvalidTransactionError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  EventTooLarge,
  InvalidPosition,
  OtherLog,
  StoreUnavailable,
  WrongExpectedVersion,
} from '../../../events/event-store.ts';
import { backoffMs } from '../../../ground/backoff.ts';
import { unlessAborted, within } from '../../../ground/deadline.ts';
import type { Incident } from '../../../ground/incident.ts';
import { messageOf } from '../../../ground/message-of.ts';
import { pause } from '../../../ground/pause.ts';

export type RetryOptions = {
  /** How long an operation is tried, first try included. */
  giveUpAfterMs: number;
  /** Pause after the first failure; doubles with every other one up to `maxDelayMs`. */
  minDelayMs: number;
  maxDelayMs: number;
};

type Limiter = {
  /** @throws StoreUnavailable if too many wait already */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
};

/** At most `max` tasks at once; `maxWaiting` more wait in order; the rest is refused. */
export function createLimiter(max: number, maxWaiting: number): Limiter {
  const waiting: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  let running = 0;

  const release = () => {
    const next = waiting.shift();
    if (next !== undefined) return next();
    running -= 1;
    if (running === 0) for (const idle of idlers.splice(0)) idle();
  };

  return {
    run: async (task) => {
      if (running < max) running += 1;
      else if (waiting.length >= maxWaiting) throw new StoreUnavailable('too many calls wait');
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await task();
      } finally {
        release();
      }
    },
    idle: () =>
      running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve)),
  };
}

/** Answers that are final. Everything else leaves the outcome open and is worth another try. */
const finalErrors = [
  WrongExpectedVersion,
  EventTooLarge,
  InvalidPosition,
  OtherLog,
  StoreUnavailable,
  WrongExpectedVersionError,
  StreamNotFoundError,
  StreamDeletedError,
  AccessDeniedError,
  MaxAppendSizeExceededError,
  InvalidArgumentError,
  InvalidTransactionError,
];

const isFinal = (error: unknown): boolean => finalErrors.some((kind) => error instanceof kind);

/** The pause after a number of failures in a row. Half of it is random, so that callers spread. */
export const retryPauseMs = (failures: number, { minDelayMs, maxDelayMs }: RetryOptions): number =>
  backoffMs(failures, { firstMs: minDelayMs, mostMs: maxDelayMs, jitter: 0.5 });

const grpcUnauthenticated = 16;

/**
 * Explains why the server denied access, with a way out; undefined for other errors. The server answers alike
 * for a wrong password and for an unknown user.
 * @param caller the user named to the server; absent: none
 */
export function deniedReason(error: unknown, caller: string | undefined): string | undefined {
  if (!(error instanceof AccessDeniedError)) return undefined;
  if (caller === undefined) {
    return 'the server wants to know who calls: give EVENTSTORE_URL a user:password@ and tls=true, or the certificate of a user';
  }
  if (error.code === grpcUnauthenticated) {
    return `the server does not know ${caller} with this password or key: correct EVENTSTORE_URL, or the user on the server`;
  }
  return `${caller} lacks a right: it must append to and read streams, and read $all; an admin gives it that with the stream metadata of $all, whose acl must have the user or its group among its readRoles`;
}

/** A signal that never aborts: of calls that closing waits for. */
export const never = new AbortController().signal;

const closed = (): StoreUnavailable => new StoreUnavailable('closed');

/**
 * Tries until there is a final answer.
 * @throws StoreUnavailable after `giveUpAfterMs`, when the server denies access, or as soon as `closing` aborts
 */
export async function retrying<T>(
  what: string,
  options: RetryOptions & {
    caller?: string | undefined;
    incident: Incident;
    closing?: AbortSignal;
  },
  attempt: (attempts: number) => Promise<T>,
): Promise<T> {
  const { closing = never } = options;
  const giveUpAt = performance.now() + options.giveUpAfterMs;
  for (let attempts = 0; ; attempts++) {
    if (closing.aborted) throw closed();
    try {
      const result = await unlessAborted(closing, attempt(attempts), closed);
      options.incident.over();
      return result;
    } catch (error) {
      const denied = deniedReason(error, options.caller);
      if (denied !== undefined) throw new StoreUnavailable(`${what} is refused: ${denied}`, error);
      if (isFinal(error)) throw error;
      const delayMs = retryPauseMs(attempts + 1, options);
      if (performance.now() + delayMs > giveUpAt) {
        throw new StoreUnavailable(
          `${what} failed ${attempts + 1} times: ${messageOf(error)}`,
          error,
        );
      }
      options.incident.report(error, `${what} is tried again`);
      await pause(delayMs, closing);
    }
  }
}

/**
 * Rejects after `timeoutMs` even if the call never ends: the client's promises can stay open forever
 * (client 6.2.1 builds them from async functions, whose errors reach nobody).
 */
export const answerWithin = <T>(timeoutMs: number, call: Promise<T>): Promise<T> =>
  within(timeoutMs, call, () => new Error(`no answer within ${timeoutMs} ms`));

/**
 * Continues in a turn of the event loop of its own. When a call fails, the client closes the
 * channel within that turn; a call that starts there would be made on the closed channel and throw
 * where nobody can catch it. So would one that starts after the store was closed.
 * @throws StoreUnavailable when `closing` has aborted
 */
export const freshTurn = async (closing: AbortSignal): Promise<void> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (closing.aborted) throw closed();
};
