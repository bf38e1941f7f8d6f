/** USDC that reached our address by a transfer: finds its owner, and credits it once. */
import { randomUUID } from 'node:crypto';
import { type ChainTransfer, paymentIdOf, receiptIdOf } from '../../events/payment.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { creditFunds } from '../wallets/credits.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import type { Intake } from './intake.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import {
  type Claim,
  claimTransfer,
  isForgotten,
  type Payment,
  paymentAggregate,
  transferAggregate,
} from './payment.ts';
import type { TopUps } from './top-ups.ts';

/**
 * A transfer as the chain has it. `payTo`: our address that it reached. `nonce`: of the authorization that made it, where
 * one did.
 */
export type Received = {
  transfer: ChainTransfer;
  payTo: string;
  payer: string;
  nonce: string | undefined;
};

type PresentedPayment = Exclude<Payment, { status: 'none' | 'lapsed' }>;

/**
 * The payment. Undefined if it lapsed, or if the data of its payer was erased before it was settled. A lapsed payment was
 * reported as moving no money, so money that it moved after all is credited as a transfer.
 */
const livePayment = async (
  handler: Pick<CommandHandler, 'load'>,
  paymentId: string,
): Promise<PresentedPayment | undefined> => {
  const { state } = await handler.load(paymentAggregate, paymentId);
  if (state.status === 'none' || state.status === 'lapsed') return undefined;
  return state.status !== 'settled' && isForgotten(state.claim) ? undefined : state;
};

/**
 * A payer may sign two amounts or two addresses with one nonce, so a transfer of another amount or to another address
 * belongs to another authorization.
 */
const isTransferOf = (
  claim: Claim,
  { amountMicro, payTo }: { amountMicro: number; payTo: string },
): boolean => claim.amountMicro === amountMicro && claim.payTo === payTo;

/** The payment that a transfer belongs to, if its authorization was presented here. */
export const presentedPayment = async (
  handler: Pick<CommandHandler, 'load'>,
  { transfer: { network, asset, amountMicro }, payTo, payer, nonce }: Received,
): Promise<PresentedPayment | undefined> => {
  if (nonce === undefined) return undefined;
  const payment = await livePayment(handler, paymentIdOf({ network, asset, payer, nonce }));
  return payment && isTransferOf(payment.claim, { amountMicro, payTo }) ? payment : undefined;
};

/** Whether its authorization was presented here, whatever became of that payment. */
const wasPresented = async (
  handler: Pick<CommandHandler, 'load'>,
  { transfer: { network, asset, amountMicro }, payTo, payer, nonce }: Received,
): Promise<boolean> => {
  if (nonce === undefined) return false;
  const paymentId = paymentIdOf({ network, asset, payer, nonce });
  const { state } = await handler.load(paymentAggregate, paymentId);
  return state.status !== 'none' && isTransferOf(state.claim, { amountMicro, payTo });
};

/**
 * Finds the payment that a transfer is of, or the account that has it: the one wanted, if nobody has it yet. A payment
 * that the chain forgot and mined again was credited under its first transfer, so it is looked for first: the second
 * transfer has no owner. A payment may have claimed the transfer and lapsed, because its process died and a node did not
 * know of it.
 */
export const claimFor = async (
  handler: CommandHandler,
  received: Received,
  wanted: string,
  context: CommandContext,
): Promise<{ paymentId: string } | { accountId: string }> => {
  const presented = await presentedPayment(handler, received);
  if (presented) return { paymentId: presented.claim.paymentId };
  const { transfer } = received;
  const { state } = await handler.handle(transferAggregate, receiptIdOf(transfer), context, (one) =>
    claimTransfer(one, wanted, transfer),
  );
  const claimed =
    state.paymentId === undefined ? undefined : await livePayment(handler, state.paymentId);
  if (claimed) return { paymentId: claimed.claim.paymentId };
  return { accountId: state.accountId ?? wanted };
};

/**
 * The top-up that a transfer of just this amount from this payer is for: it was announced the amount, names no wallet
 * that it comes from or names this one, is not paid, and its time ended less than a week ago.
 */
type ByAmount = (
  received: Received,
  payerId: string,
) => Promise<{ topUpId: string; accountId: string } | undefined>;

/**
 * Takes a transfer, once, however often it is shown: a payment that was presented here is finished as
 * that; an amount that was announced to a top-up pays it; anything else is its sender's.
 *
 * An address or token of former settings takes only what was presented or announced while it was in use. The rest is an
 * operator's to assign: somebody else may have the key of the address by now, or the token may be worth nothing.
 */
export const createTakeReceived = (ports: {
  handler: CommandHandler;
  intake: Pick<Intake, 'received'>;
  payers: PayerAccounts;
  topUps: Pick<TopUps, 'paid'>;
  byAmount: ByAmount;
  /** The address and the token of today's settings. */
  current: { asset: string; payTo: string };
}) => {
  const { handler, intake, payers, topUps, byAmount, current } = ports;
  const command = () => ({ commandId: randomUUID(), actor: 'payments' });

  return async (received: Received): Promise<void> => {
    const { transfer, payTo, payer } = received;
    const did = payerDid(transfer.network, payer);
    const wanted = await byAmount(received, payers.idOf(did));
    const isCurrent = transfer.asset === current.asset && payTo === current.payTo;
    if (!isCurrent && !wanted && !(await wasPresented(handler, received))) return;
    const senderAccount = await payers.accountOf(did);
    const receiptId = receiptIdOf(transfer);
    const claimed = await claimFor(
      handler,
      received,
      wanted?.accountId ?? senderAccount,
      command(),
    );
    if ('paymentId' in claimed) {
      await intake.received(claimed.paymentId, transfer);
      return;
    }
    const { accountId } = claimed;
    const amountMicro = BigInt(transfer.amountMicro);
    if (wanted && accountId === wanted.accountId) {
      await topUps.paid(wanted.topUpId, { id: receiptId, amountMicro });
      return;
    }
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
