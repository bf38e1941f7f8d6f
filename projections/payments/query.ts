import type { Db } from '../../contract/db.ts';

/**
 * Payments that are on record since before `until` (RFC 3339) and are not over, the oldest first. What a chain
 * forgot is not over for 30 days.
 */
export const openPayments = async (
  db: Db,
  until: string,
  limit: number,
): Promise<{ paymentId: string; claimedAt: string }[]> => {
  const { rows } = await db.query<{ payment_id: string; claimed_at: Date }>(
    `select payment_id, claimed_at from read_models.payments
     where claimed_at <= $1::timestamptz and (status = 'claimed'
       or status = 'reverted' and claimed_at > $1::timestamptz - interval '30 days')
     order by claimed_at limit $2`,
    [until, limit],
  );
  return rows.map((row) => ({
    paymentId: row.payment_id,
    claimedAt: new Date(row.claimed_at).toISOString(),
  }));
};

/** Payments that were settled and presented in between, the oldest first. */
export const settledPayments = async (
  db: Db,
  from: string,
  until: string,
): Promise<{ paymentId: string; claimedAt: string }[]> => {
  const { rows } = await db.query<{ payment_id: string; claimed_at: Date }>(
    `select payment_id, claimed_at from read_models.payments
     where status = 'settled' and claimed_at between $1::timestamptz and $2::timestamptz
     order by claimed_at`,
    [from, until],
  );
  return rows.map((row) => ({
    paymentId: row.payment_id,
    claimedAt: new Date(row.claimed_at).toISOString(),
  }));
};
