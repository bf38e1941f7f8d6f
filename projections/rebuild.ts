import { setTimeout as delay } from 'node:timers/promises';
import type { Position, RecordedEvent } from '../events/event-store.ts';
import { earlier } from '../events/position.ts';
import type { Db, TransactionalDb } from '../ground/db.ts';
import { type Place, projectBatch, readCheckpoint } from './batch.ts';
import { assertNotNewer, flip, index, liveGeneration, prepare, registered } from './generation.ts';
import type { Projection } from './projection.ts';
import type { RunnerPorts } from './runner.ts';

export { followedGeneration, liveGeneration } from './generation.ts';

/** Large: a row that several events of a batch change is written once. */
const batchLimit = 8_000;
/** Batches that the fastest read model may be ahead of the slowest. */
const aheadLimit = 1;

/** A database whose queries may take as long as they take, each for itself. */
const patient = (db: TransactionalDb): Db => ({
  query: (text, values) =>
    db.transaction((tx) => tx.query(text, values), { unlimited: true }) as never,
});

const advance = async (
  ports: RunnerPorts,
  place: Place,
  events: RecordedEvent[],
  to: Position,
): Promise<void> => {
  if (place.position >= to) return;
  const news = events.filter(({ position }) => position > place.position);
  await projectBatch({ store: ports.store, db: patient(ports.db) }, [place], news, to);
  place.position = to;
};

/**
 * Projects up to the head of the log, which is read and decoded once for all. Each read model is written
 * by itself, so that one is folded here while others are written there. Returns the events read.
 */
const catchUp = async (ports: RunnerPorts, places: Place[]): Promise<number> => {
  const from = places.map(({ position }) => position).reduce(earlier);
  const read = (after: Position) => ports.store.readAll({ after, limit: batchLimit });
  let lanes = places.map((place) => ({ place, done: Promise.resolve() }));
  const underWay: Promise<unknown>[] = [];
  let count = 0;
  try {
    let reading = read(from);
    for (;;) {
      const events = await reading;
      const last = events.at(-1);
      if (!last) break;
      // The next batch is on its way while this one is projected.
      reading = read(last.position);
      reading.catch(() => {});
      lanes = lanes.map(({ place, done }) => ({
        place,
        done: done.then(() => advance(ports, place, events, last.position)),
      }));
      underWay.push(Promise.all(lanes.map(({ done }) => done)));
      underWay.at(-1)?.catch(() => {});
      if (underWay.length > aheadLimit) await underWay.shift();
      count += events.length;
    }
  } finally {
    // Nobody writes any more when this one fails, or others would find it still at work.
    await Promise.allSettled(lanes.map(({ done }) => done));
  }
  await Promise.all(underWay);
  return count;
};

const isFree = async (tx: Db, { name }: Projection): Promise<boolean> => {
  const { rows } = await tx.query<{ free: boolean }>(
    'select pg_try_advisory_xact_lock(73055132, hashtext($1)) as free',
    [name],
  );
  return rows[0]?.free ?? false;
};

/** One worker at a time; the others wait. `tx` holds the locks, the work needs further connections. */
const alone = <T>(
  db: TransactionalDb,
  projections: Projection[],
  work: (tx: Db) => Promise<T>,
): Promise<T> =>
  db.transaction(
    async (tx) => {
      // In one order everywhere, so that two workers never wait for each other.
      for (const projection of projections.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        while (!(await isFree(tx, projection))) await delay(200);
      }
      return work(tx);
    },
    { unlimited: true },
  );

const placeOf = async ({ store, db }: RunnerPorts, projection: Projection): Promise<Place> => {
  const generation = (await liveGeneration(db, projection.name)) + 1;
  await prepare(db, projection, generation, store.sealedSql);
  const position = (await readCheckpoint(db, projection.name, generation)) ?? 0n;
  return { projection, generation, position };
};

/** Below PostgreSQL's `deadlock_timeout`, so that no reader is ended for it. */
const lockMs = 300;
const flipsTried = 200;

const isLockTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['55P03', '40P01'].includes(String(error.code));

/**
 * Flips all at once, at the head. Whoever reads or projects goes first: what they hold and what a flip
 * takes are taken in any order, so a flip that has to wait gives everything back and begins again.
 */
const flipAll = async (ports: RunnerPorts, places: Place[], tx: Db): Promise<number> => {
  const attempt = async (): Promise<number> => {
    for (const { projection, generation } of places) {
      // Holds the live projection still until the flip: what is read never goes back in time.
      await tx.query(
        'select from read_models.checkpoints where name = $1 and generation = $2 for update',
        [projection.name, generation - 1],
      );
    }
    const rest = await catchUp(ports, places);
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

const fill = async (
  ports: RunnerPorts,
  projections: Projection[],
  tx: Db,
): Promise<{ events: number }> => {
  const places: Place[] = [];
  for (const projection of projections) places.push(await placeOf(ports, projection));
  const most = await catchUp(ports, places);
  await Promise.all(places.map((place) => index(patient(ports.db), place)));
  const meanwhile = await catchUp(ports, places);
  const rest = await flipAll(ports, places, tx);
  return { events: most + meanwhile + rest };
};

/**
 * Fills the next generation of each beside the live one and flips at the head, the log being read
 * once for all. Cut short, it goes on where it was. Readers see the old rows until the flip, the live
 * projections go on meanwhile. No statement of it has a time limit.
 */
export const rebuild = (
  ports: RunnerPorts,
  projections: Projection[],
): Promise<{ events: number }> =>
  alone(ports.db, projections, (tx) => fill(ports, projections, tx));

/**
 * Brings every read model to what its projection writes now. Returns the names that were rebuilt.
 * @throws OutdatedProgram when a newer version of the program filled one
 */
export const ensureReadModels = async (
  ports: RunnerPorts,
  projections: Projection[],
): Promise<string[]> => {
  const outdated = async (db: Db): Promise<Projection[]> => {
    const found: Projection[] = [];
    for (const projection of projections) {
      const known = await registered(db, projection.name);
      assertNotNewer(known, projection);
      if (known?.version !== projection.version) found.push(projection);
    }
    return found;
  };
  const wanted = await outdated(ports.db);
  if (wanted.length === 0) return [];
  return alone(ports.db, wanted, async (tx) => {
    // Another process may have done it while this one waited.
    const still = await outdated(tx);
    if (still.length > 0) await fill(ports, still, tx);
    return still.map(({ name }) => name);
  });
};
