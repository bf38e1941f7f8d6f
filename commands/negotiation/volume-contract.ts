/** The volume contracts of an account: at most one at a time. */

import { AppError } from '../../contract/errors.ts';
import { keyReused } from '../../contract/refusals.ts';
import {
  type ContractTerms,
  type VolumeContractEvent,
  volumeContractStream,
} from '../../events/volume-contract.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { leastUnits } from '../../money/volume-tiers.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type ContractPeriod = {
  number: number;
  startsAt: string;
  endsAt: string;
  /** The count is closed. */
  ended: boolean;
  /** When it was closed, RFC 3339. */
  endedAt: string | undefined;
  /** The outcome; `billMicro` is to be billed, before commission. */
  settled: { outcome: 'fulfilled' | 'breached'; billMicro: MicroUsd } | undefined;
  /** The charge for its shortfall, commission included. */
  billedMicro: MicroUsd | undefined;
  /** Discounts that were billed and given back since, before commission. */
  returnedMicro: MicroUsd;
};

export type VolumeContract = {
  terms: ContractTerms;
  /** Empty once they were erased. */
  customerDid: string;
  jws: string;
  createdAt: string;
  periods: readonly ContractPeriod[];
};

/** In the order in which they were made. */
export type VolumeContracts = { contracts: readonly VolumeContract[] };

export const initialState = (): VolumeContracts => ({ contracts: [] });

type Created = Extract<VolumeContractEvent, { type: 'VolumeContractCreated' }>;

const created = ({ data: terms, personal }: Created, at: string): VolumeContract => ({
  terms,
  customerDid: personal?.customerDid ?? '',
  jws: personal?.jws ?? '',
  createdAt: at,
  periods: terms.periods.map((period, n) => ({
    ...period,
    number: n + 1,
    ended: false,
    endedAt: undefined,
    settled: undefined,
    billedMicro: undefined,
    returnedMicro: 0n,
  })),
});

/** A period of a contract, by its number. */
type OfPeriod = { contractId: string; number: number };

const changePeriod = (
  { contracts }: VolumeContracts,
  { contractId, number }: OfPeriod,
  change: Partial<ContractPeriod>,
): VolumeContracts => ({
  contracts: contracts.map((contract) =>
    contract.terms.contractId === contractId
      ? {
          ...contract,
          periods: contract.periods.map((one) =>
            one.number === number ? { ...one, ...change } : one,
          ),
        }
      : contract,
  ),
});

