import { setTimeout as delay } from 'node:timers/promises';
import { type AnyEvent, decodeUnshared } from '../events/envelope.ts';
import { assertContiguous, type Position, type RecordedEvent } from '../events/event-store.ts';
import { earlier } from '../events/position.ts';
import type { Db, TransactionalDb } from '../ground/db.ts';
import { readCheckpoint } from './batch.ts';
import { createFill, type Fill, type FillLimits } from './fill.ts';
import { assertNotNewer, flip, index, liveGeneration, prepare, registered } from './generation.ts';
import { isReadBy, type Projection } from './projection.ts';
import type { RunnerPorts } from './runner.ts';

export { followedGeneration, liveGeneration } from './generation.ts';

/** CHOICE: larger ones need more memory, and no less CPU time. The length of the log changes neither. */
const limits: FillLimits = { readEvents: 2_000, writeEvents: 16_000, keptRows: 30_000 };
/** Batches that the fastest read model may be ahead of the slowest. */
const aheadLimit = 1;

/** Events that were read at once. Each is decoded when the first read model needs it. */
const createBatch = (events: RecordedEvent[], last: RecordedEvent) => {
  const decoded = new Array<AnyEvent | undefined>(events.length);
  const eventAt = (n: number, event: RecordedEvent): AnyEvent => {
    const known = decoded[n] ?? decodeUnshared(event);
    decoded[n] = known;
    return known;
  };
  return {
    last,
    /** Events behind a position that a read model reads; and how many there are in all. */
    behind(position: Position, projection: Projection): { own: AnyEvent[]; count: number } {
      const own: AnyEvent[] = [];
      let count = 0;
      for (const [n, event] of events.entries()) {
        if (event.position <= position) continue;
        count++;
        if (isReadBy(projection, event)) own.push(eventAt(n, event));
      }
      return { own, count };
    },
  };
};

const takeBatch = async (fill: Fill, batch: ReturnType<typeof createBatch>): Promise<void> => {
  const { position, projection } = fill.place;
  if (position >= batch.last.position) return;
  const { own, count } = batch.behind(position, projection);
  await fill.take(own, batch.last, count);
};

/**
 * Projects up to the head of the log, which is read and decoded once for all. Each read model is written
 * by itself, so that one is folded here while others are written there. Returns the events read.
 */
const catchUp = async (
  { store, stopping }: RunnerPorts,
  fills: Fill[],
  { readEvents }: FillLimits,
): Promise<number> => {
  let after = fills.map(({ place }) => place.position).reduce(earlier);
  const read = (after: Position) => store.readAll({ after, limit: readEvents });
  let lanes = fills.map((fill) => ({ fill, done: Promise.resolve() }));
  const underWay: Promise<unknown>[] = [];
  let count = 0;
  try {
    let reading = read(after);
    for (;;) {
      const events = await reading;
      stopping?.throwIfAborted();
      const last = events.at(-1);
      if (!last) break;
      if (store.dense) assertContiguous(after, events);
      after = last.position;
      const batch = createBatch(events, last);
      // The next batch is on its way while this one is projected.
      reading = read(after);
      reading.catch(() => {});
      lanes = lanes.map(({ fill, done }) => ({
        fill,
        done: done.then(() => takeBatch(fill, batch)),
      }));
      underWay.push(Promise.all(lanes.map(({ done }) => done)));
      underWay.at(-1)?.catch(() => {});
      if (underWay.length > aheadLimit) await underWay.shift();
      count += events.length;
    }
    await Promise.all(underWay);
    await Promise.all(fills.map((fill) => fill.finish()));
  } finally {
    // Nobody writes any more when this one fails, or others would find it still at work.
    await Promise.allSettled(lanes.map(({ done }) => done));
    await Promise.all(fills.map((fill) => fill.settle()));
  }
  return count;
};

/** A database whose queries have no time limit. */
const patient = (db: TransactionalDb): Db => ({
  query: (text, values) =>
    db.transaction((tx) => tx.query(text, values), { unlimited: true }) as never,
});

const isFree = async (tx: Db, { name }: Projection): Promise<boolean> => {
  const { rows } = await tx.query<{ free: boolean }>(
    'select pg_try_advisory_xact_lock(73055132, hashtext($1)) as free',
    [name],
  );
  return rows[0]?.free ?? false;
};

