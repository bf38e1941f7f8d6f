/** A wallet's statement as a file for spreadsheets: CSV as RFC 4180 has it, in UTF-8. */
import type { MicroUsd } from '../money/amounts.ts';
import type { StatementEntry } from '../projections/ledger/query.ts';

const statementColumns = [
  'time',
  'id',
  'type',
  'amount',
  'balance_after',
  'letter_id',
  'method',
  'reference',
] as const;

type StatementLine = { entry: StatementEntry; reference: string | undefined };

/** The types of changes as statements and balances name them. */
const types = {
  FundsCredited: 'credit',
  FundsChargedBack: 'charge_back',
  FundsReserved: 'hold',
  FundsReleased: 'release',
  FundsRefunded: 'refund',
} as const satisfies Record<StatementEntry['type'], string>;

/** The part of a change that statements and balances show alike. */
export const transactionOf = ({ eventId, type, purposeKind, purposeId }: StatementEntry) => ({
  id: `txn_${eventId.replaceAll('-', '')}`,
  type: types[type],
  letter_id: purposeKind === 'letter' ? purposeId : null,
});

/** USD in digits, exactly: `-0.29`, `12.345678`; at least cents. */
const usd = (micro: MicroUsd): string => {
  const digits = String(micro < 0n ? -micro : micro).padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${decimals}`;
};

/**
 * The beginnings of what a spreadsheet may take for a formula: also in full width, and after invisible characters. In
 * many languages spreadsheets split lines at semicolons, so the text may be several cells.
 */
const formulas =
  /^(?=[\s\p{Cf}]*[=+\-@＝＋－＠\t\r])|(?<=[;\t\r\n])(?=[\s\p{Cf}"]*[=+\-@＝＋－＠])/gu;

/**
 * A text as a field. Each part that a spreadsheet would take for a formula gets an apostrophe before it, which
 * spreadsheets take for "this is text".
 */
export const textField = (text: string): string => {
  const safe = text.replaceAll(formulas, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The account's own reference; otherwise the reason of a change that has no letter. */
export const reasonOf = ({ entry, reference }: StatementLine): string | undefined => {
  if (reference !== undefined) return reference;
  if (entry.purposeKind === 'volume-contract') return `shortfall ${entry.purposeId}`;
  if (entry.purposeKind === 'order') return `order ${entry.purposeId}`;
  return entry.method === 'test_grant' ? 'test money' : undefined;
};

/** In a file also the receipt outside. */
const referenceOf = (line: StatementLine): string => {
  const { method, receiptId } = line.entry;
  return reasonOf(line) ?? (method === 'operator' ? '' : (receiptId ?? ''));
};

const lineOf = (line: StatementLine): string => {
  const { entry } = line;
  const { id, type, letter_id } = transactionOf(entry);
  return [
    entry.createdAt,
    id,
    type,
    usd(entry.amountMicro),
    usd(entry.balanceMicro),
    letter_id ?? '',
    entry.method ?? '',
    textField(referenceOf(line)),
  ].join(',');
};

const lineEnd = '\r\n';

/**
 * A line per change of the available balance; as bytes, which the collector does not copy while more are
 * made.
 */
export const statementLines = (lines: StatementLine[]): Buffer =>
  Buffer.from(lines.map((line) => `${lineOf(line)}${lineEnd}`).join(''));

const balanceLine = (
  type: 'opening_balance' | 'closing_balance',
  time: Date,
  balance: MicroUsd,
): Buffer => Buffer.from(`${time.toISOString()},,${type},,${usd(balance)},,,${lineEnd}`);

/** A statement is its heading, the opening balance, its lines, and the closing balance. */
export const statementHeading = Buffer.from(`${statementColumns.join(',')}${lineEnd}`);

export const openingLine = (time: Date, balance: MicroUsd): Buffer =>
  balanceLine('opening_balance', time, balance);

export const closingLine = (time: Date, balance: MicroUsd): Buffer =>
  balanceLine('closing_balance', time, balance);
