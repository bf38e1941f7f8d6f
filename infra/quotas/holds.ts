/** The ledger of budgets that all processes on one database share (infra/schema/18-holds.sql). */
import type { Db } from '../../ground/db.ts';

type SharedBudget = 'letters' | 'drafts' | 'gas' | 'payments';

/** Gives back the holds of a key. Safe to repeat, also for a key without holds. */
export const giveBackHolds = async (
  db: Db,
  budgets: readonly SharedBudget[],
  key: string,
): Promise<void> => {
  await db.query('delete from limits.holds where budget = any($1) and key = $2', [budgets, key]);
};

/** Deletes holds whose time is over. Returns how many. */
export const sweepHolds = async (db: Db): Promise<number> => {
  const { rowCount } = await db.query('delete from limits.holds where until < clock_timestamp()');
  return rowCount ?? 0;
};
