/** A transfer that the service did not take, and of which an operator says whose it is. */
import { type ChainTransfer, receiptIdOf } from '../../events/payment.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { creditFunds, openWallet, walletAggregate } from '../wallets/wallet.ts';
import { claimTransfer, transferAggregate } from './payment.ts';

/**
 * Credits the transfer to the account unless another account has it. The stream of the transfer says whose it is, so
 * whatever else finds it credits the same wallet under the same receipt, once. Safe to repeat.
 */
export const assignTransfer = async (
  handler: CommandHandler,
  { accountId, transfer }: { accountId: string; transfer: ChainTransfer },
  context: () => CommandContext,
): Promise<{ owner: string | undefined; credited: boolean }> => {
  const id = receiptIdOf(transfer);
  const { state } = await handler.handle(transferAggregate, id, context(), (one) =>
    claimTransfer(one, accountId, transfer),
  );
  const owner = state.accountId;
  if (owner !== accountId || state.paymentId !== undefined) return { owner, credited: false };
  const { events } = await handler.handle(walletAggregate, accountId, context(), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'usdc_transfer', id },
      bucket: 'crypto',
      amountMicro: BigInt(transfer.amountMicro),
    }),
  ]);
  return { owner, credited: events.length > 0 };
};
