import { allRows, type Db } from '../../ground/db.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { type HeldFor, type HeldSums, heldFor, type WalletRow } from './table.ts';

export { type HeldFor, heldFor } from './table.ts';

/** The purpose of a part of the held money. */
type HeldPart = { what: HeldFor; count: number; micro: MicroUsd };

export type StoredWallet = Omit<WalletRow, 'held_for'>;

/** The wallet and what its held money is for, as of one moment. */
export type Wallet = StoredWallet & { held: HeldPart[] };

/** Parts without money are left out. */
const partsOf = (held: HeldSums): HeldPart[] =>
  heldFor.flatMap((what) => {
    const sum = held[what];
    return sum ? [{ what, count: sum.count, micro: BigInt(sum.micro) }] : [];
  });

export const walletOf = async (db: Db, accountId: string): Promise<Wallet | undefined> => {
  const { rows } = await db.query<StoredWallet & { held_for: string }>(
    `select account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro, held_fiat_micro,
       held_for, version from read_models.wallets where account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { held_for: held, ...wallet } = row;
  return { ...wallet, held: partsOf(JSON.parse(held)) };
};

/** Sums of all wallets, in micro-USD. Money held for letters is in `heldMicro` only. */
type WalletSums = { test: boolean; availableMicro: MicroUsd; heldMicro: MicroUsd };

export const walletSums = (db: Db): Promise<WalletSums[]> =>
  allRows(
    db,
    `select test, sum(crypto_micro + fiat_micro)::bigint as "availableMicro",
       sum(held_crypto_micro + held_fiat_micro)::bigint as "heldMicro"
     from read_models.wallets group by test`,
  );
