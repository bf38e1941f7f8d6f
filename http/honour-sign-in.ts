/** Holds a wallet that signed in to the request that its signature names. */
import { AppError, isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { onlyReads } from './authenticate-caller.ts';
import type { PaymentGateway, Permissible } from './payment-gateway.ts';
import type { HttpContext, Rule } from './rule.ts';

/** A request as a wallet permits it. Tools of MCP are requests of their operations. */
export const permissible = (
  operation: Pick<AnyOperation, 'access' | 'method'>,
  ctx: Pick<HttpContext, 'path'>,
  baseUrl: string,
): Permissible => ({
  url: `${baseUrl}${ctx.path}`,
  method: operation.method,
  reads: onlyReads(operation),
});

/** @throws AppError sign_in_invalid for a signature that permits another request */
export const honourSignIn = (
  operation: AnyOperation,
  { payments, baseUrl }: { payments: PaymentGateway; baseUrl: string },
): Rule =>
  function honourSignInOfWallet(ctx, next) {
    const { caller } = ctx.state;
    if (caller?.signedFor) payments.assertPermits(caller, permissible(operation, ctx, baseUrl));
    return next();
  };

const asksForCredential = new Set(['authentication_required', 'sign_in_invalid']);

/** A refusal for lack of a credential offers a message for wallets to sign. */
export const offerSignIn = (
  operation: AnyOperation,
  { payments, baseUrl }: { payments: PaymentGateway; baseUrl: string },
): Rule =>
  async function offerSignInToWallet(ctx, next) {
    try {
      await next();
    } catch (error) {
      if (!isAppError(error) || !asksForCredential.has(error.code)) throw error;
      const asked = payments.signInFor(permissible(operation, ctx, baseUrl));
      throw new AppError(error.code, error.message, {
        errors: error.errors,
        headers: error.headers,
        extra: { ...error.extra, ...asked },
        cause: error,
      });
    }
  };
