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

/** The rows themselves, or what one key was in this version and the version where it is else. */
type Version<K, V> = { rows: Map<K, V> } | { key: K; value: V | undefined; next: Cell<K, V> };
type Cell<K, V> = { version: Version<K, V> };

const put = <K, V>(rows: Map<K, V>, key: K, value: V | undefined): void => {
  if (value === undefined) rows.delete(key);
  else rows.set(key, value);
};

/** Brings the rows to this version, undoing change by change, and turns the others round to point here. */
const rowsOf = <K, V>(cell: Cell<K, V>): Map<K, V> => {
  if ('rows' in cell.version) return cell.version.rows;
  const path: Cell<K, V>[] = [];
  let at = cell;
  while (!('rows' in at.version)) {
    path.push(at);
    at = at.version.next;
  }
  const { rows } = at.version;
  for (const older of path.toReversed()) {
    const { key, value } = older.version as Exclude<Version<K, V>, { rows: Map<K, V> }>;
    at.version = { key, value: rows.get(key), next: older };
    put(rows, key, value);
    older.version = { rows };
    at = older;
  }
  return rows;
};

const after = <K, V>(cell: Cell<K, V>, key: K, value: V | undefined): Cell<K, V> => {
  const rows = rowsOf(cell);
  const next = { version: { rows } };
  cell.version = { key, value: rows.get(key), next };
  put(rows, key, value);
  return next;
};

const viewOf = <K, V>(cell: Cell<K, V>, size: number): PersistentMap<K, V> => ({
  size,
  get: (key) => rowsOf(cell).get(key),
  has: (key) => rowsOf(cell).has(key),
  with: (key, value) => {
    const grown = rowsOf(cell).has(key) ? size : size + 1;
    return viewOf(after(cell, key, value), grown);
  },
  without: (key) =>
    rowsOf(cell).has(key) ? viewOf(after(cell, key, undefined), size - 1) : viewOf(cell, size),
  keys: () => rowsOf(cell).keys(),
  values: () => rowsOf(cell).values(),
  [Symbol.iterator]: () => rowsOf(cell).entries(),
});

/**
 * All versions share one `Map` (Baker, "Shallow binding makes functional arrays fast", 1991): the one
 * used last holds it, the others know how they differ. So a long-lived state can be changed on trial,
 * at the cost of a plain map, and the state before is there again at the cost of what is undone. Not for
 * versions that are read in turn, nor for making a version while another one is iterated.
 */
export const persistentMap = <K, V>(entries: Iterable<[K, V]> = []): PersistentMap<K, V> => {
  const rows = new Map(entries);
  return viewOf({ version: { rows } }, rows.size);
};
