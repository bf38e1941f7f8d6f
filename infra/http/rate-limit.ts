import { AppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { clientOf, type Rule } from './rule.ts';

/**
 * Charges the request to the account of its credential, whichever it is, or to the client's address when
 * it has none that is valid.
 * Answers draft-ietf-httpapi-ratelimit-headers-10 fields. A limit of 0 is off.
 */
export const rateLimit = (limiter: RateLimiter, limits: Limits): Rule => {
  const { ratePerCredential, ratePerAddress, rateWindowSeconds } = limits;
  const accountPolicy = `"account";q=${ratePerCredential};w=${rateWindowSeconds}`;
  const addressPolicy = `"address";q=${ratePerAddress};w=${rateWindowSeconds}`;

  return function chargeRateLimit(ctx, next) {
    const { caller } = ctx.state;
    const limit = caller === undefined ? ratePerAddress : ratePerCredential;
    if (limit <= 0) return next();
    const policy = caller === undefined ? 'address' : 'account';
    const { allowed, remaining, seconds } = limiter.take(clientOf(ctx.state), limit);
    const { res } = ctx;
    res.setHeader('RateLimit-Policy', caller === undefined ? addressPolicy : accountPolicy);
    res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (allowed) return next();
    throw new AppError(
      'rate_limited',
      `More than ${limit} requests in ${rateWindowSeconds} s per ${policy}; retry in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  };
};
