/** Changes that events make to the accounts of the books. Per currency their sum is zero. */
import type { MechRequestEvent } from '../../events/mech.ts';
import { type PayerEvent, type PaymentEvent, receiptIdOf } from '../../events/payment.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { changesOf, movesOf, type Place, placesOf } from '../../events/wallet-moves.ts';
import { type Amounts, nothing } from '../../money/buckets.ts';
import {
  gasAccount,
  gasWalletAccount,
  mechReceivableAccount,
  mechRevenueAccount,
  outsideAccount,
  type ReceiptMethod,
  unclaimedAccount,
} from '../../money/ledger-accounts.ts';

/** Micro-USD of each bucket, and wei. */
export type Booked = Amounts & { wei: bigint };

export const nothingBooked: Booked = { ...nothing, wei: 0n };

export const isNothing = ({ crypto, fiat, wei }: Booked): boolean =>
  crypto === 0n && fiat === 0n && wei === 0n;

export const addBooked = (a: Booked, b: Booked): Booked => ({
  crypto: a.crypto + b.crypto,
  fiat: a.fiat + b.fiat,
  wei: a.wei + b.wei,
});

const external = 'external:';

/**
 * The account for a place of money. Payments by x402 are booked when they are settled (`paymentBookings`).
 */
const ledgerAccount = (place: Place, wallet: { accountId: string; test: boolean }): string => {
  if (place === 'available' || place === 'held') return `${place}:${wallet.accountId}`;
  if (place === 'external:x402') return unclaimedAccount;
  const account = place.startsWith(external)
    ? outsideAccount(place.slice(external.length) as ReceiptMethod)
    : place;
  return wallet.test ? `test:${account}` : account;
};

type At<E> = E & { stream: string };

/** The accounts of `walletBookings`, as of a wallet with real money and as of one with test money. */
export const accountsOfWallet = (event: At<WalletEvent>): string[] => {
  const { accountId } = placeOfWallet(event.stream);
  return placesOf(event).flatMap((place) => [
    ledgerAccount(place, { accountId, test: false }),
    ledgerAccount(place, { accountId, test: true }),
  ]);
};

/** Changes by account. `test`: whether the wallet is one of test money. */
export const walletBookings = (event: At<WalletEvent>, test: boolean): Map<string, Booked> => {
  const { accountId } = placeOfWallet(event.stream);
  return new Map(
    [...changesOf(movesOf(event))].map(([place, change]) => [
      ledgerAccount(place, { accountId, test }),
      { ...change, wei: 0n },
    ]),
  );
};

/**
 * A settled payment and its cost, or the reverse if the chain forgot it. The money is unclaimed until it is
 * credited. Money found on the chain is booked when it is credited. Transactions of others cost us nothing.
 */
export const paymentBookings = (event: PaymentEvent): Map<string, Booked> => {
  if (event.type !== 'PaymentSettled' && event.type !== 'PaymentReverted') return new Map();
  const { transfer, ours, feeWei, found } = event.data;
  const sign = event.type === 'PaymentSettled' ? 1n : -1n;
  const crypto = found ? 0n : sign * BigInt(transfer.amountMicro);
  const wei = ours ? sign * BigInt(feeWei) : 0n;
  return new Map([
    [outsideAccount('x402'), { ...nothingBooked, crypto: -crypto }],
    [unclaimedAccount, { ...nothingBooked, crypto }],
    [gasAccount, { ...nothingBooked, wei }],
    [gasWalletAccount, { ...nothingBooked, wei: -wei }],
  ]);
};

/** The cost of our transaction that settled nothing. */
export const payerBookings = ({ data }: PayerEvent): Map<string, Booked> => {
  const wei = BigInt(data.feeWei);
  return new Map([
    [gasAccount, { ...nothingBooked, wei }],
    [gasWalletAccount, { ...nothingBooked, wei: -wei }],
  ]);
};

/** The revenue of a request through the mech: a claim on the marketplace. */
export const mechBookings = (event: MechRequestEvent): Map<string, Booked> => {
  if (event.type !== 'MechRequestServed') return new Map();
  const { test, priceWei } = event.data;
  const wei = BigInt(priceWei);
  const account = (name: string): string => (test ? `test:${name}` : name);
  return new Map([
    [account(mechReceivableAccount), { ...nothing, wei: -wei }],
    [account(mechRevenueAccount), { ...nothing, wei }],
  ]);
};

/** The receipt, where money came in or went out. */
export const receiptOf = (
  event: WalletEvent | PaymentEvent | PayerEvent | MechRequestEvent,
): { method: string; id: string } | undefined => {
  if (event.type === 'PaymentSettled' || event.type === 'PaymentReverted') {
    return { method: 'x402', id: receiptIdOf(event.data.transfer) };
  }
  if (event.type === 'SettlementFailed') {
    return { method: 'x402', id: `${event.data.network}:${event.data.transaction}` };
  }
  if (event.type === 'MechRequestServed') return { method: 'mech', id: event.data.requestKey };
  return 'receipt' in event.data ? event.data.receipt : undefined;
};
