import { allRows, type Db } from '../../ground/db.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { unclaimedAccount } from '../../money/ledger-accounts.ts';
import {
  hasStatement,
  type LedgerEntryRow,
  type LedgerAccountRow as StoredAccount,
} from './table.ts';

export { spentByDay } from './days.ts';

export type LedgerAccountRow = Omit<StoredAccount, 'reached_at'>;

/** A line of a statement: a change of the available balance. */
export type StatementEntry = {
  position: bigint;
  type: 'FundsCredited' | 'FundsChargedBack' | 'FundsReserved' | 'FundsReleased' | 'FundsRefunded';
  amountMicro: MicroUsd;
  balanceMicro: MicroUsd;
  purposeKind: LedgerEntryRow['purpose_kind'];
  purposeId: string | null;
  method: string | null;
  receiptId: string | null;
  /** The part with the reference, sealed for `eventId` under the account's data key. */
  sealed: string | null;
  eventId: string;
  /** RFC 3339 UTC with milliseconds: written by the database, since each line of a long statement has one. */
  createdAt: string;
};

/** All accounts of the books. */
export const ledgerAccounts = async (db: Db): Promise<LedgerAccountRow[]> => {
  const { rows } = await db.query<LedgerAccountRow>(
    'select account, test, crypto_micro, fiat_micro, wei::text as wei from read_models.ledger_accounts',
  );
  return rows.map((row) => ({ ...row, wei: BigInt(row.wei) }));
};

/** The balances of accounts in the books; accounts without a booking are missing. */
export const ledgerBalances = async (db: Db, accounts: string[]): Promise<LedgerAccountRow[]> => {
  const { rows } = await db.query<LedgerAccountRow>(
    `select account, test, crypto_micro, fiat_micro, wei::text as wei
     from read_models.ledger_accounts where account = any($1)`,
    [accounts],
  );
  return rows.map((row) => ({ ...row, wei: BigInt(row.wei) }));
};

/** The micro-USD of a line. */
const amount = 'coalesce(crypto_micro, 0) + coalesce(fiat_micro, 0)';

/** The bookings under a receipt; `in` is negative, like money outside. */
type BookedReceipt = { receiptId: string; type: string; amountMicro: MicroUsd };

/** Every receipt on an account of the house, in the order of the log. */
export const bookedReceipts = (db: Db, account: string): Promise<BookedReceipt[]> =>
  allRows(
    db,
    `select receipt_id as "receiptId", type, ${amount} as "amountMicro"
     from read_models.ledger_entries where account = $1 and receipt_id is not null order by position`,
    [account],
  );

/** Money received that is not in a wallet yet, by receipt. */
export const unclaimedReceipts = (
  db: Db,
): Promise<{ receiptId: string; amountMicro: MicroUsd }[]> =>
  allRows(
    db,
    `select regexp_replace(receipt_id, '(:again:\\d+)?(:reverted)?$', '') as "receiptId",
       sum(${amount})::bigint as "amountMicro"
     from read_models.ledger_entries where account = $1 and receipt_id is not null
     group by 1 having sum(${amount}) <> 0 order by min(position)`,
    [unclaimedAccount],
  );

/** A period of an account, by positions: from `first`, before `end`. `entries`: no more than were asked for. */
type StatementPeriod = { first: bigint; end: bigint; entries: number };

const available = 'available:';

/** The account of the available money of a wallet. */
export const walletAccount = (accountId: string): string => `${available}${accountId}`;

/** SQL: lines of the wallet whose account is `parameter`. `alias`: of the table, with a dot. */
export const linesOfWallet = (parameter: string, alias = ''): string =>
  `${alias}account = '${available}' || ${parameter} and ${alias}${hasStatement}`;

/** SQL: the same, of lines with a receipt only, such as credits. There are few, and they have an index. */
export const receiptsOfWallet = (parameter: string): string =>
  `${linesOfWallet(parameter)} and receipt_id is not null`;

const noPosition = 9_223_372_036_854_775_807n;

/**
 * The lines of a period: from the first line at or after `from` to before the first at or after `until`, so
 * that one period begins where another ends, also where a clock went back. Without `until` it has no end.
 * Counts up to `countTo` of its lines.
 */
