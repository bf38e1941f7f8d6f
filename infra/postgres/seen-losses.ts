/** Which payments, of those that a restore made unknown, an operator has dealt with. */
import type { Db } from '../../ground/db.ts';

export type SeenLoss = { receipt_id: string; seen_by: string; seen_at: Date };

/** By receipt. */
export const seenLosses = async (db: Db): Promise<Map<string, SeenLoss>> => {
  const { rows } = await db.query<SeenLoss>(
    'select receipt_id, seen_by, seen_at from operation.seen_losses',
  );
  return new Map(rows.map((row) => [row.receipt_id, row]));
};

export const isSeenLoss = async (db: Db, receiptId: string): Promise<boolean> => {
  const { rows } = await db.query('select from operation.seen_losses where receipt_id = $1', [
    receiptId,
  ]);
  return rows.length > 0;
};

/** The first record of a receipt stays. */
export const recordSeenLosses = async (
  db: Db,
  receiptIds: readonly string[],
  seenBy: string,
): Promise<void> => {
  await db.query(
    `insert into operation.seen_losses (receipt_id, seen_by)
     select unnest($1::text[]), $2 on conflict (receipt_id) do nothing`,
    [receiptIds, seenBy],
  );
};
