import type { Rule } from './rule.ts';

const exposedHeaders = [
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Log-Position',
  'X-PAYMENT-RESPONSE',
  'X-Read-Model',
  'X-Request-Id',
].join(', ');

export const allowedHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'SIGN-IN-WITH-X',
  'PAYMENT-SIGNATURE',
  'Ucans',
  'X-Min-Log-Position',
  'X-Payment',
  'X-Payment-Signature',
  'X-Request-Id',
].join(', ');

/** Lets browsers read the answers: any origin unless a list is given, never with cookies. */
export const cors = (origins: readonly string[] | undefined): Rule => {
  if (origins === undefined) {
    return (ctx, next) => {
      ctx.res.setHeader('Access-Control-Allow-Origin', '*');
      ctx.res.setHeader('Access-Control-Expose-Headers', exposedHeaders);
      return next();
    };
  }
  const allowed = new Set(origins);
  return (ctx, next) => {
    const { origin } = ctx.req.headers;
    ctx.res.setHeader('Vary', 'Origin');
    if (origin !== undefined && allowed.has(origin)) {
      ctx.res.setHeader('Access-Control-Allow-Origin', origin);
      ctx.res.setHeader('Access-Control-Expose-Headers', exposedHeaders);
    }
    return next();
  };
};
