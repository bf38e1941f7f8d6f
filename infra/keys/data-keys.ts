import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type DataKeys, KeyErased } from '../../events/data-keys.ts';
import { open, seal } from '../../events/envelope.ts';
import { createConnection } from '../event-store/postgres/connection.ts';

const schema = `
create schema if not exists keys;
-- wrapped: the data key sealed under the master key; null once it was erased.
create table if not exists keys.data_keys (
  subject text collate "C" primary key,
  wrapped text collate "C",
  made_at timestamptz not null default now(),
  erased_at timestamptz
);`;

const insert = `
insert into keys.data_keys (subject, wrapped)
select * from unnest($1::text[], $2::text[])
on conflict (subject) do nothing
returning subject`;
const select = 'select subject, wrapped from keys.data_keys where subject = any($1)';
const erase = `
insert into keys.data_keys (subject, wrapped, erased_at) values ($1, null, now())
on conflict (subject) do update set wrapped = null, erased_at = now()`;

const maxCached = 50_000;
const maxPerInsert = 500;

type Waiting = {
  subject: string;
  resolve: (key: KeyObject) => void;
  reject: (error: unknown) => void;
};

/** Data keys in Postgres, wrapped by one of the master key; made in batches, cached while they are used. */
export const createDataKeys = async (options: {
  url: string;
  pool: pg.Pool;
  /** Seals the data keys where they are kept. */
  wrappingKey: KeyObject;
  patienceMs?: number;
}): Promise<DataKeys & { close(): Promise<void> }> => {
  const { pool, wrappingKey, patienceMs = 5_000 } = options;
  const cache = new Map<string, KeyObject>();
  const making = new Map<string, Promise<KeyObject>>();
  const waiting: Waiting[] = [];
  let running = false;

  const remember = (subject: string, key: KeyObject): KeyObject => {
    cache.set(subject, key);
    if (cache.size > maxCached) {
      const oldest = cache.keys().next();
      if (!oldest.done) cache.delete(oldest.value);
    }
    return key;
  };

  const writer = createConnection({
    url: options.url,
    applicationName: 'letters-data-keys',
    patienceMs,
    async onConnect(client) {
      // What was erased elsewhere while nobody listened is not known: start from an empty cache.
      cache.clear();
      client.on('notification', ({ payload }) => cache.delete(payload ?? ''));
      await client.query('listen data_key_erased');
    },
  });
  await writer.use(async (client) => {
    await client.query('begin; select pg_advisory_xact_lock(7305513262)');
    await client.query(`${schema}; commit`);
  });

  const unwrap = (subject: string, wrapped: string): KeyObject =>
    createSecretKey(open(wrapped, wrappingKey, subject));

  const store = async (batch: Waiting[]): Promise<void> => {
    const keys = new Map<string, KeyObject>(
      batch.map(({ subject }) => [subject, createSecretKey(randomBytes(32))]),
    );
    const subjects = [...keys.keys()];
    const wrapped = subjects.map((subject) =>
      seal((keys.get(subject) as KeyObject).export(), wrappingKey, subject),
    );
    await writer.use(async (client) => {
      const query = { name: 'make-keys', text: insert, values: [subjects, wrapped] };
      const { rows } = await client.query<{ subject: string }>(query);
      if (rows.length === subjects.length) return;
      // The others are there already: made by another process, by a lost answer, or erased.
      const made = new Set(rows.map((row) => row.subject));
      const others = subjects.filter((subject) => !made.has(subject));
      const found = await client.query<{ subject: string; wrapped: string | null }>(select, [
        others,
      ]);
      for (const row of found.rows) {
        if (row.wrapped === null) keys.delete(row.subject);
        else keys.set(row.subject, unwrap(row.subject, row.wrapped));
      }
    });
    for (const { subject, resolve, reject } of batch) {
      const key = keys.get(subject);
      if (key) resolve(remember(subject, key));
      else reject(new KeyErased(subject));
    }
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxPerInsert);
      try {
        await store(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };

  const getMany = async (subjects: string[]): Promise<Map<string, KeyObject>> => {
    const keys = new Map<string, KeyObject>();
    const missing: string[] = [];
    for (const subject of new Set(subjects)) {
      const key = cache.get(subject);
      if (key) keys.set(subject, key);
      else missing.push(subject);
    }
    if (missing.length === 0) return keys;
    const { rows } = await pool.query<{ subject: string; wrapped: string | null }>({
      name: 'get-keys',
      text: select,
      values: [missing],
    });
    for (const row of rows) {
      if (row.wrapped !== null) {
        keys.set(row.subject, remember(row.subject, unwrap(row.subject, row.wrapped)));
      }
    }
    return keys;
  };

  return {
    create(subject) {
      const cached = cache.get(subject);
      if (cached) return Promise.resolve(cached);
      const begun = making.get(subject);
      if (begun) return begun;
      const made = new Promise<KeyObject>((resolve, reject) => {
        waiting.push({ subject, resolve, reject });
        if (!running) {
          running = true;
          queueMicrotask(() => void run());
        }
      }).finally(() => making.delete(subject));
      making.set(subject, made);
      return made;
    },
    getMany,
    async get(subject) {
      return cache.get(subject) ?? (await getMany([subject])).get(subject);
    },
    async erase(subject) {
      await writer.use(async (client) => {
        await client.query(erase, [subject]);
        await client.query("select pg_notify('data_key_erased', $1)", [subject]);
      });
      cache.delete(subject);
    },
    close: () => writer.close(),
  };
};
