/**
 * The tables that a backup holds: all in the schemas of the numbered schema files. Read models are left out, because
 * a restore fills them from the log. Leases belong to running processes, and so do the marks of print folders. Sessions
 * of people and links to the console end with a restore. Credentials that are being issued again are begun anew.
 */
import type { ClientBase } from 'pg';
import { nextTables } from '../identity/credential-tables.ts';
import { schemaFiles } from '../schema/migrate.ts';

const madeAgain = ['read_models'];
const leftOut = [
  'reactors.leases',
  'reactors.folder_marks',
  'console.sessions',
  'console.links',
  'console.operator_sessions',
  'console.operator_links',
  'console.operator_looks',
  nextTables.issued,
  nextTables.tiles,
  nextTables.log,
];

/** Schemas of the service in the database, without those that are made again. */
export const savedSchemas = (): string[] => {
  const made = schemaFiles().flatMap(({ sql }) =>
    [...sql.matchAll(/create schema if not exists (\w+)/g)].map(([, name = '']) => name),
  );
  return [...new Set(made)].filter((name) => !madeAgain.includes(name));
};

export type SavedTable = {
  /** With its schema. */
  name: string;
  columns: string[];
  /** Columns of the primary key, by which rows are ordered. */
  key: string[];
};

const tablesQuery = `
select n.nspname || '.' || c.relname as name,
  array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum) as columns,
  array(select a.attname::text from pg_index i
        cross join unnest(i.indkey) with ordinality as part (attnum, n)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = part.attnum
        where i.indrelid = c.oid and i.indisprimary order by part.n) as key
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname = any($1)
order by 1`;

export const savedTables = async (client: ClientBase): Promise<SavedTable[]> => {
  const { rows } = await client.query<SavedTable>(tablesQuery, [savedSchemas()]);
  return rows.filter(({ name }) => !leftOut.includes(name));
};

export const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');

/** A statement that reads a table in one order, so that equal rows have equal bytes. */
export const selectAll = ({ name, columns, key }: SavedTable, where = 'true'): string => {
  const order = key.length === 0 ? '' : ` order by ${key.map(quoted).join(', ')}`;
  return `select ${columns.map(quoted).join(', ')} from ${quoted(name)} where ${where}${order}`;
};

export type SavedSequence = { name: string; last: string };

/** Where the sequences are. Read after the tables: a number may be skipped, never given twice. */
export const savedSequences = async (client: ClientBase): Promise<SavedSequence[]> => {
  const { rows } = await client.query<SavedSequence>(
    `select schemaname || '.' || sequencename as name, last_value::text as last
     from pg_sequences where schemaname = any($1) and last_value is not null order by 1`,
    [savedSchemas()],
  );
  return rows;
};

/** Tables in an order in which each comes after those that it refers to. */
export const inOrder = async <T extends { name: string }>(
  client: ClientBase,
  tables: readonly T[],
): Promise<T[]> => {
  const { rows } = await client.query<{ owner: string; needs: string }>(
    `select o.relnamespace::regnamespace || '.' || o.relname as owner,
       r.relnamespace::regnamespace || '.' || r.relname as needs
     from pg_constraint c join pg_class o on o.oid = c.conrelid join pg_class r on r.oid = c.confrelid
     where c.contype = 'f' and c.conrelid <> c.confrelid`,
  );
  const ordered: T[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const isFree = ({ name }: T): boolean =>
      !rows.some(({ owner, needs }) => owner === name && names.has(needs));
    const free = waiting.filter(isFree);
    if (free.length === 0) throw new Error('the tables refer to each other in a circle');
    ordered.push(...free);
    waiting = waiting.filter((table) => !isFree(table));
  }
  return ordered;
};
