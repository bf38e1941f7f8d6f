import { allRows, type Db, oneRow } from '../../ground/db.ts';
import { leastId } from '../conditions.ts';
import { latestOf, type WantedPage } from '../latest.ts';
import { type TopUpRow, type TopUpStatus, topUpStatuses } from './table.ts';

export { type TopUpStatus, topUpStatuses } from './table.ts';

export type ListedTopUp = { topUpId: string; requestedPosition: bigint };

const latest = latestOf<Pick<TopUpRow, 'topup_id' | 'requested_position'>, TopUpStatus>({
  table: 'top_ups',
  position: 'requested_position',
  columns: 'topup_id, requested_position',
  statuses: topUpStatuses,
  only: 'not of_order',
});

/** The top-ups of an account, without those of orders, latest first. */
export const topUpsOf = async (
  db: Db,
  accountId: string,
  page: WantedPage<TopUpStatus>,
): Promise<ListedTopUp[]> => {
  const rows = await latest(db, accountId, page);
  return rows.map((row) => ({
    topUpId: row.topup_id,
    requestedPosition: row.requested_position,
  }));
};

/** Of a method, by the id that the payment provider uses; the last requested one comes first. */
export const topUpsByExternalId = async (
  db: Db,
  method: TopUpRow['method'],
  externalId: string,
): Promise<{ topUpId: string; accountId: string }[]> => {
  const { rows } = await db.query<Pick<TopUpRow, 'topup_id' | 'account_id'>>(
    `select topup_id, account_id from read_models.top_ups
     where method = $1 and external_id = $2 order by requested_at desc`,
    [method, externalId],
  );
  return rows.map((row) => ({ topUpId: row.topup_id, accountId: row.account_id }));
};

/** How long after its time a transfer may still be known by its amount. */
const late = `interval '7 days'`;

/** Tails of top-ups from before amounts were announced are below this; those of announced ones are not. */
const leastAnnouncedTail = 10_000;

/** Not paid, of USDC, from before amounts were announced, that a transfer of this amount may be for. */
export const topUpsOfAmount = async (
  db: Db,
  transferMicro: number,
  now: string,
): Promise<{ topUpId: string; accountId: string }[]> => {
  const { rows } = await db.query<Pick<TopUpRow, 'topup_id' | 'account_id'>>(
    `select topup_id, account_id from read_models.top_ups
     where method = 'usdc' and external_id = $1 and status <> 'paid'
       and expires_at > $2::timestamptz - ${late}
       and $3 - amount_micro < ${leastAnnouncedTail}`,
    [String(transferMicro), now, transferMicro],
  );
  return rows.map((row) => ({ topUpId: row.topup_id, accountId: row.account_id }));
};

/** Of a method, neither paid nor expired, in the order of their ids. */
export const waitedForTopUps = async (
  db: Db,
  method: TopUpRow['method'],
  after: string | undefined,
  limit: number,
): Promise<string[]> => {
  const { rows } = await db.query<{ topup_id: string }>(
    `select topup_id from read_models.top_ups
     where status = 'pending' and method = $1 and topup_id > $2::uuid
     order by topup_id limit $3`,
    [method, after ?? leastId, limit],
  );
  return rows.map(({ topup_id: id }) => id);
};

export type TopUpDue = { topUpId: string; expiresAt: Date };

/** Pending top-ups whose time was over at `until` (RFC 3339), the oldest first, behind the top-up `after`. */
export const overdueTopUps = async (
  db: Db,
  method: TopUpRow['method'],
  until: string,
  limit: number,
  after?: TopUpDue,
): Promise<TopUpDue[]> => {
  const { rows } = await db.query<{ topup_id: string; expires_at: Date }>(
    `select topup_id, expires_at from read_models.top_ups
     where status = 'pending' and method = $1 and expires_at <= $2::timestamptz
       and ($4::timestamptz is null or (expires_at, topup_id) > ($4, $5::uuid))
     order by expires_at, topup_id limit $3`,
    [method, until, limit, after?.expiresAt, after?.topUpId],
  );
  return rows.map((row) => ({ topUpId: row.topup_id, expiresAt: row.expires_at }));
};

/** How many top-ups there are of each method in each status. */
export const topUpsByStatus = (
  db: Db,
): Promise<{ method: string; status: string; count: bigint }[]> =>
  allRows(
    db,
    'select method, status, count(*) as count from read_models.top_ups group by method, status',
  );

/** For the operator: a top-up of any account. */
export const topUpById = (db: Db, topUpId: string): Promise<TopUpRow | undefined> =>
  oneRow(
    db,
    `select topup_id, account_id, method, status, external_id, amount_micro, requested_at, expires_at
     from read_models.top_ups where topup_id = $1::uuid`,
    [topUpId],
  );
