/** Transactions of ours that failed because of their payer, on record for every process and over restarts. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ground/clock.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { barredUntil, failSettlement, payerAggregate } from './payer.ts';
import { type PayerAccounts, payerDid } from './payer-account.ts';
import type { Claim } from './payment.ts';
import type { FailedTransaction } from './rails.ts';

type OfPayer = Pick<Claim, 'network' | 'payer'>;

export const createFailedSettlements = (ports: {
  handler: CommandHandler;
  payers: Pick<PayerAccounts, 'idOf'>;
  clock: Clock;
}) => {
  const { handler, payers, clock } = ports;
  const payerIdOf = ({ network, payer }: OfPayer): string => payers.idOf(payerDid(network, payer));

  return {
    /** How long nothing is sent for the payer; 0: it is sent. */
    async waitMs(claim: OfPayer): Promise<number> {
      const { state } = await handler.load(payerAggregate, payerIdOf(claim));
      const now = clock();
      return (barredUntil(state, now) ?? now) - now;
    },

    /** Once for a transaction. `paidByAnother`: another transaction made the payment, so the payer is not to blame. */
    async record(
      claim: OfPayer & Pick<Claim, 'paymentId'>,
      { transaction, feeWei }: FailedTransaction,
      { paidByAnother }: { paidByAnother: boolean },
    ): Promise<void> {
      const payerId = payerIdOf(claim);
      const { paymentId, network } = claim;
      const failed = {
        payerId,
        paymentId,
        network,
        transaction,
        feeWei: String(feeWei),
        ...(paidByAnother ? { paidByAnother: true as const } : {}),
      };
      await handler.handle(
        payerAggregate,
        payerId,
        { commandId: randomUUID(), actor: 'payments' },
        (payer) => failSettlement(payer, { type: 'FailSettlement', failed }),
      );
    },
  };
};
