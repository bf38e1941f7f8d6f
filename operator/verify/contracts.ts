import type { AnyEvent } from '../../events/envelope.ts';
import { letterIdIn } from '../../events/letter.ts';
import { type VolumeContractEvent, volumeContractPrefix } from '../../events/volume-contract.ts';
import { numberOf } from '../../ground/plural.ts';
import { dollars } from '../../money/amounts.ts';
import { nothing, sum } from '../../money/buckets.ts';
import { noCharge, reduceCharge, totalOf } from '../../money/charge.ts';
import { foldEvent, type Known } from '../../projections/contracts/fold.ts';
import type { ContractRow, PeriodDoc } from '../../projections/contracts/query.ts';
import { shortfallPurpose } from '../../reactors/negotiation/close-periods.ts';
import type { Findings } from './findings.ts';
import type { createWalletCheck, PaidMoney } from './wallets.ts';

/** Contracts of the read model, by their id. */
export type ContractRows = Map<string, Pick<ContractRow, 'state' | 'doc'>>;

type Settled = Extract<
  VolumeContractEvent,
  { type: 'VolumeContractPeriodFulfilled' | 'VolumeContractPeriodBreached' }
>;

const counted = ({ units, discountMicro }: PeriodDoc): string =>
  `${numberOf(units, 'letter')} with ${dollars(BigInt(discountMicro))} of discounts`;

/** Earlier versions did not bill what was given after the end of the contract. */
const isBilled = ({ discountMicro, lateMicro = 0 }: PeriodDoc, billMicro: number): boolean =>
  billMicro === discountMicro || billMicro === discountMicro - lateMicro;

/** Compares the outcome of a period, as its event reports it, with the count before the event. */
const wrongOutcome = (
  { terms }: ContractRow['doc'],
  period: PeriodDoc,
  { type, data }: Settled,
): string | undefined => {
  const breached = type === 'VolumeContractPeriodBreached';
  const { contractId, number } = data;
  const same =
    data.units === period.units &&
    breached === period.units < terms.committedUnits &&
    (!breached ||
      (data.shortfall === terms.committedUnits - period.units && isBilled(period, data.billMicro)));
  if (same) return undefined;
  const said = breached ? `breached with ${data.units}` : `fulfilled with ${data.units}`;
  return `period ${number} of ${contractId} is ${said} of ${numberOf(terms.committedUnits, 'letter')}, the log has ${counted(period)}`;
};

type Reduced = Extract<VolumeContractEvent, { type: 'VolumeContractShortfallReduced' }>;

/** The refund of a bill must equal the discounts of letters that were cancelled or failed since. */
const wrongReduction = (
  period: PeriodDoc,
  paid: PaidMoney | undefined,
  { data }: Reduced,
): string | undefined => {
  const name = `period ${data.number} of ${data.contractId}`;
  const { billMicro = 0, goneMicro = 0, returnedMicro = 0 } = period;
  const discount = BigInt(data.discountMicro);
  if (data.discountMicro > Math.min(goneMicro, billMicro) || data.discountMicro <= returnedMicro) {
    return `${name} gave back ${dollars(discount)} of discounts, the log has ${dollars(BigInt(goneMicro))} of letters that were cancelled or failed, and ${dollars(BigInt(returnedMicro))} given back before`;
  }
  const charge = paid?.spent ?? noCharge;
  const left = totalOf(reduceCharge(charge, BigInt(billMicro) - discount));
  const due = totalOf(charge) - left;
  const given = totalOf(charge) - sum(paid?.net ?? nothing);
  if (BigInt(data.amountMicro) === due && given >= due) return undefined;
  return `${name} gave back ${dollars(BigInt(data.amountMicro))}, ${dollars(due)} are due and the wallet got ${dollars(given)}`;
};

const periodOf = (
  { contracts }: Known,
  { contractId, number }: { contractId: string; number: number },
): PeriodDoc | undefined =>
  contracts.get(contractId)?.doc.periods.find((one) => one.number === number);

