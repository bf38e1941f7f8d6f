import {
  bigint,
  boolean,
  defineTable,
  fixed,
  key,
  numeric,
  optional,
  type RowOf,
  text,
  time,
  uuid,
} from '../upsert.ts';

/**
 * The accounts of the books and what is on them, per bucket; all together are zero. Of a wallet:
 * `available:<account_id>` and `held:<account_id>`. Of the house: those of money/ledger-accounts.ts, and
 * `revenue`, `commission`, `refunds`; of test money apart, as `test:…`. The coin of a chain is a currency of
 * its own: ETH of gas, xDAI of the mech, never both on one account.
 */
const accountColumns = {
  account: key(text()),
  test: fixed(boolean()),
  crypto_micro: bigint(),
  fiat_micro: bigint(),
  wei: numeric(),
  /** The latest time of its lines; null before there is one. */
  reached_at: optional(time()),
};

/**
 * The lines of the journal: at each position of the log they add up to zero, per bucket and in wei. They only
 * grow; a correction is another line.
 */
const entryColumns = {
  account: key(text()),
  position: key(bigint()),
  /** The change of the account; null: none. Most lines have one amount. */
  crypto_micro: fixed(optional(bigint())),
  fiat_micro: fixed(optional(bigint())),
  /** On accounts with a statement: the balance of the account after it, in micro-USD. */
  balance_micro: fixed(optional(bigint())),
  /** On accounts with a statement. */
  created_at: fixed(optional(time())),
  /** On accounts with a statement: the latest time of the lines up to this one. It never goes back, as a clock may. */
  reached_at: fixed(optional(time())),
  /** On accounts with a statement, and on the first line of each event. */
  event_id: fixed(optional(uuid())),
  // Columns without an alignment come last.
  wei: fixed(optional(numeric())),
  /** Of the event: on accounts with a statement, and where there is a receipt. */
  type: fixed(optional(text())),
  /** On accounts with a statement, the purpose, kind and id: `letter`, `order` or `volume-contract`. */
  purpose_kind: fixed(optional(text())),
  purpose_id: fixed(optional(text())),
  /** The receipt of money that came in or went out. */
  method: fixed(optional(text())),
  receipt_id: fixed(optional(text())),
  /** On accounts with a statement: the sealed part of the event, which holds its reference. */
  sealed: fixed(optional(text())),
};

const dayColumns = {
  /** `<account_id>/2026-01-31`, in UTC. */
  id: key(text()),
  /** Reserved, less the amounts released and refunded on the day. */
  spent_micro: bigint(),
};

export type LedgerAccountRow = RowOf<typeof accountColumns>;
export type LedgerEntryRow = RowOf<typeof entryColumns>;

export type LedgerDayRow = RowOf<typeof dayColumns>;

export const ledgerAccountTable = defineTable('ledger_accounts', accountColumns, { busy: true });

/** Accounts of which there are statements. */
export const hasStatement = "account like 'available:%'";

export const ledgerEntryTable = defineTable('ledger_entries', entryColumns, {
  // Of the other lines only receipts are looked up. Checks of the books read them all.
  found: hasStatement,
  indexes: [
    `(account, reached_at, position) where ${hasStatement}`,
    '(account, position) where receipt_id is not null',
  ],
});

/** The spending of an account per day. A range of days is a range of the primary key. */
export const ledgerDayTable = defineTable('ledger_days', dayColumns, { busy: true });
