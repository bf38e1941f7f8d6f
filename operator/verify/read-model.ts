import type { TransactionalDb } from '../../contract/db.ts';
import { readCheckpoint } from '../../projections/batch.ts';
import { liveGeneration } from '../../projections/rebuild.ts';
import { ledgerSum, type WalletRow } from '../../projections/wallets/query.ts';

export type WalletSnapshot = {
  /** Log position that the rows stand for. */
  position: bigint;
  rows: Map<string, WalletRow>;
  ledger: { sum: bigint; unbalanced: bigint };
};

/** The wallet read model at one moment; `undefined` before there is one. */
export const walletSnapshot = (db: TransactionalDb): Promise<WalletSnapshot | undefined> =>
  db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    const generation = await liveGeneration(tx, 'wallets');
    if (generation === 0) return undefined;
    const position = (await readCheckpoint(tx, 'wallets', generation)) ?? 0n;
    const { rows } = await tx.query<WalletRow>(
      `select account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro, held_fiat_micro,
         version from read_models.wallets`,
    );
    const ledger = await ledgerSum(tx);
    return { position, rows: new Map(rows.map((row) => [row.account_id, row])), ledger };
  });
