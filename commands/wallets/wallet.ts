import { AppError } from '../../contract/errors.ts';
import { type PersistentMap, persistentMap } from '../../contract/persistent-map.ts';
import {
  type Bucket,
  type CarriedReservation,
  type PaymentAttempt,
  type WalletEvent,
  walletStream,
} from '../../events/wallet.ts';
import { type Charge, splitCharge } from '../../money/charge.ts';
import type { Aggregate } from '../handling/aggregate.ts';

export const microPerCent = 10_000n;

type Amounts = { crypto: bigint; fiat: bigint };

/** `held`: reserved for a letter. `captured`: spent on it, refundable. */
type Reservation = Amounts & {
  attempts: PaymentAttempt[];
  state: 'held' | 'captured';
  /** When it was made or captured. */
  since: string;
};

export type Wallet = {
  status: 'none' | 'open' | 'closed';
  accountId: string;
  test: boolean;
  available: Amounts;
  reservations: PersistentMap<string, Reservation>;
  creditIds: PersistentMap<string, true>;
  closed: { nextPeriod: number; at: string } | undefined;
  /** `YYYY-MM` in which this period began. */
  month: string;
};

export const initialState = (): Wallet => ({
  status: 'none',
  accountId: '',
  test: false,
  available: { crypto: 0n, fiat: 0n },
  reservations: persistentMap(),
  creditIds: persistentMap(),
  closed: undefined,
  month: '',
});

const amountsOf = (data: { cryptoMicro: number; fiatMicro: number }): Amounts => ({
  crypto: BigInt(data.cryptoMicro),
  fiat: BigInt(data.fiatMicro),
});

const toMicro = (amounts: Amounts) => ({
  cryptoMicro: Number(amounts.crypto),
  fiatMicro: Number(amounts.fiat),
});

const plus = (one: Amounts, other: Amounts): Amounts => ({
  crypto: one.crypto + other.crypto,
  fiat: one.fiat + other.fiat,
});

const minus = (one: Amounts, other: Amounts): Amounts => ({
  crypto: one.crypto - other.crypto,
  fiat: one.fiat - other.fiat,
});

/** The reservations when this letter's took more, or is there for the first time. */
const reserved = (
  { reservations }: Wallet,
  { letterId, ...data }: PaymentAttempt & { letterId: string },
  at: string,
): Wallet['reservations'] => {
  const before = reservations.get(letterId);
  const amounts = amountsOf(data);
  return reservations.with(
    letterId,
    before
      ? { ...before, ...plus(before, amounts), attempts: [...before.attempts, attemptOf(data)] }
      : { ...amounts, attempts: [attemptOf(data)], state: 'held', since: at },
  );
};

/** The reservations when some of this letter's was given back; one of nothing is gone. */
const givenBack = (
  { reservations }: Wallet,
  letterId: string,
  amounts: Amounts,
): Wallet['reservations'] => {
  const before = reservations.get(letterId);
  if (!before) return reservations;
  const left = minus(before, amounts);
  return left.crypto === 0n && left.fiat === 0n
    ? reservations.without(letterId)
    : reservations.with(letterId, { ...before, ...left });
};

