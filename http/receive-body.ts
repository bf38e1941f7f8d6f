import { AppError } from '../contract/errors.ts';
import type { ArrivalWatch } from './arrival-watch.ts';
import { clientOf, type HttpContext } from './rule.ts';
import type { Shares } from './shares.ts';

/** What bodies may take: memory by share, of accounts and of others, and time. */
export type BodyLimits = { ofAccounts: Shares; ofOthers: Shares; arrivals: ArrivalWatch };

const tooMuchAtOnce = (): AppError =>
  new AppError('overloaded', 'Too many large requests at once; retry in a second.', {
    headers: { 'Retry-After': '1' },
  });

const tooSlow = (): AppError =>
  new AppError('request_timeout', 'The body took too long to arrive; send the request again.', {
    headers: { Connection: 'close' },
  });

/** A body on its way. */
export type Receiving = {
  /** What has arrived of it. */
  chunks: Buffer[];
  /** To be called when it is there, or is wanted no more. */
  end(): void;
  /** To be called when nothing of it is in memory any more. */
  giveBack(): void;
};

/**
 * Collects a body as it arrives, out of its sender's share. One that goes beyond that or comes too slowly is
 * refused by an `error` event of the request, once, which ends whoever reads it.
 */
export const receiveBody = (ctx: HttpContext, limits: BodyLimits): Receiving => {
  const { req, state } = ctx;
  const shares = state.caller === undefined ? limits.ofOthers : limits.ofAccounts;
  const client = clientOf(state);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refused = false;
  const refuse = (error: AppError): void => {
    if (!refused) req.emit('error', error);
    refused = true;
  };
  const arrival = limits.arrivals.begin(() => refuse(tooSlow()));
  const keep = (chunk: Buffer): void => {
    arrival.count(chunk.length);
    if (shares.take(client, chunk.length)) {
      bytes += chunk.length;
      chunks.push(chunk);
    } else refuse(tooMuchAtOnce());
  };
  req.on('data', keep);
  return {
    chunks,
    end() {
      arrival.end();
      req.off('data', keep);
    },
    giveBack: () => shares.giveBack(client, bytes),
  };
};
