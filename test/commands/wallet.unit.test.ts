import { expect } from 'chai';
import fc from 'fast-check';
import {
  chargeOfAttempt,
  decide,
  evolve,
  initialState,
  type ReservationTarget,
  type Wallet,
  type WalletCommand,
  walletAggregate,
} from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { registry } from '../../events/registry.ts';
import type { Bucket, WalletEvent } from '../../events/wallet.ts';
import { describeDecider, specTime } from '../support/decider-spec.ts';

const { given } = describeDecider({ initialState, evolve, decide });

const opened: WalletEvent = { type: 'WalletOpened', data: { accountId: 'acct_1', test: false } };

const credited = (
  cents: number,
  bucket: Bucket = 'fiat',
  creditId = `c-${bucket}`,
): WalletEvent => ({
  type: 'FundsCredited',
  data: { creditId, bucket, amountMicro: cents * 10_000, source: 'operator' },
});

const reserved = (
  letterId: string,
  attemptId: string,
  fiatCents: number,
  cryptoCents = 0,
): WalletEvent => ({
  type: 'FundsReserved',
  data: {
    letterId,
    attemptId,
    cryptoMicro: cryptoCents * 10_000,
    fiatMicro: fiatCents * 10_000,
    commissionCryptoMicro: 0,
    commissionFiatMicro: 0,
  },
});

const moved = (
  type: 'FundsReleased' | 'FundsCaptured' | 'FundsRefunded',
  letterId: string,
  fiatCents: number,
  cryptoCents = 0,
): WalletEvent => ({
  type,
  data: { letterId, cryptoMicro: cryptoCents * 10_000, fiatMicro: fiatCents * 10_000 },
});

const reserve = (
  letterId: string,
  attemptId: string,
  subtotalCents: bigint,
  maxTotalCents?: bigint,
) => ({ type: 'ReserveFunds', letterId, attemptId, subtotalCents, maxTotalCents }) as const;

const settle = (letterId: string, target: ReservationTarget) =>
  ({ type: 'SettleReservation', letterId, target }) as const;

const target = (
  state: 'held' | 'captured',
  fiatCents: number,
  knownAttempts: string[],
  cryptoCents = 0,
): ReservationTarget => ({
  state,
  cryptoMicro: BigInt(cryptoCents * 10_000),
  fiatMicro: BigInt(fiatCents * 10_000),
  knownAttempts,
});

const over: ReservationTarget = { state: 'over' };

const credit = (creditId: string, amountMicro: bigint, bucket: Bucket = 'fiat') =>
  ({ type: 'CreditFunds', creditId, bucket, amountMicro, source: 'operator' }) as const;

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
          letterId: 'L',
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
          letterId: 'L',
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

  it('refuses while a bucket is below zero, even if the other one could pay', () => {
    given(opened, credited(500, 'crypto'), reserved('X', 'x', 100))
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
    expect(chargeOfAttempt(state, 'L', 'a')).to.deep.equal({
      subtotalCryptoCents: 40n,
      commissionCryptoCents: 1n,
      subtotalFiatCents: 60n,
      commissionFiatCents: 3n,
    });
    expect(chargeOfAttempt(state, 'L', 'b')).to.include({ subtotalFiatCents: 20n });
    expect(chargeOfAttempt(state, 'L', 'c')).to.equal(undefined);
    expect(chargeOfAttempt(state, 'M', 'a')).to.equal(undefined);
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

  it('drop what was spent more than 60 days before', () => {
    let state = fold(opened, credited(900), reserved('old', 'a', 1), reserved('held', 'b', 1));
    state = evolve(state, moved('FundsCaptured', 'old', 1), '2026-01-01T00:00:00.000Z');
    state = evolve(
      state,
      { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } },
      '2026-03-03T00:00:00.000Z',
    );
    const opening = books.successor(state)?.opening ?? [];
    const next = fold(...opening);
    expect([...next.reservations.keys()]).to.deep.equal(['held']);
    expect(next.available).to.deep.equal(state.available);
  });

  it('carry forward in events that the store takes, whatever was held', () => {
    let state = fold(opened);
    for (let letter = 0; letter < 1_200; letter++) {
      const attempts = letter === 7 ? 1_500 : 4;
      for (let attempt = 0; attempt < attempts; attempt++) {
        const id = `${letter}-${attempt}-${'x'.repeat(30)}`.slice(0, 36);
        state = evolve(
          state,
          reserved(`letter-${letter}-${'y'.repeat(25)}`, id, 99_999_999, 99_999_999),
          specTime,
        );
      }
    }
    state = evolve(state, { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }, specTime);
    const opening = books.successor(state)?.opening ?? [];
    for (const event of opening) {
      registry.check(event);
      expect(Buffer.byteLength(JSON.stringify(event.data))).to.be.below(250_000);
    }
    const next = fold(...opening);
    expect(next.reservations.size).to.equal(1_200);
    expect(next.available).to.deep.equal(state.available);
  });
});

