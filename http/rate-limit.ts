import { numberOf } from '../ground/plural.ts';
import { limitError } from '../limits/limit-error.ts';
import type { Limits } from '../limits/table.ts';
import type { RateDecision } from './rate-limiter.ts';
import { clientOf, type HttpContext, type Next, type Rule } from './rule.ts';
import type { Quota } from './shared-quota.ts';

/**
 * Charges the request to the account of its credential, whichever it is, or to the client's address when
 * it has none that is valid.
 * Answers draft-ietf-httpapi-ratelimit-headers-10 fields. A limit of 0 is off.
 */
export const rateLimit = (quota: Quota, limits: Limits): Rule => {
  const { ratePerCredential, ratePerAddress, rateWindowSeconds } = limits;
  const accountPolicy = `"account";q=${ratePerCredential};w=${rateWindowSeconds}`;
  const addressPolicy = `"address";q=${ratePerAddress};w=${rateWindowSeconds}`;

  const obey = (ctx: HttpContext, next: Next, decision: RateDecision): unknown => {
    const { allowed, remaining, seconds } = decision;
    const anonymous = ctx.state.caller === undefined;
    const policy = anonymous ? 'address' : 'account';
    const { res } = ctx;
    res.setHeader('RateLimit-Policy', anonymous ? addressPolicy : accountPolicy);
    res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (allowed) return next();
    const name = anonymous ? 'ratePerAddress' : 'ratePerCredential';
    throw limitError(
      name,
      `More than ${numberOf(limits[name], 'request')} in ${rateWindowSeconds} s per ${policy}; retry in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  };

  return function chargeRateLimit(ctx, next) {
    const limit = ctx.state.caller === undefined ? ratePerAddress : ratePerCredential;
    if (limit <= 0) return next();
    const decision = quota.take(clientOf(ctx.state), limit);
    return decision instanceof Promise
      ? decision.then((known) => obey(ctx, next, known))
      : obey(ctx, next, decision);
  };
};
