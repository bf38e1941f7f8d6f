/** Settles recorded payments: by their state on the chain, or by a transaction of ours. */
import type { Clock } from '../../ground/clock.ts';
import { pause as pauseUntil } from '../../ground/pause.ts';
import type { CreditPayments } from './credit-payments.ts';
import type { createFailedSettlements } from './failed-settlements.ts';
import { authorizationOf, type Paid } from './paid-request.ts';
import { barredMs } from './payer.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import { type GasHolds, holdGas } from './payer-gas.ts';
import type { Claim } from './payment.ts';
import { invalidPayment, pending, refusal } from './payment-refusals.ts';
import type {
  Authorization,
  FailedTransaction,
  Fate,
  PaymentFault,
  Rail,
  Settlement,
} from './rails.ts';

/** Seconds after its end at which a chain that has no trace of an authorization will never have one. */
export const lapsedAfterSeconds = 300;
/** CHOICE: a transaction that is not mined in a day counts no longer. */
const maxHoldSeconds = 86_400;

/** CHOICE: a process that holds the gas of a payment has sent it within two seconds, if it still runs. */
const looks = 8;
const lookMs = 250;

const uninterrupted = (ms: number): Promise<void> => pauseUntil(ms, new AbortController().signal);

export type SettlePayments = ReturnType<typeof createSettlePayments>;

export const createSettlePayments = (ports: {
  rail: Rail;
  payers: Pick<PayerAccounts, 'idOf'>;
  failures: ReturnType<typeof createFailedSettlements>;
  credits: CreditPayments;
  holds: GasHolds;
  clock: Clock;
  /** Waits for `ms` milliseconds. */
  pause?: (ms: number) => Promise<unknown>;
}) => {
  const { rail, payers, failures, credits, holds, clock, pause = uninterrupted } = ports;

  /** By the address and the token that were signed, which may not be those of today's settings. */
  const fateOf = (claim: Claim, transaction?: string) => {
    const { payer, payTo, asset, nonce, signer } = claim;
    const sought = { payer, payTo, asset, nonce, signer, amountMicro: BigInt(claim.amountMicro) };
    return rail.fateOf(sought, claim.block, transaction);
  };

  /** Goes by what the chain says; undefined while it has not used it. */
  const byFate = async (claim: Claim, transaction?: string): Promise<Paid | undefined> => {
    const fate = await fateOf(claim, transaction);
    if (fate.state === 'paid') return credits.settled(claim, fate);
    if (fate.state === 'unused') return undefined;
    await credits.lapse(claim, 'cancelled');
    throw invalidPayment('used');
  };

  /** Puts a transaction in vain on record, then lets the payer's next payment go. */
  const failed = async (claim: Claim, transaction: FailedTransaction): Promise<Fate> => {
    const fate = await fateOf(claim);
    await failures.record(claim, transaction, { paidByAnother: fate.state === 'paid' });
    await holds.giveBack(claim.paymentId);
    return fate;
  };

  /**
   * Handles a failed transaction. If another transaction used the authorization first, the payment is made
   * and its payer is not to blame. Undefined: it moved nothing yet.
   */
  const afterFailure = async (
    claim: Claim,
    transaction: FailedTransaction,
  ): Promise<Paid | undefined> => {
    const fate = await failed(claim, transaction);
    if (fate.state === 'paid') return credits.settled(claim, fate);
    if (fate.state === 'unused') return undefined;
    await credits.lapse(claim, 'cancelled');
    throw invalidPayment('used');
  };

  /** @throws AppError payment_invalid for a payer for whom a transfer failed */
  const assertNotBarred = async (payer: string): Promise<void> => {
    const waitMs = await failures.waitMs({ network: rail.network, payer });
    if (waitMs > 0) throw invalidPayment('failed_before', waitMs);
  };

  /**
   * The reason not to send it, if any.
   * @throws AppError payment_invalid for a payer for whom a transfer failed
   */
  const faultOf = async (authorization: Authorization): Promise<PaymentFault | undefined> => {
    await assertNotBarred(authorization.payer);
    return rail.verify(authorization);
  };

  /** How long it holds the gas of its transaction at most. */
  const holdSeconds = ({ validBefore }: Claim): number => {
    const left = Math.ceil(validBefore - clock() / 1_000) + lapsedAfterSeconds;
    return Math.min(Math.max(left, lapsedAfterSeconds), maxHoldSeconds);
  };

  /** Undefined: somebody else pays for its gas. @throws AppError payment_unavailable */
  const holdGasOf = async (claim: Claim, authorization: Authorization) => {
    const limits = rail.gasOf(authorization);
    const { paymentId, network, payer } = claim;
    const payerId = payers.idOf(payerDid(network, payer));
    const { amountMicro } = authorization;
    return (
      limits &&
      holdGas(
        { paymentId, payerId, amountMicro, ...limits, seconds: holdSeconds(claim) },
        { holds, balance: () => rail.balanceOf(payer), pause },
      )
    );
  };

  /**
   * Whether another process has sent a payment whose gas is held already. It is sent once: a second transaction would be
   * mined in vain, at our cost.
   */
  const isSentByAnother = async (authorization: Authorization): Promise<boolean> => {
    for (let look = 0; rail.senderOf && look < looks; look++) {
      const sender = await rail.senderOf(authorization);
      if (sender !== undefined) return sender === 'another';
      await pause(lookMs);
    }
    return false;
  };

  /**
   * Sends it as soon as its payer has room for its gas. Another transaction of the payer may have been mined, or
   * have failed, in the meantime: then it is verified again. An unsent payment reserves nothing afterwards.
   * @throws AppError payment_unavailable, payment_invalid
   */
  const send = async (claim: Claim, authorization: Authorization): Promise<Settlement> => {
    const hold = await holdGasOf(claim, authorization);
    let isSent = false;
    try {
      if (hold) await assertNotBarred(authorization.payer);
      if (hold?.isNew === false && (await isSentByAnother(authorization)))
        return { state: 'pending' };
      const fault = hold?.others ? await rail.verify(authorization) : undefined;
      if (fault) return { state: 'refused', fault };
      const settlement = await rail.settle(authorization);
      isSent = settlement.state !== 'refused';
      return settlement;
    } finally {
      if (hold?.isNew && !isSent) await holds.giveBack(claim.paymentId);
    }
  };

  return {
    fateOf,
    byFate,
    faultOf,
    failed,

    /** Settles a payment that was recorded and verified. */
    async settleNow(
      claim: Claim,
      authorization: Authorization,
      fault: PaymentFault | undefined,
    ): Promise<Paid> {
      if (fault !== undefined) {
        const paid = fault === 'signature' ? undefined : await byFate(claim);
        if (paid) return paid;
        throw refusal(fault);
      }
      const settlement = await send(claim, authorization);
      if (settlement.state === 'failed') {
        const paid = await afterFailure(claim, settlement);
        if (paid) return paid;
        throw invalidPayment('failed_before', barredMs);
      }
      const sent = settlement.state === 'sent' ? settlement : undefined;
      if (sent?.fate?.state === 'paid') return credits.settled(claim, sent.fate);
      const paid = await byFate(claim, sent?.transaction);
      if (paid) return paid;
      throw settlement.state === 'refused' ? refusal(settlement.fault) : pending();
    },

    /** Settles once more what the chain forgot, unless that failed already. */
    async settleAgain(claim: Claim): Promise<void> {
      if ((await failures.waitMs(claim)) > 0) return;
      const settlement = await send(claim, authorizationOf(claim));
      if (settlement.state === 'failed') await failed(claim, settlement);
    },
  };
};
