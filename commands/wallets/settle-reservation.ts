import {
  amountsIn,
  mostAttempts,
  type Purpose,
  toAmounts,
  type WalletEvent,
} from '../../events/wallet.ts';
import { type Amounts, add, covers, equal, nothing, subtract, sum } from '../../money/buckets.ts';
import { amountsOf, type Charge } from '../../money/charge.ts';
import type { Reservation } from './reservations.ts';
import { keyOf, reservationOf, staysKnown, type Wallet } from './state.ts';

/**
 * The target that the stream of the purpose sets for its reservation. `knownAttempts` are the payment
 * attempts that it rests on or has forbidden. `over`: the target is nothing, and no attempt can succeed any
 * more; `spent` is the charge if production had started, so that it may have been spent. `accepted` are the attempts
 * that the letter was accepted with, whatever came of it then: the others no longer count for limits once they are
 * known. Absent: all stay.
 */
export type ReservationTarget = { accepted?: string[] } & (
  | { state: 'over'; spent?: Charge | undefined }
  | { state: 'held' | 'captured'; charge: Charge; knownAttempts: string[] }
);

type SettleReservation = {
  type: 'SettleReservation';
  purpose: Purpose;
  target: ReservationTarget;
};

type Settling = 'FundsReleased' | 'FundsRefunded';

export const settling = (type: Settling, purpose: Purpose, amounts: Amounts): WalletEvent => ({
  type,
  data: { purpose, ...toAmounts(amounts) },
});

/** The wallet and the stream of the purpose disagree, or the stream was read before it changed. */
export class LessHeld extends Error {
  constructor({ kind, id }: Purpose) {
    super(`less is held for ${kind} ${id} than it costs`);
    this.name = 'LessHeld';
  }
}

/** @throws LessHeld if less is held than is needed */
const surplusOver = (reservation: Reservation, needed: Amounts): Amounts => {
  if (!covers(reservation, needed)) throw new LessHeld(reservation.purpose);
  return subtract(reservation, needed);
};

/** Attempts that failed, and those that can still succeed. */
type Attempts = { undone: string[]; undecided: string[] };

const listed = <K extends string>(name: K, attempts: string[]): { [name in K]?: string[] } =>
  attempts.length === 0 ? {} : ({ [name]: attempts.slice(0, mostAttempts) } as Record<K, string[]>);

/** The attempts with which the letter was to wait for approval, then those that count for limits. */
const followed = ({ counts = [], attempts }: Reservation): string[] => {
  const held = attempts.filter((attempt) => attempt.held).map(({ attemptId }) => attemptId);
  const counted = new Set(counts.map(({ attemptId }) => attemptId));
  return [...held.filter((attemptId) => !counted.has(attemptId)), ...counted];
};

/** Gives money back, and with it what attempts that failed count for limits. Names them if any attempt is followed. */
const release = (
  reservation: Reservation,
  surplus: Amounts,
  { undone, undecided }: Attempts,
): WalletEvent[] => {
  if (sum(surplus) === 0n && undone.length === 0) return [];
  const attempts =
    followed(reservation).length > 0
      ? { ...listed('undone', undone), ...listed('undecided', undecided) }
      : {};
  const { purpose } = reservation;
  return [{ type: 'FundsReleased', data: { purpose, ...toAmounts(surplus), ...attempts } }];
};

/**
 * The followed attempts whose money is in `freed`, the latest that count first. An earlier version gave the money of
 * attempts back without their counts: no money is there for those, and their counts stay.
 */
const undoneIn = (
  reservation: Reservation,
  isUndone: (attemptId: string) => boolean,
  freed: Amounts,
): string[] => {
  let left = sum(freed);
  const undone = followed(reservation).filter(isUndone);
  return undone.toReversed().filter((attemptId) => {
    const attempt = reservation.attempts.find((one) => one.attemptId === attemptId);
    const money = attempt ? sum(amountsIn(attempt)) : 0n;
    if (money > left) return false;
    left -= money;
    return true;
  });
};

const capture = (purpose: Purpose, charge: Charge): WalletEvent => ({
  type: 'FundsCaptured',
  data: {
    purpose,
    ...toAmounts(amountsOf(charge)),
    commissionCryptoMicro: Number(charge.commission.crypto),
    commissionFiatMicro: Number(charge.commission.fiat),
  },
});

/**
 * Refunds everything. Charges that are older than the books remember are refunded as the stream of their purpose
 * says, unless they were refunded before. Money from the start of production is spent first, so that the refund
 * is remembered. Money that an attempt held after the refund is only released: it is not the charge.
 */
const giveAllBack = (
  state: Wallet,
  purpose: Purpose,
  { spent, accepted }: Extract<ReservationTarget, { state: 'over' }>,
): WalletEvent[] => {
  const reservation = reservationOf(state, purpose);
  if (!reservation) {
    const forgotten =
      state.period > 0 && state.remembersRefunds && !state.refunded.has(keyOf(purpose));
    return spent && forgotten ? [settling('FundsRefunded', purpose, amountsOf(spent))] : [];
  }
  if (staysKnown(reservation) && equal(reservation, nothing)) return [];
  const isUndone = (attemptId: string) => accepted?.includes(attemptId) === false;
  const ended = { undone: undoneIn(reservation, isUndone, reservation), undecided: [] };
  if (reservation.state === 'captured') {
    return [
      ...release(reservation, nothing, ended),
      settling('FundsRefunded', purpose, reservation),
    ];
  }
  if (!spent || state.refunded.has(keyOf(purpose))) return release(reservation, reservation, ended);
  return [
    ...release(reservation, surplusOver(reservation, amountsOf(spent)), ended),
    capture(purpose, spent),
    settling('FundsRefunded', purpose, amountsOf(spent)),
  ];
};

/**
 * Makes the wallet follow the letter, or another purpose of the reservation: captures, releases or refunds
 * the difference. A missing reservation counts as settled, so nothing is given back twice. Money held by an
 * attempt that the letter does not know yet stays held, and nothing is captured meanwhile: the attempt is
 * finished or forbidden first.
 * @throws LessHeld if less is held than the purpose costs
 */
export const settleReservation = (state: Wallet, command: SettleReservation): WalletEvent[] => {
  const { purpose, target } = command;
  if (target.state === 'over') return giveAllBack(state, purpose, target);
  const reservation = reservationOf(state, purpose);
  if (!reservation) return [];
  const { accepted } = target;
  const known = new Set(target.knownAttempts);
  const isUndone = (attemptId: string) =>
    known.has(attemptId) && accepted?.includes(attemptId) === false;
  if (reservation.state === 'captured') {
    const undone = undoneIn(reservation, isUndone, nothing);
    return release(reservation, nothing, { undone, undecided: [] });
  }
  const unpaid = reservation.attempts.filter(({ attemptId }) => !known.has(attemptId));
  const needed = unpaid.map(amountsIn).reduce(add, amountsOf(target.charge));
  const surplus = surplusOver(reservation, needed);
  const open = [...unpaid, ...(reservation.counts ?? [])].map(({ attemptId }) => attemptId);
  const released = release(reservation, surplus, {
    undone: undoneIn(reservation, isUndone, surplus),
    undecided: [...new Set(open.filter((attemptId) => !known.has(attemptId)))],
  });
  return target.state === 'held' || unpaid.length > 0
    ? released
    : [...released, capture(purpose, target.charge)];
};
