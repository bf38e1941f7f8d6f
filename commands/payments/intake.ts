/**
 * Taking a payment that a caller signed. Its order makes it safe:
 * 1. The authorization is recorded for this request before it is used.
 * 2. It is settled before any work for the request.
 * 3. The settled amount is read from the chain and credited to a wallet.
 * 4. Only then the request is answered, out of that wallet.
 *
 * Each step is safe to repeat. If a process dies between two of them, `finish` completes them, which a sweep
 * calls as well: money that reached us always has an owner.
 */
import type { Clock } from '../../ground/clock.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { createClaimPayments } from './claim-payments.ts';
import { createCreditPayments } from './credit-payments.ts';
import { createFailedSettlements } from './failed-settlements.ts';
import { createFinishPayments } from './finish-payments.ts';
import type { Paid, PaidRequest } from './paid-request.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import type { GasHolds } from './payer-gas.ts';
import { invalidPayment, unavailable } from './payment-refusals.ts';
import { type Authorization, type Rail, RailUnavailable } from './rails.ts';
import { createSettlePayments } from './settle-payments.ts';
import { createTakePayments } from './take-payments.ts';

/** Seconds that an authorization must be good for still, so that it can be mined. */
const marginSeconds = 6n;

const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof RailUnavailable ? unavailable(error) : error;
  });

export type Intake = ReturnType<typeof createIntake>;

export const createIntake = (ports: {
  handler: CommandHandler;
  rail: Rail;
  payers: PayerAccounts;
  /** Pending payments of each payer, in all processes. */
  holds: GasHolds;
  clock: Clock;
  /** Waits for `ms` milliseconds. */
  pause?: (ms: number) => Promise<unknown>;
}) => {
  const { rail, payers, clock } = ports;
  const failures = createFailedSettlements(ports);
  const claims = createClaimPayments(ports);
  const credits = createCreditPayments(ports);
  const settling = createSettlePayments({ ...ports, failures, credits });
  const takeInTurn = createTakePayments({ rail, claims, credits, settling });
  const finishing = createFinishPayments({ ...ports, claims, credits, settling });

  /** Whether it was presented before. */
  const isRecorded = async (authorization: Authorization): Promise<boolean> =>
    (await claims.read(authorization)).status !== 'none';

  /** @throws AppError payment_invalid for a new one that is not good now */
  const assertInTime = async (authorization: Authorization): Promise<void> => {
    if (await isRecorded(authorization)) return;
    const now = BigInt(Math.floor(clock() / 1_000));
    if (authorization.validBefore < now + marginSeconds) throw invalidPayment('expired');
    if (authorization.validAfter > now) throw invalidPayment('not_yet_valid');
  };

  return {
    /** The payer, proved by the signature. @throws AppError payment_invalid, payment_unavailable */
    async payerOf(authorization: Authorization): Promise<{ did: string; accountId: string }> {
      if (!(await orUnavailable(rail.isSigned(authorization)))) throw invalidPayment('signature');
      const did = payerDid(rail.network, authorization.payer);
      return { did, accountId: await payers.accountOf(did) };
    },

    /** The id of the payment that an authorization makes. */
    idOf: claims.idOf,

    isRecorded,

    /**
     * Takes the payment for the request: settled and credited when it returns. Its signature was
     * checked by `payerOf`, so that nobody can put another one's authorization on record.
     * @throws AppError payment_invalid, payment_already_used, payment_pending, payment_unavailable
     */
    async take(authorization: Authorization, request: PaidRequest): Promise<Paid> {
      await assertInTime(authorization);
      return orUnavailable(takeInTurn(authorization, request));
    },

    ...finishing,
  };
};
