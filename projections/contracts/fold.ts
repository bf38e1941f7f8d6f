/**
 * Counts the units of volume contracts: a fold over the log, in its order, so that every count gives the same
 * result.
 * A letter is a unit of the period in which it was accepted, by the time of its event. If the count of that
 * period is already closed in the log, it is a unit of the next one. So it is a unit of one period at most.
 * Letters that are cancelled or fail before the count closes are subtracted, and so are letters that are not in
 * production by then: these are units of the period that is open when they are printed. If a letter of a
 * breached period is cancelled or fails later, its discount was billed and must be refunded.
 * A price may be locked before a contract ends and used after it. The discount then belongs to the last period of that
 * contract, as long as its count is open. The letter is a unit of the contract that follows, if any.
 */

import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn } from '../../events/letter.ts';
import { dayMs } from '../../ground/day.ts';
import { type MicroUsd, microOfCents } from '../../money/amounts.ts';
import { isReturnDue, periodAt } from './period-at.ts';
import type { ContractRow, PeriodDoc, UnitRow } from './table.ts';

/** The facts that an event needs: the contracts of accounts, and the counted letters. */
export type Known = {
  contracts: Map<string, ContractRow>;
  units: Map<string, UnitRow>;
};

type Letter = Extract<AnyEvent, { type: 'LetterQueued' | 'LetterUpdated' }>['data']['terms'];

/** The discount of a letter because of a contract. */
const discountBy = (contractId: string, { price: { discount } }: Letter): bigint =>
  discount?.contractId === contractId ? microOfCents(discount.amountCents) : 0n;

/** When something is to be done next. */
const dueAt = ({ doc }: ContractRow): string | null => {
  const next = doc.periods.find(
    (period) =>
      period.state === 'open' ||
      period.state === 'ended' ||
      (period.billMicro && period.billedMicro === undefined) ||
      isReturnDue(period),
  );
  if (!next) return null;
  // At once; a period of a test contract may be over before its end.
  if (next.state !== 'open') return doc.createdAt;
  const graceMs = doc.terms.breachTerms.graceDays * dayMs;
  return new Date(Date.parse(next.endsAt) + graceMs).toISOString();
};

const stateOf = ({ doc: { periods } }: ContractRow): ContractRow['state'] => {
  if (periods.some(({ state }) => state === 'open' || state === 'ended')) return 'active';
  return periods.some(({ state }) => state === 'breached') ? 'breached' : 'fulfilled';
};

const periodOf = ({ doc }: ContractRow, number: number): PeriodDoc => {
  const period = doc.periods.find((one) => one.number === number);
  if (!period) throw new Error(`${doc.terms.contractId} has no period ${number}`);
  return period;
};

type Created = Extract<AnyEvent, { type: 'VolumeContractCreated' }>;

const created = (event: Created): ContractRow => {
  const { data: terms, metadata, position } = event;
  return {
    contract_id: terms.contractId,
    account_id: terms.accountId,
    state: 'active',
    created_position: position,
    changed_position: position,
    due_at: null,
    version: event.version,
    doc: {
      terms,
      createdAt: metadata.at,
      periods: terms.periods.map((period, n) => ({
        number: n + 1,
        ...period,
        state: 'open',
        units: 0,
        discountMicro: 0,
        ...(terms.countsPrinted ? { waiting: 0 } : {}),
      })),
      sealedFor: event.id,
    },
    sealed_position: position,
    sealed: metadata.sealed ?? null,
  };
};

const touched = (row: ContractRow, event: AnyEvent): void => {
  row.changed_position = event.position;
  row.state = stateOf(row);
  row.due_at = dueAt(row);
};

/** Adds a discount to the period that has it, or takes it away. */
const addDiscount = (period: PeriodDoc, discountMicro: MicroUsd, isLate: boolean): void => {
  period.discountMicro += Number(discountMicro);
  if (isLate) period.lateMicro = (period.lateMicro ?? 0) + Number(discountMicro);
};

