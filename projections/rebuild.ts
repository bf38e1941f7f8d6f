import { setTimeout as delay } from 'node:timers/promises';
import type { Db, TransactionalDb } from '../contract/db.ts';
import { earlier, type Position } from '../events/position.ts';
import { byPosition, type Place, projectBatch, readCheckpoint } from './batch.ts';
import { generationTable, type Projection } from './projection.ts';
import type { RunnerPorts } from './runner.ts';

type Registered = { version: number; generation: number };

const registered = async (db: Db, name: string): Promise<Registered | undefined> => {
  const { rows } = await db.query<Registered>(
    'select version, generation from read_models.projections where name = $1',
    [name],
  );
  return rows[0];
};

/** The generation whose tables are read; 0 before there is one. */
export const liveGeneration = async (db: Db, name: string): Promise<number> =>
  (await registered(db, name))?.generation ?? 0;

/** Makes the tables of a generation, empty, unless a rebuild that was cut short left them. */
const prepare = async (
  db: TransactionalDb,
  projection: Projection,
  generation: number,
): Promise<void> => {
  const { name, version } = projection;
  await db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(7305513263)');
    const { rows } = await tx.query<{ version: number }>(
      `select coalesce(obj_description(to_regclass($1)), '0')::int as version
       from read_models.checkpoints where name = $2 and generation = $3`,
      [generationTable(generation)(projection.tables[0] ?? ''), name, generation],
    );
    if (rows[0]?.version === version) return;
    for (const base of projection.tables) {
      await tx.query(`drop table if exists ${generationTable(generation)(base)} cascade`);
    }
    await tx.query(projection.create(generationTable(generation)));
    for (const base of projection.tables) {
      await tx.query(`comment on table ${generationTable(generation)(base)} is '${version}'`);
    }
    await tx.query(
      `insert into read_models.checkpoints (name, generation, position) values ($1, $2, 0)
       on conflict (name, generation) do update set position = 0`,
      [name, generation],
    );
  });
};

/** Makes a generation the one that is read and drops the one before. */
const flip = async (tx: Db, projection: Projection, generation: number): Promise<void> => {
  const { name, version, tables } = projection;
  for (const base of tables) {
    await tx.query(`drop view if exists read_models.${base}`);
    await tx.query(
      `create view read_models.${base} as select * from ${generationTable(generation)(base)}`,
    );
  }
  await tx.query(
    `insert into read_models.projections (name, version, generation) values ($1, $2, $3)
     on conflict (name) do update set version = $2, generation = $3`,
    [name, version, generation],
  );
  await tx.query('delete from read_models.checkpoints where name = $1 and generation < $2', [
    name,
    generation,
  ]);
  for (const base of tables) {
    await tx.query(`drop table if exists ${generationTable(generation - 1)(base)}`);
  }
};

const batchLimit = 4_000;

/** Projects up to the head of the log, all at once where they are at one place. Returns the events read. */
const catchUp = async (ports: RunnerPorts, places: Place[]): Promise<number> => {
  const from = places.map(({ position }) => position).reduce(earlier);
  const read = (after: Position) => ports.store.readAll({ after, limit: batchLimit });
  let count = 0;
  for (let reading = read(from); ; ) {
    const events = await reading;
    const last = events.at(-1);
    if (!last) return count;
    // The next batch is on its way while this one is projected.
    reading = read(last.position);
    reading.catch(() => {});
    for (const group of byPosition(places, last.position)) {
      const news = events.filter(({ position }) => position > group.position);
      await projectBatch(ports, group.places, news, last.position);
      for (const place of group.places) place.position = last.position;
    }
    count += events.length;
  }
};

const isFree = async (tx: Db, { name }: Projection): Promise<boolean> => {
  const { rows } = await tx.query<{ free: boolean }>(
    'select pg_try_advisory_xact_lock(73055132, hashtext($1)) as free',
    [name],
  );
  return rows[0]?.free ?? false;
};

/** One worker at a time; the others wait. `tx` holds the locks, the work needs a second connection. */
const alone = <T>(
  db: TransactionalDb,
  projections: Projection[],
  work: (tx: Db) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    // In one order everywhere, so that two workers never wait for each other.
    for (const projection of projections.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      // Asked again and again, since a query that waited for a whole rebuild would be given up.
      while (!(await isFree(tx, projection))) await delay(200);
    }
    return work(tx);
  });

/** Makes the indexes of a generation that are not there yet. */
const index = async (db: Db, { projection, generation }: Place): Promise<void> => {
  for (const [n, { table, on }] of projection.indexes.entries()) {
    const name = `${table}_g${generation}_index_${n}`;
    await db.query(
      `create index if not exists ${name} on ${generationTable(generation)(table)} ${on}`,
    );
  }
};

const placeOf = async (db: TransactionalDb, projection: Projection): Promise<Place> => {
  const generation = (await liveGeneration(db, projection.name)) + 1;
  await prepare(db, projection, generation);
  const position = (await readCheckpoint(db, projection.name, generation)) ?? 0n;
  return { projection, generation, position };
};

const fill = async (
  ports: RunnerPorts,
  projections: Projection[],
  tx: Db,
): Promise<{ events: number }> => {
  const places: Place[] = [];
  for (const projection of projections) places.push(await placeOf(ports.db, projection));
  const before = await catchUp(ports, places);
  for (const place of places) await index(ports.db, place);
  for (const { projection, generation } of places) {
    // Holds the live projection still until the flip: what is read never goes back in time.
    await tx.query(
      'select from read_models.checkpoints where name = $1 and generation = $2 for update',
      [projection.name, generation - 1],
    );
  }
  const rest = await catchUp(ports, places);
  for (const { projection, generation } of places) await flip(tx, projection, generation);
  return { events: before + rest };
};

/**
 * Fills the next generation of each beside the live one and flips at the head, the log being read
 * once for all. Cut short, it goes on where it was. Readers see the old rows until the flip, the live
 * projections go on meanwhile.
 */
export const rebuild = (
  ports: RunnerPorts,
  projections: Projection[],
): Promise<{ events: number }> =>
  alone(ports.db, projections, (tx) => fill(ports, projections, tx));

/** Brings every read model to what its projection writes now. Returns the names that were rebuilt. */
export const ensureReadModels = async (
  ports: RunnerPorts,
  projections: Projection[],
): Promise<string[]> => {
  const outdated = async (db: Db): Promise<Projection[]> => {
    const found: Projection[] = [];
    for (const projection of projections) {
      const known = await registered(db, projection.name);
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