const isSame = (period: PeriodDoc, other: PeriodDoc | undefined): boolean =>
  other?.units === period.units &&
  other.discountMicro === period.discountMicro &&
  other.goneMicro === period.goneMicro &&
  other.returnedMicro === period.returnedMicro &&
  other.refundedMicro === period.refundedMicro &&
  other.state === period.state;

/** Counts the letters of volume contracts again, and compares the counts with settlements and bills. */
export const createContractCheck = (
  findings: Findings,
  wallets: Pick<ReturnType<typeof createWalletCheck>, 'paidOn'>,
) => {
  /** By account: a letter is looked for among the contracts of its own. */
  const accounts = new Map<string, Known>();
  const accountOfUnit = new Map<string, Known>();

  const knownOf = (event: AnyEvent): Known | undefined => {
    if (event.type === 'LetterQueued') return accounts.get(event.data.terms.accountId);
    if (!event.stream.startsWith(volumeContractPrefix)) {
      return accountOfUnit.get(letterIdIn(event.stream));
    }
    const accountId = event.stream.slice(volumeContractPrefix.length);
    const known = accounts.get(accountId) ?? { contracts: new Map(), units: new Map() };
    accounts.set(accountId, known);
    return known;
  };

  const problemWith = (known: Known, event: AnyEvent): string | undefined => {
    switch (event.type) {
      case 'VolumeContractPeriodFulfilled':
      case 'VolumeContractPeriodBreached': {
        const doc = known.contracts.get(event.data.contractId)?.doc;
        const period = periodOf(known, event.data);
        return doc && period && wrongOutcome(doc, period, event);
      }
      case 'VolumeContractShortfallBilled': {
        const { contractId, number, amountMicro } = event.data;
        const paid = wallets.paidOn(shortfallPurpose(contractId, number));
        const taken = paid ? sum(paid.net) : 0n;
        if (taken === BigInt(amountMicro)) return undefined;
        return `period ${number} of ${contractId} is billed ${dollars(BigInt(amountMicro))}, the wallet was charged ${dollars(taken)}`;
      }
      case 'VolumeContractShortfallReduced': {
        const { contractId, number } = event.data;
        const period = periodOf(known, event.data);
        const paid = wallets.paidOn(shortfallPurpose(contractId, number));
        return period && wrongReduction(period, paid, event);
      }
      default:
        return undefined;
    }
  };

  const contracts = (): ContractRow[] =>
    [...accounts.values()].flatMap((known) => [...known.contracts.values()]);

  return {
    /** Of a letter, or of contracts. */
    check(event: AnyEvent): void {
      const known = knownOf(event);
      if (!known) return;
      const problem = problemWith(known, event);
      if (problem !== undefined) findings.add(event.position, problem);
      foldEvent(known, event);
      if (event.type === 'LetterQueued' && known.units.has(letterIdIn(event.stream))) {
        accountOfUnit.set(letterIdIn(event.stream), known);
      }
    },

    /** Compares rows of the read model with the counts so far. */
    compareRows(rows: ContractRows): void {
      for (const { contract_id: id, state, doc, changed_position: position } of contracts()) {
        const row = rows.get(id);
        const same = (period: PeriodDoc, n: number): boolean => isSame(period, row?.doc.periods[n]);
        if (row?.state === state && doc.periods.every(same)) continue;
        const period = doc.periods.find((one, n) => !same(one, n));
        const has = period && row?.doc.periods.find(({ number }) => number === period.number);
        const detail =
          period && has
            ? `in period ${period.number} the read model has ${counted(has)} (${has.state}), the log ${counted(period)} (${period.state})`
            : `the read model has ${row ? `it as ${row.state}` : 'no row'}, the log has it as ${state}`;
        findings.add(position, `${id}: ${detail}; rebuild contracts`);
      }
      const known = new Set(contracts().map(({ contract_id }) => contract_id));
      for (const id of rows.keys()) {
        if (!known.has(id)) findings.add(0n, `the read model has ${id}, the log has none`);
      }
    },

    totals: () => ({ contracts: contracts().length, units: accountOfUnit.size }),
  };
};
