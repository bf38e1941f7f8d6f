/** Errors, for programs and as data for agents. */

/** A finding about one argument or member of a body. */
export type Finding = { pointer: string; code?: string; detail: string; hint?: string };

/** One offer of x402: what may be paid. Amounts are in the smallest unit of the asset. */
export type PaymentOffer = {
  scheme: string;
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  [member: string]: unknown;
};

/** The demand for payment of x402, version 2. */
export type PaymentRequired = {
  x402Version: number;
  accepts: PaymentOffer[];
  [member: string]: unknown;
};

/** Why a policy denies: `rule` null: no rule allows it. Without a limit that is reached the other members are absent. */
export type PolicyDenial = {
  policy: string;
  rule: string | null;
  limit?: { amount?: number; letters?: number; per: string };
  used?: number;
  resets_at?: string | null;
  /** Of a limit by hour, day or month: its periods begin in this zone. */
  time_zone?: string;
};

export type ErrorData = {
  /** The code of the service, or one of this library. Stable. */
  code: string;
  /** HTTP status; null when there was no answer of the service. */
  status: number | null;
  detail: string;
  /** Advice on the next step. */
  hint: string;
  /** Whether the same call may succeed later. With `idempotency_key` it must be repeated with that key. */
  retryable: boolean;
  /** Seconds to wait before. */
  retry_after?: number;
  /** The key that the call was sent with: the same key again is never a second act. */
  idempotency_key?: string;
  request_id?: string;
  errors?: Finding[];
  payment_required?: PaymentRequired;
  /** Of `policy_denied`: the rule that decides, and the usage of its limit. */
  policy_denied?: PolicyDenial;
  /** Of `frozen`: `account`, the id of a key, or `ucan:<cid>`. */
  frozen?: string;
};

/** Every failure of this library. `JSON.stringify` gives it as data. */
export class ServiceError extends Error {
  readonly data: ErrorData;
  constructor(data: ErrorData, options?: ErrorOptions) {
    super(`${data.code}: ${data.detail} ${data.hint}`.trim(), options);
    this.name = new.target.name;
    this.data = data;
  }
  get code(): string {
    return this.data.code;
  }
  get status(): number | null {
    return this.data.status;
  }
  toJSON(): { error: ErrorData } {
    return { error: this.data };
  }
}

/** A policy denies it. Nothing was sent or charged. */
export class PolicyDeniedError extends ServiceError {
  get denial(): PolicyDenial | undefined {
    return this.data.policy_denied;
  }
}

/** The credential or its account is frozen: it reads and cancels, and spends nothing. */
export class FrozenError extends ServiceError {
  get frozen(): string | undefined {
    return this.data.frozen;
  }
}

/** It needs an approval (`approval_required`), or waits for one (`approval_pending`). */
export class ApprovalError extends ServiceError {}

const guardErrors: Readonly<Record<string, typeof ServiceError>> = {
  policy_denied: PolicyDeniedError,
  frozen: FrozenError,
  approval_required: ApprovalError,
  approval_pending: ApprovalError,
};

/** As the type that its code has. */
export const errorOf = (data: ErrorData, options?: ErrorOptions): ServiceError => {
  const Kind = guardErrors[data.code] ?? ServiceError;
  return new Kind(data, options);
};

/** An error of this library itself, not from an answer. */
export const clientError = (
  code: string,
  detail: string,
  hint: string,
  more: Partial<ErrorData> & { cause?: unknown } = {},
): ServiceError => {
  const { cause, ...data } = more;
  return new ServiceError(
    { code, status: null, detail, hint, retryable: false, ...data },
    { cause },
  );
};

const hints: Readonly<Record<string, string>> = {
  401: 'Set SERVICE_API_KEY to a valid key of this service.',
  402: 'Pay for it: top up the wallet, or give a payer.',
  403: 'Use a credential that allows this.',
  404: 'Check the id and the path.',
  409: 'Read the state first: it does not allow this now.',
  410: 'It is gone for good.',
  413: 'Send less.',
  422: 'Correct the arguments as the findings say.',
  429: 'Wait as long as retry_after says, then repeat.',
  503: 'Wait, then repeat.',
};

const codeHints: Readonly<Record<string, string>> = {
  payment_required: 'Set SERVICE_API_KEY, or give a payer that signs x402 payments.',
  max_total_exceeded:
    'Nothing was charged. Choose a cheaper service, or ask the payer before you raise max_total.',
  idempotency_key_reused:
    'Repeat the earlier call unchanged to get its answer. Under a new key this call is done in addition: a send mails a second letter. A draft that is sent by its letter_id needs a new key.',
  idempotency_in_progress: 'The first call is still running. Repeat it with the same key.',
  policy_denied:
    'Nothing was sent. Wait until resets_at, send another letter, or ask the owner of the account.',
  frozen:
    'This call sent nothing; an earlier one with the same idempotency_key may have. Stop, and tell the owner of the account.',
  approval_required:
    'Nothing changed. With the change, a person must approve the letter: cancel it first, then send a new one.',
  approval_pending: 'The letter waits for a person who approves it. Do not send it again.',
  payment_pending: 'Repeat with the same payment; do not sign another.',
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const laterStatuses = [408, 429, 502, 503, 504];

/** Seconds of `Retry-After`, which may be a date; undefined when it says nothing usable. */
export const retryAfterOf = (headers: Headers, nowMs = Date.now()): number | undefined => {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  // JavaScript reads "-1" and "1.5" as dates. Every date of HTTP names its day.
  const date = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  const seconds = /^\d+$/.test(value) ? Number(value) : (date - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
};

const guardMembers = (code: string, problem: Record<string, unknown>): Partial<ErrorData> => {
  if (code === 'frozen' && typeof problem.frozen === 'string') return { frozen: problem.frozen };
  if (code !== 'policy_denied' || typeof problem.policy !== 'string') return {};
  const { policy, rule, limit, used, resets_at, time_zone } = problem as PolicyDenial;
  const zone = time_zone === undefined ? {} : { time_zone };
  const reached = limit === undefined ? {} : { limit, used, resets_at, ...zone };
  return { policy_denied: { policy, rule: rule ?? null, ...reached } as PolicyDenial };
};

/** The problem document in a body. `mech_execute` has an envelope instead, with the same members in its `error`. */
const problemIn = (body: unknown): Record<string, unknown> => {
  if (!isObject(body)) return {};
  return isObject(body.error) ? body.error : body;
};

/** A refusal of the service: its problem document (RFC 9457) with what to do. */
export const problemError = (
  status: number,
  headers: Headers,
  body: unknown,
  more: Partial<ErrorData> = {},
): ServiceError => {
  const problem = problemIn(body);
  const code = text(problem.code, `http_${status}`);
  const detail = text(problem.detail, text(problem.title, `The service answered ${status}.`));
  const retryAfter = retryAfterOf(headers);
  const pending = ['idempotency_in_progress', 'payment_pending'].includes(code);
  const requestId = text(problem.request_id, headers.get('x-request-id') ?? '');
  return errorOf({
    code,
    status,
    detail,
    hint: codeHints[code] ?? hints[status] ?? (status >= 500 ? 'Repeat it later.' : ''),
    retryable: laterStatuses.includes(status) || pending,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...(requestId === '' ? {} : { request_id: requestId }),
    ...guardMembers(code, problem),
    ...(Array.isArray(problem.errors) ? { errors: problem.errors as Finding[] } : {}),
    ...more,
  });
};
