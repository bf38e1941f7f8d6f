/**
 * Rows that a worker knows from the batches before, so that it reads a row once while nobody else writes it. As long as
 * the worker moves the checkpoints, it is the only one that writes. Once a batch fails, it forgets every row.
 */
import { type BoundedMap, createBoundedMap } from '../ground/bounded-map.ts';
import type { Db } from '../ground/db.ts';
import { generationTable, type RowSource } from './projection.ts';
import type { AnyTable, Change, Columns, Table } from './upsert.ts';

/** Rows of a table, and answers to questions for its rows, that are kept at most; the oldest go first. */
const most = 2_000;

type KeptTable = {
  /** By their keys. */
  rows: BoundedMap<string, object>;
  /** By a column that is no key, and a value of it: all rows that have it, by their keys. */
  groups: Map<string, BoundedMap<string, Map<string, object>>>;
};

/** By the names of tables. */
export type KeptRows = Map<string, KeptTable>;

/** Keys of a table that a batch looked for, and those of rows that it found. */
type Looked = { asked: Set<string>; found: Set<string> };

const nothingLooked = (): Looked => ({ asked: new Set(), found: new Set() });

const emptyTable = (): KeptTable => ({ rows: createBoundedMap(most), groups: new Map() });

const getOrMake = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
};

const textIn = (row: object, column: string): string =>
  String((row as Record<string, unknown>)[column]);

/** Rows before a batch: kept ones, and from the database those that are not kept. It remembers which rows there are. */
export const createBatchRows = (db: Db, generation: number, kept: KeptRows) => {
  const nameOf = generationTable(generation);
  const looked = new Map<AnyTable, Looked>();
  const keptOf = (table: AnyTable): KeptTable => getOrMake(kept, nameOf(table.name), emptyTable);
  const lookedIn = (table: AnyTable): Looked => getOrMake(looked, table, nothingLooked);

  const byKey = async <C extends Columns>(
    table: Table<C>,
    by: keyof C & string,
    keys: string[],
  ) => {
    const { rows } = keptOf(table);
    const { asked } = lookedIn(table);
    const known = keys.map((key) => rows.get(key));
    const missing = keys.filter((_, n) => known[n] === undefined);
    const loaded = await table.load(db, nameOf(table.name), by, missing);
    keys.forEach((key, n) => {
      if (known[n] !== undefined) loaded.set(key, known[n] as never);
      asked.add(key);
    });
    return loaded;
  };

  const byColumn = async <C extends Columns>(
    table: Table<C>,
    by: keyof C & string,
    values: string[],
  ) => {
    const groups = getOrMake(keptOf(table).groups, by, () => createBoundedMap(most));
    const missing = values.filter((value) => !groups.has(value));
    const loaded = await table.load(db, nameOf(table.name), by, missing);
    const found = new Map(missing.map((value) => [value, new Map<string, object>()]));
    for (const [key, row] of loaded) found.get(textIn(row, by))?.set(key, row);
    for (const value of values) {
      for (const [key, row] of groups.get(value) ?? []) loaded.set(key, row as never);
    }
    for (const [value, group] of found) groups.set(value, group);
    return loaded;
  };

  const source: RowSource = {
    async load(table, by, values, options) {
      const texts = values.map(String);
      const rows = table.isKey(by)
        ? await byKey(table, by, texts)
        : table.hasOneKey && !options
          ? await byColumn(table, by, texts)
          : await table.load(db, nameOf(table.name), by, values, options);
      const { found } = lookedIn(table);
      for (const row of rows.values()) found.add(table.keyOf(row));
      return rows;
    },
  };

  return {
    source,
    /** Whether the table has the row; undefined where nobody looked. */
    isStored(table: AnyTable, row: object): boolean | undefined {
      const { asked, found } = lookedIn(table);
      const key = table.keyOf(row);
      return found.has(key) || (asked.has(key) ? false : undefined);
    },
    /** Keeps the rows that were looked for as the batch left them, once it is written. */
    keepThem(changes: Change[]): void {
      for (const { table, kind, rows } of changes) {
        const { asked, found } = lookedIn(table);
        const into = keptOf(table);
        if (asked.size + found.size + into.groups.size === 0) continue;
        for (const row of rows) {
          const key = table.keyOf(row);
          table.forgetSealed(row);
          if (kind === 'remove') into.rows.delete(key);
          else if (asked.has(key) || found.has(key)) into.rows.set(key, row);
          for (const [by, groups] of into.groups) {
            const group = groups.get(textIn(row, by));
            if (kind === 'remove') group?.delete(key);
            else group?.set(key, row);
          }
        }
      }
    },
  };
};
