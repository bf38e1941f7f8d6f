import type { Db } from '../../contract/db.ts';
import type { LedgerAccountRow, LedgerEntryRow } from './table.ts';

export type { LedgerAccountRow } from './table.ts';

/** A line of a statement. */
export type StatementEntry = {
  position: bigint;
  type: string;
  amountMicro: bigint;
  balanceMicro: bigint;
  purposeKind: LedgerEntryRow['purpose_kind'];
  purposeId: string | null;
  method: string | null;
  receiptId: string | null;
  eventId: string;
  createdAt: Date;
};

/** What is on accounts of the books; one that was never booked on is missing. */
export const ledgerBalances = async (db: Db, accounts: string[]): Promise<LedgerAccountRow[]> => {
  const { rows } = await db.query<LedgerAccountRow>(
    `select account, test, crypto_micro, fiat_micro from read_models.ledger_accounts
     where account = any($1)`,
    [accounts],
  );
  return rows;
};

/**
 * Lines of an account in the order of the log, `from` included, `until` not: at most `limit` after
 * position `after`. The balance before the first is its balance less its amount.
 */
export const statementOf = async (
  db: Db,
  period: { account: string; from: Date; until: Date; after?: bigint; limit: number },
): Promise<StatementEntry[]> => {
  const { rows } = await db.query<StatementEntry>(
    `select position, type, crypto_micro + fiat_micro as "amountMicro", balance_micro as "balanceMicro",
       purpose_kind as "purposeKind", purpose_id as "purposeId", method, receipt_id as "receiptId",
       event_id as "eventId", created_at as "createdAt"
     from read_models.ledger_entries
     where account = $1 and created_at >= $2 and created_at < $3 and position > $4
     order by position limit $5`,
    [period.account, period.from, period.until, period.after ?? 0n, period.limit],
  );
  return rows;
};

/**
 * How far the books are from nothing: in each bucket all accounts together, the positions whose lines
 * do not add up to zero, and the accounts that are not what their lines add up to.
 */
export const ledgerFaults = async (
  db: Db,
): Promise<{ sum: bigint; unbalanced: bigint; astray: bigint }> => {
  const { rows } = await db.query<{ sum: bigint; unbalanced: bigint; astray: bigint }>(
    `select
       (select coalesce(sum(abs(total)), 0)::bigint from
         (select unnest(array[sum(crypto_micro), sum(fiat_micro)]) as total
          from read_models.ledger_accounts) sums) as sum,
       (select count(*) from
         (select from read_models.ledger_entries group by position
          having sum(crypto_micro) <> 0 or sum(fiat_micro) <> 0) positions) as unbalanced,
       (select count(*) from read_models.ledger_accounts a full join
         (select account, sum(crypto_micro) as crypto, sum(fiat_micro) as fiat
          from read_models.ledger_entries group by account) e using (account)
        where coalesce(a.crypto_micro, 0) <> coalesce(e.crypto, 0)
           or coalesce(a.fiat_micro, 0) <> coalesce(e.fiat, 0)) as astray`,
  );
  return rows[0] ?? { sum: 0n, unbalanced: 0n, astray: 0n };
};
