import type { AnyOperation, OperationResult } from '../contract/operation.ts';
import { commandMaker } from './command-of.ts';
import type { OwnWrites } from './own-writes.ts';
import { createPreparation, sendPrepared } from './prepared-bytes.ts';
import { assertRepeatable } from './repeat-secret.ts';
import type { HttpContext, HttpOptions, Rule } from './rule.ts';
import type { CallFor } from './serve-protocol.ts';

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

type Ports = Pick<HttpOptions, 'digest' | 'onResponse' | 'clock'> & {
  callFor: CallFor;
  operationBy: (name: string) => AnyOperation;
  ownWrites: Pick<OwnWrites, 'note'> | undefined;
};

/** Calls the operation's handler with the validated input, and sends its result. */
export const callHandler = (
  operation: AnyOperation,
  { digest, onResponse, clock, callFor, operationBy, ownWrites }: Ports,
): Rule => {
  const successStatus = successStatusOf(operation);
  const commandOf = commandMaker(operation, digest);
  const preparedOf = createPreparation();

  return async function callOperation(ctx) {
    const { state, res } = ctx;
    const result = await operation.handle({
      params: state.params,
      query: state.query,
      body: state.body,
      caller: state.caller,
      command: commandOf(state),
      requestId: state.requestId,
      idempotencyKey: state.idempotencyKey,
      ifMatch: state.ifMatch,
      accept: state.accept,
      acceptLanguage: ctx.get('Accept-Language') || undefined,
      address: state.address,
      payment: state.payment,
      path: ctx.path,
      signed: state.rawBody && { headers: ctx.req.headers, body: state.rawBody },
      callAs: (name, input, caller) => callFor(ctx, { is: caller })(operationBy(name), input),
    });
    const { replayed, answeredAt } = result;
    if (replayed && answeredAt !== undefined && state.idempotencyKey !== undefined) {
      assertRepeatable({
        answeredAt,
        nowMs: clock(),
        idempotencyKey: state.idempotencyKey,
        anonymous: state.caller === undefined,
        instead: operation.withoutSecret,
      });
    }
    // A payment may have said who calls, so the caller is looked at now.
    const account = result.account ?? state.caller?.accountId;
    if (result.position && account !== undefined) ownWrites?.note(account, result.position);
    if (res.headersSent) return; // it came too late and was answered 503
    const status = result.status ?? successStatus;
    if (status < 300) onResponse?.(operation, status, result.body);
    ctx.status = status;
    if (result.body === undefined) {
      setHeaders(ctx, result);
      ctx.body = null;
      return;
    }
    const file = Buffer.isBuffer(result.body) ? result.body : undefined;
    const prepared = file && result.keptSeconds !== undefined ? await preparedOf(file) : undefined;
    if (res.headersSent) return;
    res.setHeader('Content-Type', file ? state.accept : 'application/json');
    setHeaders(ctx, result);
    if (prepared) {
      res.setHeader('Cache-Control', `public, max-age=${result.keptSeconds}`);
      sendPrepared(ctx, prepared);
    } else ctx.body = file ?? JSON.stringify(result.body);
  };
};
