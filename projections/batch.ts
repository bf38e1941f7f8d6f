/**
 * Projecting a batch: the writes of one projection, or of several that are at the same place, and the
 * move of their checkpoints as one statement. That is one round trip and one transaction; when a
 * checkpoint is not where it was, it divides by zero and does nothing.
 */

import { decodeEvent } from '../events/envelope.ts';
import {
  assertContiguous,
  type EventMark,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../events/event-store.ts';
import { PlaceMoved } from '../events/follow-log.ts';
import type { Db } from '../ground/db.ts';
import { createBatchRows, type KeptRows } from './kept-rows.ts';
import { generationTable, isReadBy, type Projection, type RowSource } from './projection.ts';
import type { AnyTable, Change, Statement, Write } from './upsert.ts';

/** Another worker moved the checkpoint: this one stands down. */
export class CheckpointMoved extends PlaceMoved {}

/** Where a projection is: everything up to `position` is in the tables of `generation`. */
export type Place = { projection: Projection; generation: number; position: Position };

export const readCheckpoint = async (
  db: Db,
  name: string,
  generation: number,
): Promise<Position | undefined> => {
  const { rows } = await db.query<{ position: Position }>(
    'select position from read_models.checkpoints where name = $1 and generation = $2',
    [name, generation],
  );
  return rows[0]?.position;
};

/** Those that are behind `to`, together with others at the same place. */
export const byPosition = (
  places: Place[],
  to: Position,
): { position: Position; places: Place[] }[] => {
  const groups = new Map<Position, Place[]>();
  for (const place of places) {
    if (place.position >= to) continue;
    const group = groups.get(place.position);
    if (group) group.push(place);
    else groups.set(place.position, [place]);
  }
  return [...groups].map(([position, group]) => ({ position, places: group }));
};

type Ports = {
  store: Pick<EventStore, 'dense' | 'sealedSql'>;
  db: Db;
  /** Rows that earlier batches of this worker left. */
  kept: KeptRows;
};

/** Rows of a generation, of the database. */
export const storedRows = (db: Db, generation: number): RowSource => ({
  load: (table, by, values, options) =>
    table.load(db, generationTable(generation)(table.name), by, values, options),
});

/** Rows that are known to be there, or not to be, need no search for a conflict. */
const writesOfChange = (
  { table, kind, rows }: Change,
  isStored: (table: AnyTable, row: object) => boolean | undefined,
): { table: AnyTable; kind: Write; rows: object[] }[] => {
  if (kind !== 'save') return [{ table, kind, rows }];
  const groups = Map.groupBy(rows, (row): Write => {
    const stored = isStored(table, row);
    if (stored === undefined) return 'save';
    return stored ? 'update' : 'add';
  });
  return [...groups].map(([kind, rows]) => ({ table, kind, rows }));
};

/** The changes of one projection, as statements, and what to do once they are written. */
const writesOf = async (
  { store, db, kept }: Ports,
  place: Place,
  events: RecordedEvent[],
): Promise<{ statements: Statement[]; keep(): void }> => {
  const own = events.filter((event) => isReadBy(place.projection, event));
  const nameOf = generationTable(place.generation);
  const rows = createBatchRows(db, place.generation, kept);
  const changes = await place.projection.project(rows.source, own.map(decodeEvent));
  const statements = changes.flatMap((change) =>
    writesOfChange(change, rows.isStored).map(({ table, kind, rows }) =>
      table.statementOf(kind, rows, nameOf(table.name), store.sealedSql),
    ),
  );
  return { statements, keep: () => rows.keepThem(changes) };
};

/** The move of checkpoints that are all at one position, as many as stand there: fewer if another worker moved some. */
const moveOf = (places: Place[], to: Position, last: EventMark | undefined): Statement => ({
  text: `update read_models.checkpoints c set position = $4,
      event_position = coalesce($5, event_position), event_id = coalesce($6, event_id)
    from unnest($1::text[], $2::int[]) as at (name, generation)
    where c.name = at.name and c.generation = at.generation and c.position = $3 returning 1`,
  values: [
    places.map(({ projection }) => projection.name),
    places.map(({ generation }) => generation),
    places[0]?.position,
    to,
    last?.position,
    last?.id,
  ],
});

/** One statement with the parameters of all its parts. It divides by zero if a checkpoint was not where it was. */
const joinStatements = (places: Place[], move: Statement, writes: Statement[]): Statement => {
  const values: unknown[] = [];
  const add = (statement: Statement): string => {
    const offset = values.length;
    values.push(...statement.values);
    return statement.text.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + offset}`);
  };
  const clauses = [move, ...writes].map((statement, n) => `part_${n} as (${add(statement)})`);
  const allMoved = `(select count(*) from part_0) = ${places.length}`;
  return { text: `with ${clauses.join(', ')} select 1 / (${allMoved})::int`, values };
};

/**
 * Projects a batch for projections that are all at the same position, and moves them to `to`.
 * @throws CheckpointMoved when another worker did it; what a projection throws, and then nothing is done
 */
export const projectBatch = async (
  ports: Ports,
  places: Place[],
  events: RecordedEvent[],
  to: Position,
): Promise<void> => {
  const { store, db, kept } = ports;
  if (store.dense) assertContiguous(places[0]?.position ?? to, events);
  try {
    const asked = places.map((place) => writesOf(ports, place, events));
    // One that goes on after another failed would keep rows of before the next try.
    await Promise.allSettled(asked);
    const parts = await Promise.all(asked);
    const writes = parts.flatMap(({ statements }) => statements);
    const { text, values } = joinStatements(places, moveOf(places, to, events.at(-1)), writes);
    await db.query(text, values);
    for (const { keep } of parts) keep();
  } catch (error) {
    kept.clear();
    // Two workers have one batch, or a rebuild took the tables away: the worker whose checkpoint moved stands
    // down.
    for (const { projection, generation, position } of places) {
      const now = await readCheckpoint(db, projection.name, generation);
      if (now !== position) throw new CheckpointMoved();
    }
    throw error;
  }
};
