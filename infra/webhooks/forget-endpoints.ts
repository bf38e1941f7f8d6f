import type { Db } from '../../ground/db.ts';

/** Removes the messages for an account, with their attempts. Its endpoints ended before. */
export const forgetEndpoints = async (db: Db, accountId: string): Promise<void> => {
  await db.query('delete from deliveries.messages where account_id = $1', [accountId]);
  await db.query('delete from deliveries.replays where account_id = $1', [accountId]);
  await db.query('delete from deliveries.endpoints where account_id = $1 and not active', [
    accountId,
  ]);
};