export const evolve = (
  state: VolumeContracts,
  event: VolumeContractEvent,
  at: string,
): VolumeContracts => {
  switch (event.type) {
    case 'VolumeContractCreated':
      return { contracts: [...state.contracts, created(event, at)] };
    case 'VolumeContractPeriodEnded':
      return changePeriod(state, event.data, { ended: true, endedAt: at });
    case 'VolumeContractPeriodFulfilled':
      return changePeriod(state, event.data, { settled: { outcome: 'fulfilled', billMicro: 0n } });
    case 'VolumeContractPeriodBreached': {
      const billMicro = BigInt(event.data.billMicro);
      return changePeriod(state, event.data, { settled: { outcome: 'breached', billMicro } });
    }
    case 'VolumeContractShortfallBilled': {
      const billedMicro = BigInt(event.data.amountMicro);
      return changePeriod(state, event.data, { billedMicro });
    }
    case 'VolumeContractShortfallReduced': {
      const returnedMicro = BigInt(event.data.discountMicro);
      return changePeriod(state, event.data, { returnedMicro });
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

export const contractOf = (
  { contracts }: VolumeContracts,
  contractId: string,
): VolumeContract | undefined => contracts.find(({ terms }) => terms.contractId === contractId);

type Periods = Pick<ContractTerms, 'periods'>;

const startOf = ({ periods }: Periods): string => periods[0]?.startsAt ?? '';
const endOf = ({ periods }: Periods): string => periods.at(-1)?.endsAt ?? '';

export type CreateContract = {
  type: 'CreateContract';
  terms: ContractTerms;
  customerDid: string;
  jws: string;
  /** Letters of the account that went into production in as long a time before as a period lasts. */
  printedBefore: number;
};

/**
 * A live account commits to what it has sent before: nothing else makes it pay when it sends less. More letters than
 * committed get the discount of their tier anyway.
 */
const assertHistory = (
  { test, committedUnits, period }: ContractTerms,
  printedBefore: number,
): void => {
  if (test || printedBefore >= committedUnits) return;
  const remedy =
    printedBefore < leastUnits
      ? `The smallest contract is for ${leastUnits} letters. Make it once that many are printed.`
      : `Commit to at most ${printedBefore} letters, or make the contract later.`;
  throw new AppError(
    'contract_needs_history',
    `A live account can commit only to a volume that it has sent before. ${committedUnits} letters per ${period} need as many printed letters in the previous ${period}; there were ${printedBefore}. ${remedy}`,
    { extra: { committed_units: committedUnits, printed_before: printedBefore } },
  );
};

/** @throws AppError contract_overlaps, contract_needs_history, idempotency_key_reused */
export const createContract = (
  state: VolumeContracts,
  { terms, customerDid, jws, printedBefore }: CreateContract,
): VolumeContractEvent[] => {
  const known = contractOf(state, terms.contractId);
  if (known) {
    if (known.terms.requestHash === terms.requestHash) return [];
    throw keyReused();
  }
  const other = state.contracts
    .filter(({ periods }) => periods.some(({ ended }) => !ended))
    .find((one) => startOf(terms) < endOf(one.terms) && startOf(one.terms) < endOf(terms));
  if (other) {
    const { contractId } = other.terms;
    const [from, to] = [startOf(other.terms), endOf(other.terms)];
    throw new AppError(
      'contract_overlaps',
      `An account has one volume contract at a time, and ${contractId} runs from ${from} to ${to}. Start the next one at its end.`,
      { extra: { contract_id: contractId, ends_at: to } },
    );
  }
  assertHistory(terms, printedBefore);
  return [{ type: 'VolumeContractCreated', data: terms, personal: { customerDid, jws } }];
};

const placeOf = (state: VolumeContracts, { contractId, number }: OfPeriod) => {
  const contract = contractOf(state, contractId);
  const period = contract?.periods.find((one) => one.number === number);
  if (!contract || !period) throw new Error(`there is no period ${number} of ${contractId}`);
  return { contract, period, of: { contractId, accountId: contract.terms.accountId, number } };
};

/** From when on a period can be ended, epoch ms. */
export const settlesAt = (endsAt: string, { graceDays }: ContractTerms['breachTerms']): number =>
  Date.parse(endsAt) + graceDays * dayMs;

/**
 * When the discounts of a contract can no longer be billed, RFC 3339: when the count of its last period is closed. A test
 * contract may end earlier.
 */
export const discountsEndAt = (state: VolumeContracts, contractId: string): string | undefined => {
  const contract = contractOf(state, contractId);
  if (!contract) return undefined;
  const { terms, periods } = contract;
  const planned = toTimestamp(settlesAt(endOf(terms), terms.breachTerms));
  const endedAt = periods.at(-1)?.endedAt ?? planned;
  return endedAt < planned ? endedAt : planned;
};

/**
 * Whether the period is over that has the discount of a letter, by when the letter was queued: the first period that was
 * open then. The last one has the discounts of letters that were sent later. The amount of such a discount no longer
 * changes, because the count of the period may be closed before a change of the letter is stored.
 * @param now RFC 3339
 */
export const isDiscountFixed = (
  state: VolumeContracts,
  contractId: string,
  queuedAt: string,
  now: string,
): boolean => {
  const periods = contractOf(state, contractId)?.periods ?? [];
  const isOpenThen = ({ endsAt, endedAt = endsAt }: ContractPeriod): boolean =>
    queuedAt < endsAt && queuedAt < endedAt;
  const period = periods.find(isOpenThen) ?? periods.at(-1);
  return period !== undefined && (period.ended || period.endsAt <= now);
};

/** `now`: epoch ms; of a test contract a period may be ended at any time. */
export type EndPeriod = OfPeriod & { type: 'EndPeriod'; now: number | 'whenever' };

/** Closes the count, once, and not before the days of grace are over. */
export const endPeriod = (state: VolumeContracts, command: EndPeriod): VolumeContractEvent[] => {
  const { contract, period, of } = placeOf(state, command);
  const { breachTerms, test } = contract.terms;
  const due =
    command.now === 'whenever' ? test : settlesAt(period.endsAt, breachTerms) <= command.now;
  return due && !period.ended ? [{ type: 'VolumeContractPeriodEnded', data: of }] : [];
};

/** `units`, and what they cost less, of the period: counted up to where it ended in the log. */
export type SettlePeriod = OfPeriod & {
  type: 'SettlePeriod';
  units: number;
  discountMicro: MicroUsd;
};

/** Records the outcome of a period, once. @throws Error before the period was ended */
export const settlePeriod = (
  state: VolumeContracts,
  command: SettlePeriod,
): VolumeContractEvent[] => {
  const { contract, period, of } = placeOf(state, command);
  if (!period.ended) throw new Error(`period ${of.number} of ${of.contractId} is not over`);
  if (period.settled) return [];
  const { units, discountMicro } = command;
  const shortfall = Math.max(0, contract.terms.committedUnits - units);
  if (shortfall === 0) return [{ type: 'VolumeContractPeriodFulfilled', data: { ...of, units } }];
  const billMicro = Number(discountMicro);
  return [{ type: 'VolumeContractPeriodBreached', data: { ...of, units, shortfall, billMicro } }];
};

/** The amount charged to the wallet in all, and the commission in it. */
export type RecordBill = OfPeriod & {
  type: 'RecordBill';
  amountMicro: MicroUsd;
  commissionMicro: MicroUsd;
};

/** Once. @throws Error where nothing was to be billed */
export const recordBill = (state: VolumeContracts, command: RecordBill): VolumeContractEvent[] => {
  const { period, of } = placeOf(state, command);
  if (period.billedMicro !== undefined) return [];
  if (!period.settled?.billMicro) throw new Error(`nothing of ${of.contractId} is to be billed`);
  const amounts = {
    amountMicro: Number(command.amountMicro),
    commissionMicro: Number(command.commissionMicro),
  };
  return [{ type: 'VolumeContractShortfallBilled', data: { ...of, ...amounts } }];
};

/** Discounts of letters that were cancelled or failed after the count, and what the wallet got back for them: in all. */
export type RecordReturn = OfPeriod & {
  type: 'RecordReturn';
  discountMicro: MicroUsd;
  amountMicro: MicroUsd;
};

/** Once per sum of discounts, which only grows. @throws Error for more than was billed */
export const recordReturn = (
  state: VolumeContracts,
  { discountMicro, amountMicro, ...place }: RecordReturn,
): VolumeContractEvent[] => {
  const { period, of } = placeOf(state, place);
  if (discountMicro <= period.returnedMicro) return [];
  if (period.billedMicro === undefined || discountMicro > (period.settled?.billMicro ?? 0n)) {
    throw new Error(`more of ${of.contractId} would be given back than was billed`);
  }
  const amounts = { discountMicro: Number(discountMicro), amountMicro: Number(amountMicro) };
  return [{ type: 'VolumeContractShortfallReduced', data: { ...of, ...amounts } }];
};

export const volumeContractAggregate: Aggregate<VolumeContracts, VolumeContractEvent> = {
  stream: volumeContractStream,
  initialState,
  evolve,
};
