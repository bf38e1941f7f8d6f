import type { Db } from '../../contract/db.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { arrayOf, joined, type Projection, type Statement, split } from '../projection.ts';
import {
  createWalletTables,
  type TransactionType,
  type WalletRow,
  walletIndexes,
} from './table.ts';

type Transaction = {
  position: bigint;
  accountId: string;
  type: TransactionType;
  amountMicro: bigint;
  balanceAfterMicro: bigint;
  letterId: string;
  source: string;
  sealed: string;
  eventId: string;
  at: string;
};

/** One line of a double entry. */
type Entry = { position: bigint; line: number; account: string; amountMicro: bigint };

type Changes = { wallets: Map<string, WalletRow>; transactions: Transaction[]; entries: Entry[] };

/** `wallet-<account>-<period>` */
const placeOf = (stream: string): { accountId: string; period: number } => {
  const cut = stream.lastIndexOf('-');
  return {
    accountId: stream.slice('wallet-'.length, cut),
    period: Number(stream.slice(cut + 1)),
  };
};

const newWallet = (accountId: string, test: boolean): WalletRow => ({
  account_id: accountId,
  test,
  period: 0,
  crypto_micro: 0n,
  fiat_micro: 0n,
  held_crypto_micro: 0n,
  held_fiat_micro: 0n,
  version: 0n,
});

/**
 * Moves between the four accounts of the ledger. `from` and `to` name the place of the customer's
 * money: `outside`, `wallet`, `hold`, `revenue`; test money has a ledger of its own.
 */
const move = (
  changes: Changes,
  event: AnyEvent,
  wallet: WalletRow,
  from: string,
  to: string,
  amounts: { crypto: bigint; fiat: bigint },
): void => {
  const prefix = wallet.test ? 'test:' : '';
  const owned = new Set(['wallet', 'hold']);
  const account = (place: string, bucket: string): string =>
    `${prefix}${place}${owned.has(place) ? `:${wallet.account_id}` : ''}:${bucket}`;
  let line = 0;
  for (const bucket of ['crypto', 'fiat'] as const) {
    const amount = amounts[bucket];
    if (amount === 0n) continue;
    const { position } = event;
    const debit = { position, line: line++, account: account(from, bucket), amountMicro: -amount };
    const credit = { position, line: line++, account: account(to, bucket), amountMicro: amount };
    changes.entries.push(debit, credit);
  }
};

const transact = (
  changes: Changes,
  event: AnyEvent,
  wallet: WalletRow,
  type: TransactionType,
  amountMicro: bigint,
): void => {
  changes.transactions.push({
    position: event.position,
    accountId: wallet.account_id,
    type,
    amountMicro,
    balanceAfterMicro: wallet.crypto_micro + wallet.fiat_micro,
    letterId: 'letterId' in event.data ? String(event.data.letterId) : '',
    source: 'source' in event.data ? String(event.data.source) : '',
    sealed: event.metadata.sealed ?? '',
    eventId: event.id,
    at: event.metadata.at,
  });
};

const apply = (changes: Changes, wallet: WalletRow, event: AnyEvent & WalletEvent): void => {
  switch (event.type) {
    case 'WalletOpened':
      wallet.test = event.data.test;
      return;
    case 'FundsCredited': {
      const amount = BigInt(event.data.amountMicro);
      const crypto = event.data.bucket === 'crypto' ? amount : 0n;
      wallet.crypto_micro += crypto;
      wallet.fiat_micro += amount - crypto;
      move(changes, event, wallet, 'outside', 'wallet', { crypto, fiat: amount - crypto });
      transact(changes, event, wallet, 'credit', amount);
      return;
    }
    case 'WalletRanLow':
    case 'WalletPeriodClosed':
    case 'WalletPeriodOpened':
    case 'ReservationsCarriedForward':
    case 'CreditsCarriedForward':
      return;
  }
  const amounts = {
    crypto: BigInt(event.data.cryptoMicro),
    fiat: BigInt(event.data.fiatMicro),
  };
  const total = amounts.crypto + amounts.fiat;
  switch (event.type) {
    case 'FundsReserved':
      spend(wallet, amounts, 1n);
      move(changes, event, wallet, 'wallet', 'hold', amounts);
      transact(changes, event, wallet, 'hold', -total);
      return;
    case 'FundsReleased':
      spend(wallet, amounts, -1n);
      move(changes, event, wallet, 'hold', 'wallet', amounts);
      transact(changes, event, wallet, 'release', total);
      return;
    case 'FundsCaptured':
      wallet.held_crypto_micro -= amounts.crypto;
      wallet.held_fiat_micro -= amounts.fiat;
      move(changes, event, wallet, 'hold', 'revenue', amounts);
      return;
    case 'FundsRefunded':
      wallet.crypto_micro += amounts.crypto;
      wallet.fiat_micro += amounts.fiat;
      move(changes, event, wallet, 'revenue', 'wallet', amounts);
      transact(changes, event, wallet, 'refund', total);
      return;
    default:
      event satisfies never;
  }
};

