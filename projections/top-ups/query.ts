import type { Db } from '../../contract/db.ts';
import type { TopUpRow } from './table.ts';

/** Of a method, by what takes its money calls them; the one asked for last comes first. */
export const topUpsByExternalId = async (
  db: Db,
  method: TopUpRow['method'],
  externalId: string,
): Promise<{ topUpId: string; accountId: string; status: TopUpRow['status'] }[]> => {
  const { rows } = await db.query<Pick<TopUpRow, 'topup_id' | 'account_id' | 'status'>>(
    `select topup_id, account_id, status from read_models.top_ups
     where method = $1 and external_id = $2 order by requested_at desc`,
    [method, externalId],
  );
  return rows.map((row) => ({
    topUpId: row.topup_id,
    accountId: row.account_id,
    status: row.status,
  }));
};

/** Of a method, not paid yet; those whose time has passed for a day as well. The oldest first. */
export const waitedForTopUps = async (
  db: Db,
  method: TopUpRow['method'],
  now: string,
  limit: number,
): Promise<{ topUpId: string; externalId: string }[]> => {
  const { rows } = await db.query<{ topup_id: string; external_id: string }>(
    `select topup_id, external_id from read_models.top_ups
     where status = 'pending' and method = $1
       and expires_at > $2::timestamptz - interval '1 day' order by expires_at limit $3`,
    [method, now, limit],
  );
  return rows.map((row) => ({ topUpId: row.topup_id, externalId: row.external_id }));
};

/** Pending ones whose time was over at `until` (RFC 3339), the oldest first. */
export const overdueTopUps = async (
  db: Db,
  method: TopUpRow['method'],
  until: string,
  limit: number,
): Promise<{ topUpId: string; externalId: string }[]> => {
  const { rows } = await db.query<{ topup_id: string; external_id: string }>(
    `select topup_id, external_id from read_models.top_ups
     where status = 'pending' and method = $1 and expires_at <= $2::timestamptz
     order by expires_at limit $3`,
    [method, until, limit],
  );
  return rows.map((row) => ({ topUpId: row.topup_id, externalId: row.external_id }));
};
