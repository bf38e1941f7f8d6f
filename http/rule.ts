import type { ParameterizedContext } from 'koa';
import type { AppError } from '../contract/errors.ts';
import type { LoggedRequest } from '../contract/logged-request.ts';
import type { AnyOperation, Caller, RefusalForm, TakenPayment } from '../contract/operation.ts';
import type { Portal } from '../contract/portal.ts';
import type { Protocol, ProtocolAnswer } from '../contract/protocol.ts';
import type { Clock } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { Limits } from '../limits/table.ts';
import type { BodyWorkers } from './body-parser.ts';
import type { Network } from './client-address.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import type { QuotaLeases } from './shared-quota.ts';

/** Facts that the rules collect about a request on its way to the handler. One object, one shape. */
export type RequestState = {
  requestId: string;
  /** Monotonic milliseconds at which the request came in. */
  startedMs: number;
  /** The client that limits apply to while no account is known (`client-address.ts`); personal, never logged. */
  address: string;
  operation: AnyOperation | undefined;
  caller: Caller | undefined;
  /** Why a credential that was sent is not valid; raised after the rate limit was charged. */
  authFailure: AppError | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  /** It came through a protocol, which authenticated, charged and read it. */
  arrived?: boolean;
  /** The form of refusals at the path while its operation is not known. */
  refusals?: RefusalForm;
  /** A page stands at the path, which answers GET. */
  besidePage?: boolean;
  /** The bytes of the body, where the operation asks for a signature or takes one. */
  rawBody?: Buffer;
  /** A member of the body that came as a file, until the body is valid: its bytes. */
  file?: { name: string; bytes: Buffer } | undefined;
  /** Of a request with a file, made where the file was read: of its command, and of its payment. */
  fingerprints?: { command: string; payment: string } | undefined;
  /** Whether that signature was found right. */
  signed?: boolean;
  /** The payment for this request itself. */
  payment?: TakenPayment;
  idempotencyKey: string | undefined;
  ifMatch: bigint | undefined;
  accept: string;
  /** The error that was answered. */
  refusal?: AppError | undefined;
};

/** The client whose share of the limits a request uses. An invalid credential does not identify one. */
export const clientOf = ({ caller, address }: RequestState): string =>
  caller === undefined ? `address ${address}` : `account ${caller.accountId}`;

export type HttpContext = ParameterizedContext<RequestState>;
export type Next = () => Promise<unknown> | unknown;

/**
 * One named rule of the way from socket to handler: a Koa middleware that may be synchronous, so
 * that a rule which only looks at a header costs no promise. It throws an `AppError` to refuse.
 */
export type Rule = (ctx: HttpContext, next: Next) => Promise<unknown> | unknown;

/** Puts rules into one, built once at start; the first in the list runs first. */
export const inOrder = (rules: readonly Rule[]): Rule => {
  let run: Rule = (_ctx, next) => next();
  for (const rule of rules.toReversed()) {
    const rest = run;
    run = (ctx, next) => rule(ctx, () => rest(ctx, next));
  }
  return run;
};

/** Why this process is older than its data; undefined while it is not, as far as it knows. */
export type Outdated = {
  reason(): string | undefined;
  /** The same, after a look at the database. */
  reasonNow(): Promise<string | undefined>;
};

/** How far the log and what is read of it are. */
export type LogPositions = {
  /** Position of the last event of the log. */
  head: () => Promise<bigint>;
  /** Whether reads show `position` already. */
  isShown: (position: bigint) => boolean;
  /** Waits until they do; `false` when that took too long, or `signal` was aborted. */
  waitFor: (position: bigint, signal: AbortSignal) => Promise<boolean>;
};

/** Pages for browsers: at an unknown path, and where an operation that answers pages refuses a request. */
export type RefusalPages = {
  notFound: string;
  refused(problem: { code: string; status: number; title: string; detail: string }): string;
  contentSecurityPolicy: string;
};

export type HttpOptions = {
  operations: readonly AnyOperation[];
  /**
   * Resolves an `Authorization` header to its caller. `ucans`: the header with further proofs.
   * `orReplaced`: also a key that was replaced and may repeat that, and nothing else.
   * @throws AppError `authentication_required`, `invalid_api_key`, `ucan_invalid` or `missing_proofs`
   */
  authenticate: (
    authorizationHeader: string,
    ucans: string | undefined,
    address: string,
    orReplaced: boolean,
  ) => Promise<Caller>;
  /** The subject that is frozen and stops the caller: the account, or what its credential comes from. */
  frozenSubject?: (caller: Caller) => Promise<string | undefined>;
  /** Uses up an invocation, a UCAN that counts for one write. `use` names the request. */
  spendInvocation?: (caller: Caller, use: string) => Promise<void>;
  limits: Limits;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Prefix of the problem types' addresses, without a slash at its end. */
  baseUrl: string;
  metrics?: { observe(operation: string, status: number, seconds: number): void };
  /** Takes what owners see of the requests of their accounts. */
  requestLog?: { note(request: LoggedRequest): void } | undefined;
  /** Keyed digest of a request, by which its repetition is known. */
  digest: (text: string) => string;
  /** Sees every successful answer before it is sent; tests check it against the schema. */
  onResponse?: (operation: AnyOperation, status: number, body: unknown) => void;
  /** Sees every answer of a protocol before it is sent. */
  onProtocolAnswer?: (protocol: Protocol, answer: ProtocolAnswer) => void;
  /** Origins that browsers may call from; absent: any. Credentials (cookies) are never allowed. */
  corsOrigins?: readonly string[];
  /** Through which rate limits are shared with other processes; absent: they hold per process. */
  quotaLeases?: QuotaLeases;
  /** Whether the store is known to hang: requests that wait for it are given up. */
  isStoreLost?: () => boolean;
  /** Absent: this process is never older than its data. */
  outdated?: Outdated | undefined;
  /** Proxies that are believed what they say in `X-Forwarded-For`. */
  trustedProxies?: readonly Network[];
  /** The log positions that reads can wait for. */
  logPositions?: LogPositions;
  /** Takes payments for operations that are payable. Absent: they need a credential. */
  payments?: PaymentGateway | undefined;
  /** Where long bodies are parsed. Absent: in this thread. */
  workers?: BodyWorkers;
  /** Protocols other than REST that call the operations (MCP). */
  protocols?: readonly Protocol[];
  /** Pages for people that call the operations (the console). */
  portals?: readonly Portal[];
  /** Koa middlewares before the routes (documentation). They call `next` for other paths. */
  mounts?: readonly Rule[];
  /** The pages that browsers get instead of a problem document. Absent: they get that, too. */
  refusalPages?: RefusalPages;
  /** One log line per request. Default: server errors only. */
  accessLog?: boolean;
};
