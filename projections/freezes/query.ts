import { allRows, type Db } from '../../ground/db.ts';

type FreezeChange = {
  account_id: string;
  subject: string;
  frozen: boolean;
  changed_position: bigint;
};

/** Changes of freezes after a log position, in that order. */
export const freezesAfter = (db: Db, position: bigint): Promise<FreezeChange[]> =>
  allRows(
    db,
    `select account_id, subject, frozen, changed_position from read_models.freezes
     where changed_position > $1 order by changed_position`,
    [position],
  );
