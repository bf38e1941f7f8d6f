import type { Db } from '../../ground/db.ts';
import { lastPosition } from '../conditions.ts';
import { type OrderStatus, orderStatuses } from './table.ts';

export { type OrderStatus, orderStatuses } from './table.ts';

export type ListedOrder = { orderId: string; placedPosition: bigint };

/** The orders of an account, latest first. Reads the latest of each status, and takes the latest of these. */
export const ordersOf = async (
  db: Db,
  accountId: string,
  {
    status,
    before,
    limit,
  }: { status: OrderStatus | undefined; before: bigint | undefined; limit: number },
): Promise<ListedOrder[]> => {
  const { rows } = await db.query<{ order_id: string; placed_position: bigint }>(
    `select found.* from unnest($2::text[]) as wanted (status) cross join lateral (
       select order_id, placed_position from read_models.orders o
       where o.account_id = $1 and o.status = wanted.status and o.placed_position < $3::bigint
       order by o.placed_position desc limit $4) found
     order by placed_position desc limit $4`,
    [accountId, status === undefined ? orderStatuses : [status], before ?? lastPosition, limit],
  );
  return rows.map((row) => ({ orderId: row.order_id, placedPosition: row.placed_position }));
};
