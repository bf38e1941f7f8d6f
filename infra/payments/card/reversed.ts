/** Refunds and disputes, as Stripe lists them. */
import type Stripe from 'stripe';
import type { Reversal } from '../../../commands/payments/reversals.ts';

/** It was taken, and given back. */
const undone = (taken: Reversal): Reversal[] => [taken, { ...taken, kind: 'reinstated' }];

const refundReversals = ({ id, amount, status }: Stripe.Refund): Reversal[] => {
  const taken: Reversal = { id, kind: 'refund', amountMinor: BigInt(amount) };
  if (status === 'succeeded' || status === 'pending') return [taken];
  return status === 'failed' || status === 'canceled' ? undone(taken) : [];
};

const disputeReversals = (dispute: Stripe.Dispute): Reversal[] => {
  const { id, amount, status, balance_transactions: moved } = dispute;
  // An inquiry has taken nothing yet.
  if (status.startsWith('warning_')) return [];
  // A dispute that the card network blocked takes nothing. One that was settled before it began does.
  if (status === 'prevented' && moved.length === 0) return [];
  const taken: Reversal = { id, kind: 'dispute', amountMinor: BigInt(amount) };
  return status === 'won' ? undone(taken) : [taken];
};

/** Everything that was taken back of a payment, or given back. */
export const reversalsOf = async (stripe: Stripe, payment: string): Promise<Reversal[]> => {
  const about = { payment_intent: payment, limit: 100 };
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list(about).autoPagingToArray({ limit: 10_000 }),
    stripe.disputes.list(about).autoPagingToArray({ limit: 10_000 }),
  ]);
  return [...refunds.flatMap(refundReversals), ...disputes.flatMap(disputeReversals)];
};

type Payment = Stripe.Refund['payment_intent'];

/**
 * Reversals whose refund or dispute was made since a time, in epoch ms, by the reference that their payment got when
 * it was made: the id of a top-up or order, or one of another system.
 */
export const reversedSince = async (
  stripe: Stripe,
  sinceMs: number,
): Promise<Map<string, Reversal[]>> => {
  const since = {
    created: { gte: Math.floor(sinceMs / 1_000) },
    expand: ['data.payment_intent'],
    limit: 100,
  };
  const found = new Map<string, Reversal[]>();
  const add = (payment: Payment, reversals: Reversal[]): void => {
    const reference = typeof payment === 'object' ? payment?.metadata.reference : undefined;
    if (reference === undefined || reversals.length === 0) return;
    found.set(reference, [...(found.get(reference) ?? []), ...reversals]);
  };
  for await (const refund of stripe.refunds.list(since))
    add(refund.payment_intent, refundReversals(refund));
  for await (const dispute of stripe.disputes.list(since))
    add(dispute.payment_intent, disputeReversals(dispute));
  return found;
};
