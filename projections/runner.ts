/**
 * Keeps read models up with the log. One loop per projection: batch → move the checkpoint by
 * compare-and-set → project, all in one transaction. A projection whose checkpoint someone else moved stands
 * down; one that meets an event it cannot project halts, visibly, and never skips.
 */
import { decodeEvent } from '../events/envelope.ts';
import type { EventStore, RecordedEvent } from '../events/event-store.ts';
import {
  type AnyEvent,
  type Db,
  generationTable,
  type Projection,
  type Statement,
  type TransactionalDb,
} from './projection.ts';

export type ProjectionStatus = {
  name: string;
  position: bigint;
  state: 'running' | 'standing-by' | 'rebuilding' | 'halted';
  /** Why it halted, and where. */
  error?: string;
};

export type RunnerPorts = {
  store: EventStore;
  db: TransactionalDb;
  log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
};

const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists read_models;
create table if not exists read_models.projections (
  name       text primary key,
  version    int not null,      -- of the projection that filled the live generation
  generation int not null       -- the live one; 0 before the first is filled
);
create table if not exists read_models.checkpoints (
  name       text not null,
  generation int not null,
  position   bigint not null,   -- everything up to here is in the tables
  primary key (name, generation)
);`;

export const prepareReadModels = (db: Db) => db.query(schema);

class CheckpointMoved extends Error {}

/** Projects a batch and moves the checkpoint. @throws CheckpointMoved when another worker did */
export const projectBatch = async (
  ports: RunnerPorts,
  projection: Projection,
  generation: number,
  from: bigint,
  events: RecordedEvent[],
  to: bigint,
): Promise<void> => {
  if (ports.store.dense) {
    let expected = from;
    for (const event of events) {
      expected += 1n;
      if (event.position !== expected) {
        throw new Error(`position ${expected} is missing, the log goes on at ${event.position}`);
      }
    }
  }
  const { streams } = projection;
  const own = streams
    ? events.filter(({ stream }) => streams.some((prefix) => stream.startsWith(prefix)))
    : events;
  const table = generationTable(generation);
  const decoded = own.map((event) => decodeEvent(event) as unknown as AnyEvent);
  const statements = await projection.project(ports.db, decoded, table);
  const { text, values } = withCheckpoint(statements, [projection.name, generation, from, to]);
  try {
    await ports.db.query(text, values);
  } catch (error) {
    // Whatever came of two workers on one batch: the one whose checkpoint moved stands down.
    const now = await readCheckpoint(ports.db, projection.name, generation);
    throw now === from ? error : new CheckpointMoved();
  }
};

/**
 * One statement out of the writes and the move of the checkpoint, so that a batch is one round trip
 * and one transaction. When the checkpoint is not where it was, it divides by zero and does nothing.
 */
const withCheckpoint = (statements: Statement[], checkpoint: unknown[]): Statement => {
  const values = [...checkpoint];
  const writes = statements.map((statement, index) => {
    const offset = values.length;
    values.push(...statement.values);
    const text = statement.text.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + offset}`);
    return `, write_${index} as (${text})`;
  });
  const text = `with moved as (
      update read_models.checkpoints set position = $4
      where name = $1 and generation = $2 and position = $3 returning 1
    )${writes.join('')}
    select 1 / count(*) from moved`;
  return { text, values };
};

export const readCheckpoint = async (
  db: Db,
  name: string,
  generation: number,
): Promise<bigint | undefined> => {
  const { rows } = await db.query<{ position: bigint }>(
    'select position from read_models.checkpoints where name = $1 and generation = $2',
    [name, generation],
  );
  return rows[0]?.position;
};

const batchLimit = 1_000;
const standByMs = 1_000;

/** Runs projections until `stop`. */
export const startProjections = (
  ports: RunnerPorts & { projections: Projection[]; liveGeneration(name: string): Promise<number> },
) => {
  const stopping = new AbortController();
  const statuses = new Map<string, ProjectionStatus>();
  const waiters = new Set<() => void>();

  const update = (status: ProjectionStatus): void => {
    statuses.set(status.name, status);
    for (const waiter of waiters) waiter();
  };

  /** Follows the log from the checkpoint on; returns when another worker moved it. */
  const follow = async (projection: Projection, generation: number): Promise<void> => {
    const { name } = projection;
    let position = (await readCheckpoint(ports.db, name, generation)) ?? 0n;
    update({ name, position, state: 'running' });
    const feed = ports.store.subscribe({
      after: position,
      limit: batchLimit,
      signal: stopping.signal,
    });
    for await (const batch of feed) {
      try {
        await projectBatch(ports, projection, generation, position, batch.events, batch.position);
      } catch (error) {
        if (error instanceof CheckpointMoved) return;
        throw error;
      }
      position = batch.position;
      update({ name, position, state: 'running' });
    }
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        stopping.signal.removeEventListener('abort', done);
        resolve();
      }
      stopping.signal.addEventListener('abort', done, { once: true });
    });

  const run = async (projection: Projection): Promise<void> => {
    const { name } = projection;
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        await follow(projection, await ports.liveGeneration(name));
        if (stopping.signal.aborted) return;
        failures = 0;
        update({ name, position: statuses.get(name)?.position ?? 0n, state: 'standing-by' });
        await pause(standByMs);
      } catch (error) {
        failures++;
        const position = statuses.get(name)?.position ?? 0n;
        const message = error instanceof Error ? error.message : String(error);
        ports.log.error(
          { projection: name, position: String(position), err: message },
          'projection failed',
        );
        update({
          name,
          position,
          state: 'halted',
          error: `after position ${position}: ${message}`,
        });
        await pause(Math.min(500 * 2 ** failures, 30_000));
      }
    }
  };

  const running = ports.projections.map(run);

  return {
    statuses: (): ProjectionStatus[] => [...statuses.values()],
    /** Whether the named projections reach `position` within `timeoutMs`. */
    waitFor(names: string[], position: bigint, timeoutMs: number): Promise<boolean> {
      const reached = (): boolean =>
        names.every((name) => (statuses.get(name)?.position ?? -1n) >= position);
      if (reached()) return Promise.resolve(true);
      return new Promise((resolve) => {
        const finish = (result: boolean): void => {
          clearTimeout(timer);
          waiters.delete(check);
          resolve(result);
        };
        const check = (): void => {
          if (reached()) finish(true);
        };
        const timer = setTimeout(() => finish(false), timeoutMs);
        waiters.add(check);
      });
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
