/** How a wallet closes one stream and continues in the next. */

import {
  type CarriedReservation,
  type PaymentAttempt,
  type Purpose,
  toAmounts,
  type WalletEvent,
} from '../../events/wallet.ts';
import { dayMs } from '../../ground/day.ts';
import type { Reservation } from './reservations.ts';
import type { Wallet } from './state.ts';

const eventsPerPeriod = 10_000n;
const eventsPerMonthlyPeriod = 1_000n;
/**
 * A letter fails or is recalled within days. Older charges are not carried: if such a letter is refunded anyway,
 * its own stream has the amount. Shortfalls are few and are always carried.
 */
const daysCarried = 60;

/**
 * Bytes of the JSON of what one event carries. Leaves half of an event for its metadata and its sealed part, and for an
 * item that is larger by itself: an attempt that waits for approvals of 50 policies has 110,000 bytes.
 */
const partBytes = 128 * 1024;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Splits items into parts that fit into an event: at most `most` items and `partBytes`, or one larger item. */
const partsOf = <T>(items: readonly T[], most: number): T[][] => {
  const parts: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const part = parts.at(-1);
    const own = bytesOf(item) + 1;
    bytes += own;
    if (part && part.length < most && bytes <= partBytes) part.push(item);
    else {
      parts.push([item]);
      bytes = own;
    }
  }
  return parts;
};

/** The reservations that continue in the next period, when one ends at `at`. */
const isCarried = (at: string): ((reservation: Reservation) => boolean) => {
  const oldest = new Date(Date.parse(at) - daysCarried * dayMs).toISOString();
  return ({ state, since, purpose }) =>
    state === 'held' || since >= oldest || purpose.kind === 'volume-contract';
};

/** A receipt or refund takes about a quarter of the room of a reservation. */
const smallPerReservation = 4;

/**
 * Whether what would be carried forward is more than `limit` reservations, or as large. Counts no
 * further than that.
 */
const carriesMoreThan = (state: Wallet, at: string, limit: bigint): boolean => {
  const small = state.receipts.size + state.refunded.size;
  let count = BigInt(Math.floor(small / smallPerReservation));
  if (count > limit) return true;
  const carried = isCarried(at);
  for (const reservation of state.reservations.values()) {
    if (carried(reservation) && ++count > limit) return true;
  }
  return false;
};

/** How many events a period has at least, when it ends at `at`. */
const leastEventsAt = (state: Wallet, at: string): bigint =>
  at.slice(0, 7) === state.month ? eventsPerPeriod : eventsPerMonthlyPeriod;

/**
 * Closes the books at 10,000 events, or at 1,000 once the month is over; later while what has to be
 * carried forward makes up more than a quarter of the events, so that what is carried stays a
 * fraction of what was written.
 */
const booksAreDue = (state: Wallet, eventCount: bigint, at: string): boolean =>
  state.status === 'open' &&
  eventCount >= leastEventsAt(state, at) &&
  !carriesMoreThan(state, at, eventCount / 4n);

/**
 * The check takes longer the more must be carried forward. So a period that has enough events is looked at again when it has
 * grown by a sixteenth.
 */
export const nextLook = (state: Wallet, eventCount: bigint, at: string): bigint =>
  eventCount < leastEventsAt(state, at) ? eventCount : eventCount + eventCount / 16n;

export const closeBooks = (
  state: Wallet,
  period: number,
  eventCount: bigint,
  at: string,
): WalletEvent[] =>
  booksAreDue(state, eventCount, at)
    ? [{ type: 'WalletPeriodClosed', data: { nextPeriod: period + 1 } }]
    : [];

/** Attempts of one reservation that are carried: older ones were decided long ago. */
const attemptsCarried = 200;

/** Counts of these attempts against limits that are carried with a reservation. */
const countsCarried = 500;

/** A reservation that uses a commitment names it as long as there is money. */
const attemptsToCarry = ({ attempts }: Reservation): PaymentAttempt[] =>
  attempts.filter(
    ({ commitmentId }, index) =>
      index >= attempts.length - attemptsCarried || commitmentId !== undefined,
  );

const carriedReservations = (state: Wallet, at: string): CarriedReservation[] =>
  [...state.reservations.values()].filter(isCarried(at)).map((reservation) => ({
    purpose: reservation.purpose,
    attempts: attemptsToCarry(reservation),
    state: reservation.state,
    since: reservation.since,
    ...toAmounts(reservation),
    ...(reservation.counts ? { counts: reservation.counts.slice(-countsCarried) } : {}),
    ...(reservation.alerted ? { alerted: [...reservation.alerted] } : {}),
  }));

/** As many attempts, counts or alerts of a reservation as an event takes. */
const mostInList = 1_000;

