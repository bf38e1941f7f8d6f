/**
 * Rows that a worker knows from the batches before, so that it reads a row once while nobody else writes it. As long as
 * the worker moves the checkpoints, it is the only one that writes. Once a batch fails, it forgets every row.
 */
import type { Db } from '../ground/db.ts';
import { generationTable, type RowSource } from './projection.ts';
import type { AnyTable, Change } from './upsert.ts';

/** Rows of a table that are kept at most, the oldest go first. */
const mostRows = 2_000;

/** Rows by key, under the name of their table. */
export type KeptRows = Map<string, Map<string, object>>;

const keep = (rows: Map<string, object>, key: string, row: object): void => {
  rows.delete(key);
  rows.set(key, row);
  if (rows.size <= mostRows) return;
  for (const oldest of rows.keys()) {
    rows.delete(oldest);
    return;
  }
};

/** Rows before a batch: kept ones, and from the database those that are not kept. It remembers which rows there are. */
export const createBatchRows = (db: Db, generation: number, kept: KeptRows) => {
  const nameOf = generationTable(generation);
  /** Keys that were looked for, and whether the table has a row with each. */
  const looked = new Map<AnyTable, Map<string, boolean>>();

  const lookedIn = (table: AnyTable): Map<string, boolean> => {
    const known = looked.get(table) ?? new Map<string, boolean>();
    looked.set(table, known);
    return known;
  };

  const source: RowSource = {
    async load(table, by, values, options) {
      const found = lookedIn(table);
      if (!table.isKey(by)) {
        const loaded = await table.load(db, nameOf(table.name), by, values, options);
        for (const row of loaded.values()) found.set(table.keyOf(row), true);
        return loaded;
      }
      const rows = kept.get(nameOf(table.name));
      const missing = rows ? values.filter((value) => !rows.has(String(value))) : values;
      const loaded = await table.load(db, nameOf(table.name), by, missing, options);
      for (const value of values) {
        const key = String(value);
        const row = rows?.get(key);
        if (row) loaded.set(key, row as never);
        found.set(key, loaded.has(key));
      }
      return loaded;
    },
  };

  return {
    source,
    /** Whether the table has the row; undefined where nobody looked. */
    isStored: (table: AnyTable, row: object): boolean | undefined =>
      looked.get(table)?.get(table.keyOf(row)),
    /** Keeps the rows that were looked for by key as the batch left them, once it is written. */
    keepThem(changes: Change[]): void {
      for (const { table, kind, rows } of changes) {
        const found = looked.get(table);
        if (!found) continue;
        const name = nameOf(table.name);
        const into = kept.get(name) ?? new Map<string, object>();
        kept.set(name, into);
        for (const row of rows) {
          const key = table.keyOf(row);
          if (kind === 'remove') into.delete(key);
          else if (found.has(key)) {
            table.forgetSealed(row);
            keep(into, key, row);
          }
        }
      }
    },
  };
};
