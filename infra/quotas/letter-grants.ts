import { readFileSync } from 'node:fs';
import type { Db } from '../../contract/db.ts';
import type { LetterGrants } from './letters-per-day.ts';

export const prepareLetterGrants = async (db: Db): Promise<void> => {
  await db.query(readFileSync(new URL('./letter-grants.sql', import.meta.url), 'utf8'));
};

/** What was counted a day ago counts no more. Returns how many rows went. */
export const sweepLetterGrants = async (db: Db): Promise<number> => {
  const { rowCount } = await db.query(
    `delete from limits.letter_grants where until < clock_timestamp() - interval '25 hours'`,
  );
  return rowCount ?? 0;
};

/** Grants in PostgreSQL, for all processes on one database. */
export const createLetterGrants = (db: Db): LetterGrants => ({
  async take({ accountId, quota, want, waiting, holdMs }) {
    const { rows } = await db.query<{ id: bigint | null; granted: number; wait_s: number }>(
      'select * from limits.take_letters($1, $2, $3, $4, $5)',
      [accountId, quota, want, waiting, holdMs / 1_000],
    );
    const [row] = rows;
    return row?.id == null
      ? { granted: 0, waitMs: (row?.wait_s ?? 0) * 1_000 }
      : { granted: row.granted, id: row.id };
  },
  async giveBack(unused) {
    await db.query('select limits.return_letters($1, $2, $3)', [
      unused.map(({ id }) => id),
      unused.map(({ count }) => count),
      unused.map(({ usedMsAgo }) => usedMsAgo / 1_000),
    ]);
  },
});
