/**
 * Taking a payment that a caller signed. The order is what makes it safe: the authorization is on record
 * for this request before it is used; it is settled before anything is done for it; what was settled is
 * read from the chain and credited to a wallet; only then the request is answered, out of that wallet.
 * Each step is safe to repeat, and what dies between two of them is finished by `finish`, which a sweep
 * calls as well: money that reached us always has an owner.
 */
import { randomUUID } from 'node:crypto';
import { type ChainTransfer, creditIdOf, paymentIdOf, receiptIdOf } from '../../events/payment.ts';
import type { Clock } from '../../ground/clock.ts';
import { createInTurn } from '../../ground/in-turn.ts';
import type { Micro } from '../../money/amounts.ts';
import type { CommandHandler } from '../handling/handle.ts';
import {
  type CreditFunds,
  creditFunds,
  takeBackCredit,
  walletAggregate,
} from '../wallets/wallet.ts';
import { createFailedSettlements } from './failed-settlements.ts';
import { barredMs } from './payer.ts';
import type { PayerAccounts } from './payer-account.ts';
import { payerDid } from './payer-account.ts';
import { createPayerTurns } from './payer-turns.ts';
import {
  type Claim,
  claimPayment,
  claimTransfer,
  lapsePayment,
  type Payment,
  paymentAggregate,
  revertPayment,
  settlePayment,
  transferAggregate,
} from './payment.ts';
import {
  invalidPayment,
  pending,
  presentedBefore,
  refusal,
  unavailable,
  usedElsewhere,
} from './payment-refusals.ts';
import {
  type Authorization,
  type FailedTransaction,
  type Fate,
  type PaymentFault,
  type Rail,
  RailUnavailable,
} from './rails.ts';

/** What an authorization is presented for. */
export type PaidRequest = {
  operation: string;
  /** Keyed digest of what is asked. */
  requestHash: string;
  /** Whose wallet is to be credited; absent: the payer's. */
  accountId?: string | undefined;
  /**
   * Whether the same request may present it again. Never for what is only read: a settled
   * authorization is public, and whoever shows it is not its payer.
   */
  repeatable: boolean;
};

export type Paid = {
  paymentId: string;
  payer: string;
  /** Whose wallet was credited. */
  accountId: string;
  amountMicro: Micro;
  transaction: string;
  /** As the wallet knows it. */
  receiptId: string;
  /** Log position by which it is credited. */
  position: bigint;
  /** Whether it buys what it was presented for: the chain had it after it was on record. */
  forRequest: boolean;
};

type SettledPayment = Payment & { status: 'settled' };
type Settled = SettledPayment['settled'];

/**
 * What the chain had before the claim was on record buys nothing, even if we sent it: after a backup was
 * restored, whatever was sent since is public, and whoever shows it need not be its payer.
 */
const cameAfter = (claim: Claim, transfer: ChainTransfer): boolean => transfer.block > claim.block;

/** Seconds that an authorization must be good for still, so that it can be mined. */
const marginSeconds = 6n;
/** CHOICE: payments of one payer that are sent at a time. One payer can make this many fail, each at the gas of one. */
const onTheWayAtMost = 4;
/** Seconds after its end at which a chain that has no trace of it will never have one. */
const lapsedAfterSeconds = 300;

/** What was presented, as its payer signed it. */
const authorizationOf = (claim: Claim): Authorization => ({
  ...{ payer: claim.payer, payTo: claim.payTo, nonce: claim.nonce, signature: claim.signature },
  amountMicro: BigInt(claim.amountMicro),
  ...{ validAfter: BigInt(claim.validAfter), validBefore: BigInt(claim.validUntil) },
});

export type Intake = ReturnType<typeof createIntake>;

