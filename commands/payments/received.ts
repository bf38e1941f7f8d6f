/** USDC that reached our address by a transfer: finds its owner, and credits it once. */
import { randomUUID } from 'node:crypto';
import { type ChainTransfer, paymentIdOf, receiptIdOf } from '../../events/payment.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { creditFunds, walletAggregate } from '../wallets/wallet.ts';
import type { Intake } from './intake.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import { claimTransfer, paymentAggregate, transferAggregate } from './payment.ts';
import type { TopUps } from './top-ups.ts';

/** A transfer as the chain has it. `nonce`: of the authorization that made it, where one did. */
export type Received = { transfer: ChainTransfer; payer: string; nonce: string | undefined };

/**
 * The top-up that a transfer of just this amount from this payer is for: it was announced the amount, names no wallet
 * that it comes from or names this one, is not paid, and its time ended less than a week ago.
 */
type ByAmount = (
  amountMicro: number,
  payerId: string,
) => Promise<{ topUpId: string; accountId: string } | undefined>;

/**
 * Takes a transfer, once, however often it is shown: a payment that was presented here is finished as
 * that; an amount that was announced to a top-up pays it; anything else is its sender's.
 */
export const createTakeReceived = (ports: {
  handler: CommandHandler;
  intake: Pick<Intake, 'finish'>;
  payers: PayerAccounts;
  topUps: Pick<TopUps, 'paid'>;
  byAmount: ByAmount;
}) => {
  const { handler, intake, payers, topUps, byAmount } = ports;
  const command = () => ({ commandId: randomUUID(), actor: 'payments' });

  const wasPresented = async ({
    transfer,
    payer,
    nonce,
  }: Received): Promise<string | undefined> => {
    if (nonce === undefined) return undefined;
    const { network, asset } = transfer;
    const paymentId = paymentIdOf({ network, asset, payer, nonce });
    const { state } = await handler.load(paymentAggregate, paymentId);
    // A lapsed authorization was reported as moving nothing: money that it moved after all belongs to its payer.
    return state.status === 'none' || state.status === 'lapsed' ? undefined : paymentId;
  };

  return async (received: Received): Promise<void> => {
    const { transfer, payer } = received;
    const paymentId = await wasPresented(received);
    if (paymentId !== undefined) {
      await intake.finish(paymentId);
      return;
    }
    const did = payerDid(transfer.network, payer);
    const wanted = await byAmount(transfer.amountMicro, payers.idOf(did));
    const senderAccount = await payers.accountOf(did);
    const receiptId = receiptIdOf(transfer);
    const { state } = await handler.handle(transferAggregate, receiptId, command(), (one) =>
      claimTransfer(one, wanted?.accountId ?? senderAccount, transfer),
    );
    if (state.paymentId !== undefined) {
      await intake.finish(state.paymentId);
      return;
    }
    const amountMicro = BigInt(transfer.amountMicro);
    if (wanted && state.accountId === wanted.accountId) {
      await topUps.paid(wanted.topUpId, { id: receiptId, amountMicro });
      return;
    }
    const accountId = state.accountId ?? senderAccount;
    if (accountId === senderAccount) await payers.open(did, command());
    await handler.handle(walletAggregate, accountId, command(), (wallet) =>
      creditFunds(wallet, {
        type: 'CreditFunds',
        receipt: { method: 'usdc_transfer', id: receiptId },
        bucket: 'crypto',
        amountMicro,
      }),
    );
  };
};
