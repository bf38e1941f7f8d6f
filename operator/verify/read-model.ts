import type { Db, TransactionalDb } from '../../ground/db.ts';
import { readCheckpoint } from '../../projections/batch.ts';
import type { ContractDoc, ContractRow } from '../../projections/contracts/query.ts';
import {
  type LedgerAccountRow,
  ledgerAccounts,
  ledgerFaults,
} from '../../projections/ledger/query.ts';
import { liveGeneration } from '../../projections/rebuild.ts';
import type { StoredWallet } from '../../projections/wallets/query.ts';
import type { ContractRows } from './contracts.ts';

/** `position`: where in the log the rows stand. */
type Snapshot<T> = T & { position: bigint };

type WalletSnapshot = Snapshot<{ rows: Map<string, StoredWallet> }>;

export type LedgerSnapshot = Snapshot<{
  rows: Map<string, LedgerAccountRow>;
  faults: Awaited<ReturnType<typeof ledgerFaults>>;
}>;

type ContractState = ContractRow['state'];

/** A read model at one moment; `undefined` before there is one. */
const snapshot = <T>(
  db: TransactionalDb,
  name: string,
  read: (tx: Db) => Promise<T>,
): Promise<Snapshot<T> | undefined> =>
  db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    const generation = await liveGeneration(tx, name);
    if (generation === 0) return undefined;
    const position = (await readCheckpoint(tx, name, generation)) ?? 0n;
    return { ...(await read(tx)), position };
  });

export const walletSnapshot = (db: TransactionalDb): Promise<WalletSnapshot | undefined> =>
  snapshot(db, 'wallets', async (tx) => {
    const { rows } = await tx.query<StoredWallet>(
      `select account_id, test, period, crypto_micro, fiat_micro, held_crypto_micro, held_fiat_micro,
         version from read_models.wallets`,
    );
    return { rows: new Map(rows.map((row) => [row.account_id, row])) };
  });

export const contractSnapshot = (
  db: TransactionalDb,
): Promise<Snapshot<{ rows: ContractRows }> | undefined> =>
  snapshot(db, 'contracts', async (tx) => {
    const { rows } = await tx.query<{ contract_id: string; state: ContractState; doc: string }>(
      'select contract_id, state, doc from read_models.contracts',
    );
    return {
      rows: new Map(
        rows.map(({ contract_id, state, doc }) => [
          contract_id,
          { state, doc: JSON.parse(doc) as ContractDoc },
        ]),
      ),
    };
  });

export const ledgerSnapshot = (db: TransactionalDb): Promise<LedgerSnapshot | undefined> =>
  snapshot(db, 'ledger', async (tx) => {
    const rows = await ledgerAccounts(tx);
    return {
      rows: new Map(rows.map((row) => [row.account, row])),
      faults: await ledgerFaults(tx),
    };
  });
