import type { Db } from '../../ground/db.ts';

/** Keys of requests that are on record since before `until` (RFC 3339) and are not over, the oldest first. */
export const openMechRequests = async (db: Db, until: string, limit: number): Promise<string[]> => {
  const { rows } = await db.query<{ request_key: string }>(
    `select request_key from read_models.mech_requests
     where status = 'claimed' and claimed_at <= $1::timestamptz order by claimed_at limit $2`,
    [until, limit],
  );
  return rows.map((row) => row.request_key);
};
