import { AppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Rule } from './rule.ts';

/**
 * Charges the request to its credential, or to the peer's address when it has none that is valid.
 * Answers draft-ietf-httpapi-ratelimit-headers-10 fields. A limit of 0 is off.
 */
export const rateLimit = (limiter: RateLimiter, limits: Limits): Rule => {
  const { ratePerCredential, ratePerAddress, rateWindowSeconds } = limits;
  const credentialPolicy = `"credential";q=${ratePerCredential};w=${rateWindowSeconds}`;
  const addressPolicy = `"address";q=${ratePerAddress};w=${rateWindowSeconds}`;

  return function chargeRateLimit(ctx, next) {
    const { caller, address } = ctx.state;
    const limit = caller === undefined ? ratePerAddress : ratePerCredential;
    if (limit <= 0) return next();
    const policy = caller === undefined ? 'address' : 'credential';
    const key = caller === undefined ? `a ${address}` : `k ${caller.rateKey ?? caller.keyId}`;
    const { allowed, remaining, seconds } = limiter.take(key, limit);
    const { res } = ctx;
    res.setHeader('RateLimit-Policy', caller === undefined ? addressPolicy : credentialPolicy);
    res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (allowed) return next();
    throw new AppError(
      'rate_limited',
      `More than ${limit} requests in ${rateWindowSeconds} s per ${policy}; retry in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  };
};
