import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ChargeAgreed,
  chargeAgreed,
  type ReduceAgreed,
  reduceAgreed,
} from '../../commands/wallets/agreed-charges.ts';
import {
  adjustCredit,
  chargeBackFunds,
  creditFunds,
  takeBackCredit,
} from '../../commands/wallets/credits.ts';
import { emptyWallet } from '../../commands/wallets/empty-wallet.ts';
import {
  assertPays,
  judgeReservation,
  reserveFunds,
} from '../../commands/wallets/reserve-funds.ts';
import {
  type ReservationTarget,
  settleReservation,
} from '../../commands/wallets/settle-reservation.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { chargeOfAttempt, openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { registry } from '../../events/registry.ts';
import {
  amountsIn,
  commissionIn,
  letterPurpose,
  type Purpose,
  type WalletEvent,
} from '../../events/wallet.ts';
import { changesOf, movesOf } from '../../events/wallet-moves.ts';
import { add, type Bucket, equal, nothing, subtract, sum } from '../../money/buckets.ts';
import {
  amountsOf,
  type Charge,
  chargeBy,
  chargeOfCents,
  commissionOn,
  noCharge,
  reduceCharge,
} from '../../money/charge.ts';
import { type CommandOf, decideBy, describeDecider, specTime } from '../support/decider-spec.ts';

const verbs = {
  OpenWallet: openWallet,
  CreditFunds: creditFunds,
  ChargeBackFunds: chargeBackFunds,
  ReserveFunds: reserveFunds,
  SettleReservation: settleReservation,
};
type WalletCommand = CommandOf<typeof verbs>;
const decide = decideBy<Wallet, WalletEvent, typeof verbs>(verbs);
const { given } = describeDecider({ initialState, evolve, decide });

const opened: WalletEvent = {
  type: 'WalletOpened',
  data: { accountId: 'acct_1', test: false, remembersRefunds: true },
};

const credited = (cents: number, bucket: Bucket = 'fiat', id = `c-${bucket}`): WalletEvent => ({
  type: 'FundsCredited',
  data: { receipt: { method: 'operator', id }, bucket, amountMicro: cents * 10_000 },
});

const chargedBack = (cents: number, id: string, creditId: string): WalletEvent => ({
  type: 'FundsChargedBack',
  data: {
    receipt: { method: 'card', id },
    creditId,
    bucket: 'fiat',
    amountMicro: cents * 10_000,
  },
});

const reserved = (
  letterId: string,
  attemptId: string,
  fiatCents: number,
  cryptoCents = 0,
): WalletEvent => ({
  type: 'FundsReserved',
  data: {
    purpose: letterPurpose(letterId),
    attemptId,
    cryptoMicro: cryptoCents * 10_000,
    fiatMicro: fiatCents * 10_000,
    commissionCryptoMicro: 0,
    commissionFiatMicro: 0,
  },
});

/** The same for a letter that takes of a limit. */
const counted = (event: WalletEvent): WalletEvent =>
  event.type === 'FundsReserved'
    ? {
        ...event,
        data: {
          ...event.data,
          counts: [{ counter: 100, since: 0, amountMicro: event.data.fiatMicro, letters: 1 }],
        },
      }
    : event;

const moved = (
  type: 'FundsReleased' | 'FundsCaptured' | 'FundsRefunded',
  letterId: string,
  fiatCents: number,
  cryptoCents = 0,
): WalletEvent => {
  const purpose = letterPurpose(letterId);
  const data = { purpose, cryptoMicro: cryptoCents * 10_000, fiatMicro: fiatCents * 10_000 };
  return type === 'FundsCaptured'
    ? { type, data: { ...data, commissionCryptoMicro: 0, commissionFiatMicro: 0 } }
    : { type, data };
};

const reserve = (
  letterId: string,
  attemptId: string,
  subtotalCents: bigint,
  maxTotalCents?: bigint,
  purpose: Purpose = letterPurpose(letterId),
) =>
  ({
    type: 'ReserveFunds',
    purpose,
    attemptId,
    subtotalMicro: subtotalCents * 10_000n,
    ...(maxTotalCents === undefined ? {} : { maxTotalMicro: maxTotalCents * 10_000n }),
  }) as const;

const settle = (letterId: string, target: ReservationTarget) =>
  ({ type: 'SettleReservation', purpose: letterPurpose(letterId), target }) as const;

/** A charge without commission. */
const costing = (fiatCents: number, cryptoCents = 0): Charge =>
  chargeOfCents({
    subtotalCryptoCents: cryptoCents,
    commissionCryptoCents: 0,
    subtotalFiatCents: fiatCents,
    commissionFiatCents: 0,
  });

const target = (
  state: 'held' | 'captured',
  fiatCents: number,
  knownAttempts: string[],
  cryptoCents = 0,
): ReservationTarget => ({ state, charge: costing(fiatCents, cryptoCents), knownAttempts });

const over: ReservationTarget = { state: 'over' };
const overAfter = (fiatCents: number, cryptoCents = 0): ReservationTarget => ({
  state: 'over',
  spent: costing(fiatCents, cryptoCents),
});

const credit = (id: string, amountMicro: bigint, bucket: Bucket = 'fiat') =>
  ({ type: 'CreditFunds', receipt: { method: 'operator', id }, bucket, amountMicro }) as const;

const chargeBack = (id: string, creditId: string, cents: number) =>
  ({
    type: 'ChargeBackFunds',
    receipt: { method: 'card', id },
    creditId,
    amountMicro: BigInt(cents * 10_000),
  }) as const;

