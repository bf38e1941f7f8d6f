/**
 * Appends through our Postgres adapter, or plain inserts as the limit of what one statement per event can
 * do. A process of its own: the store runs in it together with its callers.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createPostgresEventStore } from '../infra/event-store/postgres/index.ts';
import { closedLoop, type Loop, type Measured } from './load/closed-loop.ts';

export type AppendPlan = Loop & {
  contestant: 'letters' | 'emmett' | 'insert';
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

const run = async (plan: AppendPlan): Promise<AppendResult> => {
  const contestant = await (plan.contestant === 'letters' ? ours(plan) : inserts(plan));
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
