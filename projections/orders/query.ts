import type { Db } from '../../ground/db.ts';
import { latestOf, type WantedPage } from '../latest.ts';
import { type OrderRow, type OrderStatus, orderStatuses } from './table.ts';

export { type OrderStatus, orderStatuses } from './table.ts';

export type ListedOrder = { orderId: string; placedPosition: bigint };

const latest = latestOf<Pick<OrderRow, 'order_id' | 'placed_position'>, OrderStatus>({
  table: 'orders',
  position: 'placed_position',
  columns: 'order_id, placed_position',
  statuses: orderStatuses,
});

/** The orders of an account, latest first. */
export const ordersOf = async (
  db: Db,
  accountId: string,
  page: WantedPage<OrderStatus>,
): Promise<ListedOrder[]> => {
  const rows = await latest(db, accountId, page);
  return rows.map((row) => ({ orderId: row.order_id, placedPosition: row.placed_position }));
};
