import type { Db } from '../../ground/db.ts';
import { quotasOf } from '../../projections/accounts/query.ts';

/** CHOICE: after so long the read model shows a draft that was kept. */
const holdSeconds = 3_600;

/** What nobody waits for any more. Returns how many rows went. */
export const sweepDraftHolds = async (db: Db): Promise<number> => {
  const { rowCount } = await db.query(
    'delete from limits.draft_holds where until < clock_timestamp()',
  );
  return rowCount ?? 0;
};

/**
 * How many drafts an account may have at once, in all processes together.
 * @param usual where the operator says nothing else for an account
 */
export const createDraftHolds = (db: Db, usual: number) => ({
  /** `taken` is undefined where nothing is left, and `known` for a letter that was taken before or is there. */
  async take(
    accountId: string,
    letterId: string,
  ): Promise<{ taken: 'now' | 'known' | undefined; quota: number }> {
    const { draftsPerAccount: quota = usual } = await quotasOf(db, accountId);
    const { rows } = await db.query<{ taken: 'now' | 'known' | null }>(
      'select limits.take_draft($1, $2, $3, $4) as taken',
      [accountId, letterId, quota, holdSeconds],
    );
    return { taken: rows[0]?.taken ?? undefined, quota };
  },

  /** The letter was not kept after all. */
  async giveBack(letterId: string): Promise<void> {
    await db.query('delete from limits.draft_holds where letter_id = $1', [letterId]);
  },
});
