/** An order: a letter that waits for a card payment. */
import { keyReused } from '../../contract/refusals.ts';
import { type CreditReason, type OrderEvent, orderStream } from '../../events/order.ts';
import type { Aggregate } from '../handling/aggregate.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { topUpIdOf } from './top-up.ts';

type Placed = Extract<OrderEvent, { type: 'OrderPlaced' }>['data'];

/** `email` and `checkoutUrl` are empty once they were erased. */
type PlacedOrder = Placed & { email: string; checkoutUrl: string; placedAt: string };

type Order =
  | { status: 'none' }
  | { status: 'awaiting_payment' | 'fulfilled' | 'expired'; placed: PlacedOrder }
  | { status: 'credited'; placed: PlacedOrder; reason: CreditReason };

export type KnownOrder = Exclude<Order, { status: 'none' }>;

/** The order that a letter may belong to. It is the id of its checkout's top-up, too. */
export const orderIdOf = (letterId: string): string => topUpIdOf(letterId);

export const initialState = (): Order => ({ status: 'none' });

const placedIn = (state: Order): PlacedOrder => {
  if (state.status === 'none') throw new Error('an order that nobody placed');
  return state.placed;
};

export const evolve = (state: Order, event: OrderEvent, at: string): Order => {
  switch (event.type) {
    case 'OrderPlaced': {
      const { email = '', checkoutUrl = '' } = event.personal ?? {};
      return {
        status: 'awaiting_payment',
        placed: { ...event.data, email, checkoutUrl, placedAt: at },
      };
    }
    case 'OrderFulfilled':
      return { status: 'fulfilled', placed: placedIn(state) };
    case 'OrderCredited':
      return { status: 'credited', placed: placedIn(state), reason: event.data.reason };
    case 'OrderExpired':
      return { status: 'expired', placed: placedIn(state) };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

/** @throws AppError idempotency_key_reused */
export const assertSameRequest = (state: KnownOrder, requestHash: string): void => {
  if (state.placed.requestHash === requestHash) return;
  throw keyReused();
};

export type PlaceOrder = { type: 'PlaceOrder'; placed: Omit<PlacedOrder, 'placedAt'> };

/** Once. @throws AppError idempotency_key_reused */
const placeOrder = (state: Order, { placed }: PlaceOrder): OrderEvent[] => {
  if (state.status !== 'none') {
    assertSameRequest(state, placed.requestHash);
    return [];
  }
  const { email, checkoutUrl, ...data } = placed;
  return [{ type: 'OrderPlaced', data, personal: { email, checkoutUrl } }];
};

type FulfilOrder = { type: 'FulfilOrder' };

const fulfilOrder = (state: Order, _command: FulfilOrder): OrderEvent[] => {
  if (state.status !== 'awaiting_payment') return [];
  const { orderId, letterId } = state.placed;
  return [{ type: 'OrderFulfilled', data: { orderId, letterId } }];
};

type CreditOrder = { type: 'CreditOrder'; reason: CreditReason };

const placedFor = ({ placed: { orderId, accountId, letterId } }: KnownOrder) => ({
  orderId,
  accountId,
  letterId,
});

/** Also after it expired: money that came has an owner. */
const creditOrder = (state: Order, { reason }: CreditOrder): OrderEvent[] =>
  state.status === 'awaiting_payment' || state.status === 'expired'
    ? [{ type: 'OrderCredited', data: { ...placedFor(state), reason } }]
    : [];

type ExpireOrder = { type: 'ExpireOrder' };

const expireOrder = (state: Order, _command: ExpireOrder): OrderEvent[] =>
  state.status === 'awaiting_payment' ? [{ type: 'OrderExpired', data: placedFor(state) }] : [];

export type OrderCommand = PlaceOrder | FulfilOrder | CreditOrder | ExpireOrder;

/** @throws AppError idempotency_key_reused */
export const decide = (state: Order, command: OrderCommand): OrderEvent[] => {
  switch (command.type) {
    case 'PlaceOrder':
      return placeOrder(state, command);
    case 'FulfilOrder':
      return fulfilOrder(state, command);
    case 'CreditOrder':
      return creditOrder(state, command);
    case 'ExpireOrder':
      return expireOrder(state, command);
    default: {
      const unknown: never = command;
      return unknown;
    }
  }
};

export const orderAggregate: Aggregate<Order, OrderEvent> = {
  stream: orderStream,
  initialState,
  evolve,
};

/** Whether the payer of an order was asked for the price of its letter, and may still pay. */
export const createIsOrdered =
  ({ handler }: { handler: Pick<CommandHandler, 'load'> }) =>
  async (letterId: string): Promise<boolean> => {
    const { state } = await handler.load(orderAggregate, orderIdOf(letterId));
    return state.status === 'awaiting_payment';
  };
