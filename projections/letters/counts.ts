/** Counts of the letters of an account by status, without deleted ones, as the projection keeps them. */
import { type LetterStatus, liveFlow } from '../../contract/letter-status.ts';
import type { Db } from '../../ground/db.ts';

export type LetterCounts = {
  /** Statuses without letters are left out. */
  byStatus: ReadonlyMap<LetterStatus, number>;
  returned: number;
};

/** Reads a few rows, however many letters the account has. */
export const countLetters = async (db: Db, accountId: string): Promise<LetterCounts> => {
  const { rows } = await db.query<{ id: string; letters: number }>(
    'select id, letters::int as letters from read_models.letter_counts where id between $1 and $2 order by id',
    // No state begins with a character behind `z`.
    [`${accountId}/`, `${accountId}/~`],
  );
  const counted = new Map(rows.map(({ id, letters }) => [id.slice(accountId.length + 1), letters]));
  const returned = counted.get('returned') ?? 0;
  counted.delete('returned');
  return { byStatus: counted as Map<LetterStatus, number>, returned };
};

/** Of letters that were sent and neither cancelled nor failed. */
export const sentStatuses: LetterStatus[] = [...liveFlow];

/** How many letters of an account were sent and neither cancelled nor failed. */
export const countSent = async (db: Db, accountId: string): Promise<number> => {
  const { byStatus } = await countLetters(db, accountId);
  return sentStatuses.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0);
};
