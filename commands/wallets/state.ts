import type { Count } from '../../events/policy.ts';
import {
  amountsIn,
  isTakenBackOutside,
  type Purpose,
  type WalletEvent,
} from '../../events/wallet.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import {
  type Amounts,
  add,
  type Bucket,
  equal,
  inBucket,
  nothing,
  subtract,
  sum,
} from '../../money/buckets.ts';
import { carriedChange, requestedChange } from '../policies/policy-change.ts';
import {
  countLetter,
  type Guards,
  noGuards,
  returnCounts,
  updateChange,
  withAlert,
  withChange,
  withFrozen,
  withoutFrozen,
  withoutPolicy,
  withPolicy,
  withRequest,
  withSeen,
  withUsed,
} from '../policies/state.ts';
import { packedReservations, type Reservation, type Reservations } from './reservations.ts';

/** A receipt that was used, and how much of the credit can still be charged back. */
type UsedReceipt = { bucket: Bucket; reversibleMicro: MicroUsd };

/** Never changed in place: an older state stays valid when events are folded onto it. */
export type Wallet = {
  status: 'none' | 'open' | 'closed';
  accountId: string;
  test: boolean;
  period: number;
  available: Amounts;
  /** By `keyOf` their purpose. */
  reservations: Reservations;
  /** By id. */
  receipts: PersistentMap<string, UsedReceipt>;
  /** Purposes that were refunded after they were spent. */
  refunded: PersistentMap<string, Purpose>;
  /** Policies of the account and its keys, and what was used of their limits. */
  guards: Guards;
  /** `refunded` has them all, since the wallet was opened. */
  remembersRefunds: boolean;
  closed: { nextPeriod: number; at: string } | undefined;
  /** `YYYY-MM` in which this period began. */
  month: string;
};

export const initialState = (): Wallet => ({
  status: 'none',
  accountId: '',
  test: false,
  period: 0,
  available: nothing,
  reservations: packedReservations(),
  receipts: persistentMap(),
  refunded: persistentMap(),
  guards: noGuards,
  remembersRefunds: false,
  closed: undefined,
  month: '',
});

export const keyOf = ({ kind, id }: Purpose): string => `${kind}-${id}`;

export const reservationOf = (state: Wallet, purpose: Purpose): Reservation | undefined =>
  state.reservations.get(keyOf(purpose));

/** How many purposes use a commitment, without one of them. */
export const usesOf = (state: Wallet, commitmentId: string, but?: Purpose): number => {
  const { attempts = [] } = (but && reservationOf(state, but)) ?? {};
  const isUse = attempts.some((attempt) => attempt.commitmentId === commitmentId);
  return state.reservations.usesOf(commitmentId) - (isUse ? 1 : 0);
};

/** The reserved money that is not spent. */
export const heldIn = (state: Wallet): Amounts =>
  [...state.reservations.values()]
    .filter((reservation) => reservation.state === 'held')
    .reduce<Amounts>(add, nothing);

const withReservation = (state: Wallet, reservation: Reservation): Wallet => ({
  ...state,
  reservations: state.reservations.with(keyOf(reservation.purpose), reservation),
});

const credit = (state: Wallet, { receipt, bucket, amountMicro }: Credited): Wallet => ({
  ...state,
  available: add(state.available, inBucket(bucket, BigInt(amountMicro))),
  receipts: state.receipts.with(receipt.id, { bucket, reversibleMicro: BigInt(amountMicro) }),
});

type Credited = Extract<WalletEvent, { type: 'FundsCredited' }>['data'];
type ChargedBack = Extract<WalletEvent, { type: 'FundsChargedBack' }>['data'];

/**
 * The rest of a credit that its payer or provider can still take back. Money that left with a closure is spent: a
 * dispute over it takes it again. A charge-back of a credit whose amount is not known leaves nothing.
 */
const leftAfter = (reversibleMicro: MicroUsd, charged: ChargedBack): MicroUsd => {
  if (!isTakenBackOutside(charged)) return reversibleMicro;
  const left = reversibleMicro - BigInt(charged.amountMicro);
  return left > 0n ? left : 0n;
};

/** The receipt of a charge-back is used up as well, and nothing of it can be charged back. */
const chargeBack = (state: Wallet, data: ChargedBack): Wallet => {
  const { receipt, creditId, bucket } = data;
  const amount = BigInt(data.amountMicro);
  const credited = state.receipts.get(creditId);
  const used = state.receipts.with(receipt.id, { bucket, reversibleMicro: 0n });
  return {
    ...state,
    available: subtract(state.available, inBucket(bucket, amount)),
    receipts: credited
      ? used.with(creditId, { bucket, reversibleMicro: leftAfter(credited.reversibleMicro, data) })
      : used,
  };
};

type Reserved = Extract<WalletEvent, { type: 'FundsReserved' }>['data'];

