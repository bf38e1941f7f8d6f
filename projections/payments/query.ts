import { allRows, type Db, oneRow } from '../../ground/db.ts';
import { leastId } from '../conditions.ts';
import type { PaymentRow } from './table.ts';

/**
 * Payments recorded before `until` (RFC 3339) that are not over, in the order of their ids. A payment that a
 * chain forgot stays open for 30 days.
 * @param after the last one of the page before
 */
export const openPayments = async (
  db: Db,
  until: string,
  after: string | undefined,
  limit: number,
): Promise<{ paymentId: string; claimedAt: string }[]> => {
  const { rows } = await db.query<{ payment_id: string; claimed_at: Date }>(
    `select payment_id, claimed_at from read_models.payments
     where claimed_at <= $1::timestamptz and (status = 'claimed'
       or status = 'reverted' and claimed_at > $1::timestamptz - interval '30 days')
       and payment_id > $2::uuid
     order by payment_id limit $3`,
    [until, after ?? leastId, limit],
  );
  return rows.map((row) => ({
    paymentId: row.payment_id,
    claimedAt: new Date(row.claimed_at).toISOString(),
  }));
};

/** Payments that were settled in between, the oldest first. */
export const settledPayments = async (
  db: Db,
  from: string,
  until: string,
): Promise<{ paymentId: string; settledAt: string }[]> => {
  const { rows } = await db.query<{ payment_id: string; settled_at: Date }>(
    `select payment_id, settled_at from read_models.payments
     where status = 'settled' and settled_at between $1::timestamptz and $2::timestamptz
     order by settled_at`,
    [from, until],
  );
  return rows.map((row) => ({
    paymentId: row.payment_id,
    settledAt: new Date(row.settled_at).toISOString(),
  }));
};

/** How many payments there are in each status. */
export const paymentsByStatus = (db: Db): Promise<{ status: string; count: bigint }[]> =>
  allRows(db, 'select status, count(*) as count from read_models.payments group by status');

/** Other networks that have payments which are accepted and not settled. */
export const otherNetworksThatWait = async (db: Db, network: string): Promise<string[]> => {
  const { rows } = await db.query<{ network: string }>(
    `select distinct network from read_models.payments
     where status = 'claimed' and network <> $1 order by network`,
    [network],
  );
  return rows.map((row) => row.network);
};

/** For the operator: the account of a payment, and its outcome. */
export const paymentById = (
  db: Db,
  paymentId: string,
): Promise<Pick<PaymentRow, 'account_id' | 'status' | 'amount_micro'> | undefined> =>
  oneRow(
    db,
    'select account_id, status, amount_micro from read_models.payments where payment_id = $1::uuid',
    [paymentId],
  );

/** How many payments are accepted and not settled. */
export const paymentsThatWait = async (db: Db): Promise<number> => {
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from read_models.payments where status = 'claimed'",
  );
  return rows[0]?.count ?? 0;
};
