/**
 * Events of a wallet. Stream `wallet-<account_id>-<period>`, periods counted from 0.
 * Amounts are integer micro-USD (10⁻⁶ USD, exactly USDC's decimals), at most 2⁵³ − 1.
 *
 * Persisted contract: see events/letter.ts.
 */
import Type, { type Static } from 'typebox';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Micro = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const SignedMicro = Type.Integer({
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});
const exact = { additionalProperties: false };

/** The two buckets of a wallet: spending takes crypto first, a refund goes back where it came from. */
const amounts = { cryptoMicro: Micro, fiatMicro: Micro };

/** One payment for a letter: the first, or a later one for a higher price. */
const PaymentAttempt = Type.Object(
  { attemptId: Id, ...amounts, commissionCryptoMicro: Micro, commissionFiatMicro: Micro },
  exact,
);

const CarriedReservation = Type.Object(
  {
    letterId: Id,
    attempts: Type.Array(PaymentAttempt, { maxItems: 1000 }),
    state: Type.Union([Type.Literal('held'), Type.Literal('captured')]),
    /** When it was made or captured. */
    since: Type.String({ minLength: 20, maxLength: 30 }),
    ...amounts,
  },
  exact,
);

export const walletEvents = {
  WalletOpened: { version: 1, data: Type.Object({ accountId: Id, test: Type.Boolean() }, exact) },
  /** Money came in from outside. One per `creditId`. */
  FundsCredited: {
    version: 1,
    data: Type.Object(
      {
        creditId: Id,
        bucket: Type.Union([Type.Literal('crypto'), Type.Literal('fiat')]),
        amountMicro: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        source: Type.Union([Type.Literal('test_grant'), Type.Literal('operator')]),
      },
      exact,
    ),
    personal: Type.Object({ reference: Type.String({ maxLength: 500 }) }, exact),
  },
  /** Held for a letter. A later one for the same letter adds to it. */
  FundsReserved: {
    version: 1,
    data: Type.Object(
      {
        letterId: Id,
        attemptId: Id,
        ...amounts,
        commissionCryptoMicro: Micro,
        commissionFiatMicro: Micro,
      },
      exact,
    ),
  },
  /** What is available fell below `thresholdMicro`, with the reservation before it. Moves no money. */
  WalletRanLow: {
    version: 1,
    data: Type.Object({ availableMicro: Micro, thresholdMicro: Micro }, exact),
  },
  /** Given back from what was held. */
  FundsReleased: { version: 1, data: Type.Object({ letterId: Id, ...amounts }, exact) },
  /** Production started: what was held is spent. */
  FundsCaptured: { version: 1, data: Type.Object({ letterId: Id, ...amounts }, exact) },
  /** Given back after it was spent. */
  FundsRefunded: { version: 1, data: Type.Object({ letterId: Id, ...amounts }, exact) },
  /** The books of this stream are closed; the wallet goes on in `nextPeriod`. */
  WalletPeriodClosed: {
    version: 1,
    data: Type.Object({ nextPeriod: Type.Integer({ minimum: 1 }) }, exact),
  },
  WalletPeriodOpened: {
    version: 1,
    data: Type.Object(
      {
        accountId: Id,
        test: Type.Boolean(),
        period: Type.Integer({ minimum: 1 }),
        availableCryptoMicro: SignedMicro,
        availableFiatMicro: SignedMicro,
      },
      exact,
    ),
  },
  ReservationsCarriedForward: {
    version: 1,
    data: Type.Object({ reservations: Type.Array(CarriedReservation, { maxItems: 500 }) }, exact),
  },
  CreditsCarriedForward: {
    version: 1,
    data: Type.Object({ creditIds: Type.Array(Id, { maxItems: 2000 }) }, exact),
  },
} as const satisfies EventDefinitions;

export type WalletEvent = EventUnion<typeof walletEvents>;
export type CarriedReservation = Static<typeof CarriedReservation>;
export type PaymentAttempt = Static<typeof PaymentAttempt>;
export type Bucket = 'crypto' | 'fiat';

export const walletStream = (accountId: string, period: number): string =>
  `wallet-${accountId}-${period}`;