const withCounts = (
  reservation: Reservation,
  attemptId: string,
  counts: readonly Count[],
): Reservation => ({
  ...reservation,
  counts: [...(reservation.counts ?? []), ...counts.map((one) => ({ ...one, attemptId }))],
});

/** A letter takes more of the limits of policies. */
const count = (
  state: Wallet,
  purpose: Purpose,
  attemptId: string,
  counts: readonly Count[],
): Wallet => {
  const reservation = reservationOf(state, purpose);
  if (!reservation) return state;
  const guards = countLetter(state.guards, counts);
  return withReservation({ ...state, guards }, withCounts(reservation, attemptId, counts));
};

type Alert = Extract<WalletEvent, { type: 'AlertRaised' }>['data'];

const raiseAlert = (state: Wallet, { purpose, subject, alert, country, rule }: Alert): Wallet => {
  if (alert !== 'rule') {
    return { ...state, guards: withSeen(state.guards, subject, [country]) };
  }
  const reservation = reservationOf(state, purpose);
  if (!reservation) return state;
  const alerted = [...(reservation.alerted ?? []), `${subject} ${rule}`];
  return withReservation(state, { ...reservation, alerted });
};

const reserve = (state: Wallet, data: Reserved, at: string): Wallet => {
  const { purpose, counts, ...attempt } = data;
  const amounts = amountsIn(attempt);
  const known = reservationOf(state, purpose);
  const reservation: Reservation = known
    ? { ...known, ...add(known, amounts), attempts: [...known.attempts, attempt] }
    : { ...amounts, purpose, attempts: [attempt], state: 'held', since: at };
  const available = subtract(state.available, amounts);
  if (!counts) return withReservation({ ...state, available }, reservation);
  const guards = countLetter(state.guards, counts);
  const counted = withCounts(reservation, attempt.attemptId, counts);
  return withReservation({ ...state, available, guards }, counted);
};

/** A bill for a shortfall stays known when all of it was given back: only one that the books forgot is taken up again. */
export const staysKnown = ({ purpose, state }: Reservation): boolean =>
  purpose.kind === 'volume-contract' && state === 'captured';

/** Attempts that failed, and those that can still succeed. */
type Attempts = Pick<
  Extract<WalletEvent, { type: 'FundsReleased' }>['data'],
  'undone' | 'undecided'
>;

/** The counts of a reservation once only `left` of its money is left. */
const countsAfter = (
  { guards }: Wallet,
  { counts, attempts }: Reservation,
  left: Amounts,
  { undone = [], undecided = [] }: Attempts,
): ReturnType<typeof returnCounts> | undefined => {
  if (!counts) return undefined;
  const cost = attempts
    .filter(({ attemptId }) => undecided.includes(attemptId))
    .reduce((rest, attempt) => subtract(rest, amountsIn(attempt)), left);
  return returnCounts(guards, counts, { undone, undecided, costMicro: Number(sum(cost)) });
};

const giveBack = (
  state: Wallet,
  purpose: Purpose,
  amounts: Amounts,
  attempts: Attempts = {},
): Wallet => {
  const richer = { ...state, available: add(state.available, amounts) };
  const reservation = reservationOf(state, purpose);
  if (!reservation) return richer;
  const left = subtract(reservation, amounts);
  const isOver = equal(left, nothing) && !staysKnown(reservation);
  const returned = countsAfter(state, reservation, left, attempts);
  const after = returned ? { ...richer, guards: returned.guards } : richer;
  return isOver
    ? { ...after, reservations: state.reservations.without(keyOf(purpose)) }
    : withReservation(after, {
        ...reservation,
        ...left,
        ...(returned ? { counts: returned.counts } : {}),
      });
};

const carryFreeze = (
  guards: Wallet['guards'],
  { subject, since }: { subject: string; since: string },
): Wallet['guards'] => withFrozen(guards, subject, since);

type CarriedReceipt = Extract<
  WalletEvent,
  { type: 'CreditsCarriedForward' }
>['data']['receipts'][number];

const carryReceipt = (
  receipts: Wallet['receipts'],
  { id, bucket, reversibleMicro }: CarriedReceipt,
): Wallet['receipts'] => receipts.with(id, { bucket, reversibleMicro: BigInt(reversibleMicro) });

const carryRefund = (refunded: Wallet['refunded'], purpose: Purpose): Wallet['refunded'] =>
  refunded.with(keyOf(purpose), purpose);

