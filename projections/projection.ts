import type { AnyEvent } from '../events/envelope.ts';
import type { AnyTable, Change, Columns, RowOf, Table } from './upsert.ts';

/** Rows as the events before left them: of the database, or of memory while a read model is filled. */
export type RowSource = {
  /**
   * Rows by one of their columns, as a map by their key. The rows may be changed in place.
   * `first`: of the rows with one value, the first in this order is enough.
   */
  load<C extends Columns>(
    table: Table<C>,
    by: keyof C & string,
    values: unknown[],
    options?: { first: string },
  ): Promise<Map<string, RowOf<C>>>;
};

/**
 * One read model. Its tables are made per generation (`letters_g1`, `letters_g2` …), so that a rebuild fills new
 * tables while the old ones are read; `read_models.<table>` is a view of the live generation.
 */
export type Projection = {
  name: string;
  /** Raised when what `project` writes changes: the read model is then rebuilt at the next start. */
  version: number;
  /** Beginnings of the names of the streams that it reads; absent: all. */
  streams?: string[];
  /** By such a beginning: the types of events that it reads there; absent: all. */
  types?: Readonly<Record<string, readonly string[]>>;
  tables: AnyTable[];
  /** Names of tables that an earlier version had and this one has not. */
  retired?: string[];
  /** Names of read models of earlier versions that this one replaces. Each had one table, of the same name. */
  replaces?: string[];
  /**
   * The changes that the events make. The runner writes them with the move of the checkpoint as one
   * statement. All its parts see the rows as they were before the batch, so no two changes may touch one row.
   */
  project(rows: RowSource, events: AnyEvent[]): Promise<Change[]>;
};

/**
 * Whether a read model reads an event. Other programs may write to streams whose names begin like those of the service,
 * and an event of an unknown type halts the read models that read it.
 */
export const isReadBy = (
  { streams, types }: Pick<Projection, 'streams' | 'types'>,
  { stream, type }: { stream: string; type: string },
): boolean => {
  if (!streams) return true;
  const beginning = streams.find((one) => stream.startsWith(one));
  return beginning !== undefined && types?.[beginning]?.includes(type) !== false;
};

/** Name of a table in a generation, with its schema. */
export const generationTable =
  (generation: number) =>
  (base: string): string =>
    `read_models.${base}_g${generation}`;
