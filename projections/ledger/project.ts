/** The books: double entry over what the events of wallets move. */
import type { AnyEvent } from '../../events/envelope.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { changesOf, movesOf, type Place } from '../../events/wallet-moves.ts';
import { type Amounts, equal, nothing } from '../../money/buckets.ts';
import type { Projection } from '../projection.ts';
import {
  type LedgerAccountRow,
  type LedgerEntryRow,
  ledgerAccountTable,
  ledgerEntryTable,
} from './table.ts';

type WalletEventAt = AnyEvent & WalletEvent;

/** The account of the books for a place of money. */
export const ledgerAccount = (
  place: Place,
  wallet: { accountId: string; test: boolean },
): string => {
  if (place === 'available' || place === 'held') return `${place}:${wallet.accountId}`;
  return wallet.test ? `test:${place}` : place;
};

const newAccount = (account: string, test: boolean): LedgerAccountRow => ({
  account,
  test,
  crypto_micro: 0n,
  fiat_micro: 0n,
});

const openedAs = (event: WalletEvent): boolean | undefined =>
  event.type === 'WalletOpened' || event.type === 'WalletPeriodOpened'
    ? event.data.test
    : undefined;

const entryOf = (
  event: WalletEventAt,
  { account, crypto_micro, fiat_micro }: LedgerAccountRow,
  change: Amounts,
): LedgerEntryRow => {
  const purpose = 'purpose' in event.data ? event.data.purpose : undefined;
  const receipt = 'receipt' in event.data ? event.data.receipt : undefined;
  return {
    account,
    position: event.position,
    crypto_micro: change.crypto,
    fiat_micro: change.fiat,
    balance_micro: crypto_micro + fiat_micro,
    type: event.type,
    purpose_kind: purpose?.kind ?? null,
    purpose_id: purpose?.id ?? null,
    method: receipt?.method ?? null,
    receipt_id: receipt?.id ?? null,
    event_id: event.id,
    created_at: event.metadata.at,
  };
};

/** Books an event on the accounts. Whether a wallet is a test one is known from its opening on. */
const book = (rows: Map<string, LedgerAccountRow>, event: WalletEventAt): LedgerEntryRow[] => {
  const { accountId } = placeOfWallet(event.stream);
  const accountOf = (name: string, test: boolean): LedgerAccountRow => {
    const row = rows.get(name) ?? newAccount(name, test);
    rows.set(name, row);
    return row;
  };
  const { test } = accountOf(`available:${accountId}`, openedAs(event) ?? false);
  return [...changesOf(movesOf(event))]
    .filter(([, change]) => !equal(change, nothing))
    .map(([place, change]) => {
      const row = accountOf(ledgerAccount(place, { accountId, test }), test);
      row.crypto_micro += change.crypto;
      row.fiat_micro += change.fiat;
      return entryOf(event, row, change);
    });
};

/** Accounts that an event of this wallet may be booked on. */
const accountsOf = (event: WalletEventAt): string[] => {
  const { accountId } = placeOfWallet(event.stream);
  const places: Place[] = ['available', 'held', ...changesOf(movesOf(event)).keys()];
  return places.flatMap((place) => [
    ledgerAccount(place, { accountId, test: false }),
    ledgerAccount(place, { accountId, test: true }),
  ]);
};

export const ledger: Projection = {
  name: 'ledger',
  version: 1,
  streams: ['wallet-'],
  tables: [ledgerAccountTable, ledgerEntryTable],
  async project(db, events, table) {
    const own = events.filter((event): event is WalletEventAt =>
      event.stream.startsWith('wallet-'),
    );
    const names = [...new Set(own.flatMap(accountsOf))];
    const rows = await ledgerAccountTable.load(db, table('ledger_accounts'), 'account', names);
    const entries = own.flatMap((event) => book(rows, event));
    return [...ledgerAccountTable.save(rows.values()), ...ledgerEntryTable.save(entries)];
  },
};
