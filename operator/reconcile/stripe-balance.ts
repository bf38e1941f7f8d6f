/**
 * Cards, by the balance that Stripe keeps: what it took in, gave back, lost to disputes and kept as fees. A
 * checkout may say that it is paid and its money never reach the balance; here that is seen.
 */
import { leftOf, type Reversal } from '../../commands/payments/reversals.ts';
import { numberOf } from '../../ground/plural.ts';
import type { BalanceMove } from '../../infra/payments/card/balance.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { count, type Print } from '../command.ts';
import { compareCards } from './cards.ts';
import type { StripeRead } from './paid-checkouts.ts';
import type { Compared } from './receipts.ts';

/** Minor units by currency, `12.34 EUR`. */
const shown = (totals: Map<string, bigint>): string =>
  [...totals]
    .map(([currency, minor]) => `${(Number(minor) / 100).toFixed(2)} ${currency.toUpperCase()}`)
    .join(', ') || 'nothing';

const addTo = <K>(totals: Map<K, bigint>, key: K, amount: bigint): void => {
  totals.set(key, (totals.get(key) ?? 0n) + amount);
};

/**
 * How a balance change that is not a charge changes a credit. Anything else that gives back counts as a
 * dispute that was won.
 */
const reversalOf = ({ id, category, chargedMinor }: BalanceMove): Reversal => {
  if (chargedMinor > 0n) return { id, kind: 'reinstated', amountMinor: chargedMinor };
  const kind = category.startsWith('dispute') ? 'dispute' : 'refund';
  return { id, kind, amountMinor: -chargedMinor };
};

/** Income by payment, in the charged currency, and refunded or disputed amounts. */
const byPayment = (moves: readonly BalanceMove[]) => {
  const payments = new Map<string, { taken: bigint; reversals: Reversal[] }>();
  for (const move of moves) {
    if (move.payment === undefined) continue;
    const known = payments.get(move.payment) ?? { taken: 0n, reversals: [] };
    payments.set(
      move.payment,
      move.category === 'charge'
        ? { ...known, taken: known.taken + move.chargedMinor }
        : { ...known, reversals: [...known.reversals, reversalOf(move)] },
    );
  }
  return payments;
};

const printTotals = (moves: readonly BalanceMove[], print: Print): void => {
  const [fees, balance] = [new Map<string, bigint>(), new Map<string, bigint>()];
  const kinds = new Map<string, bigint>();
  for (const { category, currency, feeMinor, netMinor } of moves) {
    addTo(kinds, category, 1n);
    addTo(fees, currency, feeMinor + (category === 'fee' ? -netMinor : 0n));
    addTo(balance, currency, netMinor);
  }
  const numbers = [...kinds].map(([kind, number]) => `${count(Number(number))} ${kind}`).join(', ');
  print(`  ${numbers || 'nothing moved'}`);
  print(`  fees ${shown(fees)}: Stripe keeps them, the books have the full charge`);
  print(`  remaining there: ${shown(balance)}`);
};

export const onStripeBalance = async (
  foundation: Foundation,
  { provider, checkouts: paid }: StripeRead,
  print: Print,
): Promise<Compared> => {
  const moves = await provider.balanceMoves();
  printTotals(moves, print);
  const payments = byPayment(moves);
  const checkouts = new Map<string, { credited: MicroUsd; left: MicroUsd }>();
  for (const { sessionId, payment = '', topUp } of paid) {
    const found = payments.get(payment);
    payments.delete(payment);
    if (!found || found.taken === 0n || topUp === undefined) continue;
    const { creditedMicro, chargedMinor } = topUp;
    const credited = (creditedMicro * found.taken) / chargedMinor;
    const left = leftOf({ creditedMicro: credited, chargedMinor: found.taken }, found.reversals);
    checkouts.set(sessionId, { credited, left });
  }
  if (payments.size > 0)
    print(
      `  ${numberOf(payments.size, 'payment is', 'payments are')} of no checkout: not compared`,
    );
  const { ours, proven } = await compareCards(foundation, paid, checkouts);
  return { ours, proven, rail: 'the balance at Stripe' };
};
