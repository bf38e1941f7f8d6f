import type { Static, TSchema } from 'typebox';
import type { Bounds } from './bounds.ts';
import type { Called, CallInput } from './call.ts';
import type { AppError, ErrorCode } from './errors.ts';
import type { CallerUcan, OperationPermit } from './permits.ts';
import type { Scope } from './scopes.ts';

/** The caller, after its credential was checked. */
export type Caller = {
  accountId: string;
  keyId: string;
  scope: Scope;
  /** Test accounts act on test money; their letters are never printed. */
  test: boolean;
  /** It is older than the confirmation of the account's address, and may only read. */
  unconfirmed?: boolean;
  /** A session that may look and do nothing else, whatever its credential may do. */
  readOnly?: true;
  /** The operator blocked the account: it may only read, and end things. */
  blocked?: boolean;
  /** Many callers act on this account at once: their time counts by address alone. */
  shared?: boolean;
  /** Nobody there waits for an approval: a letter that a policy holds is refused. */
  cannotWait?: true;
  /** The UCAN that was sent instead of a key. It may allow less than its scope. */
  ucan?: CallerUcan;
  /** The keys and UCANs whose end ends this credential too; absent: none. */
  bounds?: Bounds;
  /** A wallet pays or signs in: it has no key that what it makes could end with. */
  wallet?: true;
  /** The message that a wallet signed to sign in. It permits only the requests that it names. */
  signedFor?: { statement: string; uri: string };
};

/** The access that an operation needs: nothing, any identity, or a key scope. */
export type Access = 'public' | 'auth' | Scope;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request as its sender signed it. */
export type SignedRequest = {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes of the body as they came. */
  body: Buffer;
};

/**
 * The schemas of the input. Without `query` or `body`, requests that send one are refused; see `ignoresBody` and
 * `ignoresQuery`. Pages (HTML) and operations that monitors read (`rateLimited: false`) ignore them.
 */
export type InputSchemas = { params?: TSchema; query?: TSchema; body?: TSchema };

type Input<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined;

/** The command that a request gives: who gives it, under which id, and how its repetition is known. */
export type RequestCommand = {
  /** Derived from caller and `Idempotency-Key`, so that a repetition is the same command; otherwise random. */
  commandId: string;
  actor: string;
  /** Keyed digest of the request: tells a repetition from another request under the same key. */
  requestHash: string;
  /** Whether the caller may be repeating itself: it sent an `Idempotency-Key`. */
  repeatable: boolean;
};

/** A payment that came with the request: its receipt, as the wallet knows it, and its amount. */
export type TakenPayment = {
  paymentId: string;
  receiptId: string;
  amountMicro: bigint;
  /** The price that was paid is the one that held so long before. */
  pricedAgoMs: number;
};

/** The input of a handler, validated against the operation's schemas. */
export type OperationRequest<S extends InputSchemas = InputSchemas, A extends Access = Access> = {
  params: Input<S['params']>;
  query: Input<S['query']>;
  body: Input<S['body']>;
  caller: A extends 'public' ? Caller | undefined : Caller;
  command: RequestCommand;
  requestId: string;
  /** The validated `Idempotency-Key`, if one was sent. */
  idempotencyKey: string | undefined;
  /** The stream version in `If-Match`, if one was sent. */
  ifMatch: bigint | undefined;
  /** The media type that `Accept` chose out of the operation's `produces`. */
  accept: string;
  /** `Accept-Language` as it was sent. */
  acceptLanguage: string | undefined;
  /** The client's address, by which it is limited where it has no key. */
  address: string;
  /** The payment for this request itself. By now the money is in the caller's wallet. */
  payment: TakenPayment | undefined;
  /** The path as it was sent, percent-encoded, for what decoding would lose. */
  path: string;
  /** The body as it was sent, of an operation that is `maybeSigned`. */
  signed: SignedRequest | undefined;
  /**
   * Calls another operation by its name on behalf of `caller`, whom the operation vouches for. Every rule of
   * that operation holds. Refusals are answered, not thrown.
   */
  callAs: (name: string, input: CallInput, caller: Caller | undefined) => Promise<Called>;
};

/** Answers refusals in the operation's own form instead of a problem document. */
export type RefusalForm = {
  schema: TSchema;
  /** `body`: what was sent, as far as it was read. `requestId`: ours. */
  bodyOf(error: AppError, about: { body: unknown; requestId: string }): unknown;
};

/**
 * The answer of a handler. A Buffer in `body` is sent as it is, any other body as JSON. The kernel derives
 * headers from the other members.
 */
export type OperationResult = {
  body: unknown;
  /** Where the operation has more than one 2xx response; otherwise it is the only one. */
  status?: number;
  /** Of files and pages. */
  headers?: Record<string, string>;
  /** Stream version → `ETag`. */
  version?: bigint;
  /**
   * Of a file that is the same for everybody: how long it may be kept. It is asked for again by its `ETag`. The
   * same buffer is the same content: it is compressed and tagged once.
   */
  keptSeconds?: number;
  /** Log position → `X-Log-Position`; 0: nothing was written. */
  position?: bigint;
  /** The account that was written to, where that is not the caller's: reads of it wait for `position`. */
  account?: string;
  /** The answer to an earlier request with the same key → `Idempotent-Replayed: true`. */
  replayed?: boolean;
  /** Of an answer with a secret: when it was given first (RFC 3339). It is repeated for minutes only. */
  answeredAt?: string;
};

export type Example = { summary: string; body?: unknown; response?: unknown };

