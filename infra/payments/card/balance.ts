/** Changes of the balance that Stripe keeps for its customer. */
import type Stripe from 'stripe';

export type BalanceMove = {
  id: string;
  /** As Stripe reports it: `charge`, `refund`, `dispute`, `dispute_reversal`, `fee`, `payout`, … */
  category: string;
  /** The payment intent that it is about; undefined: of none. */
  payment: string | undefined;
  /** Of the balance, which may be another one than that of the charge. */
  currency: string;
  feeMinor: bigint;
  /** The change of the balance. */
  netMinor: bigint;
  /** Signed, in the currency of the charge; nothing where it is not about a payment. */
  chargedMinor: bigint;
};

type Source = { amount?: number; payment_intent?: string | { id: string } | null };

const moveOf = (moved: Stripe.BalanceTransaction): BalanceMove => {
  const source = (typeof moved.source === 'object' ? moved.source : undefined) as
    | Source
    | null
    | undefined;
  const intent = source?.payment_intent;
  const payment = typeof intent === 'object' ? intent?.id : intent;
  const size = BigInt(payment === undefined ? 0 : (source?.amount ?? 0));
  return {
    id: moved.id,
    category: moved.reporting_category,
    payment,
    currency: moved.currency,
    feeMinor: BigInt(moved.fee),
    netMinor: BigInt(moved.net),
    chargedMinor: moved.amount < 0 ? -size : size,
  };
};

/** Every one, the newest first. */
export const balanceMovesOf = async (stripe: Stripe): Promise<BalanceMove[]> => {
  const moves: BalanceMove[] = [];
  const pages = stripe.balanceTransactions.list({ limit: 100, expand: ['data.source'] });
  for await (const moved of pages) moves.push(moveOf(moved));
  return moves;
};
