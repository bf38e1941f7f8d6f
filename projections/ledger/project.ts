/** The books: double entry over what wallets move, what settling payments costs, and what the mech earns. */
import type { AnyEvent } from '../../events/envelope.ts';
import { type MechRequestEvent, mechRequestPrefix } from '../../events/mech.ts';
import type { PayerEvent, PaymentEvent } from '../../events/payment.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import type { Projection } from '../projection.ts';
import {
  accountsOfWallet,
  type Booked,
  isNothing,
  mechBookings,
  payerBookings,
  paymentBookings,
  receiptOf,
  walletBookings,
} from './bookings.ts';
import { spentOnDays } from './days.ts';
import {
  type LedgerAccountRow,
  type LedgerEntryRow,
  ledgerAccountTable,
  ledgerDayTable,
  ledgerEntryTable,
} from './table.ts';

type WalletEventAt = AnyEvent & WalletEvent;
type PaymentEventAt = AnyEvent & PaymentEvent;
type PayerEventAt = AnyEvent & PayerEvent;
type MechEventAt = AnyEvent & MechRequestEvent;
type OtherEventAt = PaymentEventAt | PayerEventAt | MechEventAt;
type Own = WalletEventAt | OtherEventAt;

const isWallets = (event: AnyEvent): event is WalletEventAt => event.stream.startsWith('wallet-');
const isMechs = (event: AnyEvent): event is MechEventAt =>
  event.stream.startsWith(mechRequestPrefix);
const isPayers = (event: AnyEvent): event is PayerEventAt => event.stream.startsWith('payer-');
const isOwn = (event: AnyEvent): event is Own =>
  isWallets(event) || isMechs(event) || isPayers(event) || event.stream.startsWith('payment-');

/** For events outside of wallets. */
const otherBookings = (event: OtherEventAt): Map<string, Booked> => {
  if (isMechs(event)) return mechBookings(event);
  return isPayers(event) ? payerBookings(event) : paymentBookings(event);
};

const newAccount = (account: string, test: boolean): LedgerAccountRow => ({
  account,
  test,
  crypto_micro: 0n,
  fiat_micro: 0n,
  wei: 0n,
  reached_at: null,
});

const openedAs = (event: WalletEvent): boolean | undefined =>
  event.type === 'WalletOpened' || event.type === 'WalletPeriodOpened'
    ? event.data.test
    : undefined;

/** House accounts and held money have no statement: their lines say only what the books add up and look up. */
const entryOf = (
  event: Own,
  { row, change, isFirst }: { row: LedgerAccountRow; change: Booked; isFirst: boolean },
): LedgerEntryRow => {
  const inStatement = row.account.startsWith('available:');
  const purpose = inStatement && 'purpose' in event.data ? event.data.purpose : undefined;
  const receipt = receiptOf(event);
  const { at, sealed } = event.metadata;
  return {
    account: row.account,
    position: event.position,
    crypto_micro: change.crypto || null,
    fiat_micro: change.fiat || null,
    wei: change.wei || null,
    balance_micro: inStatement ? row.crypto_micro + row.fiat_micro : null,
    type: inStatement || receipt ? event.type : null,
    purpose_kind: purpose?.kind ?? null,
    purpose_id: purpose?.id ?? null,
    method: receipt?.method ?? null,
    receipt_id: receipt?.id ?? null,
    sealed: inStatement ? (sealed ?? null) : null,
    event_id: inStatement || isFirst ? event.id : null,
    created_at: inStatement ? at : null,
    reached_at: inStatement ? (row.reached_at ?? at) : null,
  };
};

/** Books an event on the accounts. Whether a wallet is a test one is known from its opening on. */
const book = (rows: Map<string, LedgerAccountRow>, event: Own): LedgerEntryRow[] => {
  const accountOf = (name: string, test: boolean): LedgerAccountRow => {
    const row = rows.get(name) ?? newAccount(name, test);
    rows.set(name, row);
    return row;
  };
  const isTest = (one: WalletEventAt): boolean =>
    accountOf(`available:${placeOfWallet(one.stream).accountId}`, openedAs(one) ?? false).test;
  const test = isWallets(event) ? isTest(event) : isMechs(event) && event.data.test;
  const bookings = isWallets(event) ? walletBookings(event, test) : otherBookings(event);
  return [...bookings]
    .filter(([, change]) => !isNothing(change))
    .map(([account, change], n) => {
      const row = accountOf(account, test);
      row.crypto_micro += change.crypto;
      row.fiat_micro += change.fiat;
      row.wei += change.wei;
      const { at } = event.metadata;
      if (row.reached_at === null || row.reached_at < at) row.reached_at = at;
      return entryOf(event, { row, change, isFirst: n === 0 });
    });
};

/** Accounts that an event may be booked on. */
const accountsOf = (event: Own): string[] => {
  if (!isWallets(event)) return [...otherBookings(event).keys()];
  const { accountId } = placeOfWallet(event.stream);
  return [`available:${accountId}`, ...accountsOfWallet(event)];
};

export const ledger: Projection = {
  name: 'ledger',
  version: 8,
  streams: ['wallet-', 'payment-', 'payer-', mechRequestPrefix],
  tables: [ledgerAccountTable, ledgerEntryTable, ledgerDayTable],
  async project(source, events) {
    const own = events.filter(isOwn);
    const names = [...new Set(own.flatMap(accountsOf))];
    const rows = await source.load(ledgerAccountTable, 'account', names);
    const entries = own.flatMap((event) => book(rows, event));
    return [
      ...ledgerAccountTable.save(rows.values()),
      ...ledgerEntryTable.save(entries),
      ...(await spentOnDays(source, own.filter(isWallets))),
    ];
  },
};
