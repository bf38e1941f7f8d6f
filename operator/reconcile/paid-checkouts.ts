import type { CardCredit } from '../../commands/payments/reversals.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { topUpOf } from './receipts.ts';

/** The top-up that a checkout pays. */
type PaidTopUp = Omit<CardCredit, 'creditId'>;

/** `topUp` is undefined where the checkout is not of this service. */
type PaidCheckout = {
  sessionId: string;
  payment: string | undefined;
  topUp: PaidTopUp | undefined;
};

/** Stripe, and all checkouts that are paid there. Undefined where cards are not set up. */
export const paidCheckoutsOf = async (foundation: Foundation) => {
  const { stripe } = foundation.config;
  if (!stripe) return undefined;
  const { createStripe } = await import('../../infra/payments/card/stripe.ts');
  const provider = createStripe(stripe);
  const topUpPaidBy = async (sessionId: string): Promise<PaidTopUp | undefined> => {
    const asked = await topUpOf(foundation, 'card', sessionId);
    const terms = asked?.terms;
    if (asked === undefined || terms?.method !== 'card') return undefined;
    return { creditedMicro: BigInt(asked.amountMicro), chargedMinor: BigInt(terms.amountMinor) };
  };
  const checkouts: PaidCheckout[] = [];
  for await (const { sessionId, payment } of provider.paidCheckouts()) {
    checkouts.push({ sessionId, payment, topUp: await topUpPaidBy(sessionId) });
  }
  return { provider, checkouts };
};

export type StripeRead = NonNullable<Awaited<ReturnType<typeof paidCheckoutsOf>>>;
