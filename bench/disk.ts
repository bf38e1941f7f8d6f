/** Disk space that PostgreSQL needs for each letter, by table. */
import type pg from 'pg';
import { below, formatTable, type Target, whole } from './report.ts';

/**
 * Bytes and rows of a table. `rows` is an estimate of the last `analyze`. `free`: of table and TOAST, what former versions
 * of rows took, and later rows will take. A run is too short for autovacuum, so nearly all former versions are in it.
 */
export type TableSize = {
  bytes: number;
  toast: number;
  indexes: number;
  rows: number;
  free: number;
};

const sizesQuery = `
select n.nspname || '.' || c.relname as name, greatest(c.reltuples, 0)::float8 as rows,
  pg_relation_size(c.oid) as bytes, pg_indexes_size(c.oid) as indexes,
  pg_table_size(c.oid) - pg_relation_size(c.oid) as toast,
  (pgstattuple_approx(c.oid)).approx_free_space
    + case c.reltoastrelid when 0 then 0
        else (pgstattuple_approx(c.reltoastrelid)).approx_free_space end as free
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;

/** Generations of a read model are one table here. */
const nameOf = (table: string): string => table.replace(/_g\d+$/, '');

const sum = (a: TableSize, b: TableSize): TableSize => ({
  bytes: a.bytes + b.bytes,
  toast: a.toast + b.toast,
  indexes: a.indexes + b.indexes,
  rows: a.rows + b.rows,
  free: a.free + b.free,
});

const empty: TableSize = { bytes: 0, toast: 0, indexes: 0, rows: 0, free: 0 };

/** Sizes of all tables by name, after a vacuum as autovacuum does it: files do not shrink. */
export const tableSizes = async (admin: pg.Client): Promise<Map<string, TableSize>> => {
  await admin.query('create extension if not exists pgstattuple');
  await admin.query('vacuum analyze');
  const { rows } = await admin.query<{ name: string } & Record<keyof TableSize, string>>(
    sizesQuery,
  );
  const sizes = new Map<string, TableSize>();
  for (const { name, bytes, toast, indexes, rows: count, free } of rows) {
    const table = nameOf(name);
    const size = {
      bytes: Number(bytes),
      toast: Number(toast),
      indexes: Number(indexes),
      rows: Number(count),
      free: Number(free),
    };
    sizes.set(table, sum(sizes.get(table) ?? empty, size));
  }
  return sizes;
};

const totalOf = ({ bytes, toast, indexes }: TableSize): number => bytes + toast + indexes;

const bytesAtLeast = 20;
const bytesPerLetter = 14_000;

/**
 * The bytes that `letters` letters added to the tables. Tables of a few bytes for each letter are one row.
 */
export const diskOf = (
  before: ReadonlyMap<string, TableSize>,
  after: ReadonlyMap<string, TableSize>,
  letters: number,
): { text: string; target: Target } => {
  const added = [...after].map(([name, size]) => {
    const was = before.get(name) ?? empty;
    const each = (part: keyof TableSize): number => (size[part] - was[part]) / letters;
    return {
      name,
      bytes: each('bytes'),
      toast: each('toast'),
      indexes: each('indexes'),
      rows: each('rows'),
      free: each('free'),
    };
  });
  const sorted = added.toSorted((a, b) => totalOf(b) - totalOf(a));
  const large = sorted.filter((size) => totalOf(size) >= bytesAtLeast);
  const others = sorted.filter((size) => totalOf(size) < bytesAtLeast).reduce(sum, empty);
  const all = added.reduce(sum, empty);
  const row = (name: string, size: TableSize): string[] => [
    name,
    after.has(name) ? size.rows.toFixed(1) : '',
    ...[size.bytes, size.toast, size.indexes, totalOf(size), size.free].map(whole),
  ];
  const text = formatTable({
    columns: [
      'bytes on disk per letter',
      'rows',
      'table',
      'TOAST',
      'indexes',
      'total',
      'of it free',
    ],
    rows: [
      ...large.map((size) => row(size.name, size)),
      ...(totalOf(others) === 0 ? [] : [row('others', others)]),
      row('all', all),
    ],
  });
  const target = below('o) disk per letter', bytesPerLetter, totalOf(all), ' bytes');
  return { text, target };
};
