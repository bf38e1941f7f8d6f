import { numberOf } from '../ground/plural.ts';
import { limitError } from '../limits/limit-error.ts';
import type { Limits } from '../limits/table.ts';
import type { RateDecision } from './rate-limiter.ts';
import { clientOf, type HttpContext, type Next, type Rule } from './rule.ts';
import { setHeader } from './set-header.ts';
import type { Quota } from './shared-quota.ts';

type Payer = {
  kind: 'account' | 'link' | 'address';
  client: string;
  limit: 'ratePerCredential' | 'ratePerLink' | 'ratePerAddress';
};

const payerOf = ({ state, params, query }: HttpContext): Payer => {
  const client = clientOf(state);
  if (state.caller !== undefined) return { kind: 'account', client, limit: 'ratePerCredential' };
  const link = state.authFailure ? undefined : state.operation?.linkIn?.({ params, query });
  return link === undefined
    ? { kind: 'address', client, limit: 'ratePerAddress' }
    : { kind: 'link', client: `link ${link}`, limit: 'ratePerLink' };
};

/**
 * Charges the request to the account of its credential, whichever it is; without a valid credential to the link that
 * opens it, and otherwise to the client's address.
 * Answers draft-ietf-httpapi-ratelimit-headers-10 fields. A limit of 0 is off.
 */
export const rateLimit = (quota: Quota, limits: Limits): Rule => {
  const { rateWindowSeconds } = limits;

  const obey = (ctx: HttpContext, next: Next, payer: Payer, decision: RateDecision): unknown => {
    const { allowed, remaining, seconds } = decision;
    const { kind, limit } = payer;
    setHeader(ctx, 'RateLimit-Policy', `"${kind}";q=${limits[limit]};w=${rateWindowSeconds}`);
    setHeader(ctx, 'RateLimit', `"${kind}";r=${remaining};t=${seconds}`);
    if (allowed) return next();
    throw limitError(
      limit,
      `More than ${numberOf(limits[limit], 'request')} in ${rateWindowSeconds} s per ${kind}; retry in ${seconds} s.`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  };

  return function chargeRateLimit(ctx, next) {
    const payer = payerOf(ctx);
    const limit = limits[payer.limit];
    if (limit <= 0) return next();
    const decision = quota.take(payer.client, limit);
    return decision instanceof Promise
      ? decision.then((known) => obey(ctx, next, payer, known))
      : obey(ctx, next, payer, decision);
  };
};
