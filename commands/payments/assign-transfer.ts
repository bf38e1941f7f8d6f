/** A transfer that the service did not take, and of which an operator says whose it is. */
import { receiptIdOf } from '../../events/payment.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { creditFunds } from '../wallets/credits.ts';
import { openWallet, walletAggregate } from '../wallets/wallet.ts';
import { claimFor, type Received } from './received.ts';

/** `owner`: the account that has the transfer. Undefined: it is of a payment, which credits it by itself. */
type Assigned = { owner: string | undefined; credited: boolean };

/**
 * Credits the transfer to the account unless another account or a payment has it. The stream of the transfer says whose
 * it is, so whatever else finds it credits the same wallet under the same receipt, once. Safe to repeat.
 */
export const assignTransfer = async (
  handler: CommandHandler,
  { accountId, received }: { accountId: string; received: Received },
  context: () => CommandContext,
): Promise<Assigned> => {
  const claimed = await claimFor(handler, received, accountId, context());
  if ('paymentId' in claimed) return { owner: undefined, credited: false };
  if (claimed.accountId !== accountId) return { owner: claimed.accountId, credited: false };
  const { transfer } = received;
  const { events } = await handler.handle(walletAggregate, accountId, context(), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'usdc_transfer', id: receiptIdOf(transfer) },
      bucket: 'crypto',
      amountMicro: BigInt(transfer.amountMicro),
    }),
  ]);
  return { owner: accountId, credited: events.length > 0 };
};
