/** A map that never changes: `with` and `without` give another one. */
export type PersistentMap<K, V> = {
  readonly size: number;
  get(key: K): V | undefined;
  has(key: K): boolean;
  /** Values are never undefined: that stands for no entry. */
  with(key: K, value: V): PersistentMap<K, V>;
  without(key: K): PersistentMap<K, V>;
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
  [Symbol.iterator](): IterableIterator<[K, V]>;
};

/** A version: the rows themselves, or one key of it and the version that has the rest. */
type Cell<K, V> = {
  rows: Map<K, V> | undefined;
  key: K | undefined;
  value: V | undefined;
  next: Cell<K, V> | undefined;
};

const put = <K, V>(rows: Map<K, V>, key: K, value: V | undefined): void => {
  if (value === undefined) rows.delete(key);
  else rows.set(key, value);
};

const differ = <K, V>(cell: Cell<K, V>, key: K, value: V | undefined, next: Cell<K, V>): void => {
  cell.rows = undefined;
  cell.key = key;
  cell.value = value;
  cell.next = next;
};

/** Brings the rows to this version, undoing change by change, and turns the others round to point here. */
const reroot = <K, V>(cell: Cell<K, V>): Map<K, V> => {
  const path: Cell<K, V>[] = [];
  let at = cell;
  while (at.next) {
    path.push(at);
    at = at.next;
  }
  const rows = at.rows as Map<K, V>;
  for (const older of path.toReversed()) {
    const key = older.key as K;
    const { value } = older;
    differ(at, key, rows.get(key), older);
    put(rows, key, value);
    older.rows = rows;
    older.key = undefined;
    older.value = undefined;
    older.next = undefined;
    at = older;
  }
  return rows;
};

const rowsOf = <K, V>(cell: Cell<K, V>): Map<K, V> => cell.rows ?? reroot(cell);

const withRows = <K, V>(rows: Map<K, V>): Cell<K, V> => ({
  rows,
  key: undefined,
  value: undefined,
  next: undefined,
});

/** A class, because wallets make many of these and a view of closures costs four times as much. */
class View<K, V> implements PersistentMap<K, V> {
  readonly size: number;
  private readonly cell: Cell<K, V>;

  constructor(cell: Cell<K, V>, size: number) {
    this.cell = cell;
    this.size = size;
  }

  get(key: K): V | undefined {
    return rowsOf(this.cell).get(key);
  }

  has(key: K): boolean {
    return rowsOf(this.cell).has(key);
  }

  with(key: K, value: V): PersistentMap<K, V> {
    const rows = rowsOf(this.cell);
    const before = rows.get(key);
    const next = withRows(rows);
    differ(this.cell, key, before, next);
    rows.set(key, value);
    return new View(next, before === undefined ? this.size + 1 : this.size);
  }

  without(key: K): PersistentMap<K, V> {
    const rows = rowsOf(this.cell);
    const before = rows.get(key);
    if (before === undefined) return this;
    const next = withRows(rows);
    differ(this.cell, key, before, next);
    rows.delete(key);
    return new View(next, this.size - 1);
  }

  keys(): IterableIterator<K> {
    return rowsOf(this.cell).keys();
  }

  values(): IterableIterator<V> {
    return rowsOf(this.cell).values();
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return rowsOf(this.cell).entries();
  }
}

/**
 * All versions share one `Map` (Baker, "Shallow binding makes functional arrays fast", 1991): the one
 * used last holds it, the others know how they differ. So a long-lived state can be changed on trial,
 * at the cost of a plain map, and the state before is there again at the cost of what is undone. Not for
 * versions that are read in turn, nor for making a version while another one is iterated.
 */
export const persistentMap = <K, V>(entries: Iterable<[K, V]> = []): PersistentMap<K, V> => {
  const rows = new Map(entries);
  return new View(withRows(rows), rows.size);
};
