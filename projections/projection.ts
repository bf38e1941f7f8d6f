import type { Db } from '../contract/db.ts';
import type { AnyEvent } from '../events/envelope.ts';

/**
 * One read model. Its tables are made per generation (`letters_g1`, `letters_g2` …), so that a rebuild
 * fills new ones beside those that are read; `read_models.<table>` is a view of the live generation.
 */
export type Projection = {
  name: string;
  /** Raised when what `project` writes changes: the read model is then rebuilt at the next start. */
  version: number;
  /** Beginnings of the names of the streams that it reads; absent: all. */
  streams?: string[];
  /** Base names of its tables. */
  tables: string[];
  /** SQL that makes the tables; `table('letters')` gives the generation's name. */
  create(table: (base: string) => string): string;
  /**
   * Indexes that only readers need, as `<table> (<columns>) [where …]`: made when a rebuild has filled
   * the tables, which is faster than keeping them meanwhile.
   */
  indexes: { table: string; on: string }[];
  /**
   * What the events change, as statements that the runner makes one with the move of the checkpoint:
   * they all see the rows as they were before the batch, so no two of them may touch one row. `db` is
   * for reading only.
   */
  project(db: Db, events: AnyEvent[], table: (base: string) => string): Promise<Statement[]>;
};

/** A writing statement with its own parameters, `$1` … `$n`. */
export type Statement = { text: string; values: unknown[] };

/** Name of a table in a generation, with its schema. */
export const generationTable =
  (generation: number) =>
  (base: string): string =>
    `read_models.${base}_g${generation}`;

/** Separates texts that are passed as one parameter; JSON text and our ids never hold it raw. */
export const separator = '\u001e';

export const joined = (texts: string[]): string => texts.join(separator);

/** The same with nothing for null: `nullif(…, '')` makes it null again. */
export const joinedOrNothing = (texts: (string | null)[]): string =>
  joined(texts.map((text) => text ?? ''));

/** An array parameter of values that need no quotes: numbers, booleans, UUIDs. */
export const arrayOf = (values: (bigint | number | boolean | string)[]): string =>
  `{${values.join()}}`;

/** SQL that splits such a parameter into rows. */
export const split = (parameter: string): string => `string_to_array(${parameter}, E'\\x1e')`;
