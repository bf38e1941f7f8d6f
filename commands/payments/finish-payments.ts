/** Finishes payments that nobody waits for any more. */
import type { ChainTransfer } from '../../events/payment.ts';
import type { Clock } from '../../ground/clock.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { createClaimPayments } from './claim-payments.ts';
import type { CreditPayments } from './credit-payments.ts';
import { type Claim, isForgotten, paymentAggregate } from './payment.ts';
import type { Authorization, FailedTransaction, Rail } from './rails.ts';
import { lapsedAfterSeconds, type SettlePayments } from './settle-payments.ts';

/** A payment whose transaction may be somebody else's. */
const ofOthers = { state: 'paid', ours: false, feeWei: 0n } as const;

export const createFinishPayments = (ports: {
  handler: CommandHandler;
  rail: Pick<Rail, 'network' | 'asset' | 'head'>;
  claims: Pick<ReturnType<typeof createClaimPayments>, 'read'>;
  credits: CreditPayments;
  settling: Pick<SettlePayments, 'fateOf' | 'failed' | 'settleAgain'>;
  clock: Clock;
}) => {
  const { handler, rail, claims, credits, settling, clock } = ports;

  /** A payment of another network stays as it is: its chain cannot be asked under today's settings. */
  const isOfOurNetwork = ({ network }: Claim): boolean => network === rail.network;

  return {
    /**
     * Records the failure of a transaction that nobody waited for any more.
     * @throws RailUnavailable
     */
    async failed(
      payment: Pick<Authorization, 'payer' | 'nonce'>,
      transaction: FailedTransaction,
    ): Promise<void> {
      const state = await claims.read(payment);
      if (state.status !== 'none') await settling.failed(state.claim, transaction);
    },

    /**
     * Goes on with what a crash or a slow network left. Returns whether nothing is left to be done.
     * @throws RailUnavailable
     */
    async finish(paymentId: string): Promise<boolean> {
      const { state } = await handler.load(paymentAggregate, paymentId);
      if (state.status === 'settled') await credits.credit(state);
      if (state.status !== 'claimed' && state.status !== 'reverted') return true;
      const { claim } = state;
      if (state.status === 'reverted') await credits.takeBack(state);
      if (isForgotten(claim)) {
        await credits.lapse(claim, 'expired');
        return true;
      }
      if (!isOfOurNetwork(claim)) return false;
      const fate = await settling.fateOf(claim);
      if (fate.state === 'paid') await credits.settled(claim, fate);
      // A chain may remember what it forgot.
      else if (state.status === 'reverted') return false;
      else if (fate.state === 'cancelled') await credits.lapse(claim, 'cancelled');
      else if (clock() / 1_000 < claim.validBefore + lapsedAfterSeconds) return false;
      else await credits.lapse(claim, 'expired');
      return true;
    },

    /**
     * Settles a payment by its transfer, which was read in a final block. Blocks are read once, and another node may
     * not have this one yet. The transfer therefore counts even if that node says that the authorization is unused. The
     * gas of such a transfer is not known.
     * @throws RailUnavailable
     */
    async received(paymentId: string, transfer: ChainTransfer): Promise<void> {
      const { state } = await handler.load(paymentAggregate, paymentId);
      if (state.status === 'settled') await credits.credit(state);
      if (state.status !== 'claimed' && state.status !== 'reverted') return;
      const { claim } = state;
      if (state.status === 'reverted') await credits.takeBack(state);
      const fate = await settling.fateOf(claim, transfer.transaction);
      const paid = fate.state === 'paid' ? fate : { ...ofOthers, transfer };
      await credits.settled(claim, paid);
    },

    /**
     * Checks settled payments again, because a chain may forget its newest blocks. A forgotten payment is
     * settled again by the same authorization. If that is no longer possible, it is charged back, and
     * credited again when the chain remembers it (`finish`). Returns whether nothing is left to do.
     * @param old whether every node must have heard of it by now
     * @throws RailUnavailable
     */
    async confirm(paymentId: string, confirmations: number, old: boolean): Promise<boolean> {
      const { state } = await handler.load(paymentAggregate, paymentId);
      if (state.status !== 'settled' || isForgotten(state.claim)) return true;
      const { claim } = state;
      if (!isOfOurNetwork(claim)) return false;
      const fate = await settling.fateOf(claim);
      if (fate.state === 'paid') return (await rail.head()) - fate.transfer.block >= confirmations;
      const canBeSent = claim.asset === rail.asset && clock() / 1_000 < claim.validBefore;
      if (fate.state === 'unused' && canBeSent) {
        await settling.settleAgain(claim);
        return false;
      }
      if (old) await credits.revert(state);
      return false;
    },
  };
};
