import { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import { isAppError } from '../contract/errors.ts';
import type { AnyOperation, Caller, RefusalForm } from '../contract/operation.ts';
import type { CallInput, CallOperation, Protocol, ProtocolAnswer } from '../contract/protocol.ts';
import { Type } from '../ground/type.ts';
import { allowedHeaders } from './cors.ts';
import { type HttpContext, type HttpOptions, inOrder, type Rule } from './rule.ts';
import { traceCall } from './trace-request.ts';
import { validationFailed } from './validation-failed.ts';

/** A body of any form: the protocol itself reports its faults. */
export const anyBody = Type.Unknown();

/** About as much as the head of a request has room for. */
const mostAddressCharacters = 16 * 1024;

const assertShortAddress = ({ params, query }: CallInput): void => {
  const texts = [...Object.values(params), ...Object.values(query).flat()];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters <= mostAddressCharacters) return;
  const detail = `The ids and filters of a call may have at most ${mostAddressCharacters} characters together.`;
  throw validationFailed([{ pointer: '', code: 'too_long', detail }]);
};

const addressOf = ({ path }: AnyOperation, { params, query }: CallInput): string => {
  const named = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    ),
  );
  return search.size === 0 ? named : `${named}?${search}`;
};

/** Calls operations in a request that came in already, on behalf of its caller or of `caller`. */
export type CallFor = (outer: HttpContext, caller?: { is: Caller | undefined }) => CallOperation;

/**
 * Runs the rules of one operation for a caller of another protocol. `unlessArrived` skips the rules that already
 * ran there (authentication, rate limit, share of work, body).
 */
export const callThrough =
  (app: Koa, ruleOf: (operation: AnyOperation) => Rule): CallFor =>
  (outer, caller = { is: outer.state.caller }) =>
  async (operation, input) => {
    assertShortAddress(input);
    const req = new IncomingMessage(outer.req.socket);
    Object.assign(req, {
      method: operation.method,
      url: addressOf(operation, input),
      headers: input.headers,
    });
    const ctx = app.createContext(req, new ServerResponse(req)) as unknown as HttpContext;
    ctx.params = input.params;
    ctx.state = {
      ...outer.state,
      arrived: true,
      body: input.body,
      caller: caller.is,
      file: undefined,
      fingerprints: undefined,
      refusal: undefined,
    };
    await traceCall(operation, ctx, () => ruleOf(operation)(ctx, () => undefined));
    return {
      status: ctx.status,
      headers: ctx.res.getHeaders(),
      body: typeof ctx.body === 'string' ? ctx.body : '',
      file: Buffer.isBuffer(ctx.body) ? ctx.body : undefined,
      findings: ctx.state.refusal?.errors,
    };
  };

/** Passes over what a protocol did for the whole message. */
export const unlessArrived =
  (rule: Rule): Rule =>
  (ctx, next) =>
    ctx.state.arrived ? next() : rule(ctx, next);

/** `arrive`: who sends it, whether it may, and what it says. */
export const serveProtocol = (
  protocol: Protocol,
  arrive: readonly Rule[],
  callFor: (ctx: HttpContext) => CallOperation,
  onAnswer: HttpOptions['onProtocolAnswer'],
): Rule => {
  const letIn = inOrder(arrive);
  /** For what is refused outside of here: failures, and requests that take too long. */
  const refusals: RefusalForm = {
    schema: anyBody,
    bodyOf: (error, { requestId }) =>
      JSON.parse(String(protocol.refuse(error, { requestId }).body)),
  };
  const send = (ctx: HttpContext, { status, headers, body }: ProtocolAnswer): void => {
    if (ctx.res.headersSent) return; // it came too late and was answered 503
    // Other methods are no operation.
    if (ctx.method === 'POST') onAnswer?.(protocol, { status, headers, body });
    ctx.res.setHeader('Cache-Control', 'no-store');
    if (body === '') ctx.body = null;
    else ctx.res.setHeader('Content-Type', 'application/json');
    for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '');
    ctx.status = status;
    if (body !== '') ctx.body = body;
  };
  const answerPreflight = (ctx: HttpContext): void => {
    const { res } = ctx;
    const allow = 'OPTIONS, POST';
    res.setHeader('Allow', allow);
    res.setHeader('Access-Control-Allow-Methods', allow);
    res.setHeader(
      'Access-Control-Allow-Headers',
      [allowedHeaders, ...protocol.allowedHeaders].join(', '),
    );
    res.setHeader('Access-Control-Max-Age', '7200');
    ctx.status = 204;
  };
  return async function enterDoor(ctx, next) {
    if (ctx.path !== protocol.path && ctx.path !== `${protocol.path}/`) return next();
    const { headers } = ctx.req;
    const { requestId } = ctx.state;
    ctx.state.refusals = refusals;
    const turnedAway = protocol.turnAway({ method: ctx.method, headers });
    if (turnedAway) return send(ctx, turnedAway);
    if (ctx.method === 'OPTIONS') return answerPreflight(ctx);
    try {
      await letIn(ctx, async () => {
        const { path, querystring, state } = ctx;
        const request = {
          path,
          query: new URLSearchParams(querystring),
          headers,
          body: state.body,
        };
        send(ctx, await protocol.serve(request, callFor(ctx), { requestId }));
      });
    } catch (error) {
      if (!isAppError(error) || error.status >= 500) throw error;
      send(ctx, protocol.refuse(error, { requestId }));
    }
    return undefined;
  };
};
