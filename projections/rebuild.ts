import { setTimeout as delay } from 'node:timers/promises';
import { projectBatch, readCheckpoint } from './batch.ts';
import { type Db, generationTable, type Projection, type TransactionalDb } from './projection.ts';
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

/** Projects up to the head of the log. Returns the position reached and the number of events. */
const catchUp = async (
  ports: RunnerPorts,
  projection: Projection,
  generation: number,
): Promise<{ position: bigint; events: number }> => {
  let position = (await readCheckpoint(ports.db, projection.name, generation)) ?? 0n;
  let count = 0;
  for (;;) {
    const events = await ports.store.readAll({ after: position, limit: batchLimit });
    const last = events.at(-1);
    if (!last) return { position, events: count };
    await projectBatch(ports, [{ projection, generation, position }], events, last.position);
    position = last.position;
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

/** One worker at a time; the others wait. `tx` holds the lock, the work needs a second connection. */
const alone = <T>(
  db: TransactionalDb,
  projection: Projection,
  work: (tx: Db) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    // Asked again and again, since a query that waited for a whole rebuild would be given up.
    while (!(await isFree(tx, projection))) await delay(200);
    return work(tx);
  });

const fill = async (
  ports: RunnerPorts,
  projection: Projection,
  tx: Db,
): Promise<{ events: number }> => {
  const live = await liveGeneration(tx, projection.name);
  const next = live + 1;
  await prepare(ports.db, projection, next);
  const before = await catchUp(ports, projection, next);
  // Holds the live projection still until the flip: what is read never goes back in time.
  await tx.query(
    'select from read_models.checkpoints where name = $1 and generation = $2 for update',
    [projection.name, live],
  );
  const rest = await catchUp(ports, projection, next);
  await flip(tx, projection, next);
  return { events: before.events + rest.events };
};

/**
 * Fills the next generation beside the live one and flips at the head. Cut short, it goes on where it
 * was. Readers see the old rows until the flip, the live projection goes on meanwhile.
 */
export const rebuild = (ports: RunnerPorts, projection: Projection): Promise<{ events: number }> =>
  alone(ports.db, projection, (tx) => fill(ports, projection, tx));

/** Brings every read model to what its projection writes now. Returns the names that were rebuilt. */
export const ensureReadModels = async (
  ports: RunnerPorts,
  projections: Projection[],
): Promise<string[]> => {
  const rebuilt: string[] = [];
  for (const projection of projections) {
    const isCurrent = async (db: Db): Promise<boolean> =>
      (await registered(db, projection.name))?.version === projection.version;
    if (await isCurrent(ports.db)) continue;
    await alone(ports.db, projection, async (tx) => {
      // Another process may have done it while this one waited.
      if (await isCurrent(tx)) return;
      await fill(ports, projection, tx);
      rebuilt.push(projection.name);
    });
  }
  return rebuilt;
};