describe('a wallet', () => {
  it('is opened once', () => {
    const open = { type: 'OpenWallet', accountId: 'acct_1', test: false } as const;
    given().when(open).then(opened);
    given(opened).when(open).thenNothing();
  });

  it('takes a credit once', () => {
    given(opened).when(credit('c-fiat', 5_000_000n)).then(credited(500));
    given(opened, credited(500)).when(credit('c-fiat', 5_000_000n)).thenNothing();
    given(opened, credited(500))
      .when(credit('c-fiat', 9n, 'crypto'))
      .thenNothing();
  });

  it('keeps the reference of a credit as personal', () => {
    given(opened)
      .when({ ...credit('c-fiat', 10_000n), reference: 'invoice 7' })
      .then({ ...credited(1), personal: { reference: 'invoice 7' } } as WalletEvent);
  });

  it('takes no credit of nothing', () => {
    given(opened)
      .when(credit('c', 0n))
      .thenThrows(/more than zero/);
    given(opened)
      .when(credit('c', -1n))
      .thenThrows(/more than zero/);
  });

  it('reserves the price and 5 % from fiat', () => {
    given(opened, credited(1_000))
      .when(reserve('L', 'a', 100n))
      .then({
        type: 'FundsReserved',
        data: {
          purpose: letterPurpose('L'),
          attemptId: 'a',
          cryptoMicro: 0,
          fiatMicro: 1_050_000,
          commissionCryptoMicro: 0,
          commissionFiatMicro: 50_000,
        },
      });
  });

  it('reserves from crypto first, at 2.5 %', () => {
    given(opened, credited(41, 'crypto'), credited(1_000))
      .when(reserve('L', 'a', 100n))
      .then({
        type: 'FundsReserved',
        data: {
          purpose: letterPurpose('L'),
          attemptId: 'a',
          cryptoMicro: 410_000,
          fiatMicro: 630_000,
          commissionCryptoMicro: 10_000,
          commissionFiatMicro: 30_000,
        },
      });
  });

  it('reserves nothing more for the same attempt, also when it has nothing left', () => {
    given(opened, credited(105), reserved('L', 'a', 105))
      .when(reserve('L', 'a', 100n))
      .thenNothing();
  });

  it('reserves more for another attempt on the same letter', () => {
    given(opened, credited(210), reserved('L', 'a', 105))
      .when(reserve('L', 'b', 100n))
      .thenTypes('FundsReserved');
  });

  it('tells once that it ran low, and again after it was above the mark', () => {
    const low = { availableMicro: 4_950_000, thresholdMicro: 5_000_000 };
    const asked = (attemptId: string) => ({
      ...reserve('L', attemptId, 100n),
      lowMicro: 5_000_000n,
    });
    given(opened, credited(600)).when(asked('a')).thenTypes('FundsReserved', 'WalletRanLow');
    const fell = [opened, credited(600), reserved('L', 'a', 105)];
    given(...fell, { type: 'WalletRanLow', data: low })
      .when(asked('b'))
      .thenTypes('FundsReserved');
    given(...fell, moved('FundsReleased', 'L', 105))
      .when(asked('b'))
      .thenTypes('FundsReserved', 'WalletRanLow');
    given(opened, credited(605)).when(asked('a')).thenTypes('FundsReserved');
    given(opened, credited(500)).when(asked('a')).thenTypes('FundsReserved', 'WalletRanLow');
    given(opened, credited(499)).when(asked('a')).thenTypes('FundsReserved');
    given(opened, credited(600))
      .when({ ...asked('a'), lowMicro: 0n })
      .thenTypes('FundsReserved');
  });

  it('refuses what it does not cover, by a cent', () => {
    given(opened, credited(105))
      .when(reserve('L', 'a', 100n))
      .thenTypes('FundsReserved');
    given(opened, credited(104))
      .when(reserve('L', 'a', 100n))
      .thenRefuses('insufficient_funds');
    given()
      .when(reserve('L', 'a', 100n))
      .thenRefuses('insufficient_funds');
  });

  it('pays with what one bucket has beyond what the other one owes', () => {
    const owing = [opened, credited(100), reserved('X', 'x', 100), chargedBack(100, 'd', 'c-fiat')];
    given(...owing, credited(203, 'crypto'))
      .when(reserve('L', 'a', 100n))
      .then({
        type: 'FundsReserved',
        data: {
          purpose: letterPurpose('L'),
          attemptId: 'a',
          cryptoMicro: 1_030_000,
          fiatMicro: 0,
          commissionCryptoMicro: 30_000,
          commissionFiatMicro: 0,
        },
      });
    given(...owing, credited(202, 'crypto'))
      .when(reserve('L', 'a', 100n))
      .thenRefuses('insufficient_funds');
    const owingCrypto = [credited(100, 'crypto'), reserved('X', 'x', 0, 100)];
    const dispute = { ...chargeBack('d', 'c-crypto', 100) };
    const back = decide(
      [opened, ...owingCrypto].reduce((s, e) => evolve(s, e, specTime), initialState()),
      dispute,
    );
    given(opened, ...owingCrypto, ...back, credited(205))
      .when(reserve('L', 'a', 100n))
      .thenTypes('FundsReserved');
    given(opened, ...owingCrypto, ...back, credited(204))
      .when(reserve('L', 'a', 100n))
      .thenRefuses('insufficient_funds');
  });

  it('refuses a total above max_total and takes one that is equal', () => {
    given(opened, credited(1_000))
      .when(reserve('L', 'a', 100n, 104n))
      .thenRefuses('max_total_exceeded');
    given(opened, credited(1_000))
      .when(reserve('L', 'a', 100n, 105n))
      .thenTypes('FundsReserved');
  });

  it('refuses more for a letter that is paid and in production', () => {
    given(opened, credited(900), reserved('L', 'a', 105), moved('FundsCaptured', 'L', 105))
      .when(reserve('L', 'b', 1n))
      .thenRefuses('letter_not_updatable');
  });

  it('tells what an attempt took, for each of several', () => {
    let state = [opened, credited(9_000), credited(41, 'crypto')].reduce(
      (folded, event) => evolve(folded, event, specTime),
      initialState(),
    );
    for (const command of [reserve('L', 'a', 100n), reserve('L', 'b', 20n)]) {
      for (const event of decide(state, command)) state = evolve(state, event, specTime);
    }
    const letter = letterPurpose('L');
    expect(chargeOfAttempt(state, letter, 'a')).to.deep.equal({
      subtotal: { crypto: 400_000n, fiat: 600_000n },
      commission: { crypto: 10_000n, fiat: 30_000n },
    });
    expect(chargeOfAttempt(state, letter, 'b')?.subtotal.fiat).to.equal(200_000n);
    expect(chargeOfAttempt(state, letter, 'c')).to.equal(undefined);
    expect(chargeOfAttempt(state, letterPurpose('M'), 'a')).to.equal(undefined);
  });
});

