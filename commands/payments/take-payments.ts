/** Takes a payment for a request: on record, settled and credited before it is answered. */

import { isAppError } from '../../contract/errors.ts';
import { createInTurn } from '../../ground/in-turn.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { createClaimPayments } from './claim-payments.ts';
import type { CreditPayments } from './credit-payments.ts';
import type { Paid, PaidRequest } from './paid-request.ts';
import { createPayerTurns } from './payer-turns.ts';
import type { Claim, Payment } from './payment.ts';
import {
  invalidPayment,
  presentedBefore,
  tooLateForRequest,
  usedElsewhere,
} from './payment-refusals.ts';
import { type Authorization, type PaymentFault, type Rail, RailUnavailable } from './rails.ts';
import type { SettlePayments } from './settle-payments.ts';

const passing: readonly string[] = ['payment_pending', 'payment_unavailable'];

/**
 * A request that takes no payment twice is not to be repeated with one that is on record, although that may still be
 * settled.
 */
const notToBeRepeated = (error: unknown): never => {
  const mayBeSettled =
    error instanceof RailUnavailable || (isAppError(error) && passing.includes(error.code));
  throw mayBeSettled ? tooLateForRequest(error) : error;
};

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

  /** Goes on with a payment that is on record. */
  const takeRecorded = async (
    authorization: Authorization,
    payment: Payment,
    { isNew, before, first }: { isNew: boolean; before: boolean; first: PaymentFault | undefined },
  ): Promise<{ paid: Paid; claim: Claim }> => {
    if (payment.status === 'none') throw new Error('a payment that was claimed is not');
    if (payment.status === 'lapsed') throw invalidPayment('used');
    const { claim } = payment;
    if (payment.status === 'settled') return { paid: await credits.credit(payment), claim };
    const found = before ? await settling.byFate(claim) : undefined;
    if (found) return { paid: found, claim };
    const fault = isNew ? first : await settling.faultOf(authorization);
    return { paid: await settling.settleNow(claim, authorization, fault), claim };
  };

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
    const taken = takeRecorded(authorization, payment, { isNew, before, first });
    return request.repeatable ? taken : taken.catch(notToBeRepeated);
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
