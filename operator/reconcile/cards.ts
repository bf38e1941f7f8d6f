/** Cards, checkout by checkout: payments and reversals, as Stripe has each. */
import { leftOf } from '../../commands/payments/reversals.ts';
import { isReinstated } from '../../commands/wallets/credits.ts';
import { numberOf } from '../../ground/plural.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { dollars } from '../../money/amounts.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import type { Print } from '../command.ts';
import type { PaidCheckout, StripeRead } from './paid-checkouts.ts';
import { booked, type Compared, type Receipts, sumOf } from './receipts.ts';

/** Amounts taken back, minus those returned, by checkout: negative, or zero. */
type TakenBack = Receipts;

/** Reversals that belong to no checkout that Stripe has. */
const noCheckout = 'no checkout';

/** Checkouts by their ids and by those of their refunds and disputes. A receipt begins with one of these. */
const checkoutIds = (paid: readonly PaidCheckout[]): Map<string, string> =>
  new Map(
    paid.flatMap(({ sessionId, reversals }) =>
      [sessionId, ...reversals.map(({ id }) => id)].map((id) => [id, sessionId] as const),
    ),
  );

/** Card payments in the books: credits and reversals by checkout. */
const bookedCards = async (
  foundation: Foundation,
  paid: readonly PaidCheckout[],
): Promise<{ ours: Receipts; back: TakenBack }> => {
  const ours: Receipts = new Map();
  const back: TakenBack = new Map();
  const checkouts = checkoutIds(paid);
  for (const { id, amount, credit } of await booked(foundation, 'card_clearing')) {
    if (credit && !isReinstated(id)) {
      ours.set(id, amount);
      continue;
    }
    const checkout = checkouts.get(id.split(':')[0] ?? '') ?? noCheckout;
    back.set(checkout, (back.get(checkout) ?? 0n) + amount);
  }
  return { ours, back };
};

/** Compares the books with what Stripe has by checkout. `left`: what remains of each credit. */
export const compareCards = async (
  foundation: Foundation,
  paid: readonly PaidCheckout[],
  checkouts: Map<string, { credited: MicroUsd; left: MicroUsd }>,
): Promise<{ ours: Receipts; proven: Receipts; backAtStripe: TakenBack }> => {
  const { ours, back } = await bookedCards(foundation, paid);
  const proven: Receipts = new Map();
  const backAtStripe: TakenBack = new Map();
  for (const [sessionId, { credited, left }] of checkouts) {
    proven.set(sessionId, credited);
    backAtStripe.set(sessionId, left - credited);
  }
  for (const id of new Set([...back.keys(), ...backAtStripe.keys()])) {
    const name = `${id}, refunds and disputes`;
    ours.set(name, back.get(id) ?? 0n);
    proven.set(name, backAtStripe.get(id) ?? 0n);
  }
  return { ours, proven, backAtStripe };
};

export const onCards = async (
  foundation: Foundation,
  { checkouts: paid }: StripeRead,
  print: Print,
): Promise<Compared> => {
  const checkouts = new Map<string, { credited: MicroUsd; left: MicroUsd }>();
  for (const { sessionId, topUp, reversals } of paid) {
    if (topUp === undefined) continue;
    const { creditedMicro: credited } = topUp;
    checkouts.set(sessionId, { credited, left: leftOf(topUp, reversals) });
  }
  const lost = paid.flatMap(({ sessionId, lost: amount }) =>
    amount === undefined ? [] : [{ id: sessionId, amount }],
  );
  const others = paid.length - checkouts.size - lost.length;
  const { ours, proven, backAtStripe } = await compareCards(foundation, paid, checkouts);
  print(
    `  ${numberOf(checkouts.size, 'paid checkout')}, ${dollars(-sumOf(backAtStripe))} of them taken back`,
  );
  if (others > 0)
    print(
      `  ${numberOf(others, 'paid checkout is', 'paid checkouts are')} not of this service: not compared`,
    );
  return { ours, proven, rail: 'Stripe', lost };
};
