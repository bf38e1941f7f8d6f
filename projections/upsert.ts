/**
 * Tables of read models, each said once as its named, typed columns: what makes the table, reads rows and
 * writes them as a set comes from that. One column is one line.
 */
import type { Db } from '../ground/db.ts';

/** A writing statement with its own parameters, `$1` … `$n`. */
export type Statement = { text: string; values: unknown[] };

type Column<T> = {
  /** As `create table` has it. */
  type: string;
  /** Of an existing row: `key` finds it, `fixed` stays, `changing` is written over. */
  part: 'key' | 'fixed' | 'changing';
  optional: boolean;
  /** It is the sealed part of the event at the position that this column names. See `sealedPart`. */
  sealedAt?: string;
  /**
   * Texts are passed as one text with separators: in an array every quote would be escaped and parsed again.
   * An empty one means null. Values without quotes are passed as an array.
   */
  joined: boolean;
  text(value: NonNullable<T>): string;
  /** SQL that reads it; absent: its name. */
  read?(name: string): string;
  /** Undoes `text`, where the driver does not. `row`: the columns before it. */
  parse?(value: unknown, row: object): T;
};

/** Never in JSON text, which escapes it, nor in ids and codes. */
const separator = '\u001e';

/** One or more texts as one parameter, and SQL that splits it into rows. PostgreSQL takes an empty text for no rows. */
export const joined = (texts: string[]): string => texts.join(separator);
export const split = (parameter: string): string =>
  `case when ${parameter} = '' then array[''] else string_to_array(${parameter}, E'\\x1e') end`;

/** Stands for a sealed part that stays as it is; no sealed text looks like it. */
const unchanged = '=';

