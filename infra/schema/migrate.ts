/**
 * Brings the tables of a database to what this program needs. The numbered SQL files of this folder are the
 * one list of tables. Each is applied once, in order, in a transaction of its own; the database records which.
 * A file that was released never changes. A later change is a later file, and it leaves alone what processes of
 * the version before still use. Files 1 to 16 also run on tables of versions that recorded nothing.
 * Read models have tables of their own, made by their rebuild.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { StartRefused } from '../../contract/start-refused.ts';
import {
  connectClient,
  createClient,
  createConnection,
  queryTimeoutMs,
} from '../event-store/postgres/connection.ts';

export type SchemaFile = { number: number; subject: string; sql: string };

/** The files, in the order of their numbers. */
export const schemaFiles = (folder = new URL('.', import.meta.url)): SchemaFile[] =>
  readdirSync(folder)
    .flatMap((name) => {
      const [, number, subject] = /^(\d+)-([a-z-]+)\.sql$/.exec(name) ?? [];
      if (number === undefined || subject === undefined) return [];
      const sql = readFileSync(new URL(name, folder), 'utf8');
      return [{ number: Number(number), subject, sql }];
    })
    .sort((a, b) => a.number - b.number);

/** Every program that makes tables takes this lock first, also those of earlier versions. */
const lock = 'select pg_advisory_xact_lock(7305513262)';

/** The numbers of the files that the database has. */
export const appliedNumbers = async (client: Client): Promise<ReadonlySet<number>> => {
  // to_regclass may answer from a cache that is older than the lock.
  const { rowCount } = await client.query(
    `select from pg_tables where schemaname = 'migrations' and tablename = 'applied'`,
  );
  if (rowCount === 0) return new Set();
  const found = await client.query<{ number: number }>('select number from migrations.applied');
  return new Set(found.rows.map(({ number }) => number));
};

const record = `
create schema if not exists migrations;
create table if not exists migrations.applied (
  number     int primary key,
  subject    text not null,
  applied_at timestamptz not null default now()
)`;

/** The longest time of a timer: 24 days. A change of a large table has no shorter limit. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Applies one file and records it, unless another process did. @returns whether it was applied here */
const apply = async (client: Client, { number, subject, sql }: SchemaFile): Promise<boolean> => {
  await client.query('begin');
  await client.query(lock);
  const missing = !(await appliedNumbers(client)).has(number);
  if (missing) {
    await client.query(`${record};\n${sql}`);
    await client.query('insert into migrations.applied (number, subject) values ($1, $2)', [
      number,
      subject,
    ]);
  }
  await client.query('commit');
  return missing;
};

/** SQL_ASCII keeps the bytes as they come. In others, most names of people and places cannot be written. */
const encodings = ['UTF8', 'SQL_ASCII'];

/** @throws StartRefused */
const assertEncoding = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  const found = rows[0]?.server_encoding ?? '';
  if (encodings.includes(found)) return;
  throw new StartRefused(
    `DATABASE_URL: the database has the encoding ${found}; make one with the encoding UTF8 (create database … encoding 'UTF8' template template0).`,
  );
};

const backendOf = async (client: Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

/** The driver, of a connection that does not come about and of a query without an answer. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && /^(timeout expired|Query read timeout)$/.test(error.message);

const onlyOneConnection = (): StartRefused =>
  new StartRefused(
    'DATABASE_URL: a second connection gets no answer while the first one is in use; let the pooler have more connections to the database (default_pool_size in PgBouncer) in session pooling, or name the database itself.',
  );

/**
 * A pooler that lends a connection of the server for one transaction takes it away with its settings, notifications and
 * locks. After two transactions at the same time it lends `client` the connection that was given back last, which was
 * that of the other; or it lends them in turns. A pooler that has one connection only lets the other wait.
 * @throws StartRefused
 */
const assertOwnBackend = async (client: Client, url: string): Promise<void> => {
  const other = createClient({
    url,
    applicationName: 'letters-migrate',
    query_timeout: queryTimeoutMs,
  });
  try {
    await connectClient(other);
    const own = await backendOf(client);
    await client.query('begin');
    const lent = await backendOf(client);
    await other.query('begin');
    await client.query('commit');
    await other.query('commit');
    if (lent === own && (await backendOf(client)) === own) return;
  } catch (error) {
    throw isTimeout(error) ? onlyOneConnection() : error;
  } finally {
    await other.end().catch(() => undefined);
  }
  throw new StartRefused(
    'DATABASE_URL: a pooler lends the connections of the database for one transaction each; set it to session pooling (pool_mode = session in PgBouncer), or name the database itself.',
  );
};

/**
 * Applies the files that the database does not have yet. Processes that start at the same time wait for each
 * other. After a kill the next call continues with the first file that was not committed.
 * @returns the subjects that were applied.
 * @throws StoreUnavailable when the database does not answer; StartRefused when it cannot hold every text,
 * or a pooler stands before it that changes the connection between two transactions
 */
export const migrate = async (
  url: string,
  files: readonly SchemaFile[] = schemaFiles(),
): Promise<string[]> => {
  const connection = createConnection({
    url,
    applicationName: 'letters-migrate',
    patienceMs: 5_000,
    queryMs: maxTimeoutMs,
  });
  const done: string[] = [];
  try {
    await connection.use(async (client) => {
      await assertEncoding(client);
      await assertOwnBackend(client, url);
      const before = await appliedNumbers(client);
      for (const file of files) {
        if (!before.has(file.number) && (await apply(client, file))) done.push(file.subject);
      }
    });
  } finally {
    await connection.close();
  }
  return done;
};
