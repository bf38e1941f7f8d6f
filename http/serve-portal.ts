import { AppError, isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { Portal, PortalAnswer, Session } from '../contract/portal.ts';
import { invalidField } from '../contract/refusals.ts';
import { refuseBadPath } from './refuse-bad-path.ts';
import { type HttpContext, inOrder, type Rule } from './rule.ts';
import { comesFromOwnPage } from './same-origin.ts';
import type { CallFor } from './serve-protocol.ts';

const methods = ['GET', 'HEAD', 'POST'];

const onlyForms: Rule = (ctx, next) => {
  if (methods.includes(ctx.method)) return next();
  throw new AppError('method_not_allowed', `${ctx.method} is not allowed. Use GET or POST.`, {
    headers: { Allow: methods.join(', ') },
  });
};

/** Which session a request has. It is not part of the state, which operations are given. */
const sessions = new WeakMap<HttpContext, Session>();

/** Finds the session that the cookie opens. Only a portal reads cookies. */
const findSession = (portal: Portal): Rule =>
  async function findSessionOfCookie(ctx, next) {
    const { cookie } = ctx.req.headers;
    const { address } = ctx.state;
    const session = cookie === undefined ? undefined : await portal.sessionOf(cookie, address);
    if (session) {
      sessions.set(ctx, session);
      ctx.state.caller = session.caller;
    }
    return next();
  };

const send = (ctx: HttpContext, { status, headers, body }: PortalAnswer): void => {
  const { res } = ctx;
  if (res.headersSent) return; // it came too late and was answered 503
  // Other sites have no business with these pages.
  res.removeHeader('Access-Control-Allow-Origin');
  res.removeHeader('Access-Control-Expose-Headers');
  res.setHeader('Cache-Control', 'no-store');
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
  ctx.body = body === '' ? null : body;
  ctx.status = status; // after the body, which sets a status of its own
};

/** Refuses forms of other sites, to which the browser would add the cookie. */
const refuseCrossSite = (portal: Portal, baseUrl: string): Rule => {
  const { origin } = new URL(baseUrl);
  return function refuseFormsOfOtherSites(ctx, next) {
    const { method, req } = ctx;
    if (method !== 'POST' || comesFromOwnPage(req.headers, origin)) return next();
    return send(ctx, portal.refuse('cross_site', req.headers));
  };
};

/** The path below the portal's; undefined for paths of others. */
export const below = (portal: Portal, path: string): string | undefined =>
  path === portal.path || path.startsWith(`${portal.path}/`)
    ? path.slice(portal.path.length).replace(/\/$/, '')
    : undefined;

/** Statements are given these texts, and the database cannot hold U+0000. */
const refuseNul: Rule = function refuseNulInFields(ctx, next) {
  if (decodeURIComponent(ctx.path).includes('\0')) {
    throw new AppError('not_found', 'There is nothing at this path.');
  }
  const fields = [
    ...new URLSearchParams(ctx.querystring),
    ...(ctx.state.body as URLSearchParams),
  ].flat();
  if (!fields.some((text) => text.includes('\0'))) return next();
  const detail = 'A field contains U+0000, which cannot be stored. Remove it.';
  throw invalidField('', 'character_not_allowed', detail, { character: 'U+0000' });
};

type Ports = {
  baseUrl: string;
  /** The rate limit. */
  charge: Rule;
  /** Rules before a request is answered: its share of the work, its form. */
  rules: readonly Rule[];
  callFor: CallFor;
  operationBy: (name: string) => AnyOperation;
};

const noInput = { params: {}, query: {}, body: {}, headers: {} };

const answerPage =
  (portal: Portal, { callFor, operationBy }: Ports): Rule =>
  async (ctx) => {
    const { state, req } = ctx;
    const call = callFor(ctx);
    const answer = await portal.serve({
      method: ctx.method === 'POST' ? 'POST' : 'GET',
      path: below(portal, ctx.path) ?? '',
      query: new URLSearchParams(ctx.querystring),
      form: state.body as URLSearchParams,
      file: state.file?.bytes,
      headers: req.headers,
      address: state.address,
      session: sessions.get(ctx),
      call: (name, input) => call(operationBy(name), { ...noInput, ...input }),
    });
    send(ctx, answer);
  };

/** Serves a portal; passes every other path on. */
export const servePortal = (portal: Portal, ports: Ports): Rule => {
  const run = inOrder([
    refuseBadPath,
    onlyForms,
    findSession(portal),
    ports.charge,
    refuseCrossSite(portal, ports.baseUrl),
    ...ports.rules,
    refuseNul,
    answerPage(portal, ports),
  ]);
  return async function enterPortal(ctx, next) {
    if (below(portal, ctx.path) === undefined) return next();
    try {
      await run(ctx, next);
    } catch (error) {
      if (!isAppError(error) || error.status >= 500) throw error;
      send(ctx, portal.refuse(error, ctx.req.headers));
    }
    return undefined;
  };
};
