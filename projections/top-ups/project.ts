import type { AnyEvent } from '../../events/envelope.ts';
import { type TopUpEvent, type TopUpTerms, topUpStream } from '../../events/top-up.ts';
import type { Projection } from '../projection.ts';
import { type TopUpRow, topUpTable } from './table.ts';

type TopUpEventAt = AnyEvent & TopUpEvent;

const beginning = topUpStream('');

const isOfTopUp = (event: AnyEvent): event is TopUpEventAt => event.stream.startsWith(beginning);

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
        expires_at: expiresAt,
      };
    }
    case 'TopUpPaid':
      return row && { ...row, status: 'paid' };
    case 'TopUpExpired':
      return row && { ...row, status: 'expired' };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** Top-ups by what takes their money calls them. */
export const topUps: Projection = {
  name: 'top-ups',
  version: 2,
  streams: [beginning],
  tables: [topUpTable],
  async project(source, events) {
    const own = events.filter(isOfTopUp);
    if (own.length === 0) return [];
    const ids = [...new Set(own.map(({ data }) => data.topUpId))];
    const rows = await source.load(topUpTable, 'topup_id', ids);
    for (const event of own) {
      const after = apply(rows.get(event.data.topUpId), event);
      if (after) rows.set(event.data.topUpId, after);
    }
    return topUpTable.save(rows.values());
  },
};
