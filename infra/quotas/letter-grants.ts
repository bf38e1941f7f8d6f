import type { Quotas } from '../../commands/accounts/account.ts';
import type { Db } from '../../ground/db.ts';
import type { LetterGrants } from './letters-per-day.ts';

type Row = { letters: bigint; id: bigint | null; granted: number; wait_s: number };

/**
 * Grants in PostgreSQL, for all processes on one database.
 * @param quota the name of the quota, and its default where the operator sets none for an account
 */
export const createLetterGrants = (
  db: Db,
  quota: { name: keyof Quotas; usual: number },
): LetterGrants => ({
  async take({ accountId, want, waiting, holdMs }) {
    const { rows } = await db.query<Row>(
      `select quota.letters, taken.* from (
         select coalesce(
           (select (quotas ->> $2)::bigint from read_models.accounts where account_id = $1),
           $3::bigint) as letters
       ) quota, limits.take_letters($1, quota.letters, $4, $5, $6) taken`,
      [accountId, quota.name, quota.usual, want, waiting, holdMs / 1_000],
    );
    const [row] = rows;
    if (!row) throw new Error('take_letters answers with a row');
    return row.id === null
      ? { quota: Number(row.letters), waitMs: row.wait_s * 1_000 }
      : { granted: row.granted, id: row.id };
  },
  async giveBack({ key, unused }) {
    await db.query('select limits.return_letters($1, $2, $3, $4)', [
      key,
      unused.map(({ id }) => id),
      unused.map(({ count }) => count),
      unused.map(({ usedMsAgo }) => usedMsAgo / 1_000),
    ]);
  },
});
