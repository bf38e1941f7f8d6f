import { AppError } from '../contract/errors.ts';
import { problemOf } from '../contract/problem.ts';
import { DocumentLost, DocumentStoreAway, OutdatedProgram } from '../contract/store-refusals.ts';
import { isClientGone, loggableError, translateError } from './error-translation.ts';
import { acceptedOf, refusesWithPages } from './negotiate.ts';
import type { OutageLog } from './outage-log.ts';
import { createRepeatLog } from './repeat-log.ts';
import type { HttpContext, HttpOptions, RefusalPages, Rule } from './rule.ts';

/** The facts about a request that the log may contain: no body, query, name or address. */
const aboutRequest = (ctx: HttpContext, status: number): Record<string, unknown> => ({
  request_id: ctx.state.requestId,
  method: ctx.method,
  operation: ctx.state.operation?.name,
  status,
  ms: Math.round(performance.now() - ctx.state.startedMs),
  account_id: ctx.state.caller?.accountId,
});

/** The body of a refusal: a problem document, or in the form of the operation. */
export const refusalOf = (
  { state, path }: HttpContext,
  error: AppError,
  baseUrl: string,
): { type: string; body: string } => {
  const { operation, requestId, body } = state;
  const form = operation ? operation.refusals : state.refusals;
  if (form) {
    return {
      type: 'application/json',
      body: JSON.stringify(form.bodyOf(error, { body, requestId })),
    };
  }
  const problem = problemOf(error, { baseUrl, instance: path, requestId });
  return { type: 'application/problem+json', body: JSON.stringify(problem) };
};

const problemTypes = ['application/problem+json', 'application/json'];

/** Whether a browser opened a path that nothing is served at, or an operation that answers pages. */
const wantsPage = (ctx: HttpContext, { code }: AppError): boolean => {
  const { operation, refusals } = ctx.state;
  if (refusals) return false;
  const isOfPages = operation ? refusesWithPages(operation) : code === 'not_found';
  return isOfPages && acceptedOf(ctx, [...problemTypes, 'text/html']) === 'text/html';
};

const pageOf = (
  { state, path }: HttpContext,
  error: AppError,
  { baseUrl, pages }: { baseUrl: string; pages: RefusalPages },
): string =>
  state.operation
    ? pages.refused(problemOf(error, { baseUrl, instance: path, requestId: state.requestId }))
    : pages.notFound;

/** Writes a refusal, with its own headers, into a response not yet sent. */
const answerRefusal = (
  ctx: HttpContext,
  error: AppError,
  { baseUrl, refusalPages: pages }: Pick<HttpOptions, 'baseUrl' | 'refusalPages'>,
): void => {
  const { res } = ctx;
  const asPage = pages !== undefined && wantsPage(ctx, error);
  const { type, body } = asPage
    ? { type: 'text/html; charset=utf-8', body: pageOf(ctx, error, { baseUrl, pages }) }
    : refusalOf(ctx, error, baseUrl);
  if (asPage) res.setHeader('Content-Security-Policy', pages.contentSecurityPolicy);
  ctx.state.refusal = error;
  ctx.status = error.status;
  res.setHeader('Content-Type', type);
  res.setHeader('Cache-Control', 'no-store');
  res.removeHeader('ETag');
  for (const name in error.headers) res.setHeader(name, error.headers[name] ?? '');
  ctx.body = body;
};

/** For the owner of the account. Looking at the log is not worth an entry. */
const noteRequest = (
  log: NonNullable<HttpOptions['requestLog']>,
  { state }: HttpContext,
  { status, code }: { status: number; code: string | undefined },
): void => {
  const { caller, operation, requestId, startedMs } = state;
  if (!caller || !operation || operation.name === 'list_requests') return;
  const { accountId, keyId } = caller;
  const ms = Math.round(performance.now() - startedMs);
  log.note({ accountId, keyId, operation: operation.name, status, code, requestId, ms });
};

/** 499 is what metrics call a client that hung up; it is never sent. */
const clientGoneStatus = 499;

/** A fault of the service as callers see it. */
const faultOf = (error: unknown): AppError =>
  new AppError(
    'internal_error',
    error instanceof DocumentLost
      ? 'A document of this letter is missing in the storage of the service, and a repetition does not bring it back. Report it to the operator with the request_id.'
      : 'An internal error occurred. Retry later, or report it with the request_id.',
  );

/**
 * Turns anything that was thrown into a refusal; counts and logs the request. Lagging read models are only
 * counted: the lag is known, and callers that name a log position expect it.
 */
export const errorMapper = (options: {
  baseUrl: string;
  log: HttpOptions['log'];
  metrics?: { observe(operation: string, status: number, seconds: number): void } | undefined;
  accessLog?: boolean | undefined;
  outageLog: OutageLog;
  refusalPages?: HttpOptions['refusalPages'];
  requestLog?: HttpOptions['requestLog'];
  outdated?: HttpOptions['outdated'];
}): Rule => {
  const { log, metrics, accessLog, outageLog, requestLog, outdated } = options;
  const repeats = createRepeatLog();

  /** A read model that a newer program has just switched fails in ways that nobody foresaw. */
  const causeOf = async (error: unknown, { writable }: HttpContext): Promise<unknown> => {
    if (!outdated || isClientGone(error, writable) || translateError(error)) return error;
    const why = await outdated.reasonNow();
    return why === undefined ? error : new OutdatedProgram(why, { cause: error });
  };

  const answer = (ctx: HttpContext, error: unknown): { status: number; code?: string } => {
    if (isClientGone(error, ctx.writable)) {
      ctx.respond = false;
      return { status: clientGoneStatus };
    }
    const known = translateError(error);
    const name = ctx.state.operation?.name ?? '';
    if (known === undefined) {
      const fields = { ...aboutRequest(ctx, 500), ...loggableError(error) };
      repeats.write(`${name} ${fields.stack}`, fields, (about) =>
        log.error(about, 'request failed'),
      );
    } else if (known.cause instanceof OutdatedProgram) {
      const { message } = known.cause;
      const fields = { ...aboutRequest(ctx, known.status), reason: message };
      repeats.write(message, fields, (about) =>
        log.warn(about, 'requests are refused: this program is older than its data'),
      );
    } else if (known.code === 'store_unavailable') {
      const store = known instanceof DocumentStoreAway ? 'documents' : 'log';
      outageLog.refused(aboutRequest(ctx, known.status), known.cause, store);
    } else if (known.status >= 500 && known.code !== 'read_model_behind') {
      const cause = known.cause === undefined ? {} : loggableError(known.cause);
      const fields = { ...aboutRequest(ctx, known.status), code: known.code, ...cause };
      repeats.write(`${name} ${known.code}`, fields, (about) => log.warn(about, known.code));
    }
    if (ctx.res.headersSent) return { status: ctx.res.statusCode };
    const shown = known ?? faultOf(error);
    answerRefusal(ctx, shown, options);
    return shown;
  };

  return async function mapErrors(ctx, next) {
    let status: number;
    let code: string | undefined;
    try {
      await next();
      status = ctx.res.statusCode;
    } catch (error) {
      ({ status, code } = answer(ctx, await causeOf(error, ctx)));
    }
    const { operation, startedMs } = ctx.state;
    metrics?.observe(
      operation === undefined ? 'none' : operation.name,
      status,
      (performance.now() - startedMs) / 1000,
    );
    if (requestLog) noteRequest(requestLog, ctx, { status, code });
    if (accessLog) log.info(aboutRequest(ctx, status), 'request');
  };
};
