import type { AnyEvent } from '../../events/envelope.ts';
import { type PaymentEvent, paymentStream } from '../../events/payment.ts';
import type { Projection } from '../projection.ts';
import { type PaymentRow, paymentTable } from './table.ts';

type PaymentEventAt = AnyEvent & PaymentEvent;

const beginning = paymentStream('');

const isOfPayment = (event: AnyEvent): event is PaymentEventAt =>
  event.stream.startsWith(beginning);

const apply = (row: PaymentRow | undefined, event: PaymentEventAt): PaymentRow | undefined => {
  switch (event.type) {
    case 'PaymentClaimed': {
      const { paymentId, accountId, network, amountMicro } = event.data;
      return {
        payment_id: paymentId,
        account_id: accountId,
        status: 'claimed',
        network,
        amount_micro: BigInt(amountMicro),
        transaction: null,
        claimed_at: event.metadata.at,
        settled_at: null,
      };
    }
    case 'PaymentSettled': {
      const { accountId, transfer } = event.data;
      const { transaction } = transfer;
      const settled = { status: 'settled', transaction, settled_at: event.metadata.at } as const;
      return row && { ...row, account_id: accountId, ...settled };
    }
    case 'PaymentReverted':
      return row && { ...row, status: 'reverted' };
    case 'PaymentLapsed':
      return row && { ...row, status: 'lapsed' };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** The outcome of each presented payment, without its payer. */
export const payments: Projection = {
  name: 'payments',
  version: 3,
  streams: [beginning],
  tables: [paymentTable],
  async project(source, events) {
    const own = events.filter(isOfPayment);
    if (own.length === 0) return [];
    const ids = [...new Set(own.map(({ data }) => data.paymentId))];
    const rows = await source.load(paymentTable, 'payment_id', ids);
    for (const event of own) {
      const after = apply(rows.get(event.data.paymentId), event);
      if (after) rows.set(event.data.paymentId, after);
    }
    return paymentTable.save(rows.values());
  },
};
