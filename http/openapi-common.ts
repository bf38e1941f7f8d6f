import { type ErrorCode, errorCodes } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { Limits } from '../limits/table.ts';
import { onlyReads } from './authenticate-caller.ts';
import { mediaTypesOf, refusesWithPages } from './negotiate.ts';
import type { Json } from './openapi-schemas.ts';
import { refusesBody, refusesQuery } from './refuse-undescribed.ts';

/** The codes that the kernel itself answers with, by status. */
const kernelCodes: Record<number, ErrorCode[]> = {
  400: ['invalid_json', 'duplicate_name', 'invalid_encoding', 'invalid_header'],
  401: [
    'authentication_required',
    'invalid_api_key',
    'ucan_invalid',
    'missing_proofs',
    'sign_in_invalid',
  ],
  403: ['scope_insufficient', 'caveat_not_met'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  406: ['not_acceptable'],
  408: ['request_timeout'],
  409: ['idempotency_in_progress'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  422: ['validation_failed'],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: ['overloaded', 'store_unavailable', 'storage_full', 'read_model_behind'],
};

/** The statuses with which the kernel may refuse this operation, by its rules. */
const kernelStatuses = (operation: AnyOperation): number[] => {
  const { access, idempotent, input, rateLimited } = operation;
  const statuses = [400, 429, 500, 503];
  if (rateLimited !== false) statuses.push(401);
  if (access !== 'public') statuses.push(403);
  if (input.params) statuses.push(404);
  if (mediaTypesOf(operation).length > 1 && !operation.anyAccept) statuses.push(406);
  if (idempotent) statuses.push(409);
  if (input.body) statuses.push(408, 413, 415, 422);
  if (input.query || refusesQuery(operation) || refusesBody(operation)) statuses.push(422);
  return statuses;
};

/** Errors of a server that takes payments. */
const paymentCodes: ErrorCode[] = [
  'payment_malformed',
  'payment_required',
  'payment_invalid',
  'payment_already_used',
  'payment_pending',
  'payment_not_taken',
  'payment_unavailable',
];

/** The codes that follow from the properties of an operation, in addition to its own. */
const impliedCodes = (operation: AnyOperation): ErrorCode[] => {
  const { idempotent, conditional, answersSecret, method, access, payable, whileBlocked } =
    operation;
  const codes: ErrorCode[] = [];
  if (payable && access !== 'public') codes.push(...paymentCodes);
  if (conditional) codes.push('version_mismatch');
  if (idempotent) codes.push('idempotency_key_reused');
  if (idempotent && answersSecret) codes.push('secret_not_repeated');
  if (method === 'GET' && access !== 'public') codes.push('position_beyond_log');
  if (access === 'send' || access === 'full') codes.push('key_unconfirmed');
  if (!onlyReads(operation) && !whileBlocked) codes.push('account_blocked');
  if (!onlyReads(operation) && operation.whileFrozen !== 'always') {
    codes.push('frozen', 'account_closing');
  }
  return codes;
};

const example = (code: ErrorCode): Json => {
  const { status, title } = errorCodes[code];
  return {
    summary: title,
    value: {
      type: `/errors/${code}`,
      title,
      status,
      detail: title,
      instance: '/',
      code,
      request_id: 'req_0a1b2c3d4e5f00000001',
    },
  };
};

/** `form`: the schema of refusals that are no problem documents. */
const problemResponse = (codes: readonly ErrorCode[], form?: Json) => {
  const waits = codes.some((code) => [429, 503].includes(errorCodes[code].status));
  const challenges = codes.some((code) => errorCodes[code].status === 401);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join(' '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
      ...(waits ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      ...(challenges
        ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } }
        : {}),
    },
    content: form
      ? { 'application/json': { schema: form } }
      : {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
          },
        },
  };
};

const componentOf = (status: number | string): string => `Problem${status}`;

/** The answers every operation has in common, once. */
export const commonResponses = (): Json =>
  Object.fromEntries(
    Object.entries(kernelCodes).map(([status, codes]) => [
      componentOf(status),
      problemResponse(codes),
    ]),
  );

/** The codes of an operation by status: the kernel's first, then its own. */
const codesByStatus = (operation: AnyOperation): Map<number, ErrorCode[]> => {
  const fromKernel = kernelStatuses(operation).flatMap((status) => kernelCodes[status] ?? []);
  const codes = new Set([...fromKernel, ...operation.errors, ...impliedCodes(operation)]);
  return Map.groupBy(codes, (code) => errorCodes[code].status);
};

/** Every code that an operation can answer with. */
export const errorCodesOf = (operation: AnyOperation): ErrorCode[] =>
  [...codesByStatus(operation).values()].flat();

/**
 * The error answers of an operation: its own codes together with the kernel's of that status, and the pages that
 * it answers instead of problem documents.
 */
export const errorResponses = (
  operation: AnyOperation,
  own: Record<string, Json>,
  form?: Json,
): Json => {
  const pages = refusesWithPages(operation) && { 'text/html': { schema: { type: 'string' } } };
  const byStatus = [...codesByStatus(operation)].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    byStatus.map(([status, codes]) => {
      const page = own[status];
      const problem = problemResponse(codes, form);
      if (page || pages) {
        const content = { ...pages, ...(page?.content as Json | undefined), ...problem.content };
        return [status, { ...(page ?? problem), content }];
      }
      const common = !form && codes.join() === kernelCodes[status]?.join();
      return [status, common ? { $ref: `#/components/responses/${componentOf(status)}` } : problem];
    }),
  );
};

/** RFC 9457, as every error is answered. */
export const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string', description: 'The same for every occurrence of the code.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'One sentence that says what to do.' },
    instance: { type: 'string', description: 'The path of the request.' },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'RFC 6901; `/query/…` for query parameters.' },
          code: { type: 'string' },
          detail: { type: 'string' },
          hint: { type: 'string' },
        },
      },
    },
  },
};

const text = { type: 'string' };

export const commonHeaders: Json = {
  ETag: { description: 'Version of the resource. Send it in If-Match.', schema: text },
  XLogPosition: {
    description:
      'Log position of the write, which is durable. Send it in X-Min-Log-Position to read what was written from another process of the service.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  XReadModel: {
    description:
      '`catching-up` if the answer may lack the latest change of the account, because the service did not show it in time. Read again in a few seconds.',
    schema: { type: 'string', enum: ['catching-up'] },
  },
  XRequestId: { description: 'Id of the request, as in the log.', schema: text },
  IdempotentReplayed: {
    description: '`true` if this repeats the answer to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimit: { description: 'Requests left (r) and seconds to the reset (t).', schema: text },
  RateLimitPolicy: { description: 'Quota (q) per window of seconds (w).', schema: text },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  WwwAuthenticate: { description: 'How to authenticate (RFC 6750).', schema: text },
};

export const commonParameters = ({
  idempotencyKeyChars,
}: Pick<Limits, 'idempotencyKeyChars'>): Json => ({
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a retry safe: the same key with the same body repeats the first answer.',
    schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyChars },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the version to change. If the resource has another version, the answer is 412.',
    schema: text,
  },
  MinLogPosition: {
    name: 'X-Min-Log-Position',
    in: 'header',
    description:
      'Answer only after the data has reached this log position, which an earlier write returned.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
});
