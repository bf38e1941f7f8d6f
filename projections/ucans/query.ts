import { allRows, type Db, oneRow } from '../../ground/db.ts';
import { lastPosition } from '../conditions.ts';
import { liveRows } from '../live-rows.ts';

type LiveUcan = { cid: string; issued_at: Date; issued_position: bigint };

/** For the operator: the account of a UCAN, and whether it was revoked. */
export const ucanOwner = (
  db: Db,
  cid: string,
): Promise<{ account_id: string; revoked: boolean } | undefined> =>
  oneRow(
    db,
    'select account_id, revoked_at is not null as revoked from read_models.ucans where cid = $1',
    [cid],
  );

const live = liveRows({
  table: 'ucans',
  columns: 'cid, issued_at, issued_position',
  position: 'issued_position',
});

/** Neither revoked themselves nor expired at `now`, newest first. */
export const liveUcans = async (
  db: Db,
  accountId: string,
  { now, before, limit }: { now: string; before: bigint | undefined; limit: number },
): Promise<LiveUcan[]> => {
  const values = [accountId, now, before ?? lastPosition, limit];
  return allRows<LiveUcan>(db, live, values);
};
