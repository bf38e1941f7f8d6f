/**
 * Rows of one table while it is filled: changed in memory by many batches of events, and written once for
 * all of them. Memory stays bounded: what was written is dropped beyond a number of rows, the oldest first,
 * and loaded again when an event needs it.
 */
import type { Transaction } from '../ground/db.ts';
import { createCopyRows } from './copy-rows.ts';
import type { AnyTable, SealedSql, Statement } from './upsert.ts';

type Row = Record<string, unknown>;
type Entry = {
  row: Row;
  /** Whether the table has a row with this key; undefined: not looked up yet. */
  stored: boolean | undefined;
  /** Changed since it was written last. */
  changed: boolean;
};

/** Changes as they were when they were taken, to be written. */
export type StagedWrite = {
  /** For rows that the table has or may have, in another state or no longer needed. */
  statements: Statement[];
  /** Rows that it does not have, as COPY takes them. */
  added: readonly Buffer[];
};

export type StagedRows = ReturnType<typeof createStagedRows>;

/** Entries by their keys, and by values of columns that rows are loaded by. These columns are fixed. */
const createEntries = () => {
  const entries = new Map<string, Entry>();
  /** Keys of the rows with a value, by column. */
  const indexes = new Map<string, Map<unknown, Set<string>>>();

  const addToIndex = (index: Map<unknown, Set<string>>, value: unknown, key: string): void => {
    const keys = index.get(value);
    if (keys) keys.add(key);
    else index.set(value, new Set([key]));
  };

  const indexOf = (column: string): Map<unknown, Set<string>> => {
    const known = indexes.get(column);
    if (known) return known;
    const index = new Map<unknown, Set<string>>();
    for (const [key, { row }] of entries) addToIndex(index, row[column], key);
    indexes.set(column, index);
    return index;
  };

  return {
    get: (key: string): Entry | undefined => entries.get(key),
    has: (key: string): boolean => entries.has(key),
    count: (): number => entries.size,
    /** The oldest first. */
    all: (): Iterable<[string, Entry]> => entries,
    rowsWith(column: string, value: unknown): Row[] {
      const keys = indexOf(column).get(value);
      if (!keys) return [];
      return [...keys].flatMap((key): Row[] => {
        const entry = entries.get(key);
        return entry ? [entry.row] : [];
      });
    },
    keep(key: string, entry: Entry): void {
      entries.set(key, entry);
      for (const [column, index] of indexes) addToIndex(index, entry.row[column], key);
    },
    drop(key: string, { row }: Entry): void {
      entries.delete(key);
      for (const [column, index] of indexes) {
        const keys = index.get(row[column]);
        keys?.delete(key);
        if (keys?.size === 0) index.delete(row[column]);
      }
    },
  };
};

/** @param empty whether the table has no rows, so that memory knows them all */
export const createStagedRows = (
  table: AnyTable,
  { empty, sealed }: { empty: boolean; sealed: SealedSql | undefined },
) => {
  const entries = createEntries();
  let changed: Entry[] = [];
  let removed: Row[] = [];
  /** Keys without a row once what changed is written: the table has none, or the row was removed since the last write. */
  const absent = new Set<string>();
  let isComplete = empty;
  /** Rows of a table that only grows are here at once: nobody loads them. */
  const added = createCopyRows();

  const isStored = (key: string): boolean | undefined => {
    const entry = entries.get(key);
    if (entry) return entry.stored;
    return isComplete || absent.has(key) ? false : undefined;
  };

  const makeEntry = (key: string, row: Row, isNew: boolean): Entry => {
    const entry = { row, stored: isNew ? false : isStored(key), changed: false };
    entries.keep(key, entry);
    return entry;
  };

  const put = (row: Row, isNew: boolean): void => {
    if (table.grows) {
      added.add(table.copyOf(row, sealed));
      return;
    }
    const key = table.keyOf(row);
    const entry = entries.get(key) ?? makeEntry(key, row, isNew);
    entry.row = row;
    if (entry.changed) return;
    entry.changed = true;
    changed.push(entry);
  };

  return {
    table,
    isComplete: (): boolean => isComplete,

    /** Whether what is to be written must find rows in the table, or must not double one there. */
    needsIndexes: (): boolean =>
      removed.length > 0 ||
      changed.some((entry) => entry.changed && entry.stored !== false) ||
      !(isComplete || table.grows),

    /** Whether memory holds the row with this key, or knows that the table has no such row. */
    isKnown: (key: string): boolean => isComplete || entries.has(key) || absent.has(key),

    /** A row in memory. */
    withKey: (key: string): Row | undefined => entries.get(key)?.row,

    /** Rows in memory by a value of a column. */
    withValue: entries.rowsWith,

    /**
     * Takes in rows of the table, unless memory has newer ones or removed them. `asked`: the keys that were looked
     * for.
     */
    addStored(rows: Iterable<Row>, asked: string[]): void {
      for (const row of rows) {
        const key = table.keyOf(row);
        if (entries.has(key) || absent.has(key)) continue;
        entries.keep(key, { row, stored: true, changed: false });
      }
      for (const key of asked) if (!entries.has(key)) absent.add(key);
    },

    /** Takes in a row whose key is new. */
    add: (row: Row): void => put(row, true),
    /** Takes in a row that the table may have. */
    save: (row: Row): void => put(row, false),

    remove(row: Row): void {
      const key = table.keyOf(row);
      if (isStored(key) !== false) removed.push(row);
      absent.add(key);
      const entry = entries.get(key);
      if (!entry) return;
      entries.drop(key, entry);
      // Not written yet, so it never will be.
      entry.changed = false;
    },

    /** Takes what changed, to be written into a table. */
    take(into: string): StagedWrite {
      const taken = changed.filter((entry) => entry.changed);
      const statementsOf = (kind: 'update' | 'save' | 'remove', rows: Row[]): Statement[] =>
        rows.length === 0 ? [] : [table.statementOf(kind, rows, into, sealed)];
      const rowsWith = (is: Entry['stored']): Row[] =>
        taken.filter(({ stored }) => stored === is).map(({ row }) => row);
      for (const row of rowsWith(false)) added.add(table.copyOf(row, sealed));
      const write: StagedWrite = {
        statements: [
          ...statementsOf('remove', removed),
          ...statementsOf('update', rowsWith(true)),
          ...statementsOf('save', rowsWith(undefined)),
        ],
        added: added.take(),
      };
      for (const entry of taken) {
        entry.changed = false;
        entry.stored = true;
        table.forgetSealed(entry.row);
      }
      [changed, removed] = [[], []];
      absent.clear();
      return write;
    },

    /** Drops rows that are written, the oldest first, until `most` are left. */
    trim(most: number): void {
      for (const [key, entry] of entries.all()) {
        if (entries.count() <= most) return;
        if (entry.changed) continue;
        entries.drop(key, entry);
        isComplete = false;
      }
    },
  };
};

/** Writes what was taken into the same table. */
export const writeStaged = async (
  tx: Transaction,
  into: string,
  { statements, added }: StagedWrite,
): Promise<void> => {
  for (const { text, values } of statements) await tx.query(text, values);
  if (added.length > 0) await tx.copyIn(into, added);
};
