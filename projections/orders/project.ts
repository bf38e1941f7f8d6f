import type { AnyEvent } from '../../events/envelope.ts';
import { type OrderEvent, orderEvents, orderPrefix } from '../../events/order.ts';
import { type TopUpEvent, topUpStream } from '../../events/top-up.ts';
import type { Projection } from '../projection.ts';
import { type OrderRow, orderTable } from './table.ts';

/** The top-up of an order has the order's id. */
type EventAt = AnyEvent & (OrderEvent | Extract<TopUpEvent, { type: 'TopUpPaid' }>);

const topUpPrefix = topUpStream('');

const isOfOrder = (event: AnyEvent): event is EventAt =>
  event.stream.startsWith(orderPrefix) || event.type === 'TopUpPaid';

const orderIdIn = ({ data }: EventAt): string => ('orderId' in data ? data.orderId : data.topUpId);

const apply = (row: OrderRow | undefined, event: EventAt): OrderRow | undefined => {
  switch (event.type) {
    case 'OrderPlaced': {
      const { orderId, accountId } = event.data;
      return {
        order_id: orderId,
        account_id: accountId,
        status: 'awaiting_payment',
        placed_position: event.position,
      };
    }
    case 'TopUpPaid':
      // Money for an expired order makes it `credited`.
      return row?.status === 'awaiting_payment' ? { ...row, status: 'paid' } : row;
    case 'OrderFulfilled':
      return row && { ...row, status: 'queued' };
    case 'OrderCredited':
      return row && { ...row, status: 'credited' };
    case 'OrderExpired':
      return row && { ...row, status: 'expired' };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** The orders of accounts, by status. Their streams say the rest. */
export const orders: Projection = {
  name: 'orders',
  version: 1,
  streams: [orderPrefix, topUpPrefix],
  // `order-` is how others name streams, too.
  types: { [orderPrefix]: Object.keys(orderEvents), [topUpPrefix]: ['TopUpPaid'] },
  tables: [orderTable],
  async project(source, events) {
    const own = events.filter(isOfOrder);
    if (own.length === 0) return [];
    const rows = await source.load(orderTable, 'order_id', [...new Set(own.map(orderIdIn))]);
    for (const event of own) {
      const after = apply(rows.get(orderIdIn(event)), event);
      if (after) rows.set(after.order_id, after);
    }
    return orderTable.save(rows.values());
  },
};