export const evolve = (state: Wallet, event: WalletEvent, at: string): Wallet => {
  switch (event.type) {
    case 'WalletOpened': {
      const { accountId, test } = event.data;
      return { ...state, status: 'open', accountId, test, month: at.slice(0, 7) };
    }
    case 'FundsCredited': {
      const { bucket, amountMicro, creditId } = event.data;
      const { available } = state;
      return {
        ...state,
        available: { ...available, [bucket]: available[bucket] + BigInt(amountMicro) },
        creditIds: state.creditIds.with(creditId, true),
      };
    }
    case 'FundsReserved':
      return {
        ...state,
        available: minus(state.available, amountsOf(event.data)),
        reservations: reserved(state, event.data, at),
      };
    case 'FundsReleased':
    case 'FundsRefunded': {
      const amounts = amountsOf(event.data);
      return {
        ...state,
        available: plus(state.available, amounts),
        reservations: givenBack(state, event.data.letterId, amounts),
      };
    }
    case 'FundsCaptured': {
      const { letterId } = event.data;
      const before = state.reservations.get(letterId);
      if (!before) return state;
      const captured = { ...before, state: 'captured' as const, since: at };
      return { ...state, reservations: state.reservations.with(letterId, captured) };
    }
    case 'WalletRanLow':
      return state;
    case 'WalletPeriodClosed':
      return { ...state, status: 'closed', closed: { nextPeriod: event.data.nextPeriod, at } };
    case 'WalletPeriodOpened': {
      const { accountId, test, availableCryptoMicro, availableFiatMicro } = event.data;
      const available = { crypto: BigInt(availableCryptoMicro), fiat: BigInt(availableFiatMicro) };
      return { ...state, status: 'open', accountId, test, month: at.slice(0, 7), available };
    }
    case 'ReservationsCarriedForward': {
      const reservations = event.data.reservations.reduce(
        (all, { letterId, attempts, state: kind, since, ...amounts }) =>
          all.with(letterId, { ...amountsOf(amounts), attempts, state: kind, since }),
        state.reservations,
      );
      return { ...state, reservations };
    }
    case 'CreditsCarriedForward': {
      const creditIds = event.data.creditIds.reduce(
        (all, creditId) => all.with(creditId, true),
        state.creditIds,
      );
      return { ...state, creditIds };
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

const attemptOf = (data: PaymentAttempt): PaymentAttempt => ({
  attemptId: data.attemptId,
  cryptoMicro: data.cryptoMicro,
  fiatMicro: data.fiatMicro,
  commissionCryptoMicro: data.commissionCryptoMicro,
  commissionFiatMicro: data.commissionFiatMicro,
});

/** What an attempt took from the wallet, as a charge in cents. */
export const chargeOfAttempt = (
  state: Wallet,
  letterId: string,
  attemptId: string,
): Charge | undefined => {
  const attempts = state.reservations.get(letterId)?.attempts;
  const attempt = attempts?.find((one) => one.attemptId === attemptId);
  if (!attempt) return undefined;
  const cents = (micro: number): bigint => BigInt(micro) / microPerCent;
  return {
    subtotalCryptoCents: cents(attempt.cryptoMicro - attempt.commissionCryptoMicro),
    commissionCryptoCents: cents(attempt.commissionCryptoMicro),
    subtotalFiatCents: cents(attempt.fiatMicro - attempt.commissionFiatMicro),
    commissionFiatCents: cents(attempt.commissionFiatMicro),
  };
};

export type OpenWallet = { type: 'OpenWallet'; accountId: string; test: boolean };

/** Opens the wallet once. */
export const openWallet = (state: Wallet, command: OpenWallet): WalletEvent[] =>
  state.status === 'none'
    ? [{ type: 'WalletOpened', data: { accountId: command.accountId, test: command.test } }]
    : [];

export type CreditFunds = {
  type: 'CreditFunds';
  creditId: string;
  bucket: Bucket;
  amountMicro: bigint;
  source: 'test_grant' | 'operator';
  reference?: string;
};

/** Adds money from outside, once per `creditId`. */
export const creditFunds = (state: Wallet, command: CreditFunds): WalletEvent[] => {
  if (state.creditIds.has(command.creditId)) return [];
  if (command.amountMicro <= 0n) throw new Error('a credit is more than zero');
  const { creditId, bucket, source, reference } = command;
  return [
    {
      type: 'FundsCredited',
      data: { creditId, bucket, amountMicro: Number(command.amountMicro), source },
      ...(reference === undefined ? {} : { personal: { reference } }),
    },
  ];
};

export type ReserveFunds = {
  type: 'ReserveFunds';
  letterId: string;
  /** Identifies this attempt to pay; the same one again reserves nothing more. */
  attemptId: string;
  /** Price before commission, USD cents. */
  subtotalCents: bigint;
  /** The caller's ceiling for the total, USD cents. */
  maxTotalCents?: bigint;
  /** What is available falls below this at most once until it was above again. Absent: nobody is told. */
  lowMicro?: bigint;
};

const usd = (cents: bigint): string => `$${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

const sum = ({ crypto, fiat }: Amounts): bigint => crypto + fiat;

/** Tells that this reservation takes what is available below the threshold; not each one after it. */
const ranLow = (
  available: Amounts,
  reserved: Amounts,
  lowMicro: bigint | undefined,
): WalletEvent[] => {
  const before = sum(available);
  const after = before - sum(reserved);
  if (lowMicro === undefined || before < lowMicro || after >= lowMicro) return [];
  const data = { availableMicro: Number(after), thresholdMicro: Number(lowMicro) };
  return [{ type: 'WalletRanLow', data }];
};

/**
 * Holds the price of a letter: crypto first, commission on each part by its bucket.
 * @throws AppError insufficient_funds, max_total_exceeded
 */
export const reserveFunds = (state: Wallet, command: ReserveFunds): WalletEvent[] => {
  const { letterId, attemptId, subtotalCents } = command;
  const existing = state.reservations.get(letterId);
  if (existing?.attempts.some((attempt) => attempt.attemptId === attemptId)) return [];
  if (existing?.state === 'captured') {
    throw new AppError(
      'letter_not_updatable',
      'The letter is in production and cannot be changed.',
    );
  }
  const charge = splitCharge(subtotalCents, max(state.available.crypto, 0n));
  const amounts = chargeAmounts(charge);
  const totalCents = (amounts.crypto + amounts.fiat) / microPerCent;
  if (command.maxTotalCents !== undefined && totalCents > command.maxTotalCents) {
    throw new AppError(
      'max_total_exceeded',
      `The price is ${usd(totalCents)}, above max_total ${usd(command.maxTotalCents)}; raise max_total or choose a cheaper service.`,
      { extra: { total: Number(totalCents) / 100, currency: 'USD' } },
    );
  }
  if (amounts.crypto > state.available.crypto || amounts.fiat > state.available.fiat) {
    throw insufficientFunds(state, totalCents);
  }
  return [
    {
      type: 'FundsReserved',
      data: {
        letterId,
        attemptId,
        ...toMicro(amounts),
        commissionCryptoMicro: Number(charge.commissionCryptoCents * microPerCent),
        commissionFiatMicro: Number(charge.commissionFiatCents * microPerCent),
      },
    },
    ...ranLow(state.available, amounts, command.lowMicro),
  ];
};

const insufficientFunds = (state: Wallet, totalCents: bigint): AppError => {
  const availableMicro = state.available.crypto + state.available.fiat;
  const availableCents = availableMicro / microPerCent;
  return new AppError(
    'insufficient_funds',
    `The letter costs ${usd(totalCents)} and the wallet has ${availableMicro < 0n ? `-${usd(-availableCents)}` : usd(availableCents)} available; top up the wallet and send again.`,
    {
      extra: {
        total: Number(totalCents) / 100,
        available: Number(availableCents) / 100,
        currency: 'USD',
      },
    },
  );
};

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** What a charge takes from each bucket, micro-USD. */
export const chargeAmounts = (charge: Charge): Amounts => ({
  crypto: (charge.subtotalCryptoCents + charge.commissionCryptoCents) * microPerCent,
  fiat: (charge.subtotalFiatCents + charge.commissionFiatCents) * microPerCent,
});

/**
 * What the letter's own stream says should be held for it or spent on it. `knownAttempts` are the
 * payment attempts that the letter rests on or has forbidden. `over`: nothing, and no attempt can
 * succeed any more.
 */
export type ReservationTarget =
  | { state: 'over' }
  | {
      state: 'held' | 'captured';
      cryptoMicro: bigint;
      fiatMicro: bigint;
      knownAttempts: string[];
    };

export type SettleReservation = {
  type: 'SettleReservation';
  letterId: string;
  target: ReservationTarget;
};

/**
 * Makes the wallet follow the letter: captures, releases or refunds what differs. A reservation that
 * is not there (any more) is settled: nothing is given back twice. What an attempt holds that the
 * letter does not know yet stays held, and nothing is captured meanwhile: the attempt will be finished
 * or forbidden first.
 */
export const settleReservation = (state: Wallet, command: SettleReservation): WalletEvent[] => {
  const { letterId, target } = command;
  const reservation = state.reservations.get(letterId);
  if (!reservation) return [];
  const captured = reservation.state === 'captured';
  if (target.state === 'over') {
    const type = captured ? 'FundsRefunded' : 'FundsReleased';
    return [{ type, data: { letterId, ...toMicro(reservation) } }];
  }
  if (captured) return [];
  const known = new Set(target.knownAttempts);
  const undecided = reservation.attempts.filter(({ attemptId }) => !known.has(attemptId));
  const wanted = { crypto: target.cryptoMicro, fiat: target.fiatMicro };
  const surplus = [wanted, ...undecided.map(amountsOf)].reduce<Amounts>(minus, reservation);
  if (surplus.crypto < 0n || surplus.fiat < 0n) {
    throw new Error(`less is held for letter ${letterId} than it costs`);
  }
  const release: WalletEvent[] =
    surplus.crypto + surplus.fiat > 0n
      ? [{ type: 'FundsReleased', data: { letterId, ...toMicro(surplus) } }]
      : [];
  return target.state === 'held' || undecided.length > 0
    ? release
    : [...release, { type: 'FundsCaptured', data: { letterId, ...toMicro(wanted) } }];
};

export type WalletCommand = OpenWallet | CreditFunds | ReserveFunds | SettleReservation;

/** @throws AppError insufficient_funds, max_total_exceeded, letter_not_updatable */
export const decide = (state: Wallet, command: WalletCommand): WalletEvent[] => {
  switch (command.type) {
    case 'OpenWallet':
      return openWallet(state, command);
    case 'CreditFunds':
      return creditFunds(state, command);
    case 'ReserveFunds':
      return reserveFunds(state, command);
    case 'SettleReservation':
      return settleReservation(state, command);
    default: {
      const unknown: never = command;
      return unknown;
    }
  }
};

const eventsPerPeriod = 10_000n;
const eventsPerMonthlyPeriod = 1_000n;
/** A letter fails or is recalled within days; what was spent longer ago is not refunded any more. */
const refundableDays = 60;

const chunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/** Which reservations go on into the next period, when one ends at `at`. */
const isCarried = (at: string): ((reservation: Reservation) => boolean) => {
  const oldest = new Date(Date.parse(at) - refundableDays * 86_400_000).toISOString();
  return ({ state, since }) => state === 'held' || since >= oldest;
};

/** Whether more than `limit` reservations would be carried forward. Counts no further than that. */
const carriesMoreThan = (state: Wallet, at: string, limit: bigint): boolean => {
  const carried = isCarried(at);
  let count = 0n;
  for (const reservation of state.reservations.values()) {
    if (carried(reservation) && ++count > limit) return true;
  }
  return false;
};

/**
 * Closes the books at 10,000 events, or at 1,000 once the month is over; later while the reservations
 * to carry forward make up more than a quarter of the events, so that what is carried stays a
 * fraction of what was written.
 */
const booksAreDue = (state: Wallet, eventCount: bigint, at: string): boolean => {
  const limit = at.slice(0, 7) === state.month ? eventsPerPeriod : eventsPerMonthlyPeriod;
  return (
    state.status === 'open' && eventCount >= limit && !carriesMoreThan(state, at, eventCount / 4n)
  );
};

/** Attempts of one reservation that are carried: older ones were decided long ago. */
const attemptsCarried = 200;

const carriedReservations = (state: Wallet, at: string): CarriedReservation[] => {
  const carried = isCarried(at);
  return [...state.reservations]
    .filter(([, reservation]) => carried(reservation))
    .map(([letterId, { attempts, state: kind, since, ...amounts }]) => ({
      letterId,
      attempts: attempts.slice(-attemptsCarried),
      state: kind,
      since,
      ...toMicro(amounts),
    }));
};

/** In parts that fit into an event: at most 500 reservations, and 700 attempts or a single one's. */
const carriedChunks = (reservations: CarriedReservation[]): CarriedReservation[][] => {
  const parts: CarriedReservation[][] = [];
  let attempts = 0;
  for (const reservation of reservations) {
    const part = parts.at(-1);
    attempts += reservation.attempts.length;
    if (part && part.length < 500 && attempts <= 700) part.push(reservation);
    else {
      parts.push([reservation]);
      attempts = reservation.attempts.length;
    }
  }
  return parts;
};

const closeBooks = (
  state: Wallet,
  period: number,
  eventCount: bigint,
  at: string,
): WalletEvent[] =>
  booksAreDue(state, eventCount, at)
    ? [{ type: 'WalletPeriodClosed', data: { nextPeriod: period + 1 } }]
    : [];

/** What the next period begins with: balances, open reservations, the credits already seen. */
const successor = (state: Wallet): { period: number; opening: WalletEvent[] } | undefined => {
  if (!state.closed) return undefined;
  const { nextPeriod: period, at } = state.closed;
  const opened: WalletEvent = {
    type: 'WalletPeriodOpened',
    data: {
      accountId: state.accountId,
      test: state.test,
      period,
      availableCryptoMicro: Number(state.available.crypto),
      availableFiatMicro: Number(state.available.fiat),
    },
  };
  const reservations = carriedChunks(carriedReservations(state, at)).map(
    (chunk): WalletEvent => ({ type: 'ReservationsCarriedForward', data: { reservations: chunk } }),
  );
  const credits = chunks([...state.creditIds.keys()], 2000).map(
    (creditIds): WalletEvent => ({ type: 'CreditsCarriedForward', data: { creditIds } }),
  );
  return { period, opening: [opened, ...reservations, ...credits] };
};

export const walletAggregate: Aggregate<Wallet, WalletEvent> = {
  stream: walletStream,
  initialState,
  evolve,
  books: { close: closeBooks, successor },
  // Measured: a reservation with one attempt, the id of a credit.
  cachedBytes: ({ reservations, creditIds }) =>
    500 + 600 * reservations.size + 120 * creditIds.size,
};