const column = <T>(type: string, rest: Partial<Column<T>> = {}): Column<T> => ({
  type,
  part: 'changing',
  optional: false,
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
/** Whole numbers beyond 64 bits. */
export const numeric = () => column<bigint>('numeric', { parse: (value) => BigInt(String(value)) });

/** RFC 3339 in UTC with milliseconds. */
export const time = () =>
  column<string>('timestamptz', {
    read: (name) => `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  });

/** The words of the text that `words` keeps. */
export const wordsIn = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** Words without spaces, kept as one text; each is enclosed by spaces. */
export const words = () =>
  column<string[]>('text collate "C"', {
    joined: true,
    text: (value) => ` ${value.join(' ')} `,
    parse: (value) => wordsIn(String(value)),
  });

/** JSON that the database never looks into, kept as text. */
export const json = <T>() =>
  column<T>('text', {
    joined: true,
    text: (value) => JSON.stringify(value),
    parse: (value) => JSON.parse(String(value)),
  });

/** Facts in a text of their own form, completed by the columns before it. */
export const packed = <T, R extends object>(
  write: (value: T) => string,
  read: (text: string, row: R) => T,
) =>
  column<T>('text', {
    joined: true,
    text: write,
    parse: (value, row) => read(String(value), row as R),
  });
export const jsonb = <T>() =>
  column<T>('jsonb', { joined: true, text: (value) => JSON.stringify(value) });

export const key = <T>(of: Column<T>): Column<T> => ({ ...of, part: 'key' });
export const fixed = <T>(of: Column<T>): Column<T> => ({ ...of, part: 'fixed' });
export const optional = <T>(of: Column<T>): Column<T | null> => ({ ...of, optional: true });

/**
 * The sealed part of an event, which is most of it. If the log is in the database of the read models, the row
 * does not repeat it: readers of the view get it from the log. It is never loaded, and a value that is
 * `undefined` stays as it is.
 */
export const sealedPart = (positionColumn: string) =>
  column<string | null | undefined>('text', {
    joined: true,
    optional: true,
    sealedAt: positionColumn,
  });

/** SQL that reads the sealed part of the event at a position: of a log in the database of the read models. */
export type SealedSql = (position: string) => string;

type Row = Record<string, unknown>;
export type Columns = Record<string, Column<unknown>>;
type Named = [name: string, column: Column<unknown>];

export type RowOf<C> = { [K in keyof C]: C[K] extends Column<infer T> ? T : never };

/**
 * Rows that events made or changed, whatever their table. `add`: no row of the table has the key. `save`: one may have
 * it.
 */
export type Change = {
  table: AnyTable;
  kind: 'add' | 'save' | 'remove';
  rows: object[];
};

/** A change as a statement makes it. `update`: the table has rows with these keys. */
export type Write = Change['kind'] | 'update';

/** The members of every table of a read model. */
export type AnyTable = {
  /** Without schema and generation. */
  name: string;
  /** SQL that makes it under the name of a generation, without `ownIndexes`. */
  create(as: string, sealed: SealedSql | undefined): string;
  /** Statements that make what loading and saving rows needs: the primary key and indexes. */
  ownIndexes(as: string): string[];
  /** The query that reads it as a view does. */
  view(of: string, sealed: SealedSql | undefined): string;
  /** Indexes that are made when it is filled, `(<columns>) [where …]`: only readers need them. */
  indexes: { on: string; unique: boolean }[];
  /** Its rows are never changed, and never loaded. */
  grows: boolean;
  /** The columns that a row is found by. */
  keyOf(row: object): string;
  hasOneKey: boolean;
  /** Whether rows are found by this column alone. */
  isKey(column: string): boolean;
  /** A row as COPY takes it, with all columns of the table. */
  copyOf(row: object, sealed: SealedSql | undefined): string;
  /** Writes rows, or deletes them by their keys. */
  statementOf(kind: Write, rows: object[], into: string, sealed: SealedSql | undefined): Statement;
  /** Makes a row what `load` would give for it. */
  forgetSealed(row: object): void;
};

export type Table<C> = AnyTable & {
  /** Rows by one of their columns, as a map by their key, which is the first column. */
  load(
    db: Db,
    from: string,
    by: keyof C & string,
    values: unknown[],
    options?: { first: string },
  ): Promise<Map<string, RowOf<C>>>;
  /** The rows as changes to write; none for no rows. A table without changing columns only grows. */
  save(rows: Iterable<RowOf<C>>): Change[];
  /** The same for rows whose keys are new. */
  add(rows: Iterable<RowOf<C>>): Change[];
  /** Rows to delete, by their keys; none for no rows. */
  remove(rows: Iterable<RowOf<C>>): Change[];
};

const assign = ([name, { sealedAt }]: Named): string =>
  sealedAt
    ? `${name} = case excluded.${name} when '${unchanged}' then old.${name} else excluded.${name} end`
    : `${name} = excluded.${name}`;

/** The text that passes a value; `nothing` for null. */
const textOf = (column: Column<unknown>, value: unknown, nothing: string): string => {
  if (value === undefined && column.sealedAt) return unchanged;
  return value === null || value === undefined ? nothing : column.text(value);
};

/** The parameter that holds a column of all rows. */
const parameterOf = (column: Column<unknown>, values: unknown[]): string =>
  column.joined
    ? joined(values.map((value) => textOf(column, value, '')))
    : `{${values.map((value) => textOf(column, value, 'null')).join()}}`;

/** SQL that makes a column of what its parameter gave. */
const given = ([name, { type, optional, joined }]: Named): string => {
  if (!joined) return name;
  const value = optional ? `nullif(${name}, '')` : name;
  return type.startsWith('text') ? value : `${value}::${type}`;
};

const namesOf = (columns: Named[]): string => columns.map(([name]) => name).join(', ');

/** The rows of the parameters as a query. */
const givenRows = (columns: Named[]): string =>
  `select ${columns.map((one) => `${given(one)} as ${one[0]}`).join(', ')}
      from unnest(${columns.map(([, column], n) => placeholderOf(column, n)).join(', ')})
        as given (${namesOf(columns)})`;

const insertOf = (columns: Named[], into: string, rows: Row[]): Statement => ({
  text: `insert into ${into} as old (${namesOf(columns)}) ${givenRows(columns)}`,
  values: valuesOf(columns, rows),
});

const isChanging = ([, { part }]: Named): boolean => part === 'changing';
const isOfKey = ([, { part }]: Named): boolean => part === 'key';

const upsertOf = (columns: Named[], into: string, rows: Row[]): Statement => {
  const { text, values } = insertOf(columns, into, rows);
  const changing = columns.filter(isChanging);
  if (changing.length === 0) return { text, values };
  const keys = namesOf(columns.filter(isOfKey));
  return {
    text: `${text} on conflict (${keys}) do update set ${changing.map(assign).join(', ')}`,
    values,
  };
};

/** Costs half of what an upsert costs. */
const updateOf = (columns: Named[], into: string, rows: Row[]): Statement => {
  const passed = columns.filter(([, { part }]) => part !== 'fixed');
  const matches = passed.filter(isOfKey).map(([name]) => `old.${name} = excluded.${name}`);
  return {
    text: `update ${into} as old set ${passed.filter(isChanging).map(assign).join(', ')}
      from (${givenRows(passed)}) as excluded where ${matches.join(' and ')}`,
    values: valuesOf(passed, rows),
  };
};

/** A parameter for a column of all rows. */
const placeholderOf = ({ type, joined }: Column<unknown>, n: number): string =>
  joined ? split(`$${n + 1}`) : `$${n + 1}::${type}[]`;

const valuesOf = (columns: Named[], rows: Row[]): string[] =>
  columns.map(([name, column]) =>
    parameterOf(
      column,
      rows.map((row) => row[name]),
    ),
  );

const special = /[\\\t\n\r]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value as COPY takes it. */
const fieldOf = (column: Column<unknown>, value: unknown): string => {
  if (value === null || value === undefined) return '\\N';
  const field = column.text(value);
  return column.joined && special.test(field)
    ? field.replace(special, (character) => escapes[character] ?? character)
    : field;
};

const copyOf = (columns: Named[], row: Row): string => {
  let text = '';
  let before = '';
  for (const [name, column] of columns) {
    text += before + fieldOf(column, row[name]);
    before = '\t';
  }
  return `${text}\n`;
};

const deleteOf = (keys: Named[], from: string, rows: Row[]): Statement => ({
  text: `delete from ${from} where (${namesOf(keys)}) in (select ${keys.map(given).join(', ')}
    from unnest(${keys.map(([, column], n) => placeholderOf(column, n)).join(', ')})
      as given (${namesOf(keys)}))`,
  values: valuesOf(keys, rows),
});

const writers = { add: insertOf, save: upsertOf, update: updateOf };

export const defineTable = <C extends Columns>(
  name: string,
  columns: C,
  more: {
    unique?: string[];
    /** Indexes that the projection itself reads by. */
    own?: string[];
    /** Indexes that only readers need. */
    indexes?: string[];
    /** For a table that only grows: SQL condition of the rows that its index of keys has. Absent: all rows. */
    found?: string;
    /**
     * A few rows change all the time. Half of each page is left for their next versions: these need no other page and no
     * index entry, and the space of the last one is used again at once.
     */
    busy?: boolean;
  } = {},
): Table<C> => {
  const all: Named[] = Object.entries<Column<unknown>>(columns);
  const loaded = all.filter(([, { sealedAt }]) => !sealedAt);
  const sealedNames = all.flatMap(([name, { sealedAt }]) => (sealedAt ? [name] : []));
  const stored = (sealed: SealedSql | undefined): Named[] => (sealed ? loaded : all);
  const keys = all.filter(([, { part }]) => part === 'key');
  // Nobody looks for a row of a table that only grows while it is filled.
  const grows = all.every(([, { part }]) => part !== 'changing');
  const found = more.found === undefined ? '' : ` where ${more.found}`;
  const keyIndex = grows ? [{ on: `(${namesOf(keys)})${found}`, unique: true }] : [];
  const [[firstKey] = ['']] = keys;
  const keyOf = (row: object): string =>
    keys.length === 1
      ? String((row as Row)[firstKey])
      : keys.map(([key]) => String((row as Row)[key])).join(separator);

  const changesOf = (kind: Change['kind'], changed: Iterable<RowOf<C>>): Change[] => {
    const rows = [...changed];
    return rows.length === 0 ? [] : [{ table, kind, rows }];
  };

  const table: Table<C> = {
    name,
    grows,
    keyOf,
    hasOneKey: keys.length === 1,
    isKey: (column) => keys.length === 1 && column === firstKey,
    indexes: [...keyIndex, ...(more.indexes ?? []).map((on) => ({ on, unique: false }))],
    create: (as, sealed) =>
      [
        `create table ${as} (`,
        stored(sealed)
          .map(([name, { type, optional }]) => `  ${name} ${type}${optional ? '' : ' not null'}`)
          .join(',\n'),
        more.busy ? ') with (fillfactor = 50)' : ')',
      ].join('\n'),
    ownIndexes: (as) => [
      ...(grows ? [] : [`alter table ${as} add primary key (${namesOf(keys)})`]),
      ...(more.unique ?? []).map((on) => `alter table ${as} add unique (${on})`),
      ...(more.own ?? []).map((on) => `create index on ${as} ${on}`),
    ],
    view: (of, sealed) => {
      // Exactly of the type of the column: readers have plans that must not change what they return.
      const read = all.map(([name, { sealedAt }]) =>
        sealed && sealedAt ? `(${sealed(sealedAt)}) collate "default" as ${name}` : name,
      );
      return `select ${read.join(', ')} from ${of}`;
    },
    async load(db, from, by, values, options) {
      if (values.length === 0) return new Map();
      const list = loaded.map(([name, { read }]) => (read ? `${read(name)} as ${name}` : name));
      const [distinct, order] = options
        ? [`distinct on (${by})`, `order by ${by}, ${options.first}`]
        : ['', ''];
      const { rows } = await db.query<Row>(
        `select ${distinct} ${list.join(', ')} from ${from} where ${by} = any($1) ${order}`,
        [values],
      );
      for (const [name, { parse }] of loaded) {
        if (!parse) continue;
        for (const row of rows) if (row[name] !== null) row[name] = parse(row[name], row);
      }
      return new Map(rows.map((row) => [String(row[firstKey]), row as RowOf<C>]));
    },
    statementOf: (kind, rows, into, sealed) =>
      kind === 'remove'
        ? deleteOf(keys, into, rows as Row[])
        : writers[kind](stored(sealed), into, rows as Row[]),
    copyOf: (row, sealed) => copyOf(stored(sealed), row as Row),
    forgetSealed(row) {
      for (const name of sealedNames) (row as Row)[name] = undefined;
    },
    save: (changed) => changesOf('save', changed),
    add: (made) => changesOf('add', made),
    remove: (gone) => changesOf('remove', gone),
  };
  return table;
};