export const evolve = (state: Wallet, event: WalletEvent, at: string): Wallet => {
  switch (event.type) {
    case 'WalletOpened':
      return { ...state, ...event.data, status: 'open', month: at.slice(0, 7) };
    case 'FundsCredited':
      return credit(state, event.data);
    case 'FundsChargedBack':
      return chargeBack(state, event.data);
    case 'FundsReserved':
      return reserve(state, event.data, at);
    case 'FundsReleased':
      return giveBack(state, event.data.purpose, amountsIn(event.data), event.data);
    case 'FundsRefunded': {
      const { purpose } = event.data;
      const refunded = state.refunded.with(keyOf(purpose), purpose);
      return { ...giveBack(state, purpose, amountsIn(event.data)), refunded };
    }
    case 'FundsCaptured': {
      const reservation = reservationOf(state, event.data.purpose);
      return reservation
        ? withReservation(state, { ...reservation, state: 'captured', since: at })
        : state;
    }
    case 'LetterCounted': {
      const { purpose, attemptId, counts } = event.data;
      return count(state, purpose, attemptId, counts);
    }
    case 'PolicySet':
      return { ...state, guards: withPolicy(state.guards, event.data, event.personal?.emails) };
    case 'PolicyRemoved': {
      const { subject, version } = event.data;
      return { ...state, guards: withoutPolicy(state.guards, subject, version) };
    }
    case 'PolicyChangeRequested':
    case 'PolicyChangeApproved':
    case 'PolicyChangeRejected':
    case 'PolicyChangeCarriedForward':
      return { ...state, guards: followChange(state.guards, event, at) };
    case 'AlertRaised':
      return raiseAlert(state, event.data);
    case 'BudgetThresholdReached': {
      const { counter, since, percent } = event.data;
      return { ...state, guards: withAlert(state.guards, counter, { since, percent }) };
    }
    case 'SpendingFrozen':
      return { ...state, guards: withFrozen(state.guards, event.data.subject, at) };
    case 'SpendingUnfrozen':
      return { ...state, guards: withoutFrozen(state.guards, event.data.subject) };
    case 'WalletRanLow':
    case 'HoldLifted':
      return state;
    case 'WalletPeriodClosed':
      return { ...state, status: 'closed', closed: { nextPeriod: event.data.nextPeriod, at } };
    case 'WalletPeriodOpened': {
      const { availableCryptoMicro, availableFiatMicro, ...data } = event.data;
      const available = { crypto: BigInt(availableCryptoMicro), fiat: BigInt(availableFiatMicro) };
      return { ...state, ...data, status: 'open', month: at.slice(0, 7), available };
    }
    case 'ReservationsCarriedForward':
      return event.data.reservations.reduce(carryReservation, state);
    case 'PoliciesCarriedForward':
      return { ...state, guards: carryPolicy(state.guards, event) };
    case 'FreezesCarriedForward':
      return { ...state, guards: event.data.frozen.reduce(carryFreeze, state.guards) };
    case 'CreditsCarriedForward':
      return { ...state, receipts: event.data.receipts.reduce(carryReceipt, state.receipts) };
    case 'RefundsCarriedForward':
      return { ...state, refunded: event.data.purposes.reduce(carryRefund, state.refunded) };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

type Carried = Extract<
  WalletEvent,
  { type: 'ReservationsCarriedForward' }
>['data']['reservations'][number];

const joined = <T>(
  before: readonly T[] | undefined,
  more: readonly T[] | undefined,
): readonly T[] | undefined => (before && more ? [...before, ...more] : (before ?? more));

/** A reservation that is too large for an event comes in pieces: each has the amounts and a part of the lists. */
const carryReservation = (state: Wallet, carried: Carried): Wallet => {
  const { cryptoMicro, fiatMicro, ...rest } = carried;
  const known = reservationOf(state, carried.purpose);
  const lists = known && {
    attempts: [...known.attempts, ...rest.attempts],
    counts: joined(known.counts, rest.counts),
    alerted: joined(known.alerted, rest.alerted),
  };
  return withReservation(state, { ...rest, ...amountsIn({ cryptoMicro, fiatMicro }), ...lists });
};

type ChangeEvent = Extract<WalletEvent, { type: `PolicyChange${string}` }>;

const followChange = (guards: Guards, event: ChangeEvent, at: string): Guards => {
  switch (event.type) {
    case 'PolicyChangeRequested':
      return withRequest(guards, requestedChange(event.data, event.personal?.emails), at);
    case 'PolicyChangeCarriedForward':
      return withChange(
        { ...guards, askedAt: event.data.askedAt ?? guards.askedAt },
        carriedChange(event),
      );
    case 'PolicyChangeApproved': {
      const { approver, credential } = event.data;
      return updateChange(guards, event.data, (change) => ({
        ...change,
        given: [...change.given, { approver, credential }],
      }));
    }
    case 'PolicyChangeRejected': {
      const reason = event.personal?.reason;
      return updateChange(guards, event.data, (change) => ({
        ...change,
        isRejected: true,
        reason,
      }));
    }
  }
};

type CarriedPolicy = Extract<WalletEvent, { type: 'PoliciesCarriedForward' }>;

const carryPolicy = (guards: Guards, { data, personal }: CarriedPolicy): Guards => {
  const { changes, policy, used, seen = [] } = data;
  if (!policy) return withUsed({ ...guards, changes }, used);
  const carried = withUsed(withPolicy(guards, policy, personal?.emails), used);
  return { ...withSeen(carried, policy.subject, seen), changes };
};
