/**
 * Events of a top-up: what was asked for, how it is paid, whether it was. Stream `topup-<topup_id>`.
 * The money itself is in the wallet's events, under the receipt.
 *
 * Persisted contract: see events/letter.ts.
 */
import Type, { type Static } from 'typebox';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Digest = Type.String({ minLength: 22, maxLength: 64 });
const Micro = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Positive = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const exact = { additionalProperties: false };

/** An exchange rate as it was agreed to: decimal digits, where it is from, when it was. */
const Rate = Type.Object(
  { value: Type.String({ maxLength: 40 }), source: Type.String({ maxLength: 120 }), at: Instant },
  exact,
);

/** How it is to be paid. */
const Terms = Type.Union([
  /** By a transfer of exactly this amount, which nobody else was asked for meanwhile. */
  Type.Object(
    {
      method: Type.Literal('usdc'),
      network: Type.String(),
      asset: Type.String(),
      payTo: Type.String(),
      transferMicro: Micro,
    },
    exact,
  ),
  Type.Object(
    {
      method: Type.Literal('lightning'),
      paymentHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      amountSat: Positive,
      /** US dollars for a bitcoin. */
      rate: Rate,
    },
    exact,
  ),
  Type.Object(
    {
      method: Type.Literal('card'),
      sessionId: Type.String({ minLength: 1, maxLength: 128 }),
      currency: Type.Union([Type.Literal('USD'), Type.Literal('EUR'), Type.Literal('CAD')]),
      /** Cents of the currency. */
      amountMinor: Positive,
      /** US dollars for one of the currency; absent for dollars. */
      rate: Type.Optional(Rate),
    },
    exact,
  ),
]);

export const topUpEvents = {
  TopUpRequested: {
    version: 1,
    data: Type.Object(
      {
        topUpId: Id,
        accountId: Id,
        amountMicro: Micro,
        terms: Terms,
        expiresAt: Instant,
        requestHash: Digest,
      },
      exact,
    ),
    /** What the payer is handed: an invoice, the address of a checkout. */
    personal: Type.Object({ handed: Type.String({ maxLength: 4_000 }) }, exact),
  },
  /** `amountMicro`: what was credited, which may differ from what was asked for. */
  TopUpPaid: {
    version: 1,
    data: Type.Object(
      {
        topUpId: Id,
        receiptId: Type.String({ minLength: 1, maxLength: 128 }),
        amountMicro: Micro,
      },
      exact,
    ),
  },
  /** It was not paid in time; what is paid later is credited all the same. */
  TopUpExpired: { version: 1, data: Type.Object({ topUpId: Id }, exact) },
} as const satisfies EventDefinitions;

export type TopUpEvent = EventUnion<typeof topUpEvents>;
export type TopUpTerms = Static<typeof Terms>;
export type TopUpMethodName = TopUpTerms['method'];

export const topUpStream = (topUpId: string): string => `topup-${topUpId}`;