export const createIntake = (ports: {
  handler: CommandHandler;
  rail: Rail;
  payers: PayerAccounts;
  clock: Clock;
}) => {
  const { handler, rail, payers, clock } = ports;
  const failures = createFailedSettlements({ handler, payers, clock });
  const inTurnOf = createPayerTurns({ balanceOf: rail.balanceOf, atMost: onTheWayAtMost });
  /** What is being taken in this process: one at a time for each authorization. */
  const inTurn = createInTurn();

  const command = () => ({ commandId: randomUUID(), actor: 'payments' });

  const didOf = ({ network, payer }: Pick<Claim, 'network' | 'payer'>): string =>
    payerDid(network, payer);

  const claimOf = async (
    authorization: Authorization,
    request: PaidRequest,
  ): Promise<{ payment: Payment; before: boolean }> => {
    const { payer, nonce, payTo, amountMicro, validBefore } = authorization;
    const { network, asset } = rail;
    const paymentId = paymentIdOf({ network, asset, payer, nonce });
    const own = { paymentId, network, asset, payTo, payer, nonce };
    const { state } = await handler.load(paymentAggregate, paymentId);
    const block = state.status === 'none' ? await rail.head() : state.claim.block;
    const last = BigInt(Number.MAX_SAFE_INTEGER);
    const claim: Claim = {
      ...own,
      validAfter: String(authorization.validAfter),
      ...{ validUntil: String(validBefore), signature: authorization.signature },
      amountMicro: Number(amountMicro),
      validBefore: Number(validBefore < last ? validBefore : last),
      accountId: request.accountId ?? payers.idOf(didOf(own)),
      ...{ operation: request.operation, requestHash: request.requestHash, block },
    };
    const { state: payment, events } = await handler.handle(
      paymentAggregate,
      paymentId,
      command(),
      (one) => claimPayment(one, { type: 'ClaimPayment', claim }),
    );
    return { payment, before: events.length === 0 };
  };

  /** The credit for what was settled after it had been taken back so often. */
  const creditOf = ({ transfer, found }: Settled, reverts: number): CreditFunds => ({
    type: 'CreditFunds',
    receipt: { method: found ? 'usdc_transfer' : 'x402', id: creditIdOf(transfer, reverts) },
    ...{ bucket: 'crypto', amountMicro: BigInt(transfer.amountMicro) },
  });

  /** The account of a wallet is opened by its first money; any other one exists. */
  const openFor = async ({ accountId }: Settled, claim: Claim): Promise<void> => {
    const did = didOf(claim);
    if (accountId === payers.idOf(did)) await payers.open(did, command());
  };

  /** Takes back what was credited for each transfer that there was and is not any more; safe to repeat. */
  const takeBack = async ({ claim, reverted }: Pick<SettledPayment, 'claim' | 'reverted'>) => {
    for (const [reverts, gone] of reverted.entries()) {
      await openFor(gone, claim);
      const credited = creditOf(gone, reverts);
      await handler.handle(walletAggregate, gone.accountId, command(), (wallet) =>
        takeBackCredit(wallet, credited),
      );
    }
  };

  /** Credits what was settled to whose it is; the wallet knows the receipt. */
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

  /**
   * Puts on record that it is paid, and credits it. It is for the request if that was on record before
   * the chain had it; else it is the payer's: whoever presents what others have used need not be the payer.
   */
  const settled = async (claim: Claim, fate: Fate & { state: 'paid' }): Promise<Paid> => {
    const { transfer, ours, feeWei } = fate;
    const wanted = cameAfter(claim, transfer) ? claim.accountId : payers.idOf(didOf(claim));
    const { state: owner } = await handler.handle(
      transferAggregate,
      receiptIdOf(transfer),
      command(),
      (one) => claimTransfer(one, wanted, transfer, claim.paymentId),
    );
    const accountId = owner.accountId ?? wanted;
    const found = owner.paymentId === claim.paymentId ? {} : { found: true as const };
    const { state } = await handler.handle(
      paymentAggregate,
      claim.paymentId,
      command(),
      (payment) =>
        settlePayment(payment, {
          type: 'SettlePayment',
          settled: { accountId, transfer, ours, feeWei: String(feeWei), ...found },
        }),
    );
    if (state.status !== 'settled') throw new Error('a payment that was settled is not');
    return credit(state);
  };

  /** Puts on record that the chain has its transfer no more, and takes back what was credited for it. */
  const revert = async ({ claim, reverted }: SettledPayment): Promise<void> => {
    const reverts = reverted.length;
    const { state } = await handler.handle(
      paymentAggregate,
      claim.paymentId,
      command(),
      (payment) => revertPayment(payment, { type: 'RevertPayment', reverts }),
    );
    if (state.status === 'reverted') await takeBack(state);
  };

  const lapse = async (claim: Claim, reason: 'expired' | 'cancelled'): Promise<void> => {
    await handler.handle(paymentAggregate, claim.paymentId, command(), (payment) =>
      lapsePayment(payment, { type: 'LapsePayment', reason }),
    );
  };

  const fateOf = ({ payer, nonce, amountMicro, block }: Claim, transaction?: string) =>
    rail.fateOf({ payer, nonce, amountMicro: BigInt(amountMicro) }, block, transaction);

  /** Goes by what the chain says; undefined while it has not used it. */
  const byFate = async (claim: Claim, transaction?: string): Promise<Paid | undefined> => {
    const fate = await fateOf(claim, transaction);
    if (fate.state === 'paid') return settled(claim, fate);
    if (fate.state === 'unused') return undefined;
    await lapse(claim, 'cancelled');
    throw invalidPayment('used');
  };

  /**
   * What a transaction in vain means. Where another one used the authorization first, the payment is made and its payer
   * not to blame. Undefined: nothing was moved by it yet.
   */
  const afterFailure = async (
    claim: Claim,
    failed: FailedTransaction,
  ): Promise<Paid | undefined> => {
    const fate = await fateOf(claim);
    if (fate.state === 'paid') return settled(claim, fate);
    await failures.record(claim, failed);
    if (fate.state === 'unused') return undefined;
    await lapse(claim, 'cancelled');
    throw invalidPayment('used');
  };

  /** What speaks against sending it. @throws AppError payment_invalid for a payer for whom a transfer failed */
  const faultOf = async (authorization: Authorization): Promise<PaymentFault | undefined> => {
    const waitMs = await failures.waitMs({ network: rail.network, payer: authorization.payer });
    if (waitMs > 0) throw invalidPayment('failed_before', waitMs);
    return rail.verify(authorization);
  };

  /** Settles what is on record and was verified. */
  const settleNow = async (
    claim: Claim,
    authorization: Authorization,
    fault: PaymentFault | undefined,
  ): Promise<Paid> => {
    if (fault !== undefined) {
      const paid = fault === 'signature' ? undefined : await byFate(claim);
      if (paid) return paid;
      throw refusal(fault);
    }
    const settlement = await rail.settle(authorization);
    if (settlement.state === 'failed') {
      const paid = await afterFailure(claim, settlement);
      if (paid) return paid;
      throw invalidPayment('failed_before', barredMs);
    }
    const sent = settlement.state === 'sent' ? settlement : undefined;
    if (sent?.fate?.state === 'paid') return settled(claim, sent.fate);
    const paid = await byFate(claim, sent?.transaction);
    if (paid) return paid;
    throw settlement.state === 'refused' ? refusal(settlement.fault) : pending();
  };

  /** Settles once more what the chain forgot, unless that failed already. */
  const settleAgain = async (claim: Claim): Promise<void> => {
    if ((await failures.waitMs(claim)) > 0) return;
    const settlement = await rail.settle(authorizationOf(claim));
    if (settlement.state === 'failed') await failures.record(claim, settlement);
  };

  /**
   * Puts it on record and settles it. What cannot be settled is refused before it is on record, so that signing
   * payments without money leaves nothing behind.
   */
  const takeClaimed = async (
    authorization: Authorization,
    request: PaidRequest,
    isNew: boolean,
  ): Promise<{ paid: Paid; claim: Claim }> => {
    const first = isNew ? await faultOf(authorization) : undefined;
    if (first !== undefined && first !== 'used') throw invalidPayment(first);
    const { payment, before } = await claimOf(authorization, request);
    if (before && !request.repeatable) throw presentedBefore();
    if (payment.status === 'none') throw new Error('a payment that was claimed is not');
    if (payment.status === 'lapsed') throw invalidPayment('used');
    const { claim } = payment;
    if (payment.status === 'settled') return { paid: await credit(payment), claim };
    const found = before ? await byFate(claim) : undefined;
    if (found) return { paid: found, claim };
    const fault = isNew ? first : await faultOf(authorization);
    return { paid: await settleNow(claim, authorization, fault), claim };
  };

  const takeOnce = async (authorization: Authorization, request: PaidRequest): Promise<Paid> => {
    const { payer, nonce, amountMicro } = authorization;
    const { network, asset } = rail;
    const paymentId = paymentIdOf({ network, asset, payer, nonce });
    const { state } = await handler.load(paymentAggregate, paymentId);
    const isOpen = state.status !== 'settled' && state.status !== 'lapsed';
    const take = () => takeClaimed(authorization, request, state.status === 'none');
    const { paid, claim } = await (isOpen ? inTurnOf(payer, amountMicro, take) : take());
    if (!paid.forRequest || paid.accountId !== claim.accountId) throw usedElsewhere();
    return paid;
  };

  return {
    /** Who pays, once the signature shows it. @throws AppError payment_invalid, payment_unavailable */
    async payerOf(authorization: Authorization): Promise<{ did: string; accountId: string }> {
      const signed = await rail.isSigned(authorization).catch((error: unknown) => {
        throw error instanceof RailUnavailable ? unavailable(error) : error;
      });
      if (!signed) throw invalidPayment('signature');
      const did = didOf({ network: rail.network, payer: authorization.payer });
      return { did, accountId: payers.idOf(did) };
    },

    /**
     * Takes the payment for the request: settled and credited when it returns. Its signature was
     * checked by `payerOf`, so that nobody can put another one's authorization on record.
     * @throws AppError payment_invalid, payment_already_used, payment_pending, payment_unavailable
     */
    async take(authorization: Authorization, request: PaidRequest): Promise<Paid> {
      const now = BigInt(Math.floor(clock() / 1_000));
      const { payer, nonce } = authorization;
      const { network, asset } = rail;
      const paymentId = paymentIdOf({ network, asset, payer, nonce });
      const known = (await handler.load(paymentAggregate, paymentId)).state.status !== 'none';
      if (!known && authorization.validBefore < now + marginSeconds)
        throw invalidPayment('expired');
      if (!known && authorization.validAfter > now) throw invalidPayment('not_yet_valid');
      try {
        return await inTurn(paymentId, () => takeOnce(authorization, request));
      } catch (error) {
        throw error instanceof RailUnavailable ? unavailable(error) : error;
      }
    },

    /**
     * Puts on record that a transaction failed which nobody waited for any more.
     * @throws RailUnavailable
     */
    async failed(
      { payer, nonce }: Pick<Authorization, 'payer' | 'nonce'>,
      failed: FailedTransaction,
    ): Promise<void> {
      const { network, asset } = rail;
      const paymentId = paymentIdOf({ network, asset, payer, nonce });
      const { state } = await handler.load(paymentAggregate, paymentId);
      if (state.status !== 'claimed') return;
      const fate = await fateOf(state.claim);
      if (fate.state !== 'paid') await failures.record(state.claim, failed);
    },

    /**
     * Goes on with what a crash or a slow network left. Returns whether nothing is left to be done.
     * @throws RailUnavailable
     */
    async finish(paymentId: string): Promise<boolean> {
      const { state } = await handler.load(paymentAggregate, paymentId);
      if (state.status === 'settled') await credit(state);
      if (state.status !== 'claimed' && state.status !== 'reverted') return true;
      const { claim } = state;
      if (state.status === 'reverted') await takeBack(state);
      const fate = await fateOf(claim);
      if (fate.state === 'paid') await settled(claim, fate);
      // A chain may remember what it forgot.
      else if (state.status === 'reverted') return false;
      else if (fate.state === 'cancelled') await lapse(claim, 'cancelled');
      else if (clock() / 1_000 < claim.validBefore + lapsedAfterSeconds) return false;
      else await lapse(claim, 'expired');
      return true;
    },

    /**
     * Looks again at what was settled: a chain may forget its newest blocks. What it forgot is settled
     * again by the same authorization; what cannot be any more is charged back, and credited again where the
     * chain remembers it after all (`finish`). Returns whether nothing is left to be done. `old`: whether every node must have heard of it by now.
     * @throws RailUnavailable
     */
    async confirm(paymentId: string, confirmations: number, old: boolean): Promise<boolean> {
      const { state } = await handler.load(paymentAggregate, paymentId);
      if (state.status !== 'settled' || state.claim.signature === '') return true;
      const { claim } = state;
      const fate = await fateOf(claim);
      if (fate.state === 'paid') return (await rail.head()) - fate.transfer.block >= confirmations;
      if (fate.state === 'unused' && clock() / 1_000 < claim.validBefore) {
        await settleAgain(claim);
        return false;
      }
      if (old) await revert(state);
      return false;
    },
  };
};
