import { topUpAggregate } from '../../commands/payments/top-up.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';
import type { OutsideAccount } from '../../money/ledger-accounts.ts';
import { bookedReceipts } from '../../projections/ledger/query.ts';
import { topUpsByExternalId } from '../../projections/top-ups/query.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import type { Lost } from './lost-by-restore.ts';

/** The amount received under a receipt, less the amount that left again, in micro-USD. */
export type Receipts = Map<string, MicroUsd>;

/**
 * The receipts of a rail, and those in the books. `lost`: payments that a restore made unknown.
 */
export type Compared = { ours: Receipts; proven: Receipts; rail: string; lost?: Lost[] };

/** Lines that say where books and rail differ; none where they agree. */
export const differences = (rail: string, ours: Receipts, proven: Receipts): string[] =>
  [...new Set([...ours.keys(), ...proven.keys()])].flatMap((id) => {
    const [booked, theirs] = [ours.get(id), proven.get(id)];
    if (booked === theirs) return [];
    if (booked === undefined)
      return [`${id}: ${rail} has ${dollars(theirs ?? 0n)}, the books nothing`];
    if (theirs === undefined) return [`${id}: the books have ${dollars(booked)}, ${rail} nothing`];
    return [`${id}: ${rail} has ${dollars(theirs)}, the books ${dollars(booked)}`];
  });

export const sumOf = (receipts: Receipts): MicroUsd =>
  [...receipts.values()].reduce((a, b) => a + b, 0n);

export const booked = async (
  { storage }: Foundation,
  account: OutsideAccount,
): Promise<{ id: string; amount: MicroUsd; credit: boolean }[]> =>
  (await bookedReceipts(storage.readDb, account)).map(({ receiptId, type, amountMicro }) => ({
    id: receiptId,
    amount: -amountMicro,
    credit: type === 'FundsCredited',
  }));

/** The request behind an id of the rail; undefined: not ours. */
export const topUpOf = async (
  { storage, commands }: Foundation,
  method: 'lightning' | 'card',
  externalId: string,
) => {
  const [found] = await topUpsByExternalId(storage.readDb, method, externalId);
  if (!found) return undefined;
  const { state } = await commands.handler.load(topUpAggregate, found.topUpId);
  return state.status === 'none' ? undefined : state.asked;
};
