/**
 * Events of an order: a letter that is paid by card, at the price that was shown. Stream
 * `order-<order_id>`. Its checkout is the top-up of the same id; the money is in the wallet's events.
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Digest = Type.String({ minLength: 22, maxLength: 64 });
const Micro = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Why the letter was not sent with the money, which is a credit then. */
export const creditReasons = [
  /** The letter cannot be sent as it was ordered (any more). */
  'not_sendable',
  /** Its sender changed it to another price, sent or cancelled it. */
  'letter_changed',
  /** The money came after the order had expired. */
  'paid_late',
  /** The money was taken back before the letter was sent. */
  'taken_back',
] as const;

const Reason = Type.Unsafe<(typeof creditReasons)[number]>(
  Type.Union(creditReasons.map((reason) => Type.Literal(reason))),
);

/** As the order was placed. Version 1 of the events did not say it. */
const placedFor = { accountId: Type.Optional(Id), letterId: Type.Optional(Id) };

export const orderEvents = {
  OrderPlaced: {
    version: 2,
    data: Type.Exact({
      orderId: Id,
      accountId: Id,
      letterId: Id,
      /** The price of the letter, paid from fiat, and the commission in it. */
      amountMicro: Micro,
      commissionMicro: Micro,
      /** The charge: cents of the currency. */
      currency: Type.Literals(['USD', 'EUR', 'CAD']),
      amountMinor: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      expiresAt: Instant,
      requestHash: Digest,
      /** The keys that placed it, whose policies apply when it is paid. Absent: only the account's policy does. */
      keyIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 2_100 })),
    }),
    /** Where confirmations go, and the address of the checkout. */
    personal: Type.Exact({
      email: Type.String({ maxLength: 320 }),
      checkoutUrl: Type.String({ maxLength: 4_000 }),
    }),
    upcasters: { 1: (data) => data },
  },
  /** It was paid, and its letter sent with that money. */
  OrderFulfilled: { version: 1, data: Type.Exact({ orderId: Id, letterId: Id }) },
  /** It was paid, and its letter was not sent: the money stays in the wallet. */
  OrderCredited: {
    version: 2,
    data: Type.Exact({ orderId: Id, ...placedFor, reason: Reason }),
    upcasters: { 1: (data) => data },
  },
  /** It was not paid in time, or its letter could no longer be sent with the payment. */
  OrderExpired: {
    version: 2,
    data: Type.Exact({ orderId: Id, ...placedFor }),
    upcasters: { 1: (data) => data },
  },
} as const satisfies EventDefinitions;

export type OrderEvent = EventUnion<typeof orderEvents>;
export type CreditReason = Static<typeof Reason>;

export const orderPrefix = 'order-';
export const orderStream = (orderId: string): string => orderPrefix + orderId;