describe('a charge-back', () => {
  const funded = [opened, credited(1_000)];

  it('takes back what was credited, once, in parts too', () => {
    const back = chargedBack(400, 'dp_1', 'c-fiat');
    given(...funded)
      .when(chargeBack('dp_1', 'c-fiat', 400))
      .then(back);
    given(...funded, back)
      .when(chargeBack('dp_1', 'c-fiat', 400))
      .thenNothing();
    given(...funded, back)
      .when(chargeBack('dp_2', 'c-fiat', 600))
      .then(chargedBack(600, 'dp_2', 'c-fiat'));
  });

  it('never takes more than was credited, nor from a credit that never was', () => {
    given(...funded, chargedBack(400, 'dp_1', 'c-fiat'))
      .when(chargeBack('dp_2', 'c-fiat', 601))
      .thenThrows(/\$6\.01; of credit c-fiat only \$6\.00/);
    given(...funded)
      .when(chargeBack('dp_1', 'other', 1))
      .thenThrows(/no credit other/);
    given(...funded)
      .when(chargeBack('dp_1', 'c-fiat', 0))
      .thenThrows(/more than zero/);
  });

  it('takes the wallet below zero, and nothing is sent until it is not', () => {
    const owing = [...funded, reserved('X', 'x', 1_000), chargedBack(1_000, 'dp_1', 'c-fiat')];
    given(...owing)
      .when(reserve('L', 'a', 1n))
      .thenRefuses('insufficient_funds');
    given(...owing)
      .when(reserve('L', 'a', 0n))
      .thenRefuses('insufficient_funds');
    given(...owing, credited(1_104, 'fiat', 'c2'))
      .when(reserve('L', 'a', 100n))
      .thenRefuses('insufficient_funds');
    given(...owing, credited(1_105, 'fiat', 'c2'))
      .when(reserve('L', 'a', 100n))
      .thenTypes('FundsReserved');
  });

  it('has a receipt like a credit: neither can be used for the other again', () => {
    given(...funded, chargedBack(400, 'dp_1', 'c-fiat'))
      .when(credit('dp_1', 4_000_000n))
      .thenNothing();
    given(...funded)
      .when(chargeBack('c-fiat', 'c-fiat', 400))
      .thenNothing();
  });

  it('leaves what is held for a letter where it is', () => {
    given(...funded, reserved('L', 'a', 105), chargedBack(1_000, 'dp_1', 'c-fiat'))
      .when(settle('L', target('captured', 105, ['a'])))
      .then(moved('FundsCaptured', 'L', 105));
  });
});

describe('a credit that an operator adjusts', () => {
  const creditId = `operator-${'c'.repeat(43)}`;
  const adjust = (state: Wallet, cents: number, turn: number): WalletEvent[] =>
    adjustCredit(state, {
      type: 'AdjustCredit',
      receipt: { method: 'operator', id: `operator-${String(turn).padStart(43, 'a')}` },
      creditId,
      rightMicro: BigInt(cents * 10_000),
      reason: 'typed wrongly',
      mayOverdraw: true,
    });

  it('ends at the last amount, however often it was raised and reduced', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(amounts, (all) => {
        // Another credit, of which nothing is taken.
        let state = [opened, credited(5, 'fiat', creditId), credited(3)].reduce(
          (wallet, event) => evolve(wallet, event, specTime),
          initialState(),
        );
        for (const [turn, cents] of all.entries()) {
          const events = adjust(state, cents, turn);
          for (const event of events) registry.check(event);
          state = events.reduce((wallet, event) => evolve(wallet, event, specTime), state);
          expect(state.available.fiat).to.equal(BigInt((cents + 3) * 10_000));
          expect(adjust(state, cents, turn)).to.deep.equal([]);
        }
        // An earlier adjustment that is repeated changes nothing.
        for (const [turn, cents] of all.entries()) {
          if (state.receipts.has(`operator-${String(turn).padStart(43, 'a')}`)) {
            expect(adjust(state, cents, turn)).to.deep.equal([]);
          }
        }
      }),
    );
  });
});

describe('a credit that is reduced', () => {
  it('leaves what the other bucket owes, unless the wallet may fall below zero', () => {
    const [wire, usdc] = [`operator-${'w'.repeat(43)}`, `operator-${'u'.repeat(43)}`];
    const receipt = { method: 'operator' as const, id: `operator-${'b'.repeat(43)}` };
    const funded = [opened, credited(20, 'fiat', wire), credited(10, 'crypto', usdc)].reduce(
      (wallet, event) => evolve(wallet, event, specTime),
      initialState(),
    );
    // All of the crypto was spent before it is charged back.
    const owing = { ...funded, available: { crypto: -100_000n, fiat: 200_000n } };
    const reduced = { type: 'AdjustCredit' as const, receipt, creditId: wire, reason: 'less came' };
    const to = (cents: bigint, mayOverdraw: boolean) => () =>
      adjustCredit(owing, { ...reduced, rightMicro: cents * 10_000n, mayOverdraw });
    expect(to(9n, false)).to.throw('Only $0.10 (fiat) is left of the $0.11.');
    expect(to(10n, false)()).to.have.length(1);
    expect(to(9n, true)()).to.have.length(1);
  });
});

describe('what money is reserved for', () => {
  const contract: Purpose = { kind: 'volume-contract', id: 'one' };

  it('is told apart by its kind: an order and a letter of one name do not share', () => {
    const order: Purpose = { kind: 'order', id: 'L' };
    given(opened, credited(500), reserved('L', 'a', 105))
      .when(reserve('', 'a', 100n, undefined, order))
      .thenTypes('FundsReserved');
    given(opened, credited(105), reserved('L', 'a', 105))
      .when(reserve('', 'b', 100n, undefined, order))
      .thenRefuses('insufficient_funds');
  });

  it('decides whether the wallet may go below zero: a shortfall that was agreed to may take it there', () => {
    given(opened, credited(100))
      .when(reserve('', 'a', 1_000n, undefined, contract))
      .then({
        type: 'FundsReserved',
        data: {
          purpose: contract,
          attemptId: 'a',
          cryptoMicro: 0,
          fiatMicro: 10_500_000,
          commissionCryptoMicro: 0,
          commissionFiatMicro: 500_000,
        },
      });
  });
});

