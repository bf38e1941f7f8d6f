/**
 * Events of a top-up: the request, the way of payment, the outcome. Stream `topup-<topup_id>`. The money
 * itself is in the wallet's events, under the receipt.
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Digest = Type.String({ minLength: 22, maxLength: 64 });
const Micro = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Positive = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Address = Type.String({ pattern: '^0x[0-9a-f]{40}$' });
/** An exchange rate as it was agreed to: decimal digits, where it is from, when it was. */
const Rate = Type.Exact({
  value: Type.String({ maxLength: 40 }),
  source: Type.String({ maxLength: 120 }),
  at: Instant,
});

/** How it is to be paid. */
const Terms = Type.Union([
  /** By a transfer of exactly this amount, which no other top-up had meanwhile. */
  Type.Exact({
    method: Type.Literal('usdc'),
    network: Type.String(),
    asset: Type.String(),
    payTo: Type.String(),
    transferMicro: Micro,
  }),
  Type.Exact({
    method: Type.Literal('lightning'),
    paymentHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    amountSat: Positive,
    /** US dollars for a bitcoin. */
    rate: Rate,
  }),
  Type.Exact({
    method: Type.Literal('card'),
    sessionId: Type.String({ minLength: 1, maxLength: 128 }),
    currency: Type.Literals(['USD', 'EUR', 'CAD']),
    /** Cents of the currency. */
    amountMinor: Positive,
    /** US dollars for one of the currency; absent for dollars. */
    rate: Type.Optional(Rate),
  }),
]);

export const topUpEvents = {
  TopUpRequested: {
    version: 2,
    data: Type.Exact({
      topUpId: Id,
      accountId: Id,
      amountMicro: Micro,
      terms: Terms,
      expiresAt: Instant,
      requestHash: Digest,
    }),
    /**
     * `handed`: the payment instructions, an invoice or the address of a checkout. `sender`: the wallet that
     * a transfer of USDC comes from; absent: any.
     */
    personal: Type.Exact({
      handed: Type.String({ maxLength: 4_000 }),
      sender: Type.Optional(Address),
    }),
    upcasters: { 1: (data) => data },
  },
  /** `amountMicro`: the credited amount, which may differ from the requested one. */
  TopUpPaid: {
    version: 1,
    data: Type.Exact({
      topUpId: Id,
      receiptId: Type.String({ minLength: 1, maxLength: 128 }),
      amountMicro: Micro,
    }),
  },
  /** It was not paid in time. A later payment is credited anyway. */
  TopUpExpired: { version: 1, data: Type.Exact({ topUpId: Id }) },
  /**
   * An amount to transfer, or a slot of an account for top-ups that wait, is this top-up's. Stream
   * `announced-amount-<key>`. It is nobody else's until `until`.
   */
  TransferAmountAnnounced: {
    version: 1,
    data: Type.Exact({ topUpId: Id, accountId: Id, until: Instant }),
  },
} as const satisfies EventDefinitions;

export type TopUpEvent = EventUnion<
  Pick<typeof topUpEvents, 'TopUpRequested' | 'TopUpPaid' | 'TopUpExpired'>
>;
export type AnnouncedAmountEvent = EventUnion<Pick<typeof topUpEvents, 'TransferAmountAnnounced'>>;
export type TopUpTerms = Static<typeof Terms>;
export type TopUpMethodName = TopUpTerms['method'];

export const topUpStream = (topUpId: string): string => `topup-${topUpId}`;

const amountNamespace = '5b9c3a52-0000-5000-8000-616d6f756e74';

/** Names an amount to our address. `senderId`: account of the wallet that it comes from; empty: of any. */
export const amountKeyOf = (amount: {
  network: string;
  asset: string;
  payTo: string;
  transferMicro: number;
  senderId: string;
}): string => {
  const { network, asset, payTo, transferMicro, senderId } = amount;
  const text = [network, asset, payTo, transferMicro, senderId].join('|');
  return uuidv5(amountNamespace, text.toLowerCase());
};

/** Names a place among the unpaid top-ups of an account. Those by card and by Lightning share their places. */
export const placeKeyOf = (accountId: string, method: TopUpMethodName, place: number): string =>
  uuidv5(amountNamespace, `${accountId}|${method === 'usdc' ? 'slot' : 'place'} ${place}`);

export const announcedAmountStream = (key: string): string => `announced-amount-${key}`;
