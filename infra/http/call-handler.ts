import type { AnyOperation, OperationResult } from '../../contract/operation.ts';
import type { HttpContext, Rule } from './rule.ts';

/** The 2xx status that an operation answers with when its handler names none. */
export const successStatusOf = (operation: AnyOperation): number =>
  Math.min(...Object.keys(operation.responses).map(Number), 299);

const setHeaders = (ctx: HttpContext, result: OperationResult): void => {
  const { res } = ctx;
  if (result.version !== undefined) res.setHeader('ETag', `"${result.version}"`);
  // 0: nothing was written, and there is nothing to wait for
  if (result.position) res.setHeader('X-Log-Position', String(result.position));
  if (result.replayed) res.setHeader('Idempotent-Replayed', 'true');
  for (const name in result.headers) res.setHeader(name, result.headers[name] ?? '');
};

/** Calls the operation's handler with what was validated, and sends what it returned. */
export const callHandler = (
  operation: AnyOperation,
  onResponse: ((operation: AnyOperation, status: number, body: unknown) => void) | undefined,
): Rule => {
  const successStatus = successStatusOf(operation);
  return async function callOperation(ctx) {
    const { state, res } = ctx;
    const result = await operation.handle({
      params: state.params,
      query: state.query,
      body: state.body,
      caller: state.caller,
      requestId: state.requestId,
      idempotencyKey: state.idempotencyKey,
      ifMatch: state.ifMatch,
      accept: state.accept,
      address: state.address,
      path: ctx.path,
    });
    if (res.headersSent) return; // it came too late and was answered 503
    const status = result.status ?? successStatus;
    if (status < 300) onResponse?.(operation, status, result.body);
    ctx.status = status;
    if (result.body === undefined) {
      setHeaders(ctx, result);
      ctx.body = null;
      return;
    }
    const isBuffer = Buffer.isBuffer(result.body);
    res.setHeader('Content-Type', isBuffer ? state.accept : 'application/json');
    setHeaders(ctx, result);
    ctx.body = isBuffer ? result.body : JSON.stringify(result.body);
  };
};