/** An operation that is paid for at a price of its own. */
type Payable = {
  /**
   * The price, paid in full from crypto: a pure function of the request and of the price list as they were
   * `agoMs` before. Undefined: the price of a read.
   * @throws AppError of every check of the request
   */
  priceOf(request: {
    body: never;
    params: never;
    caller: Caller | undefined;
    address: string;
    ifMatch: bigint | undefined;
    agoMs: number;
    /** The command that a payment is presented for, if it is carried out only once. */
    commandId: string | undefined;
  }): Promise<bigint | undefined>;
  /** Whether it must be paid for in the same call, also with a key. */
  isDue?(request: { body: never }): boolean;
  /** Whether the command was obeyed before, so that nothing more is taken for it. */
  wasObeyed(request: { commandId: string; body: never; caller: Caller }): Promise<boolean>;
};

/** Which UCANs open it; stated wherever a credential is needed, so that nothing is open by default. */
type Permitted<A extends Access> = A extends 'public'
  ? { permit?: undefined }
  : { permit: OperationPermit };

/**
 * One operation: the single source of its route, validation, OpenAPI entry, MCP tool and docs.
 * `name` is the operationId (snake_case, also the MCP tool name).
 */
type Operation<S extends InputSchemas = InputSchemas, A extends Access = Access> = Permitted<A> & {
  name: string;
  method: Method;
  /** With `{braces}` for parameters, as in the specification. */
  path: string;
  /** The last parameter of the path takes several segments, slashes included. */
  severalSegments?: boolean;
  tag: string;
  summary: string;
  description?: string;
  access: A;
  /**
   * Accepts payment (x402) instead of a key: at a price of its own, or at that of a read. `to-identify`: the
   * payment only identifies the caller, and only once, because it is public after settlement.
   */
  payable?: boolean | 'to-identify' | Payable;
  /** Spends or creates: takes an `Idempotency-Key`. */
  idempotent?: boolean;
  /** The name under which keys are counted, where two paths are one operation; absent: `name`. */
  countsAs?: string;
  /**
   * Its answer contains a secret. An Idempotency-Key then counts per key and per UCAN, so that no credential gets
   * an answer meant for another credential of the account.
   */
  answersSecret?: boolean;
  /**
   * Takes a document with its body: also as `multipart/form-data`, and beyond the usual size of bodies.
   */
  upload?: boolean;
  /** Advice for callers that did not keep the first answer, which is not repeated: one sentence. */
  withoutSecret?: string;
  /** A key may do it to itself whatever its scope: when the `id` in the path is its own. */
  ownKey?: boolean;
  /** The wallet of an account may do it, too, although no wallet has scope full: it signs in for this one request. */
  ownWallet?: boolean;
  /** A key that was replaced may repeat the request with which it replaced itself. */
  replacedKey?: boolean;
  /** An account that is blocked may do it, too: it ends something. */
  whileBlocked?: boolean;
  /**
   * Callers that may use it while frozen. `account`: credentials that are not frozen themselves, while their
   * account is; `always`: every credential; `itself`: as `account`, and with `ownKey` a key whose `id` is in the
   * path, otherwise UCANs, which the operation lets end only themselves and what came of them. Absent: `account` where `whileBlocked`
   * says so, otherwise nobody. Reads are never frozen.
   */
  whileFrozen?: 'account' | 'always' | 'itself' | 'never';
  /** Takes `If-Match`. */
  conditional?: boolean;
  /**
   * The link that opens the request, by a name of its own; undefined: its token is not valid. Without a caller, the
   * rate limit counts the request for the link instead of the address.
   */
  linkIn?: (request: {
    params: Readonly<Record<string, unknown>>;
    query: Readonly<Record<string, unknown>>;
  }) => string | undefined;
  /** False for what machines around the service read all the time. Credentials are not looked at. */
  rateLimited?: false;
  /**
   * Whether it waits until read models show what its account wrote before. Default: a GET of a known caller does.
   * True: it answers or decides by what read models say, and is no GET. False: it reads event streams alone.
   */
  readsOwnWrites?: boolean;
  /**
   * The body must be signed; checked before it is validated. In place of an API key.
   * @throws AppError when it is not
   */
  checkSignature?: (request: SignedRequest) => void;
  input: S;
  /** Response schema by status: 2xx, and the pages that replace a problem document. */
  responses: Record<number, { description: string; schema: TSchema; produces?: string[] }>;
  /** Answers in the first of its media types where `Accept` allows none of them. */
  anyAccept?: boolean;
  /**
   * The codes that it can answer, in addition to those of every operation and those that follow from its rules.
   */
  errors: ErrorCode[];
  examples?: Example[];
  /** Keeps the bytes of the body for its handler, which judges a signature over them where there is one. */
  maybeSigned?: boolean;
  /** Takes any body and ignores it: its callers send what another standard asks for. */
  ignoresBody?: true;
  /** Takes any query and ignores it: programs for another standard read it, and some add a query against caches. */
  ignoresQuery?: true;
  /** Refuses numbers with an exponent: an amount of money is written in digits. */
  plainNumbers?: boolean;
  /** The form of every refusal, if a protocol other than REST requires one. */
  refusals?: RefusalForm;
  /** Gives what the rules before the handler refuse (path, `Accept`) the form of its own errors. */
  refusal?: (error: AppError) => AppError;
  handle: (request: OperationRequest<S, A>) => Promise<OperationResult> | OperationResult;
};

/** Any operation, whatever its schemas. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations holds handlers of different inputs
export type AnyOperation = Operation<any, any>;

/** Gives a handler the types of its schemas. */
export const operation = <const S extends InputSchemas, const A extends Access>(
  definition: Operation<S, A>,
): Operation<S, A> => definition;
