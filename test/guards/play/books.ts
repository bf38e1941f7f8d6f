/** Judges the money of a run: `operator verify` finds nothing, and read models show what the wallet and its letters have. */
import type { Wallet } from '../../../commands/wallets/state.ts';
import type { AnyEvent } from '../../../events/envelope.ts';
import { type Amounts, equal, sum } from '../../../money/buckets.ts';
import { commitmentRows } from '../../../projections/commitments/project.ts';
import { commitmentUseTable, type UseRow } from '../../../projections/commitments/table.ts';
import { ledger } from '../../../projections/ledger/project.ts';
import {
  type LedgerAccountRow,
  type LedgerEntryRow,
  ledgerAccountTable,
  ledgerEntryTable,
} from '../../../projections/ledger/table.ts';
import type { RowSource } from '../../../projections/projection.ts';
import type { AnyTable } from '../../../projections/upsert.ts';
import { wallets } from '../../../projections/wallets/project.ts';
import { type HeldSums, type WalletRow, walletTable } from '../../../projections/wallets/table.ts';
import { verifyMoney } from '../../support/verify-money.ts';
import type { Happened } from './log.ts';
import { account } from './world.ts';

const createMemoryRows = () => {
  const tables = new Map<AnyTable, Map<string, object>>();
  const rowsIn = (table: AnyTable): Map<string, object> => {
    const rows = tables.get(table) ?? new Map<string, object>();
    tables.set(table, rows);
    return rows;
  };
  const source: RowSource = {
    async load(table, by, values) {
      if (!table.isKey(by)) throw new Error(`${table.name} is loaded by ${by}, which is no key`);
      const rows = rowsIn(table);
      const found = new Map<string, object>();
      for (const value of values) {
        const row = rows.get(String(value));
        if (row) found.set(String(value), row);
      }
      return found as never;
    },
  };
  return {
    rowsOf: <T>(table: AnyTable): T[] => [...rowsIn(table).values()] as T[],
    /** Projects the log in batches of some events. */
    async project(projection: typeof wallets, log: readonly AnyEvent[], size: number) {
      for (let at = 0; at < log.length; at += size) {
        for (const change of await projection.project(source, log.slice(at, at + size))) {
          const rows = rowsIn(change.table);
          for (const row of change.rows) {
            const key = change.table.keyOf(row);
            if (change.kind === 'remove') rows.delete(key);
            else rows.set(key, row);
          }
        }
      }
    },
  };
};

type MemoryRows = ReturnType<typeof createMemoryRows>;

/** @param waiting letters that wait for approval */
const heldBy = (wallet: Wallet, waiting: ReadonlySet<string>): HeldSums => {
  const held: HeldSums = {};
  for (const { purpose, state, attempts, crypto, fiat } of wallet.reservations.values()) {
    if (state !== 'held') continue;
    const isAgreed = attempts.some(({ commitmentId }) => commitmentId !== undefined);
    const ofLetter = waiting.has(purpose.id) ? 'approvals' : isAgreed ? 'offers' : 'letters';
    const what = purpose.kind === 'order' ? 'orders' : ofLetter;
    const { count, micro } = held[what] ?? { count: 0, micro: '0' };
    held[what] = { count: count + 1, micro: String(BigInt(micro) + crypto + fiat) };
  }
  return held;
};

const text = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one));

const differs = (what: string, shown: unknown, has: unknown): string[] =>
  text(shown) === text(has) ? [] : [`${what}: shows ${text(shown)}, the wallet has ${text(has)}`];

const inOrder = <T>(of: { [key: string]: T }): [string, T][] =>
  Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1));

const sumOf = (held: HeldSums): { count: number; micro: bigint } =>
  Object.values(held).reduce(
    (all, { count, micro }) => ({ count: all.count + count, micro: all.micro + BigInt(micro) }),
    { count: 0, micro: 0n },
  );

const judgeWallet = (rows: MemoryRows, wallet: Wallet, waiting: ReadonlySet<string>): string[] => {
  const [row] = rows.rowsOf<WalletRow>(walletTable);
  if (!row) return ['the wallet has no row'];
  const { crypto_micro: crypto, fiat_micro: fiat, held_for } = row;
  const held = heldBy(wallet, waiting);
  return [
    ...differs('the available money', { crypto, fiat }, wallet.available),
    ...differs('what is held', sumOf(held_for), sumOf(held)),
    ...differs('held_for', inOrder(held_for), inOrder(held)),
  ];
};

/** By commitment: the letters that use it. */
const judgeUses = (rows: MemoryRows, wallet: Wallet): string[] => {
  const shown = rows
    .rowsOf<UseRow>(commitmentUseTable)
    .filter(({ money_micro: micro }) => BigInt(micro) > 0n)
    .map(({ letter_id: id, commitment_id: commitment }) => `${commitment} ${id}`);
  const used = [...wallet.reservations.values()].flatMap(({ purpose, attempts }) => {
    const ids = new Set(attempts.flatMap(({ commitmentId }) => commitmentId ?? []));
    return [...ids].map((id) => `${id} ${purpose.id}`);
  });
  return differs('the uses of offers', shown.toSorted(), used.toSorted());
};

const judgeLedger = (rows: MemoryRows, wallet: Wallet): string[] => {
  const accounts = rows.rowsOf<LedgerAccountRow>(ledgerAccountTable);
  const total: Amounts = accounts.reduce(
    (all, one) => ({ crypto: all.crypto + one.crypto_micro, fiat: all.fiat + one.fiat_micro }),
    { crypto: 0n, fiat: 0n },
  );
  const own = accounts.find((one) => one.account === `available:${account}`);
  const line = rows
    .rowsOf<LedgerEntryRow>(ledgerEntryTable)
    .findLast((one) => one.account === `available:${account}`);
  return [
    ...(equal(total, { crypto: 0n, fiat: 0n }) ? [] : ['the ledger does not add up to nothing']),
    ...differs(
      'the ledger',
      { crypto: own?.crypto_micro, fiat: own?.fiat_micro },
      wallet.available,
    ),
    ...differs('the last line of the statement', line?.balance_micro, sum(wallet.available)),
  ];
};

/** @param waitingBy the attempts of letters that wait for approval, by letter */
export const judgeBooks = async (
  log: readonly Happened[],
  wallet: Wallet,
  waitingBy: ReadonlyMap<string, string>,
): Promise<string[]> => {
  // A process may die between the wallet's part of the last approval and the letter's.
  const lifted = new Set(
    log
      .filter(({ type }) => type === 'HoldLifted')
      .map(({ data }) => (data as { attemptId: string }).attemptId),
  );
  const waiting = new Set(
    [...waitingBy].flatMap(([letterId, attemptId]) => (lifted.has(attemptId) ? [] : [letterId])),
  );
  const rows = createMemoryRows();
  const events = log as unknown as readonly AnyEvent[];
  for (const projection of [wallets, commitmentRows, ledger]) {
    await rows.project(projection, events, 1 + (events.length % 17));
  }
  return [
    ...verifyMoney(log),
    ...judgeWallet(rows, wallet, waiting),
    ...judgeUses(rows, wallet),
    ...judgeLedger(rows, wallet),
  ];
};