const lastPeriod = (row: ContractRow): PeriodDoc => periodOf(row, row.doc.periods.length);

/** The row and the period that have the discount of a letter. */
const discountPlace = (known: Known, { late_contract_id: late, contract_id, number }: UnitRow) => {
  const row = known.contracts.get(late ?? contract_id);
  return row && { row, period: late === null ? periodOf(row, number) : lastPeriod(row) };
};

/** The row that a letter's event changes, with its unit and the period in which it was accepted. */
const ofLetter = (known: Known, event: AnyEvent) => {
  const unit = known.units.get(letterIdIn(event.stream));
  const row = unit && known.contracts.get(unit.contract_id);
  return unit?.counts && row ? { unit, row, period: periodOf(row, unit.number) } : undefined;
};

/** A discount belongs to its period until the count of the period is closed. */
const discountChanged = (known: Known, event: Extract<AnyEvent, { type: 'LetterUpdated' }>) => {
  const unit = known.units.get(letterIdIn(event.stream));
  const isLate = unit?.late_contract_id != null;
  const place = unit && (unit.counts || isLate) ? discountPlace(known, unit) : undefined;
  if (!unit || place?.period.state !== 'open') return;
  const { row, period } = place;
  const discount = discountBy(row.contract_id, event.data.terms);
  addDiscount(period, discount - unit.discount_micro, isLate);
  unit.discount_micro = discount;
  touched(row, event);
};

const printed = (known: Known, event: AnyEvent): void => {
  const found = ofLetter(known, event);
  if (!found || found.unit.printed) return;
  const { unit, row, period } = found;
  unit.printed = true;
  if (period.waiting === undefined) return;
  if (period.state === 'open') period.waiting -= 1;
  else {
    const later = periodAt(row.doc.periods, event.metadata.at);
    unit.counts = later !== undefined;
    if (later) {
      later.units += 1;
      unit.unit_number = later.number;
    }
  }
  touched(row, event);
};

/** A discount that is billed already is to be given back. */
const discountGone = (known: Known, unit: UnitRow, event: AnyEvent): void => {
  const place = discountPlace(known, unit);
  if (!place || unit.discount_micro === 0n) return;
  const { row, period } = place;
  const isLate = unit.late_contract_id !== null;
  if (period.state === 'open') addDiscount(period, -unit.discount_micro, isLate);
  else if (!isLate || period.lateMicro) {
    const goneMicro = Number(unit.discount_micro);
    period.goneMicro = (period.goneMicro ?? 0) + goneMicro;
    if (isLate) period.goneLateMicro = (period.goneLateMicro ?? 0) + goneMicro;
  }
  touched(row, event);
};

/**
 * Cancelled or failed: a letter that is not counted yet is subtracted, and a counted discount is to be given
 * back.
 */
const gone = (known: Known, event: AnyEvent): void => {
  const unit = known.units.get(letterIdIn(event.stream));
  const row = unit && known.contracts.get(unit.contract_id);
  if (!unit || !row) return;
  const period = periodOf(row, unit.number);
  const counted = periodOf(row, unit.unit_number);
  if (unit.counts && counted.state === 'open') counted.units -= 1;
  if (unit.counts && period.state === 'open' && period.waiting !== undefined && !unit.printed) {
    period.waiting -= 1;
  }
  discountGone(known, unit, event);
  unit.counts = false;
  unit.discount_micro = 0n;
  touched(row, event);
};

/** The ended contract whose discount a letter has through a price that was locked before. */
const lateContract = (
  rows: readonly ContractRow[],
  terms: Letter,
  at: string,
): ContractRow | undefined => {
  const row = rows.find(({ contract_id }) => discountBy(contract_id, terms) > 0n);
  if (!row) return undefined;
  const { endsAt, state } = lastPeriod(row);
  return endsAt <= at && state === 'open' ? row : undefined;
};

