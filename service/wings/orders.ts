/** Orders: letters that are paid by card, put together. */
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { orderIdOf } from '../../commands/payments/order.ts';
import { createOrders, type Orders } from '../../commands/payments/place-order.ts';
import type { TopUps } from '../../commands/payments/top-ups.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { LetterReader } from '../../infra/readers/letter-reader.ts';
import type { ShownLetter } from '../../presenters/order.ts';
import { ordersOf } from '../../projections/orders/query.ts';
import { createFulfilOrders } from '../../reactors/payments/fulfil-orders.ts';
import type { Reactor } from '../../reactors/reactor.ts';
import { orderReadOperations } from '../../read-api/orders.ts';
import { orderOperation } from '../../write-api/payments/orders.ts';
import type { Site } from '../foundation/wing.ts';
import { orderPageOf, orderTokensOf } from './order-page.ts';
import { pageServiceOf } from './page-service.ts';

/** A letter as its row has it: a list reads no streams of letters, which may be long. */
const listedLetterOf =
  ({ letterById }: Pick<LetterReader, 'letterById'>) =>
  async (letterId: string): Promise<ShownLetter> => {
    const record = await letterById(letterId);
    if (!record) return { status: 'none' };
    const { terms, trackingNumber, deliveryOutcome } = record.doc;
    const { status } = record;
    return { status, terms, trackingNumber, returned: deliveryOutcome === 'returned' };
  };

export const openOrders = (
  site: Site,
  topUps: TopUps,
): Pick<Orders, 'settle' | 'isWithdrawn'> & {
  write(): AnyOperation[];
  read(): AnyOperation[];
  reactor: Reactor;
} => {
  const { config, clock, keys, commands, shared, storage, baseUrl } = site;
  const { letters, quota, quotes } = shared;
  const { limits } = config;
  const handler: CommandHandler = commands.handler;
  const tokens = orderTokensOf(site);
  const pageOf = orderPageOf(site, baseUrl);
  const orders = createOrders({ handler, letters, topUps, pageOf });
  const ports = { handler, orders, letters, quotes, clock, limits, quota };
  return {
    write: () => [orderOperation(ports)],
    read: () =>
      orderReadOperations({
        read: orders.read,
        readListed: (orderId) => orders.readWith(orderId, listedLetterOf(shared.letterReader)),
        orderIdOf,
        list: (accountId, page) => ordersOf(storage.readDb, accountId, page),
        limits,
        tokens,
        service: pageServiceOf(site),
        clock,
      }),
    reactor: createFulfilOrders({ orders, dataKeys: keys.dataKeys }),
    settle: orders.settle,
    isWithdrawn: orders.isWithdrawn,
  };
};
