import type { AnyEvent } from '../../events/envelope.ts';
import { type OrderEvent, orderPrefix } from '../../events/order.ts';
import { type TopUpEvent, type TopUpTerms, topUpStream } from '../../events/top-up.ts';
import type { Projection } from '../projection.ts';
import { type TopUpRow, topUpTable } from './table.ts';

/** An order has the id of its top-up. */
type TopUpEventAt = AnyEvent & (TopUpEvent | Extract<OrderEvent, { type: 'OrderPlaced' }>);

const beginning = topUpStream('');

const isOfTopUp = (event: AnyEvent): event is TopUpEventAt =>
  event.stream.startsWith(beginning) || event.type === 'OrderPlaced';

const topUpIdIn = ({ data }: TopUpEventAt): string =>
  'topUpId' in data ? data.topUpId : data.orderId;

const externalIdOf = (terms: TopUpTerms): string => {
  if (terms.method === 'usdc') return String(terms.transferMicro);
  return terms.method === 'lightning' ? terms.paymentHash : terms.sessionId;
};

const apply = (row: TopUpRow | undefined, event: TopUpEventAt): TopUpRow | undefined => {
  switch (event.type) {
    case 'TopUpRequested': {
      const { topUpId, accountId, amountMicro, terms, expiresAt } = event.data;
      return {
        topup_id: topUpId,
        account_id: accountId,
        method: terms.method,
        status: 'pending',
        external_id: externalIdOf(terms),
        amount_micro: BigInt(amountMicro),
        requested_at: event.metadata.at,
        requested_position: event.position,
        expires_at: expiresAt,
        of_order: false,
      };
    }
    case 'TopUpPaid':
      return row && { ...row, status: 'paid' };
    case 'TopUpExpired':
      return row && { ...row, status: 'expired' };
    case 'OrderPlaced':
      return row && { ...row, of_order: true };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** Top-ups by what takes their money calls them. */
export const topUps: Projection = {
  name: 'top-ups',
  version: 3,
  streams: [beginning, orderPrefix],
  // `order-` is how others name streams, too.
  types: { [orderPrefix]: ['OrderPlaced'] },
  tables: [topUpTable],
  async project(source, events) {
    const own = events.filter(isOfTopUp);
    if (own.length === 0) return [];
    const rows = await source.load(topUpTable, 'topup_id', [...new Set(own.map(topUpIdIn))]);
    for (const event of own) {
      const after = apply(rows.get(topUpIdIn(event)), event);
      if (after) rows.set(after.topup_id, after);
    }
    return topUpTable.save(rows.values());
  },
};
