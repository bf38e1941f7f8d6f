/** A volume contract as callers see it. */

import type { Static } from 'typebox';
import { type ContractTerms, contractPeriods } from '../events/volume-contract.ts';
import { dayMs } from '../ground/day.ts';
import { Type } from '../ground/type.ts';
import { decimalOf } from '../money/amounts.ts';
import { tierOf, type VolumeTier, volumeTiers } from '../money/volume-tiers.ts';
import {
  type ContractRecord,
  type PeriodDoc,
  periodAt,
  printedUnits,
} from '../projections/contracts/query.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

const Tier = Type.Named('VolumeTier', {
  from: Type.Integer({ description: 'Letters in a period.' }),
  to: Nullable(Type.Integer({ description: 'Included; null: no end.' })),
  discount: Type.Number({ description: 'Discount on printing: 0.1 is 10 %.' }),
});

const periodStates = ['upcoming', 'open', 'grace', 'fulfilled', 'breached'] as const;

const Period = Type.Named('ContractPeriod', {
  number: Type.Integer({ description: 'From 1.' }),
  starts_at: Timestamp,
  ends_at: Timestamp,
  settles_at: Type.String({
    format: 'date-time',
    description:
      'When the period is settled. In test mode, `advance_test_contract` settles it earlier.',
  }),
  state: OneOf(
    periodStates,
    '`grace`: the period is over but not yet settled. Letters that are cancelled or fail are still subtracted.',
  ),
  units: Type.Integer({
    description:
      'Letters sent, except those cancelled or failed. In a live contract, letters that were not in production when the count closed do not count either.',
  }),
  shortfall: Type.Integer({ description: 'Letters missing so far, or at the end.' }),
  discounts: Type.Number({
    description: 'What the contract took off the price of its letters, before commission. USD.',
  }),
  billed: Nullable(
    Type.Number({
      description:
        'The charge for its shortfall, with commission, minus refunds for letters that were cancelled or failed later. USD.',
    }),
  ),
});

export const Contract = Type.Named('VolumeContract', {
  contract_id: Type.String(),
  customer_did: Type.String(),
  state: OneOf(['active', 'fulfilled', 'breached'] as const),
  test: Type.Boolean(),
  committed_units: Type.Integer({ description: 'Letters in each period.' }),
  units_used: Type.Integer({
    description: 'In the current period, or after the end in the last one.',
  }),
  shortfall: Type.Integer({ description: 'In the same period, so far.' }),
  period: OneOf(contractPeriods),
  period_count: Type.Integer(),
  time_zone: Type.String(),
  starts_at: Timestamp,
  ends_at: Timestamp,
  current_period: Nullable(
    Type.Integer({ description: 'Its number; null before the first and after the last.' }),
  ),
  tiers: Type.Array(Tier),
  current_tier: Tier,
  breach_terms: Type.Object({
    shortfall: OneOf(['rebill_at_undiscounted_price'] as const),
    grace_days: Type.Integer(),
    description: Type.String(),
  }),
  periods: Type.Array(Period),
  created_at: Timestamp,
  jws: Type.String({
    description: 'The terms, signed by the service (EdDSA; `kid` is a key of its DID document).',
  }),
});

const presentTier = ({ from, to, basisPoints }: VolumeTier) => ({
  from,
  to,
  discount: basisPoints / 10_000,
});

/** The tiers of a contract that is made now. */
export const offeredTiers = volumeTiers.map(presentTier);

const settlesAt = (endsAt: string, { breachTerms }: ContractTerms): string =>
  new Date(Date.parse(endsAt) + breachTerms.graceDays * dayMs).toISOString();

/** @param current the period that letters count in, which in test mode may not have begun */
const stateOf = (
  period: PeriodDoc,
  current: PeriodDoc | undefined,
  now: string,
): (typeof periodStates)[number] => {
  if (period === current) return 'open';
  if (period.state === 'fulfilled' || period.state === 'breached') return period.state;
  if (period.state === 'ended') return 'grace';
  return now < period.startsAt ? 'upcoming' : 'grace';
};

const shortfallOf = ({ units }: PeriodDoc, { committedUnits }: ContractTerms): number =>
  Math.max(0, committedUnits - units);

/** The charge for a shortfall, less the amounts returned since. */
const billedFor = ({ billedMicro, refundedMicro = 0 }: PeriodDoc): number | null =>
  billedMicro === undefined ? null : decimalOf(BigInt(billedMicro - refundedMicro));

const presentPeriod = (
  period: PeriodDoc,
  { terms, current, now }: { terms: ContractTerms; current: PeriodDoc | undefined; now: string },
) => ({
  number: period.number,
  starts_at: period.startsAt,
  ends_at: period.endsAt,
  settles_at: settlesAt(period.endsAt, terms),
  state: stateOf(period, current, now),
  units: period.units,
  shortfall: shortfallOf(period, terms),
  discounts: decimalOf(BigInt(period.discountMicro)),
  billed: billedFor(period),
});

const breachSentence = ({ breachTerms: { graceDays } }: ContractTerms): string =>
  `A period with fewer letters than committed is breached. ${graceDays} days after its end, the wallet is charged the discounts that the contract gave in the period, with commission, even if the balance falls below zero.`;

export type ContractView = {
  record: Pick<ContractRecord, 'state'> & {
    doc: Pick<ContractRecord['doc'], 'terms' | 'periods' | 'createdAt'>;
  };
  /** Undefined once it was erased. */
  personal: { customerDid: string; jws: string } | undefined;
  /** RFC 3339. */
  now: string;
};

export const presentContract = ({
  record,
  personal,
  now,
}: ContractView): Static<typeof Contract> => {
  const { terms, periods, createdAt } = record.doc;
  const { committedUnits } = terms;
  const current = periodAt(periods, now);
  // Periods of a test contract may be closed before they begin.
  const hasBegun = ({ startsAt, state }: PeriodDoc): boolean => startsAt <= now || state !== 'open';
  const last = periods.findLast(hasBegun) ?? (periods[0] as PeriodDoc);
  const shown = current ?? last;
  return {
    contract_id: terms.contractId,
    customer_did: personal?.customerDid ?? '',
    state: record.state,
    test: terms.test,
    committed_units: committedUnits,
    units_used: shown.units,
    shortfall: shortfallOf(shown, terms),
    period: terms.period,
    period_count: periods.length,
    time_zone: terms.timeZone,
    starts_at: periods[0]?.startsAt ?? '',
    ends_at: periods.at(-1)?.endsAt ?? '',
    current_period: current?.number ?? null,
    tiers: terms.tiers.map(presentTier),
    current_tier: presentTier(tierOf(terms.tiers, { committedUnits, units: printedUnits(shown) })),
    breach_terms: {
      shortfall: terms.breachTerms.shortfall,
      grace_days: terms.breachTerms.graceDays,
      description: breachSentence(terms),
    },
    periods: periods.map((period) => presentPeriod(period, { terms, current, now })),
    created_at: createdAt,
    jws: personal?.jws ?? '',
  };
};
