/** Freezing and unfreezing: decided by the wallet, so that nothing is paid after the answer. */
import { AppError } from '../../contract/errors.ts';
import { closureSubject, frozenError } from '../../contract/frozen.ts';
import { accountSubject, mostFrozen } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { Wallet } from '../wallets/state.ts';

/** The subjects of the caller: its credential and all that this comes from. The operator has none. */
export type Freezer = { subjects: readonly string[] };

type Freeze = { type: 'Freeze'; subject: string; maker: Freezer };

/** A frozen credential freezes and unfreezes nothing. @throws AppError frozen */
const assertMayAct = ({ guards: { frozen } }: Wallet, { subjects }: Freezer): void => {
  const own = subjects.find((subject) => frozen.has(subject));
  if (own !== undefined) throw frozenError(own);
};

/** @throws AppError frozen, freeze_limit_reached */
export const freeze = (state: Wallet, { subject, maker }: Freeze): WalletEvent[] => {
  const { frozen } = state.guards;
  if (frozen.has(subject)) return [];
  assertMayAct(state, maker);
  const isWhole = subject === accountSubject || subject === closureSubject;
  if (frozen.size >= mostFrozen && !isWhole) {
    throw new AppError(
      'freeze_limit_reached',
      `${mostFrozen} keys and UCANs of the account are frozen already. Revoke this one, or freeze the account.`,
    );
  }
  return [{ type: 'SpendingFrozen', data: { subject } }];
};

type Unfreeze = { type: 'Unfreeze'; subject: string; maker: Freezer };

/**
 * A frozen account is unfrozen by a key of it that is not frozen itself. A key with a policy lifts nothing, as it
 * raises no limits.
 * @throws AppError frozen, policy_protected
 */
export const unfreeze = (state: Wallet, { subject, maker }: Unfreeze): WalletEvent[] => {
  const { frozen, policies } = state.guards;
  assertMayAct(state, maker);
  if (maker.subjects.some((one) => policies.has(one))) {
    throw new AppError(
      'policy_protected',
      'A key that has a policy can freeze, but not unfreeze. Use a key with scope full that has no policy.',
    );
  }
  return frozen.has(subject) ? [{ type: 'SpendingUnfrozen', data: { subject } }] : [];
};
