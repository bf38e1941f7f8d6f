import { amountsIn, type CarriedReservation, type WalletEvent } from '../../events/wallet.ts';
import { covers, equal, nothing, subtract } from '../../money/buckets.ts';
import { amountsOf, reduceCharge } from '../../money/charge.ts';
import { type ReserveFunds, reserveFunds } from './reserve-funds.ts';
import { settling } from './settle-reservation.ts';
import { evolve, keyOf, reservationOf, type Wallet } from './state.ts';
import { chargeOfAttempt } from './wallet.ts';

export type ChargeAgreed = Pick<
  ReserveFunds,
  'purpose' | 'attemptId' | 'subtotalMicro' | 'lowMicro'
> & { type: 'ChargeAgreed' };

/**
 * Takes the amount that was agreed to before, once per attempt, even if the wallet falls below zero. An amount that was
 * given back since is not taken again.
 */
export const chargeAgreed = (state: Wallet, command: ChargeAgreed): WalletEvent[] => {
  if (state.refunded.has(keyOf(command.purpose))) return [];
  return reserveFunds(state, { ...command, type: 'ReserveFunds' }).flatMap(
    (event): WalletEvent[] => {
      if (event.type !== 'FundsReserved') return [event];
      const { attemptId: _, commitmentId: __, counts: ___, held: ____, ...spent } = event.data;
      return [event, { type: 'FundsCaptured', data: spent }];
    },
  );
};

export type ReduceAgreed = Pick<ReserveFunds, 'purpose' | 'attemptId' | 'subtotalMicro'> & {
  type: 'ReduceAgreed';
  /** The part of the charge that closed periods did not carry; absent: nothing was forgotten. */
  forgotten?: CarriedReservation | undefined;
};

/** Takes up what the books forgot in the present period, as if it had been carried. */
const takeUp = (state: Wallet, forgotten: CarriedReservation | undefined): WalletEvent[] => {
  if (!forgotten || reservationOf(state, forgotten.purpose)) return [];
  if (equal(amountsIn(forgotten), nothing)) return [];
  return [{ type: 'ReservationsCarriedForward', data: { reservations: [forgotten] } }];
};

/**
 * Gives back what was taken by `chargeAgreed` beyond a charge on `subtotalMicro`, to the buckets that paid it. Once:
 * what was given back is not spent any more. A higher subtotal than that of the reduction before changes nothing.
 * @throws Error if nothing was taken for the purpose
 */
export const reduceAgreed = (before: Wallet, command: ReduceAgreed): WalletEvent[] => {
  const { purpose, attemptId, subtotalMicro, forgotten } = command;
  const takenUp = takeUp(before, forgotten);
  const state = takenUp.reduce((wallet, event) => evolve(wallet, event, ''), before);
  const reservation = reservationOf(state, purpose);
  const charge = chargeOfAttempt(state, purpose, attemptId);
  if (!reservation || !charge) {
    if (state.refunded.has(keyOf(purpose))) return [];
    throw new Error(`the wallet of ${state.accountId} knows of no charge for ${purpose.id}`);
  }
  const needed = amountsOf(reduceCharge(charge, subtotalMicro));
  if (!covers(reservation, needed) || equal(reservation, needed)) return [];
  return [...takenUp, settling('FundsRefunded', purpose, subtract(reservation, needed))];
};
