import type { AnyEvent } from '../../events/envelope.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { Projection } from '../projection.ts';
import {
  type EntryRow,
  entryTable,
  type TransactionRow,
  transactionTable,
  type WalletRow,
  walletTable,
} from './table.ts';

type Changes = {
  wallets: Map<string, WalletRow>;
  transactions: TransactionRow[];
  entries: EntryRow[];
};

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
    const debit = { position, line: line++, account: account(from, bucket), amount_micro: -amount };
    const credit = { position, line: line++, account: account(to, bucket), amount_micro: amount };
    changes.entries.push(debit, credit);
  }
};

const transact = (
  changes: Changes,
  event: AnyEvent,
  wallet: WalletRow,
  type: TransactionRow['type'],
  amountMicro: bigint,
): void => {
  changes.transactions.push({
    position: event.position,
    account_id: wallet.account_id,
    type,
    amount_micro: amountMicro,
    balance_after_micro: wallet.crypto_micro + wallet.fiat_micro,
    letter_id: 'letterId' in event.data ? String(event.data.letterId) : null,
    source: 'source' in event.data ? String(event.data.source) : null,
    sealed: event.metadata.sealed ?? null,
    event_id: event.id,
    created_at: event.metadata.at,
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

export const wallets: Projection = {
  name: 'wallets',
  version: 2,
  streams: ['wallet-'],
  tables: [walletTable, transactionTable, entryTable],
  async project(db, events, table) {
    const own = events.filter((event): event is AnyEvent & WalletEvent =>
      event.stream.startsWith('wallet-'),
    );
    if (own.length === 0) return [];
    const ids = [...new Set(own.map((event) => placeOf(event.stream).accountId))];
    const changes: Changes = {
      wallets: await walletTable.load(db, table('wallets'), 'account_id', ids),
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
    return [
      ...walletTable.save(changes.wallets.values()),
      ...transactionTable.save(changes.transactions),
      ...entryTable.save(changes.entries),
    ];
  },
};
