import {
  bigint,
  boolean,
  defineTable,
  fixed,
  int,
  json,
  key,
  type RowOf,
  text,
} from '../upsert.ts';

/**
 * Purposes of held money. Letters that wait for approval, and letters at the price of an offer, are apart.
 */
export const heldFor = ['letters', 'approvals', 'offers', 'orders', 'contracts'] as const;
export type HeldFor = (typeof heldFor)[number];

/** Sums of the reservations of an account; purposes without money are left out. Micro-USD are decimal digits. */
export type HeldSums = { [what in HeldFor]?: { count: number; micro: string } };

/** Available and held per bucket. */
const walletColumns = {
  account_id: key(text()),
  test: boolean(),
  period: int(),
  crypto_micro: bigint(),
  fiat_micro: bigint(),
  held_crypto_micro: bigint(),
  held_fiat_micro: bigint(),
  held_for: json<HeldSums>(),
  version: bigint(),
};

/** Money that is held now; its row goes with the money. */
const reservationColumns = {
  /** `<kind>-<id>` of the purpose. */
  purpose: key(text()),
  account_id: fixed(text()),
  kind: fixed(text<'letter' | 'order' | 'volume-contract'>()),
  micro: bigint(),
  /** It pays the price of an accepted offer. */
  agreed: boolean(),
  /** The payment attempts with which the letter waits for approval. */
  waiting: json<string[]>(),
};

export type ReservationRow = RowOf<typeof reservationColumns>;

export const reservationTable = defineTable('wallet_reservations', reservationColumns);

export type WalletRow = RowOf<typeof walletColumns>;

export const walletTable = defineTable('wallets', walletColumns, { busy: true });
