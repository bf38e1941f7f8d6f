import { bigint, defineTable, fixed, key, type RowOf, text, uuid } from '../upsert.ts';

export const orderStatuses = ['awaiting_payment', 'paid', 'queued', 'credited', 'expired'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

const columns = {
  order_id: key(uuid()),
  account_id: fixed(text()),
  status: text<OrderStatus>(),
  placed_position: fixed(bigint()),
};

export type OrderRow = RowOf<typeof columns>;

export const orderTable = defineTable('orders', columns, {
  indexes: ['(account_id, status, placed_position)'],
});
