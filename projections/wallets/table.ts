export type WalletRow = {
  account_id: string;
  test: boolean;
  period: number;
  crypto_micro: bigint;
  fiat_micro: bigint;
  held_crypto_micro: bigint;
  held_fiat_micro: bigint;
  version: bigint;
};

export type TransactionType = 'credit' | 'hold' | 'release' | 'refund';

/**
 * `wallets`: available and held per bucket. `wallet_transactions`: what changed the available balance.
 * `wallet_entries`: the double entry behind it; the sum over each position, and over all, is zero.
 */
export const createWalletTables = (table: (base: string) => string): string => `
create table ${table('wallets')} (
  account_id        text collate "C" primary key,
  test              boolean not null,
  period            int not null,
  crypto_micro      bigint not null,
  fiat_micro        bigint not null,
  held_crypto_micro bigint not null,
  held_fiat_micro   bigint not null,
  version           bigint not null
);
create table ${table('wallet_transactions')} (
  position            bigint primary key,
  account_id          text collate "C" not null,
  type                text collate "C" not null,
  amount_micro        bigint not null,       -- change of the available balance
  balance_after_micro bigint not null,       -- available after it
  letter_id           uuid,
  source              text collate "C",
  sealed              text collate "C",
  event_id            uuid not null,
  created_at          timestamptz not null
);
create table ${table('wallet_entries')} (
  position     bigint not null,
  line         int not null,
  account      text collate "C" not null,
  amount_micro bigint not null,
  primary key (position, line)
);
`;

export const walletIndexes = [{ table: 'wallet_transactions', on: '(account_id, position)' }];
