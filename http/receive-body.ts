import type { AppError } from '../contract/errors.ts';
import type { FairShares } from '../limits/fair-shares.ts';
import { limitError } from '../limits/limit-error.ts';
import type { ArrivalWatch } from './arrival-watch.ts';
import { clientOf, type HttpContext } from './rule.ts';
import type { SlowBodies } from './slow-bodies.ts';

/** Limits on bodies: memory by share, of accounts and of others, and time. */
export type BodyLimits = {
  ofAccounts: FairShares;
  ofOthers: FairShares;
  arrivals: ArrivalWatch;
  /** Bodies of callers without an account. */
  slow: SlowBodies;
};

const tooMuchAtOnce = (): AppError =>
  limitError(
    'bodyBytesInProgress',
    'There are too many large requests at the moment. Retry in a second.',
    {
      headers: { 'Retry-After': '1' },
    },
  );

const tooSlowForNow = (): AppError =>
  limitError(
    'bodyBytesInProgress',
    'Many requests are waiting and the body of this one arrives too slowly. Retry in a second.',
    { headers: { 'Retry-After': '1', Connection: 'close' } },
  );

const tooSlow = (): AppError =>
  limitError('bodyBytesPerSecond', 'The body took too long to arrive. Send the request again.', {
    headers: { Connection: 'close' },
  });

/** A body on its way. */
export type Receiving = {
  /** The bytes that have arrived so far. */
  chunks: Buffer[];
  /** Call this when the body is complete or no longer needed. */
  end(): void;
  /** To be called when nothing of it is in memory any more. */
  giveBack(): void;
};

/**
 * Collects a body as it arrives, within its sender's share. A body that is too large or too slow is refused by
 * one `error` event of the request, which also ends its reader.
 */
export const receiveBody = (ctx: HttpContext, limits: BodyLimits): Receiving => {
  const { req, state } = ctx;
  const isPublic = state.caller === undefined;
  const shares = isPublic ? limits.ofOthers : limits.ofAccounts;
  const client = clientOf(state);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refused = false;
  const refuse = (error: AppError): void => {
    if (!refused) req.emit('error', error);
    refused = true;
  };
  const arrival = limits.arrivals.begin(() => refuse(tooSlow()));
  const giveBack = (): void => {
    if (bytes > 0) shares.giveBack(client, bytes);
    bytes = 0;
  };
  const pace = isPublic
    ? limits.slow.begin(client, () => {
        refuse(tooSlowForNow());
        giveBack();
      })
    : undefined;
  /** Out of the share, or out of what others hold who hardly bring anything. */
  const take = (amount: number): boolean => {
    while (!shares.take(client, amount)) {
      if (!isPublic || !limits.slow.endSlowest(client)) return false;
    }
    return true;
  };
  const keep = (chunk: Buffer): void => {
    if (refused) return;
    arrival.count(chunk.length);
    pace?.count(chunk.length);
    if (take(chunk.length)) {
      bytes += chunk.length;
      chunks.push(chunk);
    } else refuse(tooMuchAtOnce());
  };
  req.on('data', keep);
  return {
    chunks,
    end() {
      arrival.end();
      pace?.over();
      req.off('data', keep);
    },
    giveBack,
  };
};
