import type { AnyEvent } from '../events/envelope.ts';
import type { Db } from '../ground/db.ts';
import type { AnyTable, Change } from './upsert.ts';

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
  tables: AnyTable[];
  /** Names of tables that an earlier version had and this one has not. */
  retired?: string[];
  /**
   * What the events change. The runner writes it with the move of the checkpoint as one statement whose
   * parts all see the rows as they were before the batch: no two changes may touch one row. `db` is for
   * reading only; `table('letters')` is that table in the generation that is filled.
   */
  project(db: Db, events: AnyEvent[], table: (base: string) => string): Promise<Change[]>;
};

/** Name of a table in a generation, with its schema. */
export const generationTable =
  (generation: number) =>
  (base: string): string =>
    `read_models.${base}_g${generation}`;
