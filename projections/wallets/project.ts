import type { AnyEvent } from '../../events/envelope.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { changesOf, movesOf } from '../../events/wallet-moves.ts';
import { nothing } from '../../money/buckets.ts';
import type { Projection } from '../projection.ts';
import { reservationChanges } from './held.ts';
import { reservationTable, type WalletRow, walletTable } from './table.ts';

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

const apply = (wallet: WalletRow, event: WalletEventAt): void => {
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
};

export const wallets: Projection = {
  name: 'wallets',
  version: 6,
  streams: ['wallet-'],
  tables: [walletTable, reservationTable],
  retired: ['wallet_entries', 'wallet_held', 'wallet_transactions'],
  async project(source, events) {
    const own = events.filter((event): event is WalletEventAt =>
      event.stream.startsWith('wallet-'),
    );
    if (own.length === 0) return [];
    const ids = [...new Set(own.map(({ stream }) => placeOfWallet(stream).accountId))];
    const rows = await source.load(walletTable, 'account_id', ids);
    for (const event of own) {
      const { accountId } = placeOfWallet(event.stream);
      const wallet = rows.get(accountId) ?? newWallet(accountId);
      rows.set(accountId, wallet);
      apply(wallet, event);
    }
    const reservations = await reservationChanges(source, own, rows);
    return [...walletTable.save(rows.values()), ...reservations];
  },
};
