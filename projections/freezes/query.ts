import type { Db } from '../../ground/db.ts';

type FreezeChange = {
  account_id: string;
  subject: string;
  frozen: boolean;
  changed_position: bigint;
};

/** Changes of freezes after a log position, in that order. */
export const freezesAfter = async (db: Db, position: bigint): Promise<FreezeChange[]> => {
  const { rows } = await db.query<FreezeChange>(
    `select account_id, subject, frozen, changed_position from read_models.freezes
     where changed_position > $1 order by changed_position`,
    [position],
  );
  return rows;
};
