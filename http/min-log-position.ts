import { AppError } from '../contract/errors.ts';
import { createGatherer } from '../ground/gather.ts';
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

/** How many of each account wait at this moment. */
export const createWaiters = (most: number) => {
  const waiting = new Map<string, number>();
  return {
    enter(accountId: string): boolean {
      const count = waiting.get(accountId) ?? 0;
      if (count >= most) return false;
      waiting.set(accountId, count + 1);
      return true;
    },
    leave(accountId: string): void {
      const count = (waiting.get(accountId) ?? 0) - 1;
      if (count > 0) waiting.set(accountId, count);
      else waiting.delete(accountId);
    },
  };
};

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

/**
 * Read your own writes: holds a read of a known caller back until the read models reached
 * `X-Min-Log-Position`. A position that the log has not reached is refused at once. Comes before the
 * request counts as one in progress: it costs nothing but its place among the `most` of its account.
 */
export const awaitLogPosition = (positions: LogPositions, most: number): Rule => {
  const waiters = createWaiters(most);
  let knownHead = 0n;
  /** One question at a time, whoever asks; who comes later than the question asks again. */
  const headNow = createGatherer<null, bigint>({
    maxBatch: headsAtOnce,
    async load(askers) {
      const head = await positions.head();
      if (head > knownHead) knownHead = head;
      return askers.map(() => head);
    },
  });

  const judge = async (ctx: HttpContext, accountId: string, position: bigint): Promise<void> => {
    if (!waiters.enter(accountId)) throw readModelBehind(position);
    try {
      if (position > knownHead && position > (await headNow(null))) {
        throw new AppError(
          'position_beyond_log',
          `The log has not reached position ${position}. Send an X-Log-Position from an answer.`,
        );
      }
      if (!(await waitWhileConnected(positions, ctx, position))) throw readModelBehind(position);
    } finally {
      waiters.leave(accountId);
    }
  };

  return function awaitMinLogPosition(ctx, next) {
    const header = headerOf(ctx, 'x-min-log-position');
    const { caller } = ctx.state;
    if (header === undefined || caller === undefined) return next();
    if (!digitsOnly.test(header)) {
      throw new AppError(
        'invalid_header',
        'X-Min-Log-Position must be the digits of an X-Log-Position.',
      );
    }
    const position = BigInt(header);
    if (positions.isShown(position)) return next();
    return judge(ctx, caller.accountId, position).then(next);
  };
};
