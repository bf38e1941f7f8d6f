import type { AnyEvent } from '../../events/envelope.ts';
import { letterIdOf } from '../../events/registry.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { changesOf, movesOf } from '../../events/wallet-moves.ts';
import { nothing, sum } from '../../money/buckets.ts';
import type { Projection } from '../projection.ts';
import { reservationChanges } from './held.ts';
import {
  reservationTable,
  type TransactionRow,
  transactionTable,
  type WalletRow,
  walletTable,
} from './table.ts';

type WalletEventAt = AnyEvent & WalletEvent;

export const newWallet = (accountId: string): WalletRow => ({
  account_id: accountId,
  test: false,
  period: 0,
  crypto_micro: 0n,
  fiat_micro: 0n,
  held_crypto_micro: 0n,
  held_fiat_micro: 0n,
  held_for: {},
  version: 0n,
});

/** The wallet after the event, and the change of its available balance. */
const apply = (wallet: WalletRow, event: WalletEventAt): bigint => {
  const changes = changesOf(movesOf(event));
  const available = changes.get('available') ?? nothing;
  const held = changes.get('held') ?? nothing;
  wallet.crypto_micro += available.crypto;
  wallet.fiat_micro += available.fiat;
  wallet.held_crypto_micro += held.crypto;
  wallet.held_fiat_micro += held.fiat;
  wallet.period = placeOfWallet(event.stream).period;
  wallet.version = event.version;
  if (event.type === 'WalletOpened') wallet.test = event.data.test;
  return sum(available);
};

/** The listed entries: all that can change the available balance. */
const transactionTypes: Partial<Record<AnyEvent['type'], TransactionRow['type']>> = {
  FundsCredited: 'credit',
  FundsChargedBack: 'charge_back',
  FundsReserved: 'hold',
  FundsReleased: 'release',
  FundsRefunded: 'refund',
};

const transactionOf = (
  wallet: WalletRow,
  event: WalletEventAt,
  amount_micro: bigint,
): TransactionRow[] => {
  const type = transactionTypes[event.type];
  if (type === undefined || amount_micro === 0n) return [];
  const row: TransactionRow = {
    position: event.position,
    account_id: wallet.account_id,
    type,
    amount_micro,
    balance_after_micro: wallet.crypto_micro + wallet.fiat_micro,
    letter_id: letterIdOf(event) ?? null,
    source: 'receipt' in event.data ? event.data.receipt.method : null,
    sealed: event.metadata.sealed ?? null,
    event_id: event.id,
    created_at: event.metadata.at,
  };
  return [row];
};

export const wallets: Projection = {
  name: 'wallets',
  version: 4,
  streams: ['wallet-'],
  tables: [walletTable, transactionTable, reservationTable],
  retired: ['wallet_entries', 'wallet_held'],
  async project(source, events) {
    const own = events.filter((event): event is WalletEventAt =>
      event.stream.startsWith('wallet-'),
    );
    if (own.length === 0) return [];
    const ids = [...new Set(own.map(({ stream }) => placeOfWallet(stream).accountId))];
    const rows = await source.load(walletTable, 'account_id', ids);
    const transactions = own.flatMap((event) => {
      const { accountId } = placeOfWallet(event.stream);
      const wallet = rows.get(accountId) ?? newWallet(accountId);
      rows.set(accountId, wallet);
      return transactionOf(wallet, event, apply(wallet, event));
    });
    const reservations = await reservationChanges(source, own, rows);
    return [
      ...walletTable.save(rows.values()),
      ...transactionTable.save(transactions),
      ...reservations,
    ];
  },
};