/** A reservation that is too large for one event continues in the next ones: the fold joins its lists. */
const piecesOf = (reservation: CarriedReservation): CarriedReservation[] => {
  const { attempts, counts = [], alerted = [], ...rest } = reservation;
  if (attempts.length <= mostInList && bytesOf(reservation) <= partBytes) return [reservation];
  return [
    ...partsOf(attempts, mostInList).map((part) => ({ ...rest, attempts: part })),
    ...partsOf(counts, mostInList).map((part) => ({ ...rest, attempts: [], counts: part })),
    ...partsOf(alerted, mostInList).map((part) => ({ ...rest, attempts: [], alerted: part })),
  ];
};

const carryReservations = (state: Wallet, at: string): WalletEvent[] =>
  partsOf(carriedReservations(state, at).flatMap(piecesOf), 500).map((reservations) => ({
    type: 'ReservationsCarriedForward',
    data: { reservations },
  }));

const carryReceipts = (state: Wallet): WalletEvent[] => {
  const receipts = [...state.receipts].map(([id, { bucket, reversibleMicro }]) => ({
    id,
    bucket,
    reversibleMicro: Number(reversibleMicro),
  }));
  return partsOf(receipts, 1_000).map((part) => ({
    type: 'CreditsCarriedForward',
    data: { receipts: part },
  }));
};

/** Each policy with what was used of its limits; how often they changed, also where there is none left. */
const carryPolicies = ({ guards }: Wallet): WalletEvent[] => {
  const { changes, policies, emails, usage, seen } = guards;
  if (changes === 0) return [];
  const type = 'PoliciesCarriedForward';
  if (policies.size === 0) return [{ type, data: { changes, used: [] } }];
  return [...policies.values()].flatMap((policy): WalletEvent[] => {
    const used = policy.rules.flatMap(({ counter = 0 }) => {
      const { slots, alerted } = usage.get(counter) ?? { slots: [] };
      if (slots.length === 0) return [];
      return [{ counter, slots: [...slots], ...(alerted ? { alerted } : {}) }];
    });
    const known = emails.get(policy.subject);
    const personal = known ? { personal: { emails: known } } : {};
    const countries = seen.get(policy.subject);
    const data = { changes, policy, used, ...(countries ? { seen: [...countries] } : {}) };
    if (used.length === 0 || bytesOf(data) <= partBytes) return [{ type, data, ...personal }];
    return [
      { type, data: { ...data, used: [] }, ...personal },
      { type, data: { changes, used } },
    ];
  });
};

/** The latest change of each policy, also a decided one, until its time to be decided is over. */
const carryChanges = ({ guards }: Wallet, at: string): WalletEvent[] =>
  [...guards.changesAsked.values()].flatMap((asked): WalletEvent[] => {
    const { emails, given, askedBefore, isRejected, isSuperseded, reason, ...change } = asked;
    if (at >= asked.expiresAt) return [];
    const data = {
      change,
      given: [...given],
      askedBefore,
      ...(isRejected ? { isRejected } : {}),
      ...(isSuperseded ? { isSuperseded } : {}),
      askedAt: [...guards.askedAt],
    };
    const personal = {
      ...(emails ? { emails } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
    const isPersonal = Object.keys(personal).length > 0;
    return [{ type: 'PolicyChangeCarriedForward', data, ...(isPersonal ? { personal } : {}) }];
  });

const carryFreezes = ({ guards }: Wallet): WalletEvent[] => {
  const frozen = [...guards.frozen].map(([subject, since]) => ({ subject, since }));
  return frozen.length === 0 ? [] : [{ type: 'FreezesCarriedForward', data: { frozen } }];
};

const carryRefunds = (state: Wallet): WalletEvent[] => {
  const refunded: Purpose[] = [...state.refunded.values()];
  return partsOf(refunded, 2_000).map((purposes) => ({
    type: 'RefundsCarriedForward',
    data: { purposes },
  }));
};

/**
 * The opening of the next period: policies and their usage, changes of policies, freezes, open reservations,
 * used receipts, and purposes already refunded; last the event that opens it, with the balances. Earlier versions wrote
 * that event first, and the opening in one append.
 */
export const successor = (
  state: Wallet,
): { period: number; opening: WalletEvent[] } | undefined => {
  if (!state.closed) return undefined;
  const { nextPeriod: period, at } = state.closed;
  const { accountId, test, available, remembersRefunds } = state;
  const opened: WalletEvent = {
    type: 'WalletPeriodOpened',
    data: {
      accountId,
      test,
      period,
      remembersRefunds,
      availableCryptoMicro: Number(available.crypto),
      availableFiatMicro: Number(available.fiat),
    },
  };
  return {
    period,
    opening: [
      ...carryPolicies(state),
      ...carryChanges(state, at),
      ...carryFreezes(state),
      ...carryReservations(state, at),
      ...carryReceipts(state),
      ...carryRefunds(state),
      opened,
    ],
  };
};

export const isOpen = ({ status }: Wallet): boolean => status === 'open';
