import type { AnyOperation } from '../contract/operation.ts';
import { inRequestSpan, inSpan, type Span } from '../ground/tracing.ts';
import type { HttpContext, Rule } from './rule.ts';

/**
 * The facts about a request that a span may contain: those in the reference, and the outcome. No path,
 * address or header.
 */
const describe = (span: Span, { method, res, state }: HttpContext): void => {
  if (!span.isRecording()) return;
  const { operation, caller } = state;
  span.updateName(operation ? `${method} ${operation.path}` : method);
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': res.statusCode,
    ...(operation ? { 'http.route': operation.path, 'letters.operation': operation.name } : {}),
    ...(caller ? { 'letters.account_id': caller.accountId } : {}),
    ...(res.statusCode >= 500 ? { 'error.type': String(res.statusCode) } : {}),
  });
  if (res.statusCode >= 500) span.setStatus({ code: 2 });
};

/** A span for each request but those that monitor the service, in the trace that the caller names. */
export const traceRequest = (operations: readonly AnyOperation[]): Rule => {
  const watching = new Set(
    operations.filter((one) => one.rateLimited === false).map(({ path }) => path),
  );
  return function traceRequest(ctx, next) {
    if (watching.has(ctx.path)) return next();
    return inRequestSpan(ctx.req.headers.traceparent, async (span) => {
      await next();
      describe(span, ctx);
    });
  };
};

/** A span for an operation that a door or a page calls. */
export const traceCall = (operation: AnyOperation, ctx: HttpContext, call: () => unknown) =>
  inSpan(`call ${operation.name}`, {}, async (span) => {
    await call();
    describe(span, ctx);
    span.updateName(`call ${operation.name}`);
  });
