import type { Db } from '../../ground/db.ts';
import { quotasOf } from '../../projections/accounts/query.ts';
import { giveBackHolds } from './holds.ts';

/** CHOICE: after so long the read model shows a draft that was kept. */
const holdSeconds = 3_600;

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
  giveBack: (letterId: string): Promise<void> => giveBackHolds(db, ['drafts'], letterId),
});
