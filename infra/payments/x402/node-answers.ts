/** Meaning of a node's answer to a transaction, by the words of the usual nodes. */
import { BaseError, HttpRequestError } from 'viem';

export type Answer =
  /** It has it, now or from before. */
  | 'taken'
  /** A transaction with this number is mined. */
  | 'used'
  /** It has another one with this number, which offers as much or more. */
  | 'outbid'
  /** It has not taken it. */
  | 'refused'
  /** It may have taken it. */
  | 'unheard';

const sentences: readonly [RegExp, Answer][] = [
  [/already ?(known|imported|exists)|known transaction|same hash/i, 'taken'],
  [/nonce (is )?too low|old ?nonce|nonce has already been used/i, 'used'],
  [/replac|same nonce/i, 'outbid'],
];

/** Of JSON-RPC: something went wrong inside, perhaps after it was taken. */
const internalError = -32_603;

const isAnswered = (cause: unknown): boolean =>
  cause instanceof HttpRequestError
    ? cause.status !== undefined && cause.status < 500
    : cause instanceof Error &&
      'code' in cause &&
      typeof cause.code === 'number' &&
      cause.code !== internalError;

/** @param error what the library threw when it sent a transaction */
export const answerIn = (error: unknown): Answer => {
  if (!(error instanceof BaseError)) return 'unheard';
  const found = sentences.find(([pattern]) => pattern.test(error.details))?.[1];
  return found ?? (error.walk(isAnswered) ? 'refused' : 'unheard');
};
