import type { Checkout } from '../../commands/payments/card.ts';
import type { CardCredit, Reversal } from '../../commands/payments/reversals.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { lostByRestore } from './lost-by-restore.ts';
import { topUpOf } from './receipts.ts';

/** The top-up that a checkout pays. */
type PaidTopUp = Omit<CardCredit, 'creditId'>;

/** `topUp` is undefined where the checkout is not of this service. */
export type PaidCheckout = {
  sessionId: string;
  payment: string | undefined;
  topUp: PaidTopUp | undefined;
  /** Empty where the checkout is not of this service. */
  reversals: readonly Reversal[];
  /** Of a checkout that a restore made unknown: the paid amount. */
  lost?: string;
};

const amountOf = ({ amountMinor, currency }: Pick<Checkout, 'amountMinor' | 'currency'>) =>
  `${amountMinor / 100n}.${String(amountMinor % 100n).padStart(2, '0')} ${currency ?? ''}`.trimEnd();

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
  const isLost = await lostByRestore(foundation);
  const found: (Omit<PaidCheckout, 'reversals'> & { reference: string })[] = [];
  for await (const paid of provider.paidCheckouts()) {
    const { sessionId, payment, createdMs, reference } = paid;
    const topUp = await topUpPaidBy(sessionId);
    const lost = topUp === undefined && isLost(createdMs) ? { lost: amountOf(paid) } : {};
    found.push({ sessionId, payment, topUp, reference, ...lost });
  }
  // All of them at once: after years, asking for those of each checkout would take hours.
  const reversed = await provider.reversedSince(0);
  const checkouts = found.map(
    ({ reference, ...one }): PaidCheckout => ({
      ...one,
      reversals: one.topUp === undefined ? [] : (reversed.get(reference) ?? []),
    }),
  );
  return { provider, checkouts };
};

export type StripeRead = NonNullable<Awaited<ReturnType<typeof paidCheckoutsOf>>>;
