/**
 * How many letters are in each status, of live and of test accounts and of each account: what a batch adds and
 * takes off.
 */
import type { RowSource } from '../projection.ts';
import type { Change } from '../upsert.ts';
import { type CountRow, countTable, type LetterRow, type TotalRow, totalTable } from './table.ts';

/** The rows that a letter counts in, without numbers. */
type Counted = { total: Omit<TotalRow, 'letters'>; counts: Omit<CountRow, 'letters'>[] };

/** Undefined once the letter was deleted. */
export const countedIn = (row: LetterRow): Counted | undefined => {
  const { account_id, deleted_at, delivery_outcome, status } = row;
  if (deleted_at !== null) return undefined;
  const { test } = row.doc.terms;
  const states = delivery_outcome === 'returned' ? [status, 'returned' as const] : [status];
  return {
    total: { id: `${test ? 'test' : 'live'}/${status}`, test, status },
    counts: states.map((state) => ({ id: `${account_id}/${state}` })),
  };
};

type Numbered = { id: string; letters: bigint };

/** By how many letters a row changes; rows that do not change are left out. */
const createSums = <R extends Numbered>() => {
  const sums = new Map<string, R>();
  return {
    add(row: R): void {
      const letters = (sums.get(row.id)?.letters ?? 0n) + row.letters;
      if (letters === 0n) sums.delete(row.id);
      else sums.set(row.id, { ...row, letters });
    },
    ids: (): string[] => [...sums.keys()],
    /** The rows as they are then. A rebuild, whose batches are larger, may never see a row that is empty again. */
    onTopOf(kept: Map<string, R>): { filled: R[]; empty: R[] } {
      const rows = [...sums.values()].map((row) => ({
        ...row,
        letters: row.letters + (kept.get(row.id)?.letters ?? 0n),
      }));
      const empty = rows.filter(({ letters }) => letters === 0n);
      return { filled: rows.filter(({ letters }) => letters !== 0n), empty };
    },
  };
};

/** Changes of the rows in which letters counted before a batch, and of those in which they count after it. */
export const totalChanges = async (
  source: RowSource,
  before: Iterable<Counted | undefined>,
  after: Iterable<Counted | undefined>,
): Promise<Change[]> => {
  const totals = createSums<TotalRow>();
  const counts = createSums<CountRow>();
  const add = (counted: Counted | undefined, letters: bigint): void => {
    if (counted === undefined) return;
    totals.add({ ...counted.total, letters });
    for (const count of counted.counts) counts.add({ ...count, letters });
  };
  for (const counted of before) add(counted, -1n);
  for (const counted of after) add(counted, 1n);
  const [keptTotals, keptCounts] = await Promise.all([
    source.load(totalTable, 'id', totals.ids()),
    source.load(countTable, 'id', counts.ids()),
  ]);
  const [total, count] = [totals.onTopOf(keptTotals), counts.onTopOf(keptCounts)];
  return [
    ...totalTable.save(total.filled),
    ...totalTable.remove(total.empty),
    ...countTable.save(count.filled),
    ...countTable.remove(count.empty),
  ];
};