describe('a wallet that follows a letter', () => {
  const held = [opened, credited(1_000), reserved('L', 'a', 105, 20)];
  const captured = [...held, moved('FundsCaptured', 'L', 105, 20)];

  it('leaves a reservation that is as it should be', () => {
    given(...held)
      .when(settle('L', target('held', 105, ['a'], 20)))
      .thenNothing();
  });

  it('captures when production starts, once', () => {
    const command = settle('L', target('captured', 105, ['a'], 20));
    given(...held)
      .when(command)
      .then(moved('FundsCaptured', 'L', 105, 20));
    given(...captured)
      .when(command)
      .thenNothing();
  });

  it('releases what the letter costs less', () => {
    given(...held)
      .when(settle('L', target('held', 100, ['a'], 20)))
      .then(moved('FundsReleased', 'L', 5));
    given(...held)
      .when(settle('L', target('captured', 100, ['a'], 10)))
      .then(moved('FundsReleased', 'L', 5, 10), moved('FundsCaptured', 'L', 100, 10));
  });

  it('releases everything when the letter is over, once', () => {
    const release = moved('FundsReleased', 'L', 105, 20);
    given(...held)
      .when(settle('L', over))
      .then(release);
    given(...held, release)
      .when(settle('L', over))
      .thenNothing();
  });

  it('refunds everything when the letter is over after it was paid, once', () => {
    const refund = moved('FundsRefunded', 'L', 105, 20);
    given(...captured)
      .when(settle('L', over))
      .then(refund);
    given(...captured, refund)
      .when(settle('L', over))
      .thenNothing();
  });

  it('spends and refunds what production began with, so that the refund is remembered', () => {
    given(...held)
      .when(settle('L', overAfter(105, 20)))
      .then(moved('FundsCaptured', 'L', 105, 20), moved('FundsRefunded', 'L', 105, 20));
    given(...held, reserved('L', 'b', 50))
      .when(settle('L', overAfter(105, 20)))
      .then(
        moved('FundsReleased', 'L', 50),
        moved('FundsCaptured', 'L', 105, 20),
        moved('FundsRefunded', 'L', 105, 20),
      );
    given(...captured)
      .when(settle('L', overAfter(105, 20)))
      .then(moved('FundsRefunded', 'L', 105, 20));
    given(...captured, moved('FundsRefunded', 'L', 105, 20))
      .when(settle('L', overAfter(105, 20)))
      .thenNothing();
  });

  it('releases what an attempt held after the refund, and refunds nothing again', () => {
    const refunded = [...captured, moved('FundsRefunded', 'L', 105, 20)];
    given(...refunded, reserved('L', 'b', 50))
      .when(settle('L', overAfter(105, 20)))
      .then(moved('FundsReleased', 'L', 50));
    given(...refunded, reserved('L', 'b', 200))
      .when(settle('L', overAfter(105, 20)))
      .then(moved('FundsReleased', 'L', 200));
  });

  it('tells commission apart when it captures', () => {
    const charge = chargeOfCents({
      subtotalCryptoCents: 0,
      commissionCryptoCents: 0,
      subtotalFiatCents: 100,
      commissionFiatCents: 5,
    });
    given(opened, credited(1_000), reserved('L', 'a', 105))
      .when(settle('L', { state: 'captured', charge, knownAttempts: ['a'] }))
      .then({
        type: 'FundsCaptured',
        data: {
          purpose: letterPurpose('L'),
          cryptoMicro: 0,
          fiatMicro: 1_050_000,
          commissionCryptoMicro: 0,
          commissionFiatMicro: 50_000,
        },
      });
  });

  it('does nothing about a letter it holds nothing for', () => {
    given(opened).when(settle('L', over)).thenNothing();
    given(opened)
      .when(settle('L', target('held', 5, ['a'])))
      .thenNothing();
    given(opened)
      .when(settle('L', target('captured', 5, ['a'])))
      .thenNothing();
  });

  it('keeps what an undecided attempt holds, and captures nothing meanwhile', () => {
    const both = [...held, reserved('L', 'b', 50)];
    given(...both)
      .when(settle('L', target('held', 105, ['a'], 20)))
      .thenNothing();
    given(...both)
      .when(settle('L', target('captured', 105, ['a'], 20)))
      .thenNothing();
    given(...both)
      .when(settle('L', target('held', 0, ['a'])))
      .then(moved('FundsReleased', 'L', 105, 20));
    given(...both, moved('FundsReleased', 'L', 105, 20))
      .when(settle('L', target('held', 0, ['a'])))
      .thenNothing();
  });

  it('releases what an abandoned attempt held', () => {
    given(...held, reserved('L', 'b', 50))
      .when(settle('L', target('held', 105, ['a', 'b'], 20)))
      .then(moved('FundsReleased', 'L', 50));
    given(...held)
      .when(settle('L', target('held', 0, ['a'])))
      .then(moved('FundsReleased', 'L', 105, 20));
  });

  it('fails loudly when less is held than the letter costs', () => {
    given(...held)
      .when(settle('L', target('captured', 106, ['a'], 20)))
      .thenThrows(/less is held for letter L/);
  });
});

