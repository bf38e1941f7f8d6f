import { AppError } from '../contract/errors.ts';
import type { HttpContext, Rule } from './rule.ts';

const invalidHeader = (detail: string): AppError => new AppError('invalid_header', detail);

/** Node joins a header that is sent twice with a comma; an empty one counts as sent. */
export const headerOf = (ctx: HttpContext, name: string): string | undefined => {
  const value = ctx.req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const versionTag = /^(?:W\/)?(?:"(\d{1,19})"|(\d{1,19}))$/;

/** `If-Match: "<stream version>"` for operations that take it; `*` asks for nothing. */
export const readIfMatch: Rule = (ctx, next) => {
  const header = headerOf(ctx, 'if-match');
  if (header === undefined || header === '*') return next();
  const match = versionTag.exec(header);
  const digits = match?.[1] ?? match?.[2];
  if (digits === undefined) {
    throw invalidHeader(
      'If-Match must be an ETag from this service. Send the ETag of the last answer unchanged.',
    );
  }
  ctx.state.ifMatch = BigInt(digits);
  return next();
};

/**
 * Passes a well-formed `Idempotency-Key` on, and refuses a second request with the same
 * credential, operation and key while the first one is still running in this process.
 */
export const idempotencyGate = (options: { operationName: string; maxChars: number }): Rule => {
  const { operationName, maxChars } = options;
  const wellFormed = new RegExp(`^[\\x20-\\x7e]{1,${maxChars}}$`);
  const running = new Set<string>();

  const runOnce = async (key: string, next: () => unknown): Promise<void> => {
    running.add(key);
    try {
      await next();
    } finally {
      running.delete(key);
    }
  };

  return function gateIdempotencyKey(ctx, next) {
    const key = headerOf(ctx, 'idempotency-key');
    if (key === undefined) return next();
    if (!wellFormed.test(key)) {
      throw invalidHeader(`Idempotency-Key must be 1 to ${maxChars} printable ASCII characters.`);
    }
    ctx.state.idempotencyKey = key;
    const who = ctx.state.caller?.accountId ?? ctx.state.address;
    const runningKey = `${who}\n${key}`;
    if (running.has(runningKey)) {
      throw new AppError(
        'idempotency_in_progress',
        `${operationName} with this Idempotency-Key is still running. Retry in a second.`,
        { headers: { 'Retry-After': '1' } },
      );
    }
    return runOnce(runningKey, next);
  };
};