export const statementPeriod = async (
  db: Db,
  period: { account: string; from: Date; until: Date | undefined; countTo: number },
): Promise<StatementPeriod> => {
  const { account, from, until, countTo } = period;
  const firstSince = (time: string) => `(select position from read_models.ledger_entries
    where account = $1 and ${hasStatement} and reached_at >= ${time}::timestamptz
    order by reached_at, position limit 1)`;
  const { rows } = await db.query<{ first: bigint; end: bigint; entries: bigint }>(
    `with bounds as (select coalesce(${firstSince('$2')}, $4) as first,
       coalesce(${firstSince('$3')}, $4) as end)
     select b.first, b.end, (select count(*) from (select from read_models.ledger_entries
       where account = $1 and ${hasStatement} and position >= b.first and position < b.end limit $5) counted) as entries
     from bounds b`,
    [account, from, until ?? 'infinity', noPosition, countTo],
  );
  const [{ first, end, entries } = { first: noPosition, end: noPosition, entries: 0n }] = rows;
  return { first, end, entries: Number(entries) };
};

const entryColumns = `position, type, ${amount} as "amountMicro", balance_micro as "balanceMicro",
  purpose_kind as "purposeKind", purpose_id as "purposeId", method, receipt_id as "receiptId",
  sealed, event_id as "eventId",
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"`;

/**
 * Lines of an account in the order of the log, at most `limit` after position `after`. The balance before
 * a line is its balance less its amount.
 */
export const statementOf = (
  db: Db,
  page: { account: string; limit: number; after?: bigint } & Pick<StatementPeriod, 'first' | 'end'>,
): Promise<StatementEntry[]> =>
  allRows(
    db,
    `select ${entryColumns} from read_models.ledger_entries
     where account = $1 and ${hasStatement} and position >= $2 and position < $3 and position > $4
     order by position limit $5`,
    [page.account, page.first, page.end, page.after ?? 0n, page.limit],
  );

/** The last lines of an account, newest first. */
export const lastEntries = (db: Db, account: string, limit: number): Promise<StatementEntry[]> =>
  allRows(
    db,
    `select ${entryColumns} from read_models.ledger_entries
     where account = $1 and ${hasStatement} order by position desc limit $2`,
    [account, limit],
  );

/** The balance of an account before the entry at a position. */
export const balanceBefore = async (db: Db, account: string, first: bigint): Promise<bigint> => {
  const { rows } = await db.query<{ balance: bigint }>(
    `select balance_micro as balance from read_models.ledger_entries
     where account = $1 and ${hasStatement} and position < $2 order by position desc limit 1`,
    [account, first],
  );
  return rows[0]?.balance ?? 0n;
};

/** `sum`: in micro-USD. `gasBalances`: whether the amounts in wei add up to zero. */
type LedgerFaults = {
  sum: bigint;
  gasBalances: boolean;
  unbalanced: bigint;
  astray: bigint;
};

/**
 * How far the books are from nothing: in each bucket all accounts together, the positions whose lines
 * do not add up to zero, and the accounts that are not what their lines add up to.
 */
export const ledgerFaults = async (db: Db): Promise<LedgerFaults> => {
  const { rows } = await db.query<LedgerFaults>(
    `select
       (select coalesce(sum(abs(total)), 0)::bigint from
         (select unnest(array[sum(crypto_micro), sum(fiat_micro)]) as total
          from read_models.ledger_accounts) sums) as sum,
       (select coalesce(sum(wei), 0) = 0 from read_models.ledger_accounts) as "gasBalances",
       (select count(*) from
         (select from read_models.ledger_entries group by position
          having sum(crypto_micro) <> 0 or sum(fiat_micro) <> 0 or sum(wei) <> 0) positions) as unbalanced,
       (select count(*) from read_models.ledger_accounts a full join
         (select account, sum(crypto_micro) as crypto, sum(fiat_micro) as fiat, sum(wei) as wei
          from read_models.ledger_entries group by account) e using (account)
        where coalesce(a.crypto_micro, 0) <> coalesce(e.crypto, 0)
           or coalesce(a.fiat_micro, 0) <> coalesce(e.fiat, 0)
           or coalesce(a.wei, 0) <> coalesce(e.wei, 0)) as astray`,
  );
  return rows[0] ?? { sum: 0n, gasBalances: true, unbalanced: 0n, astray: 0n };
};
