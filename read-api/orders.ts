/** Orders: for their payers by the link of the checkout, and for the account that placed them. */

import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import { orderNotFoundPage, orderPage } from '../pages/order/order-page.ts';
import type { PageService } from '../pages/sheet-page.ts';
import { Cursor, LetterId, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { OrderState, OrderStatus, presentOrder } from '../presenters/order.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';
import { preferredLanguage } from '../presenters/preferred-language.ts';
import type { ListedOrder } from '../projections/orders/query.ts';
import { noPageResponse, PageLanguage, pageHeaders, pageResponse } from './audit-page.ts';
import type { LinkTokens } from './link-tokens.ts';

type OrderView = Parameters<typeof presentOrder>[0] & {
  order: { placed: { accountId: string } };
};

type OrderReaderPorts = {
  /** As the streams say it is now. */
  read(orderId: string): Promise<OrderView | undefined>;
  /** With its letter as the read model of letters has it. */
  readListed(orderId: string): Promise<OrderView | undefined>;
  /** The order that the letter was drafted for, if one was. */
  orderIdOf(letterId: string): string;
  /** The latest first. */
  list(
    accountId: string,
    page: {
      status: OrderState['status'] | undefined;
      before: bigint | undefined;
      limit: number;
    },
  ): Promise<ListedOrder[]>;
  limits: Limits;
  tokens: LinkTokens;
  service: PageService;
  clock: Clock;
};

const Params = Type.Object({ order_id: Type.String({ maxLength: 64 }) });
const secret = Type.Optional(
  Type.String({ maxLength: 64, description: 'The token in the link of the checkout.' }),
);

const listOperation = ({
  list,
  read,
  readListed,
  orderIdOf,
  limits,
  clock,
}: OrderReaderPorts): AnyOperation =>
  operation({
    name: 'list_orders',
    method: 'GET',
    path: '/api/orders',
    tag: 'Orders',
    summary: 'List orders',
    description:
      'The orders of the account. Newest first. With `letter_id`, the order of that letter, or an empty list.',
    access: 'read',
    permit: { refused: 'A UCAN is about letters and opens no order. Use a key of the account.' },
    input: {
      query: Type.Exact({
        status: Type.Optional(OrderStatus),
        letter_id: Type.Optional(LetterId),
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Orders', schema: Page(OrderState) } },
    errors: ['invalid_cursor'],
    async handle({ query, caller: { accountId } }) {
      const { status, letter_id: letterId, cursor, limit = usualRows(limits) } = query;
      const before = placeOf(cursor);
      const shown = (views: (OrderView | undefined)[]): OrderState[] =>
        views
          .flatMap((view) =>
            view?.order.placed.accountId === accountId ? [presentOrder(view, clock())] : [],
          )
          // An order that went on since its row was read may have another status.
          .filter((order) => status === undefined || order.status === status);
      if (letterId !== undefined) {
        const view = await read(orderIdOf(letterId.toLowerCase()));
        return { body: { data: shown([view]), has_more: false, next_cursor: null } };
      }
      const rows = await list(accountId, { status, before, limit: limit + 1 });
      const placeOfRow = (row: ListedOrder): bigint => row.placedPosition;
      const page = pageOf(rows, limit, placeOfRow, ({ orderId }) => orderId);
      const views = await Promise.all(page.data.map(readListed));
      return { body: { ...page, data: shown(views) } };
    },
  });

export const orderReadOperations = (ports: OrderReaderPorts): AnyOperation[] => {
  const { read, tokens, service, clock } = ports;

  /** Undefined also where the caller may not know of it. */
  const opened = async (askedFor: string, token = '', caller?: Caller) => {
    // A UUID is the same in upper case.
    const orderId = askedFor.toLowerCase();
    const shown = tokens.opens(token, orderId);
    // A UCAN is about letters: it opens no order.
    const owner = caller?.ucan === undefined ? caller?.accountId : undefined;
    if (!shown && owner === undefined) return undefined;
    const view = await read(orderId);
    return shown || view?.order.placed.accountId === owner ? view : undefined;
  };

  const getOrder = operation({
    name: 'get_order',
    method: 'GET',
    path: '/api/orders/{order_id}',
    tag: 'Orders',
    summary: 'Get the state of an order',
    description:
      'Needs a key of the account that placed the order, or the `secret` in the link to which the checkout returns the payer. Otherwise the answer is 404.',
    access: 'public',
    input: { params: Params, query: Type.Exact({ secret }) },
    responses: { 200: { description: 'The order', schema: OrderState } },
    errors: ['order_not_found'],
    async handle({ params, query, caller }) {
      const view = await opened(params.order_id, query.secret, caller);
      if (view)
        return { body: presentOrder(view, clock()), headers: { 'Cache-Control': 'no-store' } };
      throw new AppError('order_not_found', 'The key or secret opens no order with this id.');
    },
  });

  const viewOrder = operation({
    name: 'view_order',
    method: 'GET',
    path: '/order/{order_id}',
    tag: 'Orders',
    summary: 'Show the page to which a checkout returns its payer',
    description:
      'Shows the state of the order, without names and addresses. A wrong secret answers 404.',
    access: 'public',
    input: {
      params: Params,
      query: Type.Object({ secret, language: PageLanguage }, { additionalProperties: true }),
    },
    responses: { ...pageResponse, ...noPageResponse },
    errors: [],
    async handle({ params, query, acceptLanguage }) {
      const language = query.language ?? preferredLanguage(acceptLanguage);
      const view = await opened(params.order_id, query.secret);
      if (!view) {
        return {
          status: 404,
          body: Buffer.from(orderNotFoundPage(language, service.prefix)),
          headers: pageHeaders,
        };
      }
      const page = orderPage({ order: presentOrder(view, clock()), service, language });
      return { body: Buffer.from(page), headers: pageHeaders };
    },
  });

  return [listOperation(ports), getOrder, viewOrder];
};
