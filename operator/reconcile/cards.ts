/** Cards, checkout by checkout: payments and reversals, as Stripe has each. */
import { leftOf } from '../../commands/payments/reversals.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { dollars } from '../../money/amounts.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { count, type Print } from '../command.ts';
import type { StripeRead } from './paid-checkouts.ts';
import { booked, type Compared, type Receipts } from './receipts.ts';

const takenBack = 'refunds and disputes, minus what was returned';

/** Card payments in the books: credits by checkout, and all reversals as one sum. */
export const bookedCards = async (foundation: Foundation): Promise<Receipts> => {
  const ours: Receipts = new Map();
  let back = 0n;
  for (const { id, amount, credit } of await booked(foundation, 'card_clearing')) {
    if (credit && !id.includes(':reinstated')) ours.set(id, amount);
    else back += amount;
  }
  return ours.set(takenBack, back);
};

/** The same as the provider has it. `left`: what remains of each credit. */
export const provenCards = (
  checkouts: Map<string, { credited: MicroUsd; left: MicroUsd }>,
): Receipts => {
  const proven: Receipts = new Map();
  let back = 0n;
  for (const [sessionId, { credited, left }] of checkouts) {
    proven.set(sessionId, credited);
    back += left - credited;
  }
  return proven.set(takenBack, back);
};

export const onCards = async (
  foundation: Foundation,
  { provider: { gateway }, checkouts: paid }: StripeRead,
  print: Print,
): Promise<Compared> => {
  const checkouts = new Map<string, { credited: MicroUsd; left: MicroUsd }>();
  for (const { sessionId, topUp } of paid) {
    if (topUp === undefined) continue;
    const { creditedMicro: credited } = topUp;
    const left = leftOf(topUp, await gateway.reversals(sessionId));
    checkouts.set(sessionId, { credited, left });
  }
  const lost = paid.flatMap(({ sessionId, lost: amount }) =>
    amount === undefined ? [] : [{ id: sessionId, amount }],
  );
  const others = paid.length - checkouts.size - lost.length;
  const proven = provenCards(checkouts);
  print(
    `  ${count(checkouts.size)} paid checkouts, ${dollars(-(proven.get(takenBack) ?? 0n))} of them taken back`,
  );
  if (others > 0) print(`  ${count(others)} paid checkouts are not of this service: not compared`);
  return { ours: await bookedCards(foundation), proven, rail: 'Stripe', lost };
};