describe('the books of a wallet', () => {
  const books = walletAggregate.books;
  if (!books) throw new Error('the wallet keeps books');
  const fold = (...events: WalletEvent[]): Wallet =>
    events.reduce((state, event) => evolve(state, event, specTime), initialState());

  it('are closed at 10,000 events, at 1,000 once the month is over', () => {
    const state = fold(opened);
    expect(books.close(state, 0, 9_999n, specTime)).to.deep.equal([]);
    expect(books.close(state, 0, 10_000n, specTime)).to.have.length(1);
    expect(books.close(state, 0, 999n, '2026-04-01T00:00:00.000Z')).to.deep.equal([]);
    expect(books.close(state, 0, 1_000n, '2026-04-01T00:00:00.000Z')).to.have.length(1);
  });

  it('are looked at again when a period that has enough events has grown by a sixteenth', () => {
    const state = fold(opened);
    const later = '2026-04-01T00:00:00.000Z';
    expect(books.nextLook(state, 9_999n, specTime)).to.equal(9_999n);
    expect(books.nextLook(state, 10_000n, specTime)).to.equal(10_625n);
    expect(books.nextLook(state, 999n, later)).to.equal(999n);
    expect(books.nextLook(state, 1_600n, later)).to.equal(1_700n);
  });

  it('stay open while more than a quarter would be carried forward, spent long ago does not count', () => {
    let state = fold(opened, credited(10_000));
    for (let n = 0; n < 2_501; n++) {
      state = evolve(state, reserved(`L${n}`, `a${n}`, 1), specTime);
      state = evolve(state, moved('FundsCaptured', `L${n}`, 1), specTime);
    }
    expect(books.close(state, 0, 10_000n, specTime)).to.deep.equal([]);
    expect(books.close(state, 0, 10_004n, specTime)).to.have.length(1);
    expect(books.close(state, 0, 10_000n, '2026-05-15T00:00:00.000Z')).to.have.length(1);
  });

  it('are not closed twice, and a wallet that is not open has none to close', () => {
    const closed = fold(opened, { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } });
    expect(books.close(closed, 0, 99_999n, specTime)).to.deep.equal([]);
    expect(books.close(initialState(), 0, 99_999n, specTime)).to.deep.equal([]);
  });

  it('stay open while receipts would take more than a quarter of the room', () => {
    let state = fold(opened);
    for (let n = 0; n < 10_004; n++) state = evolve(state, credited(1, 'fiat', `c${n}`), specTime);
    expect(books.close(state, 0, 10_000n, specTime)).to.deep.equal([]);
    expect(books.close(state, 0, 10_004n, specTime)).to.have.length(1);
  });

  /** The next period, after the books were closed 61 days after `old` was spent. */
  const closedLater = (...events: WalletEvent[]): { state: Wallet; next: Wallet } => {
    const spent = evolve(
      fold(...events, reserved('old', 'a', 105), reserved('held', 'b', 1)),
      moved('FundsCaptured', 'old', 105),
      '2026-01-01T00:00:00.000Z',
    );
    const closing: WalletEvent = { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } };
    const state = evolve(spent, closing, '2026-03-03T00:00:00.000Z');
    return { state, next: fold(...(books.successor(state)?.opening ?? [])) };
  };

  it('drop what was spent more than 60 days before', () => {
    const { state, next } = closedLater(opened, credited(900));
    expect([...next.reservations.keys()]).to.deep.equal(['letter-held']);
    expect(next.available).to.deep.equal(state.available);
  });

  it('refund what they have dropped as the letter says, once, also after they were closed again', () => {
    const { next } = closedLater(opened, credited(900));
    const failed = settle('old', overAfter(105));
    const refund = moved('FundsRefunded', 'old', 105);
    expect(decide(next, failed)).to.deep.equal([refund]);
    const refunded = evolve(next, refund, specTime);
    expect(decide(refunded, failed)).to.deep.equal([]);
    expect(refunded.available).to.deep.equal({
      crypto: 0n,
      fiat: next.available.fiat + 1_050_000n,
    });
    const closing: WalletEvent = { type: 'WalletPeriodClosed', data: { nextPeriod: 2 } };
    const later = fold(...(books.successor(evolve(refunded, closing, specTime))?.opening ?? []));
    expect(decide(later, failed)).to.deep.equal([]);
    // Without production there was nothing to spend.
    expect(decide(next, settle('old', over))).to.deep.equal([]);
  });

  it('refund nothing that they cannot know to be refunded: a wallet of the version before forgot', () => {
    const data = { accountId: 'acct_1', test: false, remembersRefunds: false };
    const { next } = closedLater({ type: 'WalletOpened', data }, credited(900));
    expect(decide(next, settle('old', overAfter(105)))).to.deep.equal([]);
  });

  it('carry what of a credit can still be charged back', () => {
    const back = chargedBack(300, 'dp_1', 'c-fiat');
    const { next } = closedLater(opened, credited(900), back);
    expect(decide(next, chargeBack('dp_1', 'c-fiat', 300))).to.deep.equal([]);
    expect(() => decide(next, chargeBack('dp_2', 'c-fiat', 601))).to.throw(/only \$6\.00/);
    expect(decide(next, chargeBack('dp_2', 'c-fiat', 600))).to.have.length(1);
    expect(decide(next, credit('c-fiat', 1n))).to.deep.equal([]);
  });

  it('carry a credit that was paid out before its chain forgot it', () => {
    const receipt = { method: 'x402' as const, id: 'c-crypto' };
    const amountMicro = 10_000_000n;
    const back = { type: 'CreditFunds' as const, receipt, bucket: 'crypto' as const, amountMicro };
    const histories = [
      [opened, credited(1_000, 'crypto')],
      // Books of version 1 carried no amounts.
      [
        opened,
        {
          type: 'CreditsCarriedForward',
          data: { receipts: [{ id: 'c-crypto', bucket: 'crypto', reversibleMicro: 0 }] },
        },
      ],
    ] as WalletEvent[][];
    for (const history of histories) {
      const funded = fold(...history);
      const emptied = emptyWallet(funded, {
        type: 'EmptyWallet',
        closureId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      });
      const empty = fold(...history, ...emptied);
      const gone = fold(...history, ...emptied, ...takeBackCredit(empty, back));
      expect(sum(empty.available)).to.equal(0n);
      expect(sum(gone.available)).to.equal(-10_000_000n);
      const closing: WalletEvent = { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } };
      const { opening = [] } = books.successor(evolve(gone, closing, specTime)) ?? {};
      expect(opening).to.have.length.above(0);
      for (const event of opening) registry.check(event);
    }
  });

  it('carry forward in events that the store takes, whatever was held', () => {
    let state = fold(opened);
    for (let letter = 0; letter < 1_200; letter++) {
      const attempts = letter === 7 ? 1_500 : 4;
      for (let attempt = 0; attempt < attempts; attempt++) {
        const id = `${letter}-${attempt}-${'x'.repeat(30)}`.slice(0, 36);
        const event = reserved(`letter-${letter}-${'y'.repeat(25)}`, id, 99_999_999, 99_999_999);
        state = evolve(state, event, specTime);
      }
      state = evolve(
        state,
        credited(99_999_999, 'crypto', `${letter}`.padStart(128, 'r')),
        specTime,
      );
    }
    state = evolve(state, { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }, specTime);
    const opening = books.successor(state)?.opening ?? [];
    for (const event of opening) {
      registry.check(event);
      expect(Buffer.byteLength(JSON.stringify(event.data))).to.be.below(250_000);
    }
    const next = fold(...opening);
    expect(next.reservations.size).to.equal(1_200);
    expect(next.receipts.size).to.equal(1_200);
    expect(next.available).to.deep.equal(state.available);
  });
});

