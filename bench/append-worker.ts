/**
 * Appends through one of our adapters, or without: plain inserts as the limit of one statement per event, and
 * the client of EventStoreDB as it is. A process of its own: the store runs in it together with its callers.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import pg from 'pg';
import type { EventStore, Position } from '../events/event-store.ts';
import { createEventStoreDb } from '../infra/event-store/eventstoredb.ts';
import { createPostgresEventStore } from '../infra/event-store/postgres/index.ts';
import { migrate } from '../infra/schema/migrate.ts';
import { closedLoop, type Loop, type Measured } from './load/closed-loop.ts';

export type AppendPlan = Loop & {
  contestant: 'letters' | 'emmett' | 'insert' | 'esdb' | 'esdb-single' | 'esdb-batch';
  url: string;
  /** Connections of the contestants that use a pool. */
  pool: number;
  /** The event, about 200 bytes as JSON. */
  data: object;
};

export type AppendResult = Measured & {
  /** Appends that were acknowledged, warm-up included, and events that are stored. */
  acked: number;
  stored: number;
  firstFailure: string | undefined;
};

type Append = (stream: string) => Promise<unknown>;
type Contestant = { append: Append; stored: () => Promise<number>; close: () => Promise<void> };

const countRows = async (url: string, table: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ stored: string }>(
    `select count(*) as stored from ${table}`,
  );
  await client.end();
  return Number(rows[0]?.stored);
};

const ours = async ({ url, data }: AppendPlan): Promise<Contestant> => {
  await migrate(url);
  const store = await createPostgresEventStore({ url });
  const text = JSON.stringify(data);
  return {
    append: (stream) =>
      store.append(stream, 'no-stream', [
        { id: randomUUID(), type: 'BenchmarkEvent', data: text, metadata: '{}' },
      ]),
    stored: () => countRows(url, 'event_log.events'),
    close: () => store.close(),
  };
};

const table = `create table if not exists plain_events (
  position bigserial primary key, stream text not null, version bigint not null, id uuid not null unique,
  type text not null, data text not null, metadata text not null, unique (stream, version))`;

const inserts = async ({ url, data, pool: max }: AppendPlan): Promise<Contestant> => {
  const pool = new pg.Pool({ connectionString: url, max });
  await pool.query(table);
  const text = JSON.stringify(data);
  const insert = {
    name: 'insert',
    text: 'insert into plain_events (stream, version, id, type, data, metadata) values ($1, 0, $2, $3, $4, $5)',
  };
  return {
    append: (stream) =>
      pool.query({ ...insert, values: [stream, randomUUID(), 'BenchmarkEvent', text, '{}'] }),
    stored: () => countRows(url, 'plain_events'),
    close: () => pool.end(),
  };
};

/** Events of this worker that are in the log behind a place. */
const countSince = async (store: EventStore, from: Position, ids: Set<string>): Promise<number> => {
  let stored = 0;
  for (let after = from; ; ) {
    const events = await store.readAll({ after, limit: 1_000 });
    const last = events.at(-1);
    if (!last) return stored;
    stored += events.filter(({ id }) => ids.has(id)).length;
    after = last.position;
  }
};

/** Appends to EventStoreDB, by the adapter or by the client as it is. */
const eventStoreDb = async ({ contestant, url, data }: AppendPlan): Promise<Contestant> => {
  const store = createEventStoreDb({ connectionString: url });
  const client = EventStoreDBClient.connectionString(url);
  const before = await store.head();
  const text = JSON.stringify(data);
  const [, username = '-', password = '-'] = /\/\/([^:@/]+):([^@]+)@/.exec(url) ?? [];
  const credentials = {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  const ids = new Set<string>();
  const event = () => {
    const id = randomUUID();
    ids.add(id);
    return { id, type: 'BenchmarkEvent' };
  };
  const raw = (stream: string) =>
    client.appendToStream(stream, jsonEvent({ ...event(), data: JSON.parse(text) }), {
      expectedRevision: NO_STREAM,
      // With credentials the client makes a call for each append.
      ...(contestant === 'esdb-single' ? { credentials } : {}),
    });
  return {
    append: (stream) =>
      contestant === 'esdb'
        ? store.append(stream, 'no-stream', [{ ...event(), data: text, metadata: '{}' }])
        : raw(stream),
    stored: () => countSince(store, before, ids),
    async close() {
      await store.close();
      await client.dispose();
    },
  };
};

const openContestant = (plan: AppendPlan): Promise<Contestant> => {
  if (plan.contestant === 'letters') return ours(plan);
  return plan.contestant === 'insert' ? inserts(plan) : eventStoreDb(plan);
};

const run = async (plan: AppendPlan): Promise<AppendResult> => {
  const contestant = await openContestant(plan);
  let acked = 0;
  let firstFailure: string | undefined;
  const measured = await closedLoop(plan, async () => {
    try {
      await contestant.append(`bench-${randomUUID()}`);
      acked++;
      return true;
    } catch (error) {
      firstFailure ??= String(error);
      return false;
    }
  });
  const stored = await contestant.stored();
  await contestant.close();
  return { ...measured, acked, stored, firstFailure };
};

process.once('message', (plan: AppendPlan) => {
  run(plan).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
