/**
 * Follows up a period of a volume contract that is over: its count is closed, then it is settled by that
 * count, then a shortfall is billed. If a letter is cancelled or fails later, the discount that was billed
 * for it is given back. Each step is an event, found in the read model and done by a command that does it
 * once. If a process dies between two steps, the next round continues.
 */
import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../../commands/handling/fold.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import {
  endPeriod,
  recordBill,
  recordReturn,
  settlePeriod,
  settlesAt,
  type VolumeContracts,
  volumeContractAggregate,
} from '../../commands/negotiation/volume-contract.ts';
import { chargeAgreed, reduceAgreed } from '../../commands/wallets/agreed-charges.ts';
import { chargeOfAttempt, walletAggregate } from '../../commands/wallets/wallet.ts';
import type { VolumeContractEvent } from '../../events/volume-contract.ts';
import type { Purpose } from '../../events/wallet.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import { reduceCharge, totalOf } from '../../money/charge.ts';
import {
  type ContractDue,
  type ContractRecord,
  isReturnDue,
  type PeriodDoc,
} from '../../projections/contracts/query.ts';
import { workOnDue } from '../work-on-due.ts';
import type { createForgottenCharge } from './forgotten-charge.ts';

const attempts = 'b0a1d5c6-3f0e-4d55-9c59-70c1f2a3d4e5';

const context = (): CommandContext => ({
  commandId: randomUUID(),
  actor: 'reactor:close-periods',
});

/** The purpose of a charge for the shortfall of one period. */
export const shortfallPurpose = (contractId: string, number: number): Purpose => ({
  kind: 'volume-contract',
  id: `${contractId}-${number}`,
});

export const createClosePeriods = (ports: {
  handler: CommandHandler;
  clock: Clock;
  /** The available balance falls below this: the account gets a notification. */
  lowMicro: MicroUsd;
  /** The longest due first, behind the contract `after`. */
  contractsDue(now: string, limit: number, after?: ContractDue): Promise<ContractDue[]>;
  /** Whether a letter of the account that could go into production at `until` (RFC 3339) is queued. */
  isAnyOverdue(of: { accountId: string; until: string }): Promise<boolean>;
  /** Finds a charge in closed periods of a wallet that the present one does not know. */
  forgottenCharge: ReturnType<typeof createForgottenCharge>;
}) => {
  const { handler, clock, lowMicro, forgottenCharge } = ports;

  const decide = async (
    accountId: string,
    how: (state: VolumeContracts) => VolumeContractEvent[],
  ): Promise<boolean> => {
    const { events } = await handler.handle(volumeContractAggregate, accountId, context(), how);
    return events.length > 0;
  };

  const bill = async (
    { accountId, contractId }: ContractRecord,
    { number, billMicro = 0 }: PeriodDoc,
  ): Promise<boolean> => {
    const purpose = shortfallPurpose(contractId, number);
    const attemptId = uuidv5(attempts, purpose.id);
    const { state } = await handler.handle(walletAggregate, accountId, context(), (wallet) =>
      chargeAgreed(wallet, {
        type: 'ChargeAgreed',
        purpose,
        attemptId,
        lowMicro,
        subtotalMicro: BigInt(billMicro),
      }),
    );
    const charge = chargeOfAttempt(state, purpose, attemptId);
    if (!charge) throw new Error(`the wallet of ${accountId} was not charged for ${purpose.id}`);
    const amountMicro = totalOf(charge);
    const commissionMicro = sum(charge.commission);
    return decide(accountId, (state) =>
      recordBill(state, { type: 'RecordBill', contractId, number, amountMicro, commissionMicro }),
    );
  };

  /** Makes the charge what it had been without the letters that are cancelled or failed since. */
  const giveBack = async (
    { accountId, contractId }: ContractRecord,
    { number, billMicro = 0, billedMicro = 0, goneMicro = 0 }: PeriodDoc,
  ): Promise<boolean> => {
    const purpose = shortfallPurpose(contractId, number);
    const attemptId = uuidv5(attempts, purpose.id);
    const subtotalMicro = BigInt(billMicro - goneMicro);
    const { state: known } = await handler.load(walletAggregate, accountId);
    const forgotten = chargeOfAttempt(known, purpose, attemptId)
      ? undefined
      : await forgottenCharge(accountId, known.period, purpose);
    const { state } = await handler.handle(walletAggregate, accountId, context(), (wallet) =>
      reduceAgreed(wallet, {
        type: 'ReduceAgreed',
        purpose,
        attemptId,
        subtotalMicro,
        forgotten,
      }),
    );
    const charge = chargeOfAttempt(state, purpose, attemptId);
    // All of it was given back: another process knows of more letters than this one.
    if (!charge && subtotalMicro > 0n) return false;
    const leftMicro = charge ? totalOf(reduceCharge(charge, subtotalMicro)) : 0n;
    const amountMicro = BigInt(billedMicro) - leftMicro;
    const discountMicro = BigInt(goneMicro);
    return decide(accountId, (state) =>
      recordReturn(state, { type: 'RecordReturn', contractId, number, discountMicro, amountMicro }),
    );
  };

  /** The next step of the first period that has one. Whether there was one. */
  const goOn = async (contract: ContractRecord, now: number): Promise<boolean> => {
    const { accountId, contractId, doc } = contract;
    const { breachTerms } = doc.terms;
    for (const period of doc.periods) {
      const { number, state, endsAt, units, discountMicro, billMicro, billedMicro } = period;
      const of = { contractId, number };
      if (state === 'open') {
        const due = settlesAt(endsAt, breachTerms);
        if (due > now) return false;
        // They were not printed in time because the service or the print house was away.
        if (period.waiting && (await ports.isAnyOverdue({ accountId, until: toTimestamp(due) })))
          return false;
        return decide(accountId, (it) => endPeriod(it, { type: 'EndPeriod', ...of, now }));
      }
      if (state === 'ended') {
        const counted = { units, discountMicro: BigInt(discountMicro) };
        return decide(accountId, (it) =>
          settlePeriod(it, { type: 'SettlePeriod', ...of, ...counted }),
        );
      }
      if (billMicro && billedMicro === undefined) return bill(contract, period);
      if (isReturnDue(period)) return giveBack(contract, period);
    }
    return false;
  };

  /** One round. Returns how many steps were done. @throws what the first that failed threw */
  return async (): Promise<number> => {
    const now = clock();
    const { changed, failures } = await workOnDue<ContractDue>(
      (limit, after) => ports.contractsDue(toTimestamp(now), limit, after),
      (contract) => goOn(contract, now),
    );
    if (failures.length > 0) throw failures[0];
    return changed;
  };
};