describe('a shortfall that was charged', () => {
  const purpose: Purpose = { kind: 'volume-contract', id: 'C-1' };
  const agreed = (cents: bigint): ChargeAgreed => ({
    type: 'ChargeAgreed',
    purpose,
    attemptId: 'a',
    subtotalMicro: cents * 10_000n,
  });
  const reduce = (cents: bigint): ReduceAgreed => ({
    type: 'ReduceAgreed',
    purpose,
    attemptId: 'a',
    subtotalMicro: cents * 10_000n,
  });
  const spec = describeDecider({
    initialState,
    evolve,
    decide: (state: Wallet, command: ChargeAgreed | ReduceAgreed) =>
      command.type === 'ChargeAgreed' ? chargeAgreed(state, command) : reduceAgreed(state, command),
  });
  const foldOf = (events: WalletEvent[]): Wallet =>
    events.reduce((state, event) => evolve(state, event, specTime), initialState());
  const refund = (cryptoCents: number, fiatCents: number): WalletEvent => ({
    type: 'FundsRefunded',
    data: { purpose, cryptoMicro: cryptoCents * 10_000, fiatMicro: fiatCents * 10_000 },
  });
  // 97 cents and 2 of commission are cryptocurrency, 203 and 10 are not.
  const funded = [opened, credited(100, 'crypto'), credited(500)];
  const charged = [...funded, ...chargeAgreed(foldOf(funded), agreed(300n))];

  it('is reduced to the buckets that paid it, with its commission, the last one first', () => {
    spec
      .given(...charged)
      .when(reduce(200n))
      .then(refund(0, 105));
    spec
      .given(...charged)
      .when(reduce(50n))
      .then(refund(48, 213));
    spec
      .given(...charged)
      .when(reduce(0n))
      .then(refund(99, 213));
  });

  it('is reduced once, and never raised', () => {
    spec
      .given(...charged, refund(0, 105))
      .when(reduce(200n))
      .thenNothing();
    spec
      .given(...charged, refund(0, 105))
      .when(reduce(250n))
      .thenNothing();
    spec
      .given(...charged, refund(0, 105))
      .when(reduce(0n))
      .then(refund(99, 108));
    spec
      .given(...charged, refund(99, 213))
      .when(reduce(0n))
      .thenNothing();
  });

  it('is not charged again after it was given back', () => {
    spec
      .given(...charged, refund(99, 213))
      .when(agreed(300n))
      .thenNothing();
    spec
      .given(...charged, refund(0, 105))
      .when(agreed(300n))
      .thenNothing();
  });

  it('cannot be reduced in a wallet that was never charged', () => {
    expect(() => reduceAgreed(foldOf(funded), reduce(0n))).to.throw(/knows of no charge for C-1/);
  });

  it('costs what its lowest reduction says, whatever is repeated, late or years later, and no money is lost', () => {
    const cents = fc.integer({ min: 0, max: 400 });
    const step = fc.oneof(cents.map(BigInt), fc.constant('close' as const));
    fc.assert(
      fc.property(
        cents,
        cents,
        fc.bigInt({ min: 1n, max: 400n }),
        fc.array(step),
        (crypto, fiat, bill, steps) => {
          const before = foldOf([opened, credited(crypto + 1, 'crypto'), credited(fiat + 1)]);
          const taken = chargeAgreed(before, agreed(bill));
          let state = taken.reduce((wallet, event) => evolve(wallet, event, specTime), before);
          const charge = chargeOfAttempt(state, purpose, 'a') ?? noCharge;
          let [lowest, years] = [bill, 0];
          for (const one of steps) {
            const at = `${Number(specTime.slice(0, 4)) + years}${specTime.slice(4)}`;
            if (one === 'close') {
              years += 1;
              const data = { nextPeriod: state.period + 1 };
              state = evolve(
                state,
                { type: 'WalletPeriodClosed', data },
                `${Number(at.slice(0, 4)) + 1}${at.slice(4)}`,
              );
              state = foldOf(walletAggregate.books?.successor(state)?.opening ?? []);
              continue;
            }
            if (one > bill) continue;
            if (one < lowest) lowest = one;
            for (const event of reduceAgreed(state, reduce(one))) {
              registry.check(event);
              state = evolve(state, event, at);
            }
            expect(chargeAgreed(state, agreed(bill))).to.deep.equal([]);
          }
          const kept = amountsOf(reduceCharge(charge, lowest * 10_000n));
          expect(add(state.available, kept)).to.deep.equal(before.available);
        },
      ),
    );
  });
});

