import type { Db } from '../../ground/db.ts';
import { lastPosition } from '../conditions.ts';
import { latestOf, type WantedPage } from '../latest.ts';
import { type ApprovalDoc, type ApprovalStatus, approvalStatuses } from './table.ts';

export { approvalStatuses } from './table.ts';

export type ApprovalRecord = {
  approvalId: string;
  letterId: string;
  status: ApprovalStatus;
  requestedAt: Date;
  requestedPosition: bigint;
  expiresAt: Date;
  doc: ApprovalDoc;
};

type Row = {
  approval_id: string;
  letter_id: string;
  status: ApprovalStatus;
  requested_at: Date;
  requested_position: bigint;
  expires_at: Date;
  doc: string;
};

const recordOf = (row: Row): ApprovalRecord => ({
  approvalId: row.approval_id,
  letterId: row.letter_id,
  status: row.status,
  requestedAt: row.requested_at,
  requestedPosition: row.requested_position,
  expiresAt: row.expires_at,
  doc: JSON.parse(row.doc) as ApprovalDoc,
});

const columns = 'approval_id, letter_id, status, requested_at, requested_position, expires_at, doc';

export const approvalById = async (
  db: Db,
  accountId: string,
  approvalId: string,
): Promise<ApprovalRecord | undefined> => {
  const { rows } = await db.query<Row>(
    `select ${columns} from read_models.approvals where approval_id = $1 and account_id = $2`,
    [approvalId, accountId],
  );
  return rows[0] && recordOf(rows[0]);
};

type WantedApprovals = WantedPage<ApprovalStatus>;

const latest = latestOf<Row, ApprovalStatus>({
  table: 'approvals',
  position: 'requested_position',
  columns,
  statuses: approvalStatuses,
});

/** The approvals of an account, latest first. */
export const approvalsOf = async (
  db: Db,
  accountId: string,
  page: WantedApprovals,
): Promise<ApprovalRecord[]> => (await latest(db, accountId, page)).map(recordOf);

export type ApprovalDue = { approvalId: string; letterId: string; expiresAt: Date };

/**
 * Approvals whose time is over, and those with the discount of a contract that is over; those that expire first come
 * first, behind the approval `after`. Documents are read only of accounts that have such a contract.
 */
export const approvalsDue = async (
  db: Db,
  now: string,
  limit: number,
  after?: Pick<ApprovalDue, 'approvalId' | 'expiresAt'>,
): Promise<ApprovalDue[]> => {
  const behind = '($3::timestamptz is null or (expires_at, approval_id) > ($3, $4))';
  const { rows } = await db.query<{ approval_id: string; letter_id: string; expires_at: Date }>(
    `with waiting as materialized (
       select approval_id, letter_id, expires_at, doc from read_models.approvals a cross join lateral (
         select from read_models.contracts
         where account_id = a.account_id and state <> 'active' limit 1) ended
       where status = 'pending' and expires_at > $1::timestamptz and ${behind}
     )
     (select approval_id, letter_id, expires_at from read_models.approvals
      where status = 'pending' and expires_at <= $1::timestamptz and ${behind}
      order by expires_at, approval_id limit $2)
     union all
     (select approval_id, letter_id, expires_at from waiting cross join lateral (
        select from read_models.contracts
        where contract_id = waiting.doc::jsonb #>> '{price,discount,contractId}'
          and state <> 'active' limit 1) ended
      order by expires_at, approval_id limit $2)
     limit $2`,
    [now, limit, after?.expiresAt, after?.approvalId],
  );
  return rows.map((row) => ({
    approvalId: row.approval_id,
    letterId: row.letter_id,
    expiresAt: row.expires_at,
  }));
};

/** How many approvals of an account were asked for in the hour before this one. */
export const approvalsBefore = async (
  db: Db,
  accountId: string,
  approvalId: string,
): Promise<number> => {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count
     from read_models.approvals this
     join read_models.approvals other on other.account_id = this.account_id
      and other.requested_position < this.requested_position
      and other.requested_at > this.requested_at - interval '1 hour'
     where this.approval_id = $1 and this.account_id = $2`,
    [approvalId, accountId],
  );
  return rows[0]?.count ?? 0;
};

/** The approvals of one letter of an account, latest first. */
export const approvalsOfOwnLetter = async (
  db: Db,
  accountId: string,
  letterId: string,
  { status, before, limit }: WantedApprovals,
): Promise<ApprovalRecord[]> => {
  const { rows } = await db.query<Row>(
    `select ${columns} from read_models.approvals
     where letter_id = $1::uuid and account_id = $2 and status = any($3::text[])
       and requested_position < $4::bigint
     order by requested_position desc limit $5`,
    [
      letterId,
      accountId,
      status === undefined ? approvalStatuses : [status],
      before ?? lastPosition,
      limit,
    ],
  );
  return rows.map(recordOf);
};

/** The approvals that were asked for with a letter, the latest first. */
export const approvalsOfLetter = async (
  db: Db,
  letterId: string,
  limit: number,
): Promise<ApprovalRecord[]> => {
  const { rows } = await db.query<Row>(
    `select ${columns} from read_models.approvals where letter_id = $1::uuid
     order by requested_position desc limit $2`,
    [letterId, limit],
  );
  return rows.map(recordOf);
};
