/** Takes a payment for a request: on record, settled and credited before it is answered. */

import { createInTurn } from '../../ground/in-turn.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { createClaimPayments } from './claim-payments.ts';
import type { CreditPayments } from './credit-payments.ts';
import type { Paid, PaidRequest } from './paid-request.ts';
import { createPayerTurns } from './payer-turns.ts';
import type { Claim } from './payment.ts';
import { invalidPayment, presentedBefore, usedElsewhere } from './payment-refusals.ts';
import type { Authorization, Rail } from './rails.ts';
import type { SettlePayments } from './settle-payments.ts';

export const createTakePayments = (ports: {
  rail: Pick<Rail, 'balanceOf'>;
  claims: ReturnType<typeof createClaimPayments>;
  credits: Pick<CreditPayments, 'credit'>;
  settling: Pick<SettlePayments, 'faultOf' | 'byFate' | 'settleNow'>;
}) => {
  const { rail, claims, credits, settling } = ports;
  const inTurnOf = createPayerTurns({
    balanceOf: rail.balanceOf,
    atMost: defaultLimits.paymentsPerPayer,
  });
  /** The payments being taken in this process: one at a time for each authorization. */
  const inTurn = createInTurn();

  /**
   * Records the payment and settles it. A payment that cannot be settled is refused before it is recorded, so
   * that signing payments without money leaves nothing behind.
   */
  const takeClaimed = async (
    authorization: Authorization,
    request: PaidRequest,
    isNew: boolean,
  ): Promise<{ paid: Paid; claim: Claim }> => {
    const first = isNew ? await settling.faultOf(authorization) : undefined;
    if (first !== undefined && first !== 'used') throw invalidPayment(first);
    const { payment, before } = await claims.claim(authorization, request);
    if (before && !request.repeatable) throw presentedBefore();
    if (payment.status === 'none') throw new Error('a payment that was claimed is not');
    if (payment.status === 'lapsed') throw invalidPayment('used');
    const { claim } = payment;
    if (payment.status === 'settled') return { paid: await credits.credit(payment), claim };
    const found = before ? await settling.byFate(claim) : undefined;
    if (found) return { paid: found, claim };
    const fault = isNew ? first : await settling.faultOf(authorization);
    return { paid: await settling.settleNow(claim, authorization, fault), claim };
  };

  const takeOnce = async (authorization: Authorization, request: PaidRequest): Promise<Paid> => {
    const { payer, amountMicro } = authorization;
    const { status } = await claims.read(authorization);
    const isOpen = status !== 'settled' && status !== 'lapsed';
    const take = () => takeClaimed(authorization, request, status === 'none');
    const { paid, claim } = await (isOpen ? inTurnOf(payer, amountMicro, take) : take());
    if (!paid.forRequest || paid.accountId !== claim.accountId) throw usedElsewhere();
    return paid;
  };

  /** @throws AppError payment_invalid, payment_already_used, payment_pending, payment_unavailable; RailUnavailable */
  return (authorization: Authorization, request: PaidRequest): Promise<Paid> =>
    inTurn(claims.idOf(authorization), () => takeOnce(authorization, request));
};
