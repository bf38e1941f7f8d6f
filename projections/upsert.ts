/**
 * Tables of read models, each said once as its named, typed columns: what makes the table, reads rows and
 * writes them as a set comes from that. One column is one line.
 */

import type { Db } from '../contract/db.ts';

/** A writing statement with its own parameters, `$1` … `$n`. */
export type Statement = { text: string; values: unknown[] };

export type Column<T> = {
  /** As `create table` has it. */
  type: string;
  /** Of an existing row: `key` finds it, `fixed` stays, `changing` is written over. */
  part: 'key' | 'fixed' | 'changing';
  optional: boolean;
  /** A value that is `undefined` stays as it is in the table. Of texts only. */
  sparse: boolean;
  /**
   * Texts go as one, separated: in an array every quote would be escaped and parsed again. An empty one
   * stands for null. What needs no quotes goes as an array.
   */
  joined: boolean;
  text(value: NonNullable<T>): string;
  /** SQL that reads it; absent: its name. */
  read?(name: string): string;
  /** Undoes `text`, where the driver does not. */
  parse?(value: unknown): T;
};

/** Never in JSON text, which escapes it, nor in ids and codes. */
const separator = '\u001e';

/** Texts as one parameter, and SQL that splits it into rows. */
export const joined = (texts: string[]): string => texts.join(separator);
export const split = (parameter: string): string => `string_to_array(${parameter}, E'\\x1e')`;

/** Stands for a value that stays as it is; nothing that goes into a sparse column looks like it. */
const unchanged = '=';

const column = <T>(type: string, rest: Partial<Column<T>> = {}): Column<T> => ({
  type,
  part: 'changing',
  optional: false,
  sparse: false,
  joined: false,
  text: String,
  ...rest,
});

export const text = <T extends string = string>() =>
  column<T>('text collate "C"', { joined: true });
export const uuid = () => column<string>('uuid');
export const boolean = () => column<boolean>('boolean');
export const int = () => column<number>('int');
export const bigint = () => column<bigint>('bigint');

/** RFC 3339 in UTC with milliseconds. */
export const time = () =>
  column<string>('timestamptz', {
    read: (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  });

/** Words without spaces, kept as one text; each is enclosed by spaces. */
export const words = () =>
  column<string[]>('text collate "C"', {
    joined: true,
    text: (value) => ` ${value.join(' ')} `,
    parse: (value) => String(value).trim().split(' '),
  });

/** JSON that the database never looks into, kept as text. */
export const json = <T>() =>
  column<T>('text', {
    joined: true,
    text: (value) => JSON.stringify(value),
    parse: (value) => JSON.parse(String(value)),
  });
export const jsonb = <T>() =>
  column<T>('jsonb', { joined: true, text: (value) => JSON.stringify(value) });

export const key = <T>(of: Column<T>): Column<T> => ({ ...of, part: 'key' });
export const fixed = <T>(of: Column<T>): Column<T> => ({ ...of, part: 'fixed' });
export const optional = <T>(of: Column<T>): Column<T | null> => ({ ...of, optional: true });

export const sparse = <T>(of: Column<T>): Column<T | undefined> => ({ ...of, sparse: true });

type Columns = Record<string, Column<unknown>>;

export type RowOf<C> = { [K in keyof C]: C[K] extends Column<infer T> ? T : never };

/** Rows that events made or changed, whatever their table. */
export type Change = { table: string; rows: object[]; upsert(into: string): Statement };

/** What every table of a read model has, whatever its rows. */
export type AnyTable = {
  /** Without schema and generation. */
  name: string;
  /** SQL that makes it under the name of a generation. */
  create(as: string): string;
  /** Indexes that only readers need: `(<columns>) [where …]`. */
  indexes: string[];
};

export type Table<C> = AnyTable & {
  /** Rows by one of their columns, as a map by their key, which is the first column. */
  load(
    db: Db,
    from: string,
    by: keyof C & string,
    values: unknown[],
  ): Promise<Map<string, RowOf<C>>>;
  /** The rows as changes to write; none for no rows. A table without changing columns only grows. */
  save(rows: Iterable<RowOf<C>>): Change[];
};

const assign = (name: string, { sparse }: Column<unknown>): string =>
  sparse
    ? `${name} = case excluded.${name} when '${unchanged}' then old.${name} else excluded.${name} end`
    : `${name} = excluded.${name}`;

/** What stands for a value where it is passed; `nothing` for null. */
const textOf = (column: Column<unknown>, value: unknown, nothing: string): string => {
  if (value === undefined && column.sparse) return unchanged;
  return value === null || value === undefined ? nothing : column.text(value);
};

/** The parameter that holds a column of all rows. */
const parameterOf = (column: Column<unknown>, values: unknown[]): string =>
  column.joined
    ? joined(values.map((value) => textOf(column, value, '')))
    : `{${values.map((value) => textOf(column, value, 'null')).join()}}`;

export const defineTable = <C extends Columns>(
  name: string,
  columns: C,
  more: {
    /** Indexes that the projection itself reads by, and constraints, as `create` statements need them. */
    unique?: string[];
    own?: string[];
    indexes?: string[];
  } = {},
): Table<C> => {
  const all = Object.entries<Column<unknown>>(columns);
  const names = all.map(([column]) => column).join(', ');
  const keys = all.filter(([, { part }]) => part === 'key').map(([column]) => column);
  const changing = all.filter(([, { part }]) => part === 'changing');
  const onConflict =
    changing.length === 0
      ? ''
      : `on conflict (${keys}) do update set ${changing.map((one) => assign(...one)).join(', ')}`;

  const given = all.map(([column, { type, optional, joined }]) => {
    if (!joined) return column;
    const value = optional ? `nullif(${column}, '')` : column;
    return type.startsWith('text') ? value : `${value}::${type}`;
  });
  const parameters = all.map(([, { type, joined }], n) =>
    joined ? split(`$${n + 1}`) : `$${n + 1}::${type}[]`,
  );

  return {
    name,
    indexes: more.indexes ?? [],
    create: (as) =>
      [
        `create table ${as} (`,
        ...all.map(
          ([name, { type, optional }]) => `  ${name} ${type}${optional ? '' : ' not null'},`,
        ),
        ...(more.unique ?? []).map((on) => `  unique (${on}),`),
        `  primary key (${keys})`,
        ');',
        ...(more.own ?? []).map((on) => `create index on ${as} ${on};`),
      ].join('\n'),
    async load(db, from, by, values) {
      if (values.length === 0) return new Map();
      const list = all.map(([name, { read }]) => (read ? `${read(name)} as ${name}` : name));
      const { rows } = await db.query<Record<string, unknown>>(
        `select ${list.join(', ')} from ${from} where ${by} = any($1)`,
        [values],
      );
      const parsed = all.filter(([, { parse }]) => parse !== undefined);
      for (const row of rows) {
        for (const [name, { parse }] of parsed) {
          if (row[name] !== null) row[name] = parse?.(row[name]);
        }
      }
      return new Map(rows.map((row) => [String(row[keys[0] ?? '']), row as RowOf<C>]));
    },
    save(changed) {
      const rows = [...changed];
      if (rows.length === 0) return [];
      const upsert = (into: string): Statement => ({
        text: `insert into ${into} as old (${names}) select ${given.join(', ')}
          from unnest(${parameters.join(', ')}) as t (${names}) ${onConflict}`,
        values: all.map(([name, column]) =>
          parameterOf(
            column,
            rows.map((row) => row[name]),
          ),
        ),
      });
      return [{ table: name, rows, upsert }];
    },
  };
};
