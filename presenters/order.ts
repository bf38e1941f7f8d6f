/** An order as its payer and the ordering account see it. */
import type { Static } from 'typebox';
import { chargeCurrencies } from '../contract/charge-currency.ts';
import { type LetterStatus, letterStatuses } from '../contract/letter-status.ts';
import { creditReasons } from '../events/order.ts';
import { Type } from '../ground/type.ts';
import { decimalOf, type MicroUsd } from '../money/amounts.ts';
import { trackingUrl } from '../postal/tracking-numbers.ts';
import type { ServiceId } from '../postal/types.ts';
import { orderStatuses } from '../projections/orders/query.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

export const OrderStatus = OneOf(
  orderStatuses,
  "`paid`: the letter is about to be queued, or waits for approval. `queued`: the letter was sent with the money; the order's `letter_status` shows its progress. `credited`: the order was paid but the letter was not sent; the money is in the account's wallet.",
);

const Currency = OneOf(chargeCurrencies);

export const PlacedOrder = Type.Named('PlacedOrder', {
  order_id: Type.String(),
  letter_id: Type.String(),
  status: OrderStatus,
  checkout_url: Nullable(
    Type.String({ description: 'The page where the payer pays; null when it is closed.' }),
  ),
  amount: Type.Number({ description: 'The charge to the card.' }),
  currency: Currency,
  expires_at: Timestamp,
});

export const OrderState = Type.Named('Order', {
  ...PlacedOrder.properties,
  letter_status: Nullable(OneOf(letterStatuses, 'Null after the letter is forgotten.')),
  delivery_outcome: Nullable(
    OneOf(
      ['delivered', 'returned'],
      'The final outcome of a posted letter. `returned`: it came back; `letter_status` does not change.',
    ),
  ),
  tracking_number: Nullable(Type.String({ description: 'Null until it has one.' })),
  tracking_url: Nullable(Type.String({ description: 'The page of the carrier.' })),
  credit_reason: Nullable(
    OneOf(creditReasons, 'Why the letter of a paid order was not sent with the money.'),
  ),
  taken_back: Type.Number({
    description:
      'The part of the payment that was refunded or disputed, in US dollars of the wallet.',
  }),
  placed_at: Timestamp,
});

export type OrderState = Static<typeof OrderState>;

type Placed = {
  orderId: string;
  letterId: string;
  /** Empty once it was erased. */
  checkoutUrl: string;
  amountMinor: number;
  currency: 'USD' | 'EUR' | 'CAD';
  expiresAt: string;
  placedAt: string;
};

/** An order as its stream says it is. */
type ShownOrder = { placed: Placed } & (
  | { status: 'awaiting_payment' | 'fulfilled' | 'expired' }
  | { status: 'credited'; reason: (typeof creditReasons)[number] }
);

const statusOf = ({ status }: ShownOrder, paid: boolean): Static<typeof PlacedOrder>['status'] => {
  if (status === 'fulfilled') return 'queued';
  return status === 'awaiting_payment' && paid ? 'paid' : status;
};

/**
 * `nowMs`: epoch ms. A checkout closes at its time, even if a delayed payment is under way. Without it the answer does not
 * depend on the time, so that a repeated request is answered as the first one.
 */
export const presentPlaced = (
  order: ShownOrder,
  { nowMs, paid = false }: { nowMs?: number; paid?: boolean } = {},
): Static<typeof PlacedOrder> => {
  const { orderId, letterId, checkoutUrl, amountMinor, currency, expiresAt } = order.placed;
  const status = statusOf(order, paid);
  const isOver = nowMs !== undefined && nowMs >= Date.parse(expiresAt);
  const isOpen = status === 'awaiting_payment' && !isOver;
  return {
    order_id: orderId,
    letter_id: letterId,
    status,
    checkout_url: isOpen && checkoutUrl !== '' ? checkoutUrl : null,
    amount: amountMinor / 100,
    currency,
    expires_at: expiresAt,
  };
};

/** The letter of an order. */
export type ShownLetter =
  | { status: 'none' }
  | {
      status: LetterStatus;
      returned: boolean;
      trackingNumber: string | undefined;
      terms: { service: string; test: boolean };
    };

const presentCourse = (letter: ShownLetter) => {
  if (letter.status === 'none') {
    return {
      letter_status: null,
      delivery_outcome: null,
      tracking_number: null,
      tracking_url: null,
    };
  }
  const { status, returned, trackingNumber: number } = letter;
  const { test } = letter.terms;
  const service = letter.terms.service as ServiceId;
  const outcome = status === 'delivered' ? ('delivered' as const) : null;
  return {
    letter_status: status,
    delivery_outcome: returned ? ('returned' as const) : outcome,
    tracking_number: number ?? null,
    tracking_url: number === undefined ? null : (trackingUrl({ service, test }, number) ?? null),
  };
};

export const presentOrder = (
  view: {
    order: ShownOrder;
    paid: boolean;
    letter: ShownLetter;
    takenBackMicro: MicroUsd;
  },
  nowMs: number,
): OrderState => ({
  ...presentPlaced(view.order, { nowMs, paid: view.paid }),
  ...presentCourse(view.letter),
  credit_reason: view.order.status === 'credited' ? view.order.reason : null,
  taken_back: decimalOf(view.takenBackMicro),
  placed_at: view.order.placed.placedAt,
});