describe('any sequence of wallet commands', () => {
  const letters = ['L1', 'L2', 'L3', 'unknown'];
  const attempts = ['a', 'b', 'c'];
  const letter = fc.constantFrom(...letters);
  const known = fc.subarray(attempts);

  const wish = fc.oneof(
    fc.record({
      type: fc.constant('CreditFunds' as const),
      creditId: fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6'),
      bucket: fc.constantFrom<Bucket>('crypto', 'fiat'),
      amountMicro: fc.bigInt({ min: 1n, max: 5_000_000n }),
      source: fc.constant('operator' as const),
    }),
    fc.record({
      type: fc.constant('ReserveFunds' as const),
      letterId: letter,
      attemptId: fc.constantFrom(...attempts),
      subtotalCents: fc.bigInt({ min: 1n, max: 300n }),
    }),
    fc.record({
      type: fc.constant('SettleReservation' as const),
      letterId: letter,
      target: fc.oneof(
        fc.constant<ReservationTarget>({ state: 'over' }),
        fc.record({
          state: fc.constantFrom<'held' | 'captured'>('held', 'captured'),
          cryptoMicro: fc.bigInt({ min: 0n, max: 1_000_000n }),
          fiatMicro: fc.bigInt({ min: 0n, max: 1_000_000n }),
          knownAttempts: known,
        }),
      ),
    }),
    fc.constant({ type: 'OpenWallet' as const, accountId: 'acct_1', test: false }),
    fc.constant({ type: 'CloseBooks' as const }),
  );

  type Ledger = { credited: bigint; history: WalletEvent[]; state: Wallet };
  const sum = (amounts: { crypto: bigint; fiat: bigint }): bigint => amounts.crypto + amounts.fiat;

  const tryDecide = (state: Wallet, command: WalletCommand): WalletEvent[] => {
    try {
      return decide(state, command);
    } catch (error) {
      const expected = isAppError(error) || /less is held/.test(String(error));
      if (!expected) throw error;
      return [];
    }
  };

  const apply = (ledger: Ledger, events: WalletEvent[]): void => {
    for (const event of events) {
      registry.check(event);
      ledger.history.push(event);
      if (event.type === 'FundsCredited') ledger.credited += BigInt(event.data.amountMicro);
      ledger.state = evolve(ledger.state, event, specTime);
    }
  };

  const replay = (events: WalletEvent[]): Wallet =>
    events.reduce((state, event) => evolve(state, event, specTime), initialState());

  /** As values that can be compared. */
  const plain = ({ reservations, creditIds, ...rest }: Wallet) => ({
    ...rest,
    reservations: new Map(reservations),
    creditIds: new Set(creditIds.keys()),
  });

  const assertConserved = ({ credited: total, state }: Ledger): void => {
    let inReservations = 0n;
    for (const reservation of state.reservations.values()) {
      expect(reservation.crypto >= 0n && reservation.fiat >= 0n).to.equal(true);
      inReservations += sum(reservation);
    }
    expect(sum(state.available) + inReservations).to.equal(total);
    expect(state.available.crypto >= 0n && state.available.fiat >= 0n).to.equal(true);
  };

  const closeBooks = (ledger: Ledger): void => {
    const { books } = walletAggregate;
    const before = ledger.state;
    const closing = books?.close(ledger.state, 0, 1_000_000n, specTime) ?? [];
    apply(ledger, closing);
    const successor = books?.successor(ledger.state);
    if (!successor) return;
    ledger.history = [];
    ledger.state = initialState();
    apply(ledger, successor.opening);
    expect(plain(ledger.state)).to.deep.equal(plain({ ...before, closed: undefined }));
  };

  it('conserves money, whatever is repeated, unknown, out of order or carried forward', () => {
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
        const ledger: Ledger = { credited: 0n, history: [], state: initialState() };
        apply(ledger, [opened]);
        for (const command of wishes) {
          if (command.type === 'CloseBooks') closeBooks(ledger);
          else {
            apply(ledger, tryDecide(ledger.state, command));
            // The same command again writes nothing more.
            expect(tryDecide(ledger.state, command)).to.deep.equal([]);
          }
          assertConserved(ledger);
        }
        expect(plain(replay(ledger.history))).to.deep.equal(plain(ledger.state));
      }),
      { numRuns: 500 },
    );
  });
});
