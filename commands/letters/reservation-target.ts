import { chargeOfCents, noCharge } from '../../money/charge.ts';
import type { ReservationTarget } from '../wallets/settle-reservation.ts';
import { attemptsOf, type ExistingLetter, type Known, type Letter } from './letter.ts';

/**
 * The payments that the letter was accepted with. An approval that was not given counts as a refused send, unless
 * the letter was cancelled while it waited.
 */
const acceptedIn = (state: Known): string[] => [
  ...attemptsOf(state),
  ...(state.cancelledAttempt === undefined ? [] : [state.cancelledAttempt]),
];

/** A draft costs nothing, unless it waits for approval: then it holds its price. */
const draftTarget = (state: ExistingLetter): ReservationTarget => {
  const waits = state.approval?.status === 'pending';
  return {
    state: 'held',
    charge: waits ? chargeOfCents(state.terms.price.charge) : noCharge,
    knownAttempts: [...attemptsOf(state), ...state.abandoned],
    accepted: acceptedIn(state),
  };
};

/** The reservation that the wallet should hold for this letter, or have captured. */
export const reservationTarget = (state: Letter): ReservationTarget => {
  switch (state.status) {
    case 'none':
      return { state: 'held', charge: noCharge, knownAttempts: state.abandoned, accepted: [] };
    case 'draft':
      return state.erased ? { state: 'over', accepted: acceptedIn(state) } : draftTarget(state);
    case 'cancelled':
    case 'failed': {
      const produced = state.partner !== undefined;
      return {
        state: 'over',
        spent: produced ? chargeOfCents(state.terms.price.charge) : undefined,
        accepted: acceptedIn(state),
      };
    }
    case 'queued':
    case 'processing':
    case 'posted':
    case 'in_transit':
    case 'delivered':
      return {
        state: state.status === 'queued' ? 'held' : 'captured',
        charge: chargeOfCents(state.terms.price.charge),
        knownAttempts: [...state.attempts, ...state.abandoned],
        accepted: acceptedIn(state),
      };
    default: {
      const unknown: never = state;
      return unknown;
    }
  }
};
