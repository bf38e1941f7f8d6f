import { AppError } from '../contract/errors.ts';
import { createBatchLoader } from '../ground/batch-loader.ts';
import type { Slots } from '../limits/slots.ts';
import { headerOf } from './request-headers.ts';
import type { HttpContext, LogPositions, Rule } from './rule.ts';

const digitsOnly = /^\d{1,19}$/;
const headsAtOnce = 1_000;

export const readModelBehind = (position: bigint): AppError =>
  new AppError(
    'read_model_behind',
    `The data to read has not reached log position ${position} yet. Retry in a second.`,
    { headers: { 'Retry-After': '1' } },
  );

/** Waits until reads show `position`; `false` when that takes too long or the client is gone. */
export const waitWhileConnected = async (
  positions: LogPositions,
  ctx: HttpContext,
  position: bigint,
): Promise<boolean> => {
  const gone = new AbortController();
  const abort = () => gone.abort();
  ctx.res.once('close', abort);
  try {
    return await positions.waitFor(position, gone.signal);
  } finally {
    ctx.res.off('close', abort);
  }
};

/** Waits for the `X-Min-Log-Position` of a read by the account; undefined where there is nothing to wait for. */
export type AwaitPosition = (ctx: HttpContext, accountId: string) => Promise<void> | undefined;

/**
 * Read your own writes: waits until the read models reached `X-Min-Log-Position`. A position that the log has not
 * reached is refused at once. A wait takes nothing but one of the `waiting` slots of its account.
 */
export const createAwaitPosition = (positions: LogPositions, waiting: Slots): AwaitPosition => {
  let knownHead = 0n;
  /** One query at a time for all callers. A caller that arrives after the query started needs the next one. */
  const headNow = createBatchLoader<null, bigint>({
    maxBatch: headsAtOnce,
    async load(askers) {
      const head = await positions.head();
      if (head > knownHead) knownHead = head;
      return askers.map(() => head);
    },
  });

  const judge = async (ctx: HttpContext, accountId: string, position: bigint): Promise<void> => {
    if (!waiting.take(accountId)) throw readModelBehind(position);
    try {
      if (position > knownHead && position > (await headNow(null))) {
        throw new AppError(
          'position_beyond_log',
          `The log has not reached position ${position}. Send an X-Log-Position from an answer.`,
        );
      }
      if (!(await waitWhileConnected(positions, ctx, position))) throw readModelBehind(position);
    } finally {
      waiting.giveBack(accountId);
    }
  };

  return (ctx, accountId) => {
    const header = headerOf(ctx, 'x-min-log-position');
    if (header === undefined) return undefined;
    if (!digitsOnly.test(header)) {
      throw new AppError(
        'invalid_header',
        'X-Min-Log-Position must be the digits of an X-Log-Position.',
      );
    }
    const position = BigInt(header);
    return positions.isShown(position) ? undefined : judge(ctx, accountId, position);
  };
};

/**
 * Holds a read of a known caller back until it shows `X-Min-Log-Position`. Comes before the request counts as one in
 * progress.
 */
export const awaitLogPosition = (awaitPosition: AwaitPosition): Rule =>
  function awaitMinLogPosition(ctx, next) {
    const { caller } = ctx.state;
    const waiting = caller && awaitPosition(ctx, caller.accountId);
    return waiting ? waiting.then(next) : next();
  };
