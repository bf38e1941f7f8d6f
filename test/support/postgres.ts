import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../infra/schema/migrate.ts';
import { startQuickPostgres } from './quick-postgres.ts';

/** A real PostgreSQL of this process, started by the first test that needs it; unused where the run has one. */
let server: ReturnType<typeof startQuickPostgres> | undefined;

after(async function () {
  this.timeout(180_000);
  await (await server)?.stop();
});

/** Of the server of the run (`test/run.ts`), or of this process. */
const urlOfServer = async (): Promise<string> => {
  if (process.env.TEST_POSTGRES_URL) return process.env.TEST_POSTGRES_URL;
  server ??= startQuickPostgres();
  return (await server).url;
};

/**
 * Waits half a second at most until nobody is connected: a connection that its owner ended a moment ago, and that
 * is killed before it is gone, fails him.
 */
const lastEnds = (name: string): string => `do $$ begin
  for look in 1..25 loop
    perform pg_stat_clear_snapshot();
    exit when not exists (select 1 from pg_stat_activity where datname = '${name}');
    perform pg_sleep(0.02);
  end loop;
end $$`;

/** A copy of a database that nobody is connected to, as from a backup. */
export const copyDatabase = (url: string) => freshDatabase(new URL(url).pathname.slice(1));

const statementsOn =
  (serverUrl: string) =>
  async (...statements: string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };

const inServer = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

type Database = { url: string; drop: () => Promise<void> };

const createFrom = async (template: string | undefined): Promise<Database> => {
  const serverUrl = await urlOfServer();
  const admin = statementsOn(serverUrl);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const copied = template === undefined ? '' : ` template ${template} strategy file_copy`;
  if (template !== undefined) await admin(lastEnds(template));
  await admin(`create database ${name}${copied}`);
  return {
    url: inServer(serverUrl, name),
    drop: () => admin(lastEnds(name), `drop database if exists ${name} with (force)`),
  };
};

/**
 * A database of this name with the tables of this program and what `prepare` adds. On a server of the run it is whole
 * if a process before finished it.
 */
export const makeTemplate = async (
  name: string,
  prepare?: (url: string) => Promise<void>,
): Promise<string> => {
  const serverUrl = await urlOfServer();
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ whole: boolean }>(
      'select datistemplate as whole from pg_database where datname = $1',
      [name],
    );
    if (rows[0]?.whole) return name;
    if (rows.length === 0) await client.query(`create database ${name}`);
    const url = inServer(serverUrl, name);
    await migrate(url);
    await prepare?.(url);
    await client.query(`alter database ${name} is_template true`);
    return name;
  } finally {
    await client.end();
  }
};
let template: Promise<string> | undefined;

/** A database of its own without any table, dropped by `drop`. */
export const emptyDatabase = (): Promise<Database> => createFrom(undefined);

/** A database of its own with tables, dropped by `drop`. `from`: the name of one that it is a copy of. */
export const freshDatabase = async (from?: string): Promise<Database> => {
  if (from !== undefined) return createFrom(from);
  template ??= makeTemplate('letters_tables');
  return createFrom(await template);
};