const countLetter = (known: Known, event: Extract<AnyEvent, { type: 'LetterQueued' }>): void => {
  const { terms } = event.data;
  const { at } = event.metadata;
  const rows = [...known.contracts.values()].filter((one) => one.account_id === terms.accountId);
  const late = lateContract(rows, terms, at);
  const current = rows.find(({ doc }) => periodAt(doc.periods, at));
  const row = current ?? late;
  if (!row) return;
  const period = (current && periodAt(current.doc.periods, at)) ?? lastPeriod(row);
  if (current) period.units += 1;
  if (current?.doc.terms.countsPrinted) period.waiting = (period.waiting ?? 0) + 1;
  const discount_micro = discountBy((late ?? row).contract_id, terms);
  addDiscount(late ? lastPeriod(late) : period, discount_micro, late !== undefined);
  const letter_id = letterIdIn(event.stream);
  known.units.set(letter_id, {
    letter_id,
    contract_id: row.contract_id,
    number: period.number,
    unit_number: period.number,
    late_contract_id: late?.contract_id ?? null,
    discount_micro,
    counts: current !== undefined,
    printed: false,
  });
  touched(row, event);
  if (late) touched(late, event);
};

type OfPeriod = Extract<AnyEvent, { type: `VolumeContract${'Period' | 'Shortfall'}${string}` }>;

/** Earlier versions billed no late discounts, so nothing of them is given back. */
const leaveLateOut = (period: PeriodDoc): void => {
  period.discountMicro -= period.lateMicro ?? 0;
  delete period.lateMicro;
  if (period.goneLateMicro === undefined) return;
  period.goneMicro = (period.goneMicro ?? 0) - period.goneLateMicro;
  delete period.goneLateMicro;
};

const settle = (period: PeriodDoc, event: OfPeriod): void => {
  switch (event.type) {
    case 'VolumeContractPeriodEnded':
      period.state = 'ended';
      period.units -= period.waiting ?? 0;
      return;
    case 'VolumeContractPeriodFulfilled':
      period.state = 'fulfilled';
      return;
    case 'VolumeContractPeriodBreached':
      period.state = 'breached';
      period.billMicro = event.data.billMicro;
      if (period.lateMicro && period.billMicro === period.discountMicro - period.lateMicro)
        leaveLateOut(period);
      return;
    case 'VolumeContractShortfallBilled':
      period.billedMicro = event.data.amountMicro;
      return;
    case 'VolumeContractShortfallReduced':
      period.returnedMicro = event.data.discountMicro;
      period.refundedMicro = event.data.amountMicro;
  }
};

/** Adds one more event to the state, in place. */
export const foldEvent = (known: Known, event: AnyEvent): void => {
  switch (event.type) {
    case 'VolumeContractCreated': {
      const row = created(event);
      row.due_at = dueAt(row);
      known.contracts.set(row.contract_id, row);
      return;
    }
    case 'LetterQueued':
      countLetter(known, event);
      return;
    case 'LetterUpdated':
      discountChanged(known, event);
      return;
    case 'LetterProcessingStarted':
      printed(known, event);
      return;
    case 'LetterCancelled':
    case 'LetterFailed':
      gone(known, event);
      return;
    case 'VolumeContractPeriodEnded':
    case 'VolumeContractPeriodFulfilled':
    case 'VolumeContractPeriodBreached':
    case 'VolumeContractShortfallBilled':
    case 'VolumeContractShortfallReduced': {
      const row = known.contracts.get(event.data.contractId);
      if (!row) throw new Error(`${event.type} at position ${event.position} for no contract`);
      const period = periodOf(row, event.data.number);
      settle(period, event);
      row.version = event.version;
      touched(row, event);
      return;
    }
    default:
  }
};

/** Whether an event of a letter can change a count. */
export const isCounted = ({ type, stream }: AnyEvent): boolean =>
  isLetterStream(stream) &&
  [
    ...['LetterQueued', 'LetterUpdated', 'LetterProcessingStarted'],
    ...['LetterCancelled', 'LetterFailed'],
  ].includes(type);
