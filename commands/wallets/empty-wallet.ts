/** Takes the rest out of the wallet of a closed account: forfeited, or paid out by the operator. */
import { closureReceipts, type WalletEvent } from '../../events/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import { chargeBackFunds } from './credits.ts';
import { spendable } from './reserve-funds.ts';
import type { Wallet } from './state.ts';

type EmptyWallet = {
  type: 'EmptyWallet';
  /** UUID of the closure. */
  closureId: string;
  /** Shown in statements and books. Absent: nothing can be sealed for the account any more. */
  reason?: string | undefined;
};

const smaller = (a: MicroUsd, b: MicroUsd): MicroUsd => (a < b ? a : b);

/**
 * Charges credits back, the last one first, until nothing is available. Money without a credit stays: an
 * earlier version of the wallet did not keep the amounts of its credits.
 */
export const emptyWallet = (state: Wallet, command: EmptyWallet): WalletEvent[] => {
  const { closureId, reason } = command;
  const left: Record<Bucket, MicroUsd> = spendable(state.available);
  return [...state.receipts].toReversed().flatMap(([creditId, { bucket, reversibleMicro }]) => {
    const amountMicro = smaller(left[bucket], reversibleMicro);
    if (amountMicro <= 0n) return [];
    left[bucket] -= amountMicro;
    // The number of receipts grows, so each withdrawal gets a receipt of its own.
    const turn = `${creditId}\n${state.receipts.size}`;
    const id = `${closureReceipts}${uuidv5(closureId, turn)}`;
    const receipt = { method: 'operator' as const, id };
    const taken = { type: 'ChargeBackFunds' as const, receipt, creditId, amountMicro };
    const events = chargeBackFunds(state, taken);
    return reason === undefined
      ? events
      : events.map((event) => ({ ...event, personal: { reference: reason } }) as WalletEvent);
  });
};
