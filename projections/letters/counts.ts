/** How many letters of an account are in each status, without deleted ones. */
import type { LetterStatus } from '../../contract/letter-status.ts';
import type { Db } from '../../ground/db.ts';
import { listed, listedByGroup } from './table.ts';

export type LetterCounts = {
  /** Statuses without letters are left out. */
  byStatus: ReadonlyMap<LetterStatus, number>;
  returned: number;
};

type Counted = { state: LetterStatus | 'returned'; letters: number };

/** Reads the index of groups, and of returned letters the index that has only them. */
export const countLetters = async (db: Db, accountId: string): Promise<LetterCounts> => {
  const { rows } = await db.query<Counted>(
    `select status as state, count(*)::int as letters from read_models.letters
     where account_id = $1 and ${listedByGroup} group by status
     union all
     select 'returned', count(*)::int from read_models.letters
     where account_id = $1 and delivery_outcome = 'returned' and ${listed}`,
    [accountId],
  );
  const counted = new Map(rows.map(({ state, letters }) => [state, letters]));
  const returned = counted.get('returned') ?? 0;
  counted.delete('returned');
  return { byStatus: counted as Map<LetterStatus, number>, returned };
};
