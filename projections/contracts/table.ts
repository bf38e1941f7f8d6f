import type { ContractTerms } from '../../events/volume-contract.ts';
import {
  bigint,
  boolean,
  defineTable,
  fixed,
  int,
  json,
  key,
  optional,
  type RowOf,
  sealedPart,
  text,
  time,
  uuid,
} from '../upsert.ts';

/** `ended`: the count is closed, and the outcome is not decided yet. */
export type PeriodState = 'open' | 'ended' | 'fulfilled' | 'breached';

export type PeriodDoc = {
  number: number;
  startsAt: string;
  endsAt: string;
  state: PeriodState;
  /** Letters sent in it, without those that were cancelled or failed before it ended, or were not printed by then. */
  units: number;
  /** Units that are not in production yet; absent: it does not matter, see `countsPrinted` of the terms. */
  waiting?: number;
  /** Discounts of these letters because of the contract, before commission. Micro-USD. */
  discountMicro: number;
  /** Of `discountMicro`: of letters that were accepted after the end of the contract, at prices locked before. */
  lateMicro?: number;
  /** To be billed for a shortfall, before commission. */
  billMicro?: number;
  /** The charge for a shortfall, commission included. */
  billedMicro?: number;
  /** Of `discountMicro`: of letters that were cancelled or failed after the count was closed. */
  goneMicro?: number;
  /** The part of `goneMicro` that belongs to `lateMicro`. */
  goneLateMicro?: number;
  /** Of `goneMicro`: the part that was given back so far, before commission. */
  returnedMicro?: number;
  /** The amount returned to the wallet so far, commission included. */
  refundedMicro?: number;
};

/** The facts of a contract; the column `doc`, as JSON text. */
export type ContractDoc = {
  terms: ContractTerms;
  createdAt: string;
  periods: PeriodDoc[];
  /** The event that the personal part was sealed for. */
  sealedFor: string;
};

const contractColumns = {
  contract_id: key(text()),
  account_id: fixed(text()),
  /** `active` until its last period is settled. */
  state: text<'active' | 'fulfilled' | 'breached'>(),
  /** Log position of its first event: the order of lists. */
  created_position: fixed(bigint()),
  /** Log position of the last event that changed it. */
  changed_position: bigint(),
  /** When something is to be done about it next; null: never more. */
  due_at: optional(time()),
  version: bigint(),
  doc: json<ContractDoc>(),
  sealed_position: fixed(bigint()),
  sealed: sealedPart('sealed_position'),
};

/** Letters that were counted. */
const unitColumns = {
  letter_id: key(uuid()),
  contract_id: fixed(text()),
  /** Of the period in which it was accepted, which has its discount unless `late_contract_id` is set. */
  number: fixed(int()),
  /** Of the period of which it is a unit: a later one if it was printed after the count of its own was closed. */
  unit_number: int(),
  /** The contract that was over when it was accepted at a price locked before: its last period has the discount. */
  late_contract_id: fixed(optional(text())),
  /** Whether its production began. */
  printed: boolean(),
  /** Off its price, because of the contract; nothing once it is cancelled or failed. */
  discount_micro: bigint(),
  /** Whether it still counts. */
  counts: boolean(),
};

export type ContractRow = RowOf<typeof contractColumns>;
export type UnitRow = RowOf<typeof unitColumns>;

export const contractTable = defineTable('contracts', contractColumns, {
  own: ['(account_id, created_position)'],
  indexes: ['(changed_position)', '(due_at) where due_at is not null'],
});
export const unitTable = defineTable('contract_units', unitColumns);
