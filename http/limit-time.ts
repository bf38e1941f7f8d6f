import { AppError } from '../contract/errors.ts';
import { limitError } from '../limits/limit-error.ts';
import { refusalOf } from './error-mapper.ts';
import type { HttpContext, Rule } from './rule.ts';

const sweepMs = 100;

/** A request that is older than this waits for the store, when that hangs. */
const patienceMs = 1_000;

/** Health and its like say themselves what they know of a store that hangs. */
const isProbe = ({ state }: HttpContext): boolean => state.operation?.rateLimited === false;

const tooLong = (): AppError =>
  limitError(
    'requestTimeoutMs',
    'The request took too long. Retry it with the same Idempotency-Key.',
  );

const storeLost = (): AppError =>
  new AppError(
    'store_unavailable',
    'The event store does not answer at the moment. Retry with the same Idempotency-Key.',
  );

/**
 * Answers 503 instead of a handler that takes longer than `requestTimeoutMs`, or waits for a store that is
 * known to hang. The handler is not stopped: its decision stands, so the caller retries with the same
 * Idempotency-Key. `readBody` and the server (`listen`) handle bodies that are still arriving: 408. One timer
 * for all requests, and none while no request waits.
 */
export const limitTime = (options: {
  requestTimeoutMs: number;
  isStoreLost: () => boolean;
  baseUrl: string;
}): Rule => {
  const { requestTimeoutMs, isStoreLost, baseUrl } = options;
  /** In the order in which they started. */
  const waiting = new Set<HttpContext>();
  let sweeper: NodeJS.Timeout | undefined;

  const giveUp = (ctx: HttpContext, error: AppError): void => {
    ctx.respond = false;
    if (ctx.res.headersSent || !ctx.writable) return;
    const { type, body } = refusalOf(ctx, error, baseUrl);
    ctx.res.writeHead(error.status, {
      'Content-Type': type,
      'Cache-Control': 'no-store',
      'Retry-After': '1',
    });
    ctx.res.end(body);
  };

  const sweep = (): void => {
    const lost = isStoreLost();
    const now = performance.now();
    for (const ctx of waiting) {
      const age = now - ctx.state.startedMs;
      if (age < Math.min(patienceMs, requestTimeoutMs)) break;
      if (!ctx.req.complete || age < (lost && !isProbe(ctx) ? patienceMs : requestTimeoutMs))
        continue;
      waiting.delete(ctx);
      giveUp(ctx, lost && !isProbe(ctx) ? storeLost() : tooLong());
    }
    if (waiting.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  };

  return async function limitTimeOfRequest(ctx, next) {
    waiting.add(ctx);
    sweeper ??= setInterval(sweep, sweepMs).unref();
    try {
      await next();
    } finally {
      waiting.delete(ctx);
    }
  };
};
