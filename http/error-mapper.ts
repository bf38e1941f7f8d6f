import { AppError } from '../contract/errors.ts';
import { problemOf } from '../contract/problem.ts';
import { isClientGone, knownError, loggableError } from './known-error.ts';
import type { HttpContext, HttpOptions, Rule } from './rule.ts';

/** What the log may know of a request. No body, query, name or address. */
const aboutRequest = (ctx: HttpContext, status: number): Record<string, unknown> => ({
  request_id: ctx.state.requestId,
  method: ctx.method,
  operation: ctx.state.operation?.name,
  status,
  ms: Math.round(performance.now() - ctx.state.startedMs),
  account_id: ctx.state.caller?.accountId,
});

/** Writes `error` as a problem document, with its own headers, into a response not yet sent. */
export const answerProblem = (ctx: HttpContext, error: AppError, baseUrl: string): void => {
  const { res } = ctx;
  ctx.status = error.status;
  const problem = problemOf(error, {
    baseUrl,
    instance: ctx.path,
    requestId: ctx.state.requestId,
  });
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Cache-Control', 'no-store');
  res.removeHeader('ETag');
  for (const name in error.headers) res.setHeader(name, error.headers[name] ?? '');
  ctx.body = JSON.stringify(problem);
};

/** 499 is what metrics call a client that hung up; it is never sent. */
const clientGoneStatus = 499;

/**
 * Turns whatever was thrown into a problem document; counts and logs the request. That read models are
 * behind is known of them already, and asked for by whoever names a log position: it is only counted.
 */
export const errorMapper = (options: {
  baseUrl: string;
  log: HttpOptions['log'];
  metrics?: { observe(operation: string, status: number, seconds: number): void } | undefined;
  accessLog?: boolean | undefined;
}): Rule => {
  const { baseUrl, log, metrics, accessLog } = options;

  const answer = (ctx: HttpContext, error: unknown): number => {
    if (isClientGone(error, ctx.writable)) {
      ctx.respond = false;
      return clientGoneStatus;
    }
    const known = knownError(error);
    if (known === undefined) {
      log.error({ ...aboutRequest(ctx, 500), ...loggableError(error) }, 'request failed');
    } else if (known.status >= 500 && known.code !== 'read_model_behind') {
      const cause = known.cause === undefined ? {} : loggableError(known.cause);
      log.warn({ ...aboutRequest(ctx, known.status), code: known.code, ...cause }, known.code);
    }
    if (ctx.res.headersSent) return ctx.res.statusCode;
    const shown =
      known ??
      new AppError(
        'internal_error',
        'Something broke on our side; retry later, or report it with the request_id.',
      );
    answerProblem(ctx, shown, baseUrl);
    return shown.status;
  };

  return async function mapErrors(ctx, next) {
    let status: number;
    try {
      await next();
      status = ctx.res.statusCode;
    } catch (error) {
      status = answer(ctx, error);
    }
    const { operation, startedMs } = ctx.state;
    metrics?.observe(
      operation === undefined ? 'none' : operation.name,
      status,
      (performance.now() - startedMs) / 1000,
    );
    if (accessLog) log.info(aboutRequest(ctx, status), 'request');
  };
};