/** One worker at a time; the others wait. `tx` holds the locks, the work needs further connections. */
const alone = <T>(
  { db, stopping }: Pick<RunnerPorts, 'db' | 'stopping'>,
  projections: Projection[],
  work: (tx: Db) => Promise<T>,
): Promise<T> =>
  db.transaction(
    async (tx) => {
      // In one order everywhere, so that two workers never wait for each other.
      for (const projection of projections.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        while (!(await isFree(tx, projection))) {
          stopping?.throwIfAborted();
          await delay(200);
        }
      }
      return work(tx);
    },
    { unlimited: true },
  );

const fillOf = async (
  { store, db }: RunnerPorts,
  projection: Projection,
  limits: FillLimits,
): Promise<Fill> => {
  const generation = (await liveGeneration(db, projection.name)) + 1;
  const prepared = await prepare(db, projection, generation, store.sealedSql);
  const position = (await readCheckpoint(db, projection.name, generation)) ?? 0n;
  return createFill({ store, db }, { projection, generation, position }, prepared, limits);
};

/** Below PostgreSQL's `deadlock_timeout`, so that no reader is ended for it. */
const lockMs = 300;
const flipsTried = 200;

const isLockTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['55P03', '40P01'].includes(String(error.code));

/**
 * Flips all at once, at the head. Readers and projections go first: their locks and those of a flip are taken in
 * any order, so a flip that has to wait releases everything and starts again.
 */
const flipAll = async (
  ports: RunnerPorts,
  fills: Fill[],
  limits: FillLimits,
  tx: Db,
): Promise<number> => {
  const places = fills.map(({ place }) => place);
  const attempt = async (): Promise<number> => {
    for (const { projection, generation } of places) {
      // Holds the live projection still until the flip, so that readers never go back in time.
      await tx.query(
        'select from read_models.checkpoints where name = $1 and generation = $2 for update',
        [projection.name, generation - 1],
      );
    }
    const rest = await catchUp(ports, fills, limits);
    for (const place of places) await flip(tx, place, ports.store.sealedSql);
    return rest;
  };
  await tx.query(`set local lock_timeout = ${lockMs}`);
  for (let tried = 1; ; tried++) {
    await tx.query('savepoint flip');
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTaken(error) || tried === flipsTried) throw error;
      await tx.query('rollback to savepoint flip');
      await delay(Math.random() * lockMs);
    }
  }
};

const fillAll = async (
  ports: RunnerPorts,
  projections: Projection[],
  limits: FillLimits,
  tx: Db,
): Promise<{ events: number }> => {
  const fills: Fill[] = [];
  for (const projection of projections) fills.push(await fillOf(ports, projection, limits));
  const most = await catchUp(ports, fills, limits);
  await Promise.all(fills.map((fill) => finishIndexes(ports, fill)));
  const meanwhile = await catchUp(ports, fills, limits);
  const rest = await flipAll(ports, fills, limits, tx);
  return { events: most + meanwhile + rest };
};

const finishIndexes = async ({ db }: RunnerPorts, fill: Fill): Promise<void> => {
  await fill.ensureIndexed({ analyzed: false });
  await index(patient(db), fill.place);
};

/**
 * Fills the next generation of each read model next to the live one and flips at the head; the log is read once
 * for all. An interrupted rebuild continues where it stopped. Readers see the old rows until the flip, and the
 * live projections keep running. Its statements have no time limit.
 * @param changed limits that tests lower
 */
export const rebuild = (
  ports: RunnerPorts,
  projections: Projection[],
  changed: Partial<FillLimits> = {},
): Promise<{ events: number }> =>
  alone(ports, projections, (tx) => fillAll(ports, projections, { ...limits, ...changed }, tx));

/** The read models that are not there yet, or that an earlier version filled. @throws OutdatedProgram */
export const outdatedReadModels = async (
  db: Db,
  projections: readonly Projection[],
): Promise<Projection[]> => {
  const found: Projection[] = [];
  for (const projection of projections) {
    const known = await registered(db, projection.name);
    assertNotNewer(known, projection);
    if (known?.version !== projection.version) found.push(projection);
  }
  return found;
};

/**
 * Brings every read model to what its projection writes now. Returns the names that were rebuilt.
 * @throws OutdatedProgram when a newer version of the program filled one
 */
export const ensureReadModels = async (
  ports: RunnerPorts,
  projections: Projection[],
  changed: Partial<FillLimits> = {},
): Promise<string[]> => {
  const wanted = await outdatedReadModels(ports.db, projections);
  if (wanted.length === 0) return [];
  return alone(ports, wanted, async (tx) => {
    // Another process may have done it while this one waited.
    const still = await outdatedReadModels(tx, projections);
    if (still.length > 0) await fillAll(ports, still, { ...limits, ...changed }, tx);
    return still.map(({ name }) => name);
  });
};
