/** Reasons why an account cannot be erased yet. */
import type { BlockerCode } from '../../contract/closure-blockers.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import type { Wallet } from '../wallets/state.ts';

export type Blocker = {
  code: BlockerCode;
  detail: string;
  count?: number;
  amountMicro?: MicroUsd;
};

/** Open matters of an account, counted by read models. */
export type OpenMatters = {
  letters: number;
  approvals: number;
  payments: number;
  disputes: number;
  contracts: number;
};

const counted = (code: Blocker['code'], count: number, detail: string): Blocker[] =>
  count === 0 ? [] : [{ code, count, detail }];

const moneyIn = ({ available, test }: Wallet, forfeitsBalance: boolean): Blocker[] => {
  const amountMicro = sum(available);
  // Test money belongs to nobody.
  if (test || amountMicro === 0n) return [];
  if (amountMicro < 0n) {
    const detail = `The wallet is ${dollars(-amountMicro)} below zero. Take the closure back to top it up, or pay the operator.`;
    return [{ code: 'balance_owed', amountMicro, detail }];
  }
  if (forfeitsBalance) return [];
  const detail = `${dollars(amountMicro)} is left in the wallet. Ask the operator to pay it out, give it up with forfeit_balance, or take the closure back to spend it.`;
  return [{ code: 'balance_left', amountMicro, detail }];
};

export const blockersOf = (
  open: OpenMatters,
  wallet: Wallet,
  { forfeitsBalance }: { forfeitsBalance: boolean },
): Blocker[] => {
  const held = [...wallet.reservations.values()].filter(({ state }) => state === 'held');
  return [
    ...counted(
      'letters_under_way',
      Math.max(open.letters, held.length - open.approvals),
      'Letters are queued, in production, or not settled yet. Cancel them, or wait until they are posted.',
    ),
    ...counted(
      'approvals_pending',
      open.approvals,
      'Letters wait for approval. Cancel them, or wait until their approvals expire: nobody decides about letters of an account that is closing.',
    ),
    ...counted(
      'payments_pending',
      open.payments,
      'Top-ups, orders or payments are not completed. Pay them, or wait until they expire.',
    ),
    ...counted(
      'dispute_open',
      open.disputes,
      'A card payment is disputed, and may still be decided. The erasure waits up to 120 days for it.',
    ),
    ...counted(
      'contract_active',
      open.contracts,
      'Discounts of a volume contract may still be billed. The erasure waits until their period is settled and billed.',
    ),
    ...moneyIn(wallet, forfeitsBalance),
  ];
};
