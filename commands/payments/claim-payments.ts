/** Puts an authorization on record for one request, before anything is done with it. */
import { randomUUID } from 'node:crypto';
import { paymentIdOf } from '../../events/payment.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { PaidRequest } from './paid-request.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import { type Claim, claimPayment, type Payment, paymentAggregate } from './payment.ts';
import type { Authorization, Rail } from './rails.ts';

export const createClaimPayments = (ports: {
  handler: CommandHandler;
  rail: Pick<Rail, 'network' | 'asset' | 'signer' | 'head'>;
  payers: Pick<PayerAccounts, 'accountOf'>;
}) => {
  const { handler, rail, payers } = ports;
  const { network, asset, signer } = rail;

  const idOf = ({ payer, nonce }: Pick<Authorization, 'payer' | 'nonce'>): string =>
    paymentIdOf({ network, asset, payer, nonce });

  return {
    idOf,

    /** The recorded state of an authorization. */
    async read(authorization: Pick<Authorization, 'payer' | 'nonce'>): Promise<Payment> {
      return (await handler.load(paymentAggregate, idOf(authorization))).state;
    },

    /**
     * `before`: whether it was on record already.
     * @throws AppError payment_already_used
     */
    async claim(
      authorization: Authorization,
      request: PaidRequest,
    ): Promise<{ payment: Payment; before: boolean }> {
      const { payer, nonce, payTo, amountMicro, validBefore } = authorization;
      const paymentId = idOf(authorization);
      const { state } = await handler.load(paymentAggregate, paymentId);
      const block = state.status === 'none' ? await rail.head() : state.claim.block;
      const last = BigInt(Number.MAX_SAFE_INTEGER);
      const claim: Claim = {
        paymentId,
        network,
        asset,
        payTo,
        payer,
        nonce,
        validAfter: String(authorization.validAfter),
        validUntil: String(validBefore),
        signature: authorization.signature,
        amountMicro: Number(amountMicro),
        validBefore: Number(validBefore < last ? validBefore : last),
        accountId: request.accountId ?? (await payers.accountOf(payerDid(network, payer))),
        operation: request.operation,
        requestHash: request.requestHash,
        block,
        ...(signer === undefined ? {} : { signer }),
      };
      const { state: payment, events } = await handler.handle(
        paymentAggregate,
        paymentId,
        { commandId: randomUUID(), actor: 'payments' },
        (one) => claimPayment(one, { type: 'ClaimPayment', claim }),
      );
      return { payment, before: events.length === 0 };
    },
  };
};
