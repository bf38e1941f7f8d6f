import { expect } from 'chai';
import fc from 'fast-check';
import { leftOf, type Reversal, reverseCredit } from '../../commands/payments/reversals.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { emptyWallet } from '../../commands/wallets/empty-wallet.ts';
import { initialState, type Wallet } from '../../commands/wallets/state.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { registry } from '../../events/registry.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { specTime } from '../support/decider-spec.ts';

/** As long as the ids of the provider are. */
const idLike = (prefix: string, n: number, length: number): string =>
  `${prefix}_${n}`.padEnd(length, 'a1B2c3D4');
const checkout = idLike('cs_live', 1, 66);
const credit = { creditId: checkout, creditedMicro: 10_000_000n, chargedMinor: 863n };

const on = (wallet: Wallet, events: WalletEvent[]): Wallet =>
  events.reduce((state, event) => {
    registry.check(event);
    return walletAggregate.evolve(state, event, specTime);
  }, wallet);

const credited = (): Wallet => {
  const open = on(
    initialState(),
    openWallet(initialState(), { type: 'OpenWallet', accountId: 'acct_1', test: false }),
  );
  const receipt = { method: 'card' as const, id: credit.creditId };
  return on(
    open,
    creditFunds(open, {
      type: 'CreditFunds',
      receipt,
      bucket: 'fiat',
      amountMicro: credit.creditedMicro,
    }),
  );
};

const told = (wallet: Wallet, reversals: readonly Reversal[]): Wallet =>
  on(wallet, reverseCredit(wallet, credit, reversals));

const withClosedBooks = (wallet: Wallet): Wallet => {
  const { books } = walletAggregate;
  const closing: WalletEvent = {
    type: 'WalletPeriodClosed',
    data: { nextPeriod: wallet.period + 1 },
  };
  const opening = books?.successor(on(wallet, [closing]))?.opening ?? [];
  for (const event of opening) registry.check(event);
  return on(initialState(), opening);
};

/** Of one refund or dispute: how much, when it is made and when it is undone, if it is. */
type Fate = { kind: 'refund' | 'dispute'; amount: number; from: number; undoneAt: number };

const fates = fc.array(
  fc.record({
    kind: fc.constantFrom<Fate['kind']>('refund', 'dispute'),
    amount: fc.integer({ min: 1, max: 863 }),
    from: fc.nat({ max: 4 }),
    undoneAt: fc.nat({ max: 9 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The provider's list at a time. */
const listAt = (all: readonly Fate[], time: number): Reversal[] =>
  all.flatMap(({ kind, amount, from, undoneAt }, n) => {
    if (from > time) return [];
    const id = idLike(kind === 'refund' ? 're' : 'du', n, 27);
    const taken = { id, kind, amountMinor: BigInt(amount) };
    return undoneAt > from && undoneAt <= time
      ? [taken, { ...taken, kind: 'reinstated' as const }]
      : [taken];
  });

describe('refunds and disputes of a card payment', () => {
  it('leave in the wallet what the provider left, whatever is told late or twice', () => {
    fc.assert(
      fc.property(fates, fc.array(fc.nat({ max: 5 }), { maxLength: 8 }), (all, times) => {
        const last = listAt(all, 5);
        const wallet = told(
          times.reduce((state, time) => told(state, listAt(all, time)), credited()),
          last,
        );
        expect(wallet.available.fiat).to.equal(leftOf(credit, last));
        expect(told(wallet, last)).to.equal(wallet);
      }),
      { numRuns: 2_000 },
    );
  });

  it('take or return nothing more after a payout than without one, also over closed books', () => {
    const step = fc.oneof(
      fc.nat({ max: 5 }).map((time) => ({ time })),
      fc.constantFrom('pay out' as const, 'close books' as const),
    );
    fc.assert(
      fc.property(fates, fc.array(step, { maxLength: 10 }), (all, steps) => {
        let wallet = credited();
        let paidOut = 0n;
        for (const one of steps) {
          if (one === 'close books') wallet = withClosedBooks(wallet);
          else if (one === 'pay out') {
            const before = wallet.available.fiat;
            const closureId = 'c3a1cb26-38f1-4c5d-8a02-d4e3c3d43d0a';
            wallet = on(wallet, emptyWallet(wallet, { type: 'EmptyWallet', closureId }));
            expect(wallet.available.fiat).to.equal(before < 0n ? before : 0n);
            paidOut += before - wallet.available.fiat;
          } else wallet = told(wallet, listAt(all, one.time));
        }
        const last = listAt(all, 5);
        wallet = told(wallet, last);
        expect(wallet.available.fiat).to.equal(leftOf(credit, last) - paidOut);
        expect(told(wallet, last)).to.equal(wallet);
      }),
      { numRuns: 2_000 },
    );
  });

  it('take parts that make the whole, to the last millionth', () => {
    const parts: Reversal[] = [287n, 288n, 288n].map((amountMinor, n) => ({
      id: `re_${n}`,
      kind: 'refund',
      amountMinor,
    }));
    const wallet = parts.reduce((state, _, n) => told(state, parts.slice(0, n + 1)), credited());
    expect(wallet.available.fiat).to.equal(0n);
    expect(parts.every(({ id }) => wallet.receipts.has(id))).to.equal(true);
  });

  it('are taken out of what a dispute gave back under its older name', () => {
    const dispute: Reversal = { id: 'dp_1', kind: 'dispute', amountMinor: 863n };
    const won: Reversal = { ...dispute, kind: 'reinstated' };
    const disputed = told(credited(), [dispute]);
    const receipt = { method: 'card' as const, id: 'dp_1:reinstated' };
    const before = on(
      disputed,
      creditFunds(disputed, {
        type: 'CreditFunds',
        receipt,
        bucket: 'fiat',
        amountMicro: credit.creditedMicro,
      }),
    );
    expect(told(before, [dispute, won])).to.equal(before);
    const refund: Reversal = { id: 're_1', kind: 'refund', amountMinor: 863n };
    expect(told(before, [refund, dispute, won]).available.fiat).to.equal(0n);
  });
});
