import type { Db } from '../../ground/db.ts';

export type LiveUcan = { cid: string; issued_at: Date; issued_position: bigint };

/** Neither revoked themselves nor expired at `now`, newest first. */
export const liveUcans = async (
  db: Db,
  accountId: string,
  { now, before, limit }: { now: string; before: bigint | undefined; limit: number },
): Promise<LiveUcan[]> => {
  const { rows } = await db.query<LiveUcan>(
    `select cid, issued_at, issued_position from read_models.ucans
     where account_id = $1 and revoked_at is null
       and (expires_at is null or expires_at > $2::timestamptz)
       and ($3::bigint is null or issued_position < $3)
     order by issued_position desc limit $4`,
    [accountId, now, before ?? null, limit],
  );
  return rows;
};