/** From available to held, or back with sign -1. */
const spend = (
  wallet: WalletRow,
  amounts: { crypto: bigint; fiat: bigint },
  sign: bigint,
): void => {
  wallet.crypto_micro -= sign * amounts.crypto;
  wallet.fiat_micro -= sign * amounts.fiat;
  wallet.held_crypto_micro += sign * amounts.crypto;
  wallet.held_fiat_micro += sign * amounts.fiat;
};

const load = async (db: Db, table: string, ids: string[]): Promise<Map<string, WalletRow>> => {
  const { rows } = await db.query<WalletRow>(
    `select account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro, held_fiat_micro,
       version from ${table} where account_id = any($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.account_id, row]));
};

const saveWallets = (table: string, rows: WalletRow[]): Statement => ({
  text: `insert into ${table} (account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro,
       held_fiat_micro, version)
     select * from unnest(${split('$1')}, $2::bool[], $3::int[], $4::bigint[], $5::bigint[],
       $6::bigint[], $7::bigint[], $8::bigint[])
     on conflict (account_id) do update set test = excluded.test, period = excluded.period,
       crypto_micro = excluded.crypto_micro, fiat_micro = excluded.fiat_micro,
       held_crypto_micro = excluded.held_crypto_micro, held_fiat_micro = excluded.held_fiat_micro,
       version = excluded.version`,
  values: [
    joined(rows.map((row) => row.account_id)),
    arrayOf(rows.map((row) => row.test)),
    arrayOf(rows.map((row) => row.period)),
    arrayOf(rows.map((row) => row.crypto_micro)),
    arrayOf(rows.map((row) => row.fiat_micro)),
    arrayOf(rows.map((row) => row.held_crypto_micro)),
    arrayOf(rows.map((row) => row.held_fiat_micro)),
    arrayOf(rows.map((row) => row.version)),
  ],
});

const saveTransactions = (table: string, rows: Transaction[]): Statement => ({
  text: `insert into ${table} (position, account_id, type, amount_micro, balance_after_micro, letter_id,
       source, sealed, event_id, created_at)
     select position, account_id, type, amount_micro, balance_after_micro, nullif(letter_id, '')::uuid,
       nullif(source, ''), nullif(sealed, ''), event_id, created_at::timestamptz
     from unnest($1::bigint[], ${split('$2')}, ${split('$3')}, $4::bigint[], $5::bigint[],
       ${split('$6')}, ${split('$7')}, ${split('$8')}, $9::uuid[], ${split('$10')})
       as t (position, account_id, type, amount_micro, balance_after_micro, letter_id, source, sealed,
         event_id, created_at)`,
  values: [
    arrayOf(rows.map((row) => row.position)),
    joined(rows.map((row) => row.accountId)),
    joined(rows.map((row) => row.type)),
    arrayOf(rows.map((row) => row.amountMicro)),
    arrayOf(rows.map((row) => row.balanceAfterMicro)),
    joined(rows.map((row) => row.letterId)),
    joined(rows.map((row) => row.source)),
    joined(rows.map((row) => row.sealed)),
    arrayOf(rows.map((row) => row.eventId)),
    joined(rows.map((row) => row.at)),
  ],
});

const saveEntries = (table: string, rows: Entry[]): Statement => ({
  text: `insert into ${table} (position, line, account, amount_micro)
     select * from unnest($1::bigint[], $2::int[], ${split('$3')}, $4::bigint[])`,
  values: [
    arrayOf(rows.map((row) => row.position)),
    arrayOf(rows.map((row) => row.line)),
    joined(rows.map((row) => row.account)),
    arrayOf(rows.map((row) => row.amountMicro)),
  ],
});

export const wallets: Projection = {
  name: 'wallets',
  version: 1,
  streams: ['wallet-'],
  tables: ['wallets', 'wallet_transactions', 'wallet_entries'],
  create: createWalletTables,
  indexes: walletIndexes,
  async project(db, events, table) {
    const own = events.filter((event): event is AnyEvent & WalletEvent =>
      event.stream.startsWith('wallet-'),
    );
    if (own.length === 0) return [];
    const ids = [...new Set(own.map((event) => placeOf(event.stream).accountId))];
    const changes: Changes = {
      wallets: await load(db, table('wallets'), ids),
      transactions: [],
      entries: [],
    };
    for (const event of own) {
      const { accountId, period } = placeOf(event.stream);
      const wallet = changes.wallets.get(accountId) ?? newWallet(accountId, false);
      changes.wallets.set(accountId, wallet);
      wallet.period = Math.max(wallet.period, period);
      wallet.version = event.version;
      apply(changes, wallet, event);
    }
    const { transactions, entries } = changes;
    return [
      saveWallets(table('wallets'), [...changes.wallets.values()]),
      ...(transactions.length > 0
        ? [saveTransactions(table('wallet_transactions'), transactions)]
        : []),
      ...(entries.length > 0 ? [saveEntries(table('wallet_entries'), entries)] : []),
    ];
  },
};
