/** Records the outcome of a payment and moves its money in the wallets. Each step is safe to repeat. */
import { randomUUID } from 'node:crypto';
import { creditIdOf, receiptIdOf } from '../../events/payment.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type CreditFunds, creditFunds, takeBackCredit } from '../wallets/credits.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { cameAfter, type Paid } from './paid-request.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import type { GasHolds } from './payer-gas.ts';
import {
  type Claim,
  claimTransfer,
  lapsePayment,
  type Payment,
  paymentAggregate,
  revertPayment,
  settlePayment,
  transferAggregate,
} from './payment.ts';
import type { Fate } from './rails.ts';

type SettledPayment = Payment & { status: 'settled' };
type Settled = SettledPayment['settled'];

const didOf = ({ network, payer }: Pick<Claim, 'network' | 'payer'>): string =>
  payerDid(network, payer);

/** The credit for a payment that was settled after this many reversals. */
const creditOf = ({ transfer, found }: Settled, reverts: number): CreditFunds => ({
  type: 'CreditFunds',
  receipt: { method: found ? 'usdc_transfer' : 'x402', id: creditIdOf(transfer, reverts) },
  bucket: 'crypto',
  amountMicro: BigInt(transfer.amountMicro),
});

export type CreditPayments = ReturnType<typeof createCreditPayments>;

export const createCreditPayments = (ports: {
  handler: CommandHandler;
  payers: PayerAccounts;
  holds: Pick<GasHolds, 'giveBack'>;
}) => {
  const { handler, payers, holds } = ports;
  const command = () => ({ commandId: randomUUID(), actor: 'payments' });

  /** The account of a wallet is opened by its first money; any other one exists. */
  const openFor = async ({ accountId }: Settled, claim: Claim): Promise<void> => {
    const did = didOf(claim);
    if (accountId === (await payers.accountOf(did))) await payers.open(did, command());
  };

  /** Takes back the credit for each transfer that the chain no longer has. */
  const takeBack = async ({ claim, reverted }: Pick<SettledPayment, 'claim' | 'reverted'>) => {
    for (const [reverts, gone] of reverted.entries()) {
      await openFor(gone, claim);
      const credited = creditOf(gone, reverts);
      await handler.handle(walletAggregate, gone.accountId, command(), (wallet) =>
        takeBackCredit(wallet, credited),
      );
    }
  };

  /** Credits a settled payment to its owner; the wallet knows the receipt. */
  const credit = async (payment: SettledPayment): Promise<Paid> => {
    const { claim, settled, reverted } = payment;
    const { transfer } = settled;
    await takeBack(payment);
    await openFor(settled, claim);
    const credited = creditOf(settled, reverted.length);
    const { position } = await handler.handle(
      walletAggregate,
      settled.accountId,
      command(),
      (wallet) => creditFunds(wallet, credited),
    );
    return {
      paymentId: claim.paymentId,
      payer: claim.payer,
      accountId: settled.accountId,
      amountMicro: credited.amountMicro,
      transaction: transfer.transaction,
      receiptId: credited.receipt.id,
      position,
      forRequest: cameAfter(claim, transfer),
    };
  };

  return {
    credit,
    takeBack,

    /**
     * Records the payment and credits it. The money is for the request if the claim was on record before the
     * chain had the payment. Otherwise the credit is the payer's: a used authorization is public, so the
     * presenter may be somebody else.
     */
    async settled(claim: Claim, fate: Fate & { state: 'paid' }): Promise<Paid> {
      const { transfer, ours, feeWei } = fate;
      const { paymentId } = claim;
      const wanted = cameAfter(claim, transfer)
        ? claim.accountId
        : await payers.accountOf(didOf(claim));
      const { state: owner } = await handler.handle(
        transferAggregate,
        receiptIdOf(transfer),
        command(),
        (one) => claimTransfer(one, wanted, transfer, paymentId),
      );
      const accountId = owner.accountId ?? wanted;
      const found = owner.paymentId === paymentId ? {} : { found: true as const };
      const { state } = await handler.handle(paymentAggregate, paymentId, command(), (payment) =>
        settlePayment(payment, {
          type: 'SettlePayment',
          settled: { accountId, transfer, ours, feeWei: String(feeWei), ...found },
        }),
      );
      if (state.status !== 'settled') throw new Error('a payment that was settled is not');
      await holds.giveBack(paymentId);
      return credit(state);
    },

    /** Records that the chain no longer has its transfer, and takes back the credit for it. */
    async revert({ claim, reverted }: SettledPayment): Promise<void> {
      const reverts = reverted.length;
      const { state } = await handler.handle(
        paymentAggregate,
        claim.paymentId,
        command(),
        (payment) => revertPayment(payment, { type: 'RevertPayment', reverts }),
      );
      if (state.status === 'reverted') await takeBack(state);
    },

    async lapse({ paymentId }: Claim, reason: 'expired' | 'cancelled'): Promise<void> {
      await handler.handle(paymentAggregate, paymentId, command(), (payment) =>
        lapsePayment(payment, { type: 'LapsePayment', reason }),
      );
      await holds.giveBack(paymentId);
    },
  };
};
