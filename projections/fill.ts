/**
 * Fills the tables of one projection from the beginning of the log. Many events become one row change, new rows
 * are loaded with COPY, and indexes are made when they are needed. One transaction writes the rows of many
 * events and moves the checkpoint, so that a fill that is cut short continues from there.
 */
import type { AnyEvent } from '../events/envelope.ts';
import type { EventMark, EventStore, Position } from '../events/event-store.ts';
import type { TransactionalDb } from '../ground/db.ts';
import { CheckpointMoved, type Place, storedRows } from './batch.ts';
import { makeOwnIndexes, type Prepared } from './generation.ts';
import { generationTable, type RowSource } from './projection.ts';
import { createStagedRows, type StagedRows, type StagedWrite, writeStaged } from './staged-rows.ts';
import type { Change } from './upsert.ts';

export type FillLimits = {
  /** Events that are read at once. */
  readEvents: number;
  /** Events after which rows are written. */
  writeEvents: number;
  /** Rows of a table that stay in memory after they were written. */
  keptRows: number;
};

type Ports = { store: Pick<EventStore, 'sealedSql'>; db: TransactionalDb };

export type Fill = ReturnType<typeof createFill>;

const movePlace = `
update read_models.checkpoints set position = $4,
  event_position = coalesce($5, event_position), event_id = coalesce($6, event_id)
where name = $1 and generation = $2 and position = $3`;

/** Rows of memory, and those of the database that memory does not have. */
const createSource = (
  stagedOf: (table: object) => StagedRows,
  stored: RowSource,
  settled: () => Promise<void>,
): RowSource => ({
  async load(table, by, values, options) {
    const rows = stagedOf(table);
    const isKey = table.isKey(by);
    const isMissing = (value: unknown): boolean =>
      isKey ? !rows.isKnown(String(value)) : !rows.isComplete();
    const missing = values.filter(isMissing);
    if (missing.length > 0) {
      await settled();
      const loaded = await stored.load(table, by, missing, options);
      rows.addStored(loaded.values(), isKey ? missing.map(String) : []);
    }
    const found = new Map<string, object>();
    for (const value of values) {
      if (isKey) {
        const key = String(value);
        const row = rows.withKey(key);
        if (row) found.set(key, row);
        continue;
      }
      for (const row of rows.withValue(by, value)) found.set(table.keyOf(row), row);
    }
    return found as never;
  },
});

/** @param place moves as events are taken in */
export const createFill = (
  { store, db }: Ports,
  place: Place,
  { empty, indexed }: Prepared,
  { writeEvents, keptRows }: FillLimits,
) => {
  const { projection, generation } = place;
  const nameOf = generationTable(generation);
  const staged = new Map<object, StagedRows>(
    projection.tables.map((table) => [
      table,
      createStagedRows(table, { empty, sealed: store.sealedSql }),
    ]),
  );
  const stored = storedRows(
    {
      query: (text, values) => db.transaction((tx) => tx.query(text, values), { unlimited: true }),
    },
    generation,
  );
  let indexing = indexed ? Promise.resolve() : undefined;
  let written = place.position;
  let last: EventMark | undefined;
  let eventsTaken = 0;
  let writing: Promise<void> = Promise.resolve();

  const stagedOf = (table: object): StagedRows => {
    const rows = staged.get(table);
    if (!rows) throw new Error(`${projection.name} has no such table`);
    return rows;
  };

  /** Once memory does not know all rows, the database must find them, and refuse doubles. */
  const ensureIndexed = (options = { analyzed: true }): Promise<void> => {
    indexing ??= makeOwnIndexes(db, place, options);
    return indexing;
  };

  const source = createSource(stagedOf, stored, async () => {
    await writing;
    await ensureIndexed();
  });

  const stage = ({ table, kind, rows }: Change): void => {
    const into = stagedOf(table);
    for (const row of rows) into[kind](row as Record<string, unknown>);
  };

  /** All that changed, and the checkpoint. @throws CheckpointMoved */
  const write = async (
    writes: { name: string; write: StagedWrite }[],
    [from, to]: [Position, Position],
    mark: EventMark | undefined,
  ): Promise<void> => {
    await db.transaction(
      async (tx) => {
        const { rowCount } = await tx.query(movePlace, [
          ...[projection.name, generation, from, to, mark?.position, mark?.id],
        ]);
        if (rowCount !== 1) throw new CheckpointMoved();
        for (const { name, write } of writes) await writeStaged(tx, name, write);
      },
      { unlimited: true },
    );
  };

  /** Begins to write the rows in memory, once the write before is done. */
  const beginWrite = async (): Promise<void> => {
    await writing;
    if (written === place.position) return;
    if ([...staged.values()].some((rows) => rows.needsIndexes())) await ensureIndexed();
    const writes = [...staged.values()].map((rows) => {
      const name = nameOf(rows.table.name);
      return { name, write: rows.take(name) };
    });
    writing = write(writes, [written, place.position], last);
    // The next write, or the end, waits for it and throws its error.
    writing.catch(() => {});
    written = place.position;
    eventsTaken = 0;
    // No event is being folded now, so nothing refers to a row that is dropped.
    for (const rows of staged.values()) rows.trim(keptRows);
  };

  return {
    place,
    /** Takes in the events of its streams, and with them the log up to `mark`, which is `count` events. */
    async take(events: AnyEvent[], mark: EventMark, count: number): Promise<void> {
      for (const change of await projection.project(source, events)) stage(change);
      eventsTaken += count;
      place.position = mark.position;
      last = mark;
      if (eventsTaken >= writeEvents) await beginWrite();
    },
    /** Resolves when everything that was taken in is in the tables. */
    async finish(): Promise<void> {
      await beginWrite();
      await writing;
    },
    ensureIndexed,
    /** Resolves when nothing is being written, also after a failure. */
    settle: (): Promise<unknown> => Promise.allSettled([writing]),
  };
};
