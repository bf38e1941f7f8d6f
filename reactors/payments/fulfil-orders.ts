/**
 * Orders follow their checkouts: paid, its letter is sent; not paid in time, its draft is cancelled. An order whose
 * letter waits for approval follows the decision.
 */
import { orderIdOf } from '../../commands/payments/order.ts';
import type { Orders } from '../../commands/payments/place-order.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { letterIdIn } from '../../events/letter.ts';
import { orderStream } from '../../events/order.ts';
import type { Reactor } from '../reactor.ts';

export const createFulfilOrders = (ports: {
  orders: Pick<Orders, 'settle' | 'read'>;
  dataKeys: Pick<DataKeys, 'erase'>;
}): Reactor => {
  const { orders, dataKeys } = ports;
  /** The payer's address is forgotten with the letter. */
  const forgetPayer = async (orderId: string): Promise<void> => {
    const letter = (await orders.read(orderId))?.letter;
    if (letter === undefined || letter.status === 'none' || !letter.erased) return;
    await dataKeys.erase(orderStream(orderId));
  };
  return {
    name: 'fulfil-orders',
    react(event) {
      switch (event.type) {
        case 'TopUpPaid':
        case 'TopUpExpired': {
          const { topUpId } = event.data;
          return () => orders.settle(topUpId);
        }
        // Its checkout may have ended, or its letter been erased, before the order was on record.
        case 'OrderPlaced': {
          const { orderId } = event.data;
          return async () => {
            await forgetPayer(orderId);
            await orders.settle(orderId);
          };
        }
        // Outcomes of a letter that waited for approval.
        case 'ApprovalGiven':
        case 'ApprovalRejected':
        case 'ApprovalExpired':
        case 'LetterUpdated':
        case 'LetterCancelled': {
          const orderId = orderIdOf(letterIdIn(event.stream));
          return () => orders.settle(orderId);
        }
        case 'LetterErased': {
          const orderId = orderIdOf(letterIdIn(event.stream));
          return () => forgetPayer(orderId);
        }
        default:
          return undefined;
      }
    },
  };
};
