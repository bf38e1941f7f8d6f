import type { Db } from '../../ground/db.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { type HeldFor, heldFor, type TransactionRow, type WalletRow } from './table.ts';

export { type HeldFor, heldFor, type WalletRow } from './table.ts';

/** The purpose of a part of the held money. */
export type HeldPart = { what: HeldFor; count: number; micro: MicroUsd };

export type WalletTransaction = {
  position: bigint;
  type: TransactionRow['type'];
  amountMicro: MicroUsd;
  balanceAfterMicro: MicroUsd;
  letterId: string | null;
  source: string | null;
  /** The reference, sealed for `eventId` under the account's data key. */
  sealed: string | null;
  eventId: string;
  createdAt: Date;
};

export const walletOf = async (db: Db, accountId: string): Promise<WalletRow | undefined> => {
  const { rows } = await db.query<WalletRow>(
    `select account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro, held_fiat_micro,
       version from read_models.wallets where account_id = $1`,
    [accountId],
  );
  return rows[0];
};

type Held = { what: HeldFor; count: number; micro: string };

/** The wallet and what its held money is for, as of one moment. Parts without money are left out. */
export const walletWithHeld = async (
  db: Db,
  accountId: string,
): Promise<{ wallet: WalletRow | undefined; held: HeldPart[] }> => {
  const { rows } = await db.query<WalletRow & { parts: Held[] }>(
    `select account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro, held_fiat_micro,
       version, coalesce((
         select json_agg(json_build_object('what', what, 'count', count, 'micro', micro::text))
         from read_models.wallet_held where id = any($2) and count > 0), '[]') as parts
     from read_models.wallets where account_id = $1`,
    [accountId, heldFor.map((what) => `${accountId}/${what}`)],
  );
  const [row] = rows;
  if (!row) return { wallet: undefined, held: [] };
  const { parts, ...wallet } = row;
  const order = ({ what }: Held): number => heldFor.indexOf(what);
  return {
    wallet,
    held: parts
      .toSorted((one, other) => order(one) - order(other))
      .map(({ what, count, micro }) => ({ what, count, micro: BigInt(micro) })),
  };
};

/** Newest first. */
export const lastTransactions = async (
  db: Db,
  accountId: string,
  limit: number,
): Promise<WalletTransaction[]> => {
  const { rows } = await db.query<WalletTransaction>(
    `select position, type, amount_micro as "amountMicro", balance_after_micro as "balanceAfterMicro",
       letter_id as "letterId", source, sealed, event_id as "eventId", created_at as "createdAt"
     from read_models.wallet_transactions where account_id = $1 order by position desc limit $2`,
    [accountId, limit],
  );
  return rows;
};

/** Sums of all wallets, in micro-USD. Money held for letters is in `heldMicro` only. */
type WalletSums = { test: boolean; availableMicro: MicroUsd; heldMicro: MicroUsd };

export const walletSums = async (db: Db): Promise<WalletSums[]> => {
  const { rows } = await db.query<WalletSums>(
    `select test, sum(crypto_micro + fiat_micro)::bigint as "availableMicro",
       sum(held_crypto_micro + held_fiat_micro)::bigint as "heldMicro"
     from read_models.wallets group by test`,
  );
  return rows;
};
