import type { Db } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';

type LiveUcan = { cid: string; issued_at: Date; issued_position: bigint };

/** For the operator: the account of a UCAN, and whether it was revoked. */
export const ucanOwner = async (
  db: Db,
  cid: string,
): Promise<{ account_id: string; revoked: boolean } | undefined> => {
  const { rows } = await db.query<{ account_id: string; revoked: boolean }>(
    'select account_id, revoked_at is not null as revoked from read_models.ucans where cid = $1',
    [cid],
  );
  return rows[0];
};

/** Neither revoked themselves nor expired at `now`, newest first. */
export const liveUcans = async (
  db: Db,
  accountId: string,
  { now, before, limit }: { now: string; before: bigint | undefined; limit: number },
): Promise<LiveUcan[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `account_id = ${p}`, accountId);
  where((p) => `(expires_at is null or expires_at > ${p}::timestamptz)`, now);
  where((p) => `issued_position < ${p}`, before);
  const { rows } = await db.query<LiveUcan>(
    `select cid, issued_at, issued_position from read_models.ucans
     where revoked_at is null and ${text()}
     order by issued_position desc limit ${parameter(limit)}`,
    values,
  );
  return rows;
};
