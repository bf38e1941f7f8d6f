/** Totals of letters by status: what a batch adds to them and takes off. */
import type { RowSource } from '../projection.ts';
import type { Change } from '../upsert.ts';
import { type LetterRow, type TotalRow, totalTable } from './table.ts';

/** The total that a letter counts in; undefined once it was deleted. */
type Counted = Pick<TotalRow, 'id' | 'test' | 'status'> | undefined;

export const countedIn = ({ deleted_at, status, doc }: LetterRow): Counted => {
  const { test } = doc.terms;
  return deleted_at === null
    ? { id: `${test ? 'test' : 'live'}/${status}`, test, status }
    : undefined;
};

/** What changes where letters counted in one total before a batch and count in another after it. */
export const totalChanges = async (
  source: RowSource,
  before: Iterable<Counted>,
  after: Iterable<Counted>,
): Promise<Change[]> => {
  const changed = new Map<string, TotalRow>();
  const add = (counted: Counted, letters: bigint): void => {
    if (counted === undefined) return;
    const known = changed.get(counted.id)?.letters ?? 0n;
    changed.set(counted.id, { ...counted, letters: known + letters });
  };
  for (const counted of before) add(counted, -1n);
  for (const counted of after) add(counted, 1n);
  const rows = [...changed.values()].filter(({ letters }) => letters !== 0n);
  const ids = rows.map(({ id }) => id);
  const kept = await source.load(totalTable, 'id', ids);
  const totals = rows.map((row) => ({
    ...row,
    letters: row.letters + (kept.get(row.id)?.letters ?? 0n),
  }));
  // A rebuild, whose batches are larger, may never see a total that is empty again.
  return [
    ...totalTable.save(totals.filter(({ letters }) => letters !== 0n)),
    ...totalTable.remove(totals.filter(({ letters }) => letters === 0n)),
  ];
};