describe('a wallet as a fold', () => {
  it('leaves every state as it was, whatever is folded onto it', () => {
    const shown = (state: Wallet) =>
      structuredClone({
        ...state,
        reservations: [...state.reservations].sort(),
        receipts: [...state.receipts].sort(),
        refunded: [...state.refunded].sort(),
        guards: {
          changes: state.guards.changes,
          policies: [...state.guards.policies].sort(),
          usage: [...state.guards.usage].sort(),
        },
      });
    const history: WalletEvent[] = [
      opened,
      credited(1_000),
      {
        type: 'PolicySet',
        data: {
          subject: 'account',
          version: 1,
          timeZone: 'UTC',
          rules: [{ id: 'all', effect: 'allow', limit: { letters: 9, per: 'day' }, counter: 100 }],
        },
      },
      counted(reserved('L', 'a', 105)),
      reserved('L', 'b', 50),
      moved('FundsReleased', 'L', 50),
      moved('FundsCaptured', 'L', 105),
      chargedBack(400, 'dp_1', 'c-fiat'),
      moved('FundsRefunded', 'L', 105),
    ];
    const states = [initialState()];
    const before = [shown(initialState())];
    for (const event of history) {
      const next = evolve(states.at(-1) as Wallet, event, specTime);
      states.push(next);
      before.push(shown(next));
    }
    expect(states.map(shown)).to.deep.equal(before);
    expect(states.toReversed().map(shown)).to.deep.equal(before.toReversed());
  });
});

