/** The spending of an account per day that a batch of events adds. */
import { amountsIn, placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import type { Db } from '../../ground/db.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import type { RowSource } from '../projection.ts';
import type { Change } from '../upsert.ts';
import { type LedgerDayRow, ledgerDayTable } from './table.ts';

/** Money is spent when it is reserved, and comes back when it is released or refunded. */
const spentBy = (event: WalletEvent): bigint | undefined => {
  if (event.type === 'FundsReserved') return sum(amountsIn(event.data));
  if (event.type === 'FundsReleased' || event.type === 'FundsRefunded') {
    return -sum(amountsIn(event.data));
  }
  return undefined;
};

type WalletEventAt = WalletEvent & { stream: string; metadata: { at: string } };

export const spentOnDays = async (
  source: RowSource,
  events: WalletEventAt[],
): Promise<Change[]> => {
  const added = new Map<string, LedgerDayRow>();
  for (const event of events) {
    const spent = spentBy(event);
    if (spent === undefined) continue;
    const { accountId } = placeOfWallet(event.stream);
    const id = `${accountId}/${event.metadata.at.slice(0, 10)}`;
    const micro = (added.get(id)?.spent_micro ?? 0n) + spent;
    added.set(id, { id, spent_micro: micro });
  }
  const kept = await source.load(ledgerDayTable, 'id', [...added.keys()]);
  const rows = [...added.values()].map((row) => ({
    ...row,
    spent_micro: row.spent_micro + (kept.get(row.id)?.spent_micro ?? 0n),
  }));
  return ledgerDayTable.save(rows);
};

/**
 * Micro-USD by day in UTC (`2026-01-31`), both days included. Negative: more came back than was spent. Days
 * on which nothing moved are missing.
 */
export const spentByDay = async (
  db: Db,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<Map<string, MicroUsd>> => {
  const { rows } = await db.query<{ id: string; spent: MicroUsd }>(
    `select id, spent_micro as spent from read_models.ledger_days
     where id between $1 and $2`,
    [`${accountId}/${from}`, `${accountId}/${to}`],
  );
  return new Map(rows.map(({ id, spent }) => [id.slice(accountId.length + 1), spent]));
};
