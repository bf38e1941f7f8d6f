/**
 * Events of an account's volume contracts, all in one stream, `volume-contract-<account_id>`, so that no two
 * run at the same time. The units are not here: they are in the events of letters, and so counted from the
 * log. `VolumeContractPeriodEnded` is where in the log the count of a period stops.
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
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Ordinal = Type.Integer({ minimum: 1, maximum: 1_000 });
export const contractPeriods = ['month', 'quarter', 'year'] as const;

const PeriodLength = Type.Unsafe<(typeof contractPeriods)[number]>(
  Type.Union(contractPeriods.map((one) => Type.Literal(one))),
);

const Tier = Type.Exact({
  from: Type.Integer({ minimum: 1 }),
  /** Included; null: no end. */
  to: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Off printing, in hundredths of a percent. */
  basisPoints: Type.Integer({ minimum: 1, maximum: 10_000 }),
});

/** Which period of which contract. */
const period = { contractId: Id, accountId: Id, number: Ordinal };

export const volumeContractEvents = {
  VolumeContractCreated: {
    version: 2,
    data: Type.Exact({
      contractId: Id,
      accountId: Id,
      test: Type.Boolean(),
      committedUnits: Type.Integer({ minimum: 1 }),
      period: PeriodLength,
      /** By whose calendar the periods were made: IANA. */
      timeZone: Type.String({ minLength: 1, maxLength: 64 }),
      /** One after the other, without a gap. From `startsAt` on, up to but without `endsAt`. */
      periods: Type.Array(Type.Exact({ startsAt: Instant, endsAt: Instant }), {
        minItems: 1,
        maxItems: 100,
      }),
      tiers: Type.Array(Tier, { minItems: 1, maxItems: 20 }),
      /** Of a period with fewer letters: its discounts are billed, this number of days after its end. */
      breachTerms: Type.Exact({
        shortfall: Type.Literal('rebill_at_undiscounted_price'),
        graceDays: Type.Integer({ minimum: 0, maximum: 366 }),
      }),
      /**
       * Letters that are not in production when the count of a period is closed are not units of it. Absent: each
       * letter that is not cancelled by then is.
       */
      countsPrinted: Type.Optional(Type.Literal(true)),
      requestHash: Digest,
    }),
    /** A DID may lead to its owner; the contract as the service signed it names it. */
    personal: Type.Exact({
      customerDid: Type.String({ maxLength: 2_048 }),
      jws: Type.String({ maxLength: 16_384 }),
    }),
    upcasters: { 1: (data) => data },
  },
  /** The period and its days of grace are over: later events in the log do not belong to it. */
  VolumeContractPeriodEnded: { version: 1, data: Type.Exact(period) },
  /** As many letters as were committed, or more, counted up to the end. */
  VolumeContractPeriodFulfilled: {
    version: 1,
    data: Type.Exact({ ...period, units: Count }),
  },
  /** Fewer. */
  VolumeContractPeriodBreached: {
    version: 1,
    data: Type.Exact({
      ...period,
      units: Count,
      shortfall: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      /** The discount that its letters had because of the contract: to be billed, before commission. */
      billMicro: Micro,
    }),
  },
  /** The wallet was charged, also below zero. */
  VolumeContractShortfallBilled: {
    version: 1,
    data: Type.Exact({ ...period, amountMicro: Micro, commissionMicro: Micro }),
  },
  /** Letters whose discount was billed were cancelled or failed later: the wallet got it back. In all, so far. */
  VolumeContractShortfallReduced: {
    version: 1,
    data: Type.Exact({
      ...period,
      /** Their discounts, before commission. */
      discountMicro: Micro,
      /** The amount returned to the wallet, commission included. */
      amountMicro: Micro,
    }),
  },
} as const satisfies EventDefinitions;

export type VolumeContractEvent = EventUnion<typeof volumeContractEvents>;
export type ContractPeriodLength = Static<typeof PeriodLength>;
export type ContractTerms = Extract<VolumeContractEvent, { type: 'VolumeContractCreated' }>['data'];

export const volumeContractPrefix = 'volume-contract-';

export const volumeContractStream = (accountId: string): string => volumeContractPrefix + accountId;
