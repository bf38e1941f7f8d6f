import type { Held } from '../../events/policy.ts';
import {
  amountsIn,
  commissionIn,
  type Purpose,
  type WalletEvent,
  walletStream,
} from '../../events/wallet.ts';
import { subtract } from '../../money/buckets.ts';
import type { Charge } from '../../money/charge.ts';
import type { Aggregate } from '../handling/aggregate.ts';
import { closeBooks, isOpen, nextLook, successor } from './books.ts';
import { evolve, initialState, reservationOf, type Wallet } from './state.ts';

/** The charge of an attempt, and the approvals that its letter waits for. */
export type Paid = { charge: Charge; held: Held | undefined };

export const paidByAttempt = (
  state: Wallet,
  purpose: Purpose,
  attemptId: string,
): Paid | undefined => {
  const attempts = reservationOf(state, purpose)?.attempts;
  const attempt = attempts?.find((one) => one.attemptId === attemptId);
  if (!attempt) return undefined;
  const commission = commissionIn(attempt);
  const charge = { subtotal: subtract(amountsIn(attempt), commission), commission };
  return { charge, held: attempt.held };
};

export const chargeOfAttempt = (...attempt: Parameters<typeof paidByAttempt>): Charge | undefined =>
  paidByAttempt(...attempt)?.charge;

type OpenWallet = { type: 'OpenWallet'; accountId: string; test: boolean };

/** Opens the wallet once. */
export const openWallet = (state: Wallet, { accountId, test }: OpenWallet): WalletEvent[] =>
  state.status === 'none'
    ? [{ type: 'WalletOpened', data: { accountId, test, remembersRefunds: true } }]
    : [];

export const walletAggregate: Aggregate<Wallet, WalletEvent> = {
  stream: walletStream,
  initialState,
  evolve,
  books: { close: closeBooks, nextLook, successor, isOpen },
  // Estimates: a receipt or a refund with its key; a policy, and a change of one that waits; what was used of a limit.
  cachedBytes: ({
    reservations,
    receipts,
    refunded,
    guards: { policies, usage, frozen, changesAsked },
  }) =>
    500 +
    reservations.bytes +
    160 * (receipts.size + refunded.size) +
    6_000 * (policies.size + changesAsked.size) +
    600 * usage.size +
    300 * frozen.size,
};
