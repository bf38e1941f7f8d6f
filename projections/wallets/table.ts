import {
  bigint,
  boolean,
  defineTable,
  fixed,
  int,
  key,
  optional,
  type RowOf,
  text,
  time,
  uuid,
} from '../upsert.ts';

/** Available and held per bucket. */
const walletColumns = {
  account_id: key(text()),
  test: boolean(),
  period: int(),
  crypto_micro: bigint(),
  fiat_micro: bigint(),
  held_crypto_micro: bigint(),
  held_fiat_micro: bigint(),
  version: bigint(),
};

/** Changes of the available balance. */
const transactionColumns = {
  // In the order of a list of the account's.
  account_id: key(text()),
  position: key(bigint()),
  type: fixed(text<'credit' | 'charge_back' | 'hold' | 'release' | 'refund'>()),
  /** Change of the available balance. */
  amount_micro: fixed(bigint()),
  balance_after_micro: fixed(bigint()),
  letter_id: fixed(optional(uuid())),
  source: fixed(optional(text())),
  sealed: fixed(optional(text())),
  event_id: fixed(uuid()),
  created_at: fixed(time()),
};

export type WalletRow = RowOf<typeof walletColumns>;
export type TransactionRow = RowOf<typeof transactionColumns>;

export const walletTable = defineTable('wallets', walletColumns);
export const transactionTable = defineTable('wallet_transactions', transactionColumns);