describe('any sequence of wallet commands', () => {
  const purposes: Purpose[] = [
    ...['L1', 'L2', 'unknown'].map(letterPurpose),
    { kind: 'order', id: 'L1' },
    { kind: 'volume-contract', id: 'C1' },
  ];
  const attempts = ['a', 'b', 'c'];
  const receipts = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
  const purpose = fc.constantFrom(...purposes);
  const charge = fc
    .tuple(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: 0n, max: 100n }))
    .map(([crypto, fiat]): Charge => {
      const subtotal = { crypto: crypto * 10_000n, fiat: fiat * 10_000n };
      const commission = {
        crypto: commissionOn(subtotal.crypto, 250n),
        fiat: commissionOn(subtotal.fiat, 500n),
      };
      return { subtotal, commission };
    });

  const wish = fc.oneof(
    fc.record({
      type: fc.constant('CreditFunds' as const),
      receipt: fc.record({
        method: fc.constantFrom('x402' as const, 'usdc_transfer' as const, 'card' as const),
        id: fc.constantFrom(...receipts),
      }),
      bucket: fc.constantFrom<Bucket>('crypto', 'fiat'),
      amountMicro: fc.bigInt({ min: 1n, max: 5_000_000n }),
    }),
    fc.record({
      type: fc.constant('ChargeBackFunds' as const),
      receipt: fc.record({
        method: fc.constant('card' as const),
        id: fc.constantFrom('d1', 'd2', 'd3', 'c1'),
      }),
      creditId: fc.constantFrom(...receipts),
      amountMicro: fc.bigInt({ min: 1n, max: 5_000_000n }),
    }),
    fc.record({
      type: fc.constant('ReserveFunds' as const),
      purpose,
      attemptId: fc.constantFrom(...attempts),
      subtotalMicro: fc.bigInt({ min: 1n, max: 300n }).map((cents) => cents * 10_000n),
    }),
    fc.record({
      type: fc.constant('SettleReservation' as const),
      purpose,
      target: fc.oneof(
        // The spent amount is the price by the letter's stream, which the model knows.
        fc.record({ state: fc.constant('over' as const), produced: fc.boolean() }),
        fc.record({
          state: fc.constantFrom<'held' | 'captured'>('held', 'captured'),
          charge: fc.oneof(charge, fc.constant(noCharge)),
          knownAttempts: fc.subarray(attempts),
        }),
      ),
    }),
    fc.constant({ type: 'OpenWallet' as const, accountId: 'acct_1', test: false }),
    fc.record({ type: fc.constant('CloseBooks' as const), days: fc.constantFrom(0, 61) }),
  );

  type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

  const laterBy = (days: number): string =>
    new Date(Date.parse(specTime) + days * 86_400_000).toISOString();

  /** `tally`: the money at each place, by the moves of all events so far. */
  type Ledger = {
    tally: Map<string, bigint>;
    used: string[];
    /** The amount spent on each purpose and not refunded. */
    spent: Map<string, Charge>;
    history: WalletEvent[];
    state: Wallet;
  };

  const nameOf = ({ kind, id }: Purpose): string => `${kind}-${id}`;

  const follow = ({ spent }: Ledger, event: WalletEvent): void => {
    if (event.type === 'FundsCaptured') {
      const commission = commissionIn(event.data);
      const subtotal = subtract(amountsIn(event.data), commission);
      spent.set(nameOf(event.data.purpose), { subtotal, commission });
    }
    if (event.type === 'FundsRefunded') {
      const charge = spent.get(nameOf(event.data.purpose));
      expect(charge && amountsOf(charge), 'refunded what was spent').to.deep.equal(
        amountsIn(event.data),
      );
      spent.delete(nameOf(event.data.purpose));
    }
  };

  /** The price by the stream of the purpose if it were over now. */
  const overNow = ({ spent, state }: Ledger, purpose: Purpose, produced: boolean) => {
    const held = state.reservations.get(nameOf(purpose));
    const asHeld = held && {
      subtotal: { crypto: held.crypto, fiat: held.fiat },
      commission: nothing,
    };
    const cost = spent.get(nameOf(purpose)) ?? (produced ? asHeld : undefined);
    return { state: 'over' as const, spent: cost };
  };

  const commandOf = (ledger: Ledger, wish: Exclude<Wish, { type: 'CloseBooks' }>): WalletCommand =>
    wish.type === 'SettleReservation' && wish.target.state === 'over'
      ? { ...wish, target: overNow(ledger, wish.purpose, wish.target.produced) }
      : (wish as WalletCommand);

  const tryDecide = (state: Wallet, command: WalletCommand): WalletEvent[] => {
    try {
      return decide(state, command);
    } catch (error) {
      const expected =
        isAppError(error) ||
        /less is held|there is no credit|can be charged back/.test(String(error));
      if (!expected) throw error;
      return [];
    }
  };

  const assertMayPay = (before: Wallet, after: Wallet, event: WalletEvent): void => {
    if (event.type !== 'FundsReserved' || event.data.purpose.kind === 'volume-contract') return;
    expect(sum(before.available) >= 0n, 'sent while below zero').to.equal(true);
    expect(sum(after.available) >= 0n, 'sent for more than there was').to.equal(true);
  };

  const apply = (ledger: Ledger, events: WalletEvent[]): void => {
    for (const event of events) {
      registry.check(event);
      ledger.history.push(event);
      if ('receipt' in event.data) ledger.used.push(event.data.receipt.id);
      for (const { from, to, amounts } of movesOf(event)) {
        ledger.tally.set(from, (ledger.tally.get(from) ?? 0n) - sum(amounts));
        ledger.tally.set(to, (ledger.tally.get(to) ?? 0n) + sum(amounts));
      }
      const before = ledger.state;
      ledger.state = evolve(before, event, specTime);
      assertMayPay(before, ledger.state, event);
      follow(ledger, event);
    }
  };

  const replay = (events: WalletEvent[]): Wallet =>
    events.reduce((state, event) => evolve(state, event, specTime), initialState());

  const shown = ({ reservations, receipts, refunded, ...rest }: Wallet) => ({
    ...rest,
    reservations: new Map(reservations),
    receipts: new Map(receipts),
    refunded: new Map(refunded),
  });

  const assertConserved = ({ tally, used, state }: Ledger): void => {
    const total = [...tally.values()].reduce((all, amount) => all + amount, 0n);
    expect(total, 'the places sum to zero').to.equal(0n);
    const held = [...state.reservations.values()].filter((one) => one.state === 'held');
    for (const reservation of state.reservations.values()) {
      expect(reservation.crypto >= 0n && reservation.fiat >= 0n).to.equal(true);
    }
    expect(sum(state.available)).to.equal(tally.get('available') ?? 0n);
    expect(held.reduce((all, one) => all + sum(one), 0n)).to.equal(tally.get('held') ?? 0n);
    expect(new Set(used).size, 'a receipt was used twice').to.equal(used.length);
    const outside = [...tally].filter(([place]) => place.startsWith('external:'));
    const in_ = outside.reduce((all, [, amount]) => all - amount, 0n);
    expect(in_ >= 0n, 'more was charged back than came in').to.equal(true);
    for (const { reversibleMicro } of state.receipts.values()) {
      expect(reversibleMicro >= 0n).to.equal(true);
    }
  };

  const closeBooks = (ledger: Ledger, days: number): void => {
    const { books } = walletAggregate;
    const before = shown(ledger.state);
    const { period } = before;
    for (const event of books?.close(ledger.state, period, 1_000_000n, specTime) ?? []) {
      ledger.state = evolve(ledger.state, event, laterBy(days));
    }
    const successor = books?.successor(ledger.state);
    if (!successor) return;
    ledger.history = [];
    ledger.state = initialState();
    apply(ledger, successor.opening);
    const kept = [...before.reservations].filter(
      ([, { state, purpose }]) =>
        days < 60 || state === 'held' || purpose.kind === 'volume-contract',
    );
    const reservations = new Map(kept);
    expect(shown(ledger.state)).to.deep.equal({ ...before, reservations, period: period + 1 });
  };

  it('conserves money, whatever is repeated, unknown, out of order, charged back or carried forward', () => {
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
        const ledger: Ledger = {
          tally: new Map(),
          used: [],
          spent: new Map(),
          history: [],
          state: initialState(),
        };
        apply(ledger, [opened]);
        for (const wish of wishes) {
          if (wish.type === 'CloseBooks') closeBooks(ledger, wish.days);
          else {
            const command = commandOf(ledger, wish);
            apply(ledger, tryDecide(ledger.state, command));
            // The same command again writes nothing more.
            expect(tryDecide(ledger.state, command)).to.deep.equal([]);
          }
          assertConserved(ledger);
        }
        expect(shown(replay(ledger.history))).to.deep.equal(shown(ledger.state));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a payment of the price of a letter', () => {
  const amount = fc.integer({ min: -2_000, max: 2_000 }).map((cents) => BigInt(cents) * 10_000n);

  it('is refused exactly where it would not pay for the letter', () => {
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(
        fc.record({ crypto: amount, fiat: amount }),
        fc.integer({ min: 1, max: 1_500 }).map((cents) => BigInt(cents) * 10_000n),
        fc.boolean(),
        (available, subtotalMicro, isLocked) => {
          const wallet: Wallet = { ...initialState(), status: 'open', available };
          const charge = chargeBy('crypto', subtotalMicro);
          const commitment = { commitmentId: 'c', quantity: 1, bucket: 'crypto' as const, charge };
          const command = {
            type: 'ReserveFunds' as const,
            purpose: letterPurpose('L'),
            attemptId: 'a',
            subtotalMicro,
            ...(isLocked ? { commitment } : {}),
          };
          const judged = judgeReservation(wallet, command, 'crypto');
          const paid = add(available, amountsOf(judged.charge));
          const codeOf = (work: () => unknown): string | undefined => {
            try {
              work();
              return undefined;
            } catch (error) {
              if (!isAppError(error)) throw error;
              return error.code;
            }
          };
          const refusal = codeOf(() => assertPays(wallet, command, judged, 'crypto'));
          expect(refusal).to.equal(
            codeOf(() => reserveFunds({ ...wallet, available: paid }, command)),
          );
          expect(refusal).to.be.oneOf([undefined, 'insufficient_funds']);
          outcomes.add(refusal === undefined);
        },
      ),
      { numRuns: 500 },
    );
    expect(outcomes.size, 'some are refused, and some are not').to.equal(2);
  });
});

describe('what an event of a wallet moves', () => {
  it('adds up to nothing per bucket, for every event that moves money', () => {
    const events = [
      credited(5),
      chargedBack(5, 'd', 'c-fiat'),
      reserved('L', 'a', 3, 2),
      moved('FundsReleased', 'L', 3, 2),
      moved('FundsCaptured', 'L', 3, 2),
      moved('FundsRefunded', 'L', 3, 2),
    ];
    for (const event of events) {
      const all = [...changesOf(movesOf(event)).values()];
      expect(equal(all.reduce(add, nothing), nothing), event.type).to.equal(true);
      expect(all.length, event.type).to.be.at.least(2);
    }
    expect(movesOf(opened)).to.deep.equal([]);
  });
});
