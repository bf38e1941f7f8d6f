import type { AnyOperation } from '../contract/operation.ts';
import type { Rule } from './rule.ts';

/** Charges the peer's address for a request that is refused before its signature was found right. */
export const chargeUnsigned = (chargeAddress: Rule): Rule =>
  async function chargeUnsignedRequest(ctx, next) {
    try {
      return await next();
    } catch (error) {
      if (ctx.state.signed) throw error;
      return chargeAddress(ctx, () => {
        throw error;
      });
    }
  };

/** Lets a request pass that is signed as its operation asks, before anything in it is judged. */
export const checkSignature = (check: NonNullable<AnyOperation['checkSignature']>): Rule =>
  function checkBodySignature(ctx, next) {
    check({ headers: ctx.req.headers, body: ctx.state.rawBody ?? Buffer.alloc(0) });
    ctx.state.signed = true;
    return next();
  };
