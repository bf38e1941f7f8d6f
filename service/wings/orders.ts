/** Orders: letters that are paid by card, put together. */
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import { createOrders } from '../../commands/payments/place-order.ts';
import type { TopUps } from '../../commands/payments/top-ups.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { createFulfilOrders } from '../../reactors/payments/fulfil-orders.ts';
import type { Reactor } from '../../reactors/reactor.ts';
import { orderReadOperations } from '../../read-api/orders.ts';
import { orderOperation } from '../../write-api/payments/orders.ts';
import type { Site } from '../foundation/wing.ts';
import { documentToolsOf } from './documents.ts';
import { quotesOf } from './letters.ts';
import { logosOf } from './logos.ts';
import { orderPageOf, orderTokensOf } from './order-page.ts';
import { handOverOf } from './print-partners.ts';
import { quotaCheckOf } from './quotas.ts';

export const openOrders = (
  site: Site,
  topUps: TopUps,
): { write(): AnyOperation[]; read(): AnyOperation[]; reactor: Reactor } => {
  const { config, clock, keys, commands, baseUrl } = site;
  const { limits } = config;
  const handler: CommandHandler = commands.handler;
  const letters = createSendLetter({
    ...{ handler, files: commands.files, dataKeys: keys.dataKeys, clock, limits },
    ...{
      indexOf: keys.indexOf,
      documents: documentToolsOf(site).documents,
      metrics: fontMetrics(),
      logos: logosOf(site),
    },
    discountOf: site.discounts.of,
    cancellationWindowMs: config.cancellationWindowSeconds * 1_000,
    handOverAt: handOverOf(config),
  });
  const tokens = orderTokensOf(site);
  const pageOf = orderPageOf(site, baseUrl);
  const orders = createOrders({ handler, letters, topUps, pageOf });
  const quota = quotaCheckOf(site);
  const ports = { handler, orders, letters, quotes: quotesOf(site), clock, limits, quota };
  return {
    write: () => [orderOperation(ports)],
    read: () => orderReadOperations({ read: orders.read, tokens, serviceName: config.serviceName }),
    reactor: createFulfilOrders({ orders, dataKeys: keys.dataKeys }),
  };
};
