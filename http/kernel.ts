import Router from '@koa/router';
import Koa from 'koa';
import { AppError, isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { createFairShares } from '../limits/fair-shares.ts';
import { createSlots } from '../limits/slots.ts';
import { createArrivalWatch } from './arrival-watch.ts';
import { authenticateCaller, requireScope } from './authenticate-caller.ts';
import { createBodyParser, type ParseBody } from './body-parser.ts';
import { bodyRulesOf, messageRulesOf } from './body-rules.ts';
import { callHandler } from './call-handler.ts';
import { chargeUnsigned, checkSignature } from './check-signature.ts';
import { allowedHeaders, cors } from './cors.ts';
import { errorMapper } from './error-mapper.ts';
import { honourSignIn, offerSignIn } from './honour-sign-in.ts';
import { honourUcan, spendUcan } from './honour-ucan.ts';
import { limitConcurrency } from './limit-concurrency.ts';
import { limitTime } from './limit-time.ts';
import { type AwaitPosition, awaitLogPosition, createAwaitPosition } from './min-log-position.ts';
import { negotiate } from './negotiate.ts';
import { createOutageLog } from './outage-log.ts';
import { awaitOwnWrites, createOwnWrites, type OwnWrites, showsOwnWrites } from './own-writes.ts';
import { rateLimit } from './rate-limit.ts';
import { RateLimiter } from './rate-limiter.ts';
import { readBody, takeArrivedFile } from './read-body.ts';
import { readForm } from './read-form.ts';
import type { BodyLimits } from './receive-body.ts';
import { refuseBadPath } from './refuse-bad-path.ts';
import { refuseFrozen } from './refuse-frozen.ts';
import { refuseOutdated } from './refuse-outdated.ts';
import { refuseBody, refusesBody } from './refuse-undescribed.ts';
import { idempotencyGate, readIfMatch } from './request-headers.ts';
import { requestId } from './request-id.ts';
import { type HttpContext, type HttpOptions, inOrder, type Rule } from './rule.ts';
import { securityHeaders } from './security-headers.ts';
import { below, servePortal } from './serve-portal.ts';
import {
  anyBody,
  type CallFor,
  callThrough,
  serveProtocol,
  unlessArrived,
} from './serve-protocol.ts';
import { createSharedQuota, type Quota } from './shared-quota.ts';
import { createSlowBodies } from './slow-bodies.ts';
import { takePayment } from './take-payment.ts';
import { traceRequest } from './trace-request.ts';
import { validateInput } from './validate-input.ts';
import { makeValidators, type Validators } from './validator.ts';

type Shared = {
  options: HttpOptions;
  validators: Validators;
  quota: Quota;
  reading: { limits: BodyLimits; parse: ParseBody };
  /** The last writes of accounts, and the rule that makes their reads wait for them. */
  ownWrites: { note: OwnWrites['note']; await: Rule } | undefined;
  /** Lets reads wait for `X-Min-Log-Position`. */
  awaitPosition: AwaitPosition | undefined;
  /** Requests with a key or without, and requests that monitor the service. */
  inProgress: { limited: Rule; watching: Rule };
  /** The rules of each operation. */
  ruled: Map<AnyOperation, Rule>;
  callFor: CallFor;
  operationBy: (name: string) => AnyOperation;
};

const freshReads = ({
  logPositions,
  limits,
}: HttpOptions): Pick<Shared, 'awaitPosition' | 'ownWrites'> => {
  if (logPositions === undefined) return { awaitPosition: undefined, ownWrites: undefined };
  const writes = createOwnWrites(logPositions);
  const waiting = createSlots(limits.waitingReads);
  return {
    awaitPosition: createAwaitPosition(logPositions, waiting),
    ownWrites: { note: writes.note, await: awaitOwnWrites(logPositions, writes, waiting) },
  };
};

const sharedParts = (app: Koa, options: HttpOptions, mapErrors: Rule): Shared => {
  const { limits, clock, quotaLeases: leases } = options;
  const ruled = new Map<AnyOperation, Rule>();
  const byName = new Map(options.operations.map((one) => [one.name, one]));
  const ruleOf = (operation: AnyOperation): Rule => {
    const rule = ruled.get(operation);
    if (rule === undefined) throw new Error(`${operation.name} is not served here`);
    return inOrder([mapErrors, rule]);
  };
  const local = new RateLimiter({ windowSeconds: limits.rateWindowSeconds, clock });
  const ofAccounts = createFairShares(limits.concurrentRequests);
  const ofOthers = () => createFairShares(limits.concurrentPublicRequests);
  const slow = createSlowBodies();
  const bodies: BodyLimits = {
    ofAccounts: createFairShares(limits.bodyBytesInProgress),
    ofOthers: createFairShares(limits.publicBodyBytesInProgress),
    arrivals: createArrivalWatch({
      bytesPerSecond: limits.bodyBytesPerSecond,
      paceMs: limits.bodyPaceMs,
    }),
    slow,
  };
  return {
    options,
    validators: makeValidators(),
    ...freshReads(options),
    quota:
      leases === undefined ? local : createSharedQuota(local, leases, limits.rateWindowSeconds),
    reading: { limits: bodies, parse: createBodyParser(options.workers) },
    inProgress: {
      limited: limitConcurrency(ofAccounts, ofOthers(), slow),
      watching: limitConcurrency(ofAccounts, ofOthers(), slow),
    },
    ruled,
    callFor: callThrough(app, ruleOf),
    operationBy(name) {
      const operation = byName.get(name);
      if (operation) return operation;
      throw new AppError('not_found', `There is no operation ${name} here.`);
    },
  };
};

const markOperation =
  (operation: AnyOperation): Rule =>
  (ctx, next) => {
    ctx.state.operation = operation;
    if (operation.access !== 'public') ctx.res.setHeader('Cache-Control', 'no-store');
    return next();
  };

/** Puts refusals of the rules behind it into the operation's own form. */
const refuseInForm =
  (refusal: (error: AppError) => AppError): Rule =>
  async (_ctx, next) => {
    try {
      await next();
    } catch (error) {
      throw isAppError(error) ? refusal(error) : error;
    }
  };

/** An operation as the list of its rules, in the order in which they hold. */
const rulesOf = (operation: AnyOperation, shared: Shared): Rule[] => {
  const { options, validators, quota, reading, inProgress, awaitPosition, ownWrites } = shared;
  const { limits, authenticate, payments } = options;
  const { input, access, conditional, idempotent, name, rateLimited } = operation;
  const { checkSignature: signature } = operation;
  const rules: Rule[] = [markOperation(operation)];
  // Monitors send what they are configured with, also while no key can be looked up.
  if (rateLimited !== false) {
    rules.push(unlessArrived(authenticateCaller(authenticate, payments, operation)));
  }
  const charge = unlessArrived(rateLimit(quota, limits));
  const gateway = operation.payable && access !== 'public' ? payments : undefined;
  if (signature) rules.push(chargeUnsigned(charge));
  else if (rateLimited !== false) rules.push(charge);
  if (operation.refusal) rules.push(refuseInForm(operation.refusal), refuseBadPath);
  // No wallet has scope full.
  const wallets = access !== 'full' || operation.ownWallet ? payments : undefined;
  if (wallets && access !== 'public') {
    rules.push(offerSignIn(operation, { payments: wallets, baseUrl: options.baseUrl }));
  }
  rules.push(requireScope(operation, gateway !== undefined));
  rules.push(refuseFrozen(operation, options.frozenSubject));
  if (payments) rules.push(honourSignIn(operation, { payments, baseUrl: options.baseUrl }));
  const reads = showsOwnWrites(operation);
  if (reads && awaitPosition) rules.push(awaitLogPosition(awaitPosition));
  if (reads && ownWrites) rules.push(ownWrites.await);
  rules.push(unlessArrived(rateLimited === false ? inProgress.watching : inProgress.limited));
  rules.push(negotiate(operation));
  if (conditional) rules.push(readIfMatch);
  const body = bodyRulesOf(operation, limits);
  if (body) {
    rules.push(unlessArrived(readBody(input.body, body, reading)), takeArrivedFile(input.body));
  } else if (refusesBody(operation)) rules.push(unlessArrived(refuseBody(reading.limits)));
  if (signature) rules.push(checkSignature(signature));
  rules.push(validateInput(operation, validators));
  if (idempotent) {
    rules.push(idempotencyGate({ operationName: name, maxChars: limits.idempotencyKeyChars }));
  }
  const fresh = { ownWrites, awaitPosition: reads ? awaitPosition : undefined };
  // No payment is taken for what a UCAN does not allow.
  if (access !== 'public') rules.push(honourUcan(operation, options));
  if (gateway) rules.push(takePayment(operation, { ...options, gateway, ...fresh }));
  // The payment says who asks.
  if (gateway && reads && ownWrites) rules.push(ownWrites.await);
  if (access !== 'public') rules.push(spendUcan(operation, options));
  rules.push(callHandler(operation, { ...options, ...shared }));
  return rules;
};

/** `/letters/{id}` as the router writes it. */
const routerPath = ({ path, severalSegments }: AnyOperation): string => {
  const escaped = path.replace(/[()[\]?+!*:]/g, '\\$&');
  const last = severalSegments ? escaped.replace(/\{(\w+)\}$/, '*$1') : escaped;
  return last.replace(/\{(\w+)\}/g, ':$1');
};

/** Fixed paths before paths with parameters, so that `/letters/search` is no letter's id. */
const mostFixedFirst = (a: AnyOperation, b: AnyOperation): number =>
  a.path.split('{').length - b.path.split('{').length;

const makeRouter = (ruled: Shared['ruled']): Router => {
  const router = new Router({ sensitive: true });
  const fixedFirst = [...ruled].toSorted(([a], [b]) => mostFixedFirst(a, b));
  const fixed = new Set(
    [...ruled.keys()].map(({ path }) => path).filter((path) => !path.includes('{')),
  );
  for (const [operation, run] of fixedFirst) {
    const path = routerPath(operation);
    router.register(path, [operation.method], (ctx, next) => {
      const isOther = ctx.path !== path && fixed.has(ctx.path);
      return isOther ? next() : run(ctx as HttpContext, next);
    });
  }
  return router;
};

/** Operations whose path has no parameters, without trying the patterns of all others. */
const serveFixed = (ruled: Shared['ruled']): Rule => {
  const runs = new Map<string, Rule>();
  for (const [{ method, path }, run] of ruled) {
    if (!path.includes('{')) runs.set(`${method} ${path}`, run);
  }
  return function serveFixedPath(ctx, next) {
    const run = runs.get(`${ctx.method} ${ctx.path}`);
    if (run === undefined) return next();
    ctx.params = {};
    return run(ctx, next);
  };
};

/** Leaves the paths of portals, and of operations that refuse in a form of their own, to them. */
const refuseBadPaths = ({ operations, portals = [] }: HttpOptions): Rule => {
  const prefixes = operations
    .filter((operation) => operation.refusal !== undefined)
    .map((operation) => operation.path.replace(/\{.*/s, ''));
  return (ctx, next) =>
    prefixes.some((prefix) => ctx.path.startsWith(prefix)) ||
    portals.some((portal) => below(portal, ctx.path) !== undefined)
      ? next()
      : refuseBadPath(ctx, next);
};

/** Paths whose operation refuses in a form of its own do so whatever the method, and before it is known. */
const refuseInFormOfPath = (operations: readonly AnyOperation[]): Rule => {
  const forms = new Map(
    operations.flatMap(({ path, refusals }) => (refusals ? [[path, refusals]] : [])),
  );
  return (ctx, next) => {
    const form = forms.get(ctx.path);
    if (form) ctx.state.refusals = form;
    return next();
  };
};

/** The methods of the routes that match the path, for `Allow`; empty where none does. A path without parameters comes first. */
const methodsAt = (ctx: HttpContext): string => {
  const matched: { path: string | RegExp; methods: string[] }[] = ctx.matched ?? [];
  const own = matched.filter(({ path }) => path === ctx.path);
  const methods = new Set((own.length > 0 ? own : matched).flatMap((layer) => layer.methods));
  if (ctx.state.besidePage) methods.add('GET').add('HEAD');
  return methods.size === 0 ? '' : [...methods.add('OPTIONS')].sort().join(', ');
};

/** `GET or POST`: OPTIONS and HEAD are answered everywhere, and need no mention. */
const ownMethods = (allow: string): string => {
  const named = allow.split(', ').filter((method) => !['OPTIONS', 'HEAD'].includes(method));
  return (named.length === 0 ? [allow] : named).join(' or ');
};

/** Answers requests without a route: OPTIONS (not counted), a wrong method, an unknown path. */
const answerUnrouted = (chargeAddress: Rule): Rule => {
  const refuse: Rule = (ctx) => {
    const allow = methodsAt(ctx);
    if (allow === '') {
      throw new AppError('not_found', 'There is no such path; /openapi.json lists all paths.');
    }
    throw new AppError(
      'method_not_allowed',
      `${ctx.method} is not allowed for this path. Use ${ownMethods(allow)}.`,
      {
        headers: { Allow: allow },
      },
    );
  };
  return function answerOptionsOrRefuse(ctx, next) {
    const allow = ctx.method === 'OPTIONS' ? methodsAt(ctx) : '';
    if (allow === '') return chargeAddress(ctx, () => refuse(ctx, next));
    const { res } = ctx;
    res.setHeader('Allow', allow);
    res.setHeader('Access-Control-Allow-Methods', allow);
    res.setHeader('Access-Control-Allow-Headers', allowedHeaders);
    res.setHeader('Access-Control-Max-Age', '7200');
    ctx.status = 204;
    return undefined;
  };
};

/** The protocols other than REST, each with the rules that apply to a message before it calls an operation. */
const doorsOf = ({ options, quota, reading, inProgress, callFor }: Shared): Rule[] => {
  const { limits, authenticate, payments, protocols = [], onProtocolAnswer } = options;
  return protocols.map((protocol) => {
    const arrive = [
      authenticateCaller(authenticate, payments),
      rateLimit(quota, limits),
      requireScope({ access: 'public', method: 'POST' }),
      inProgress.limited,
      readBody(anyBody, messageRulesOf(protocol.calls, limits), reading),
    ];
    return serveProtocol(protocol, arrive, callFor, onProtocolAnswer);
  });
};

/** Pages for people, with the rules of a request before it calls an operation. */
const portalsOf = ({ options, quota, reading, inProgress, ...shared }: Shared): Rule[] => {
  const { limits, baseUrl, portals = [] } = options;
  const ports = {
    baseUrl,
    charge: rateLimit(quota, limits),
    rules: [inProgress.limited, readForm(reading, limits)],
    callFor: shared.callFor,
    operationBy: shared.operationBy,
  };
  return portals.map((portal) => servePortal(portal, ports));
};

/**
 * Makes a Koa application of a table of operations. Everything that can be is prepared here, once:
 * headers, and one function per operation that runs its rules. A schema is compiled when a request first needs it.
 * @throws Error when an operation does not say which UCANs open it
 */
export const buildHttpApp = (options: HttpOptions): Koa => {
  const { limits, log, baseUrl, metrics, corsOrigins, accessLog } = options;
  const { trustedProxies = [], isStoreLost = () => false, refusalPages } = options;
  const { outdated } = options;
  const outageLog = createOutageLog(log, async () => options.logPositions?.head());
  const mapErrors = errorMapper({
    baseUrl,
    log,
    metrics,
    accessLog,
    outageLog,
    refusalPages,
    requestLog: options.requestLog,
    outdated,
  });
  const app = new Koa();
  const parts = sharedParts(app, options, mapErrors);
  for (const operation of options.operations) {
    parts.ruled.set(operation, inOrder(rulesOf(operation, parts)));
  }
  const routes = makeRouter(parts.ruled).routes();
  const run = inOrder([
    requestId(trustedProxies),
    traceRequest(options.operations),
    refuseInFormOfPath(options.operations),
    mapErrors,
    securityHeaders,
    cors(corsOrigins),
    limitTime({ ...limits, baseUrl, isStoreLost }),
    ...(outdated ? [refuseOutdated(outdated)] : []),
    refuseBadPaths(options),
    ...(options.mounts ?? []),
    ...doorsOf(parts),
    ...portalsOf(parts),
    serveFixed(parts.ruled),
    (ctx, next) => routes(ctx as Parameters<typeof routes>[0], async () => next()),
    answerUnrouted(rateLimit(parts.quota, limits)),
  ]);
  app.use(async (ctx, next) => run(ctx as unknown as HttpContext, next));
  // Errors of requests never get here; these are of sockets, whose peers are gone.
  app.on('error', () => {});
  return app;
};
