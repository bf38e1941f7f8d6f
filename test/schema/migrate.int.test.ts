/**
 * The one list of tables: applied once, in order, even when several processes start, die or come from an
 * earlier version.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { StartRefused } from '../../contract/start-refused.ts';
import { logCheckpoints, markColumns } from '../../infra/postgres/log-checkpoints.ts';
import { migrate, type SchemaFile, schemaFiles } from '../../infra/schema/migrate.ts';
import { until } from '../support/client.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';

/** Tables, indexes and functions, independent of the order of columns. */
const catalogue = `
select 'column' as kind, table_schema || '.' || table_name as owner, column_name as name,
  concat_ws(' ', data_type, collation_name, is_nullable, column_default, is_identity) as what
from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema', 'migrations')
union all
select 'index', schemaname || '.' || tablename, indexname, indexdef from pg_indexes
where schemaname not in ('pg_catalog', 'migrations')
union all
select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
where connamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'migrations')
union all
select 'function', pronamespace::regnamespace::text, proname, pg_get_functiondef(oid) from pg_proc
where pronamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
order by kind, owner, name, what`;

/** Tables of read models belong to their rebuild. */
const ofReadModels = /^read_models\.(?!projections|checkpoints|followed_log)/;

describe('the tables of the database', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let client: pg.Client;

  beforeEach(async () => {
    database = await emptyDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const rowsOf = async (text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows;
  const appliedNow = async (): Promise<number[]> =>
    (await rowsOf('select number from migrations.applied order by number')).map(
      ({ number }) => number,
    );

  it('are files with numbers from one on, without a gap', () => {
    const numbers = schemaFiles().map(({ number }) => number);
    expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));
    expect(numbers.length).to.be.at.least(16);
  });

  it('are made once by processes that start at the same time', async () => {
    const made = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    const subjects = schemaFiles().map(({ subject }) => subject);
    expect(made.flat().sort()).to.deep.equal(subjects.sort());
    expect(await migrate(database.url)).to.deep.equal([]);
  });

  it('are not made in a database whose encoding lacks most characters', async () => {
    await client.query(
      `create database narrow encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    );
    const url = new URL(database.url);
    url.pathname = '/narrow';
    const narrow = new pg.Client({ connectionString: url.href });
    try {
      const failure = await migrate(url.href).catch((error: Error) => error);
      expect(failure).to.be.instanceOf(StartRefused);
      expect(String(failure)).to.include('has the encoding LATIN1').and.include('UTF8');
      await narrow.connect();
      const { rows } = await narrow.query(`select from pg_namespace where nspname = 'migrations'`);
      expect(rows).to.have.length(0);
    } finally {
      await narrow.end();
      await client.query('drop database narrow with (force)');
    }
  });

  it('are not made through a pooler that lends a connection for one transaction', async () => {
    const other = await emptyDatabase();
    const pooler = await startTransactionPooler(other.url);
    const plain = new pg.Client({ connectionString: other.url });
    try {
      const failure = await migrate(pooler.url).catch((error: Error) => error);
      expect(failure).to.be.instanceOf(StartRefused);
      expect(String(failure)).to.include('DATABASE_URL').and.include('pool_mode = session');
      await plain.connect();
      const { rows } = await plain.query(`select from pg_namespace where nspname = 'migrations'`);
      expect(rows).to.have.length(0);
    } finally {
      await plain.end();
      await pooler.stop();
      await other.drop();
    }
  });

  it('are not made through a pooler with one connection, in which the start would wait without end', async () => {
    const other = await emptyDatabase();
    const { hostname, port } = new URL(other.url);
    let isTaken = false;
    const sockets: Socket[] = [];
    // A later client is accepted and waits.
    const pooler = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      if (isTaken) return;
      isTaken = true;
      const server = connect(Number(port), hostname).on('error', () => {});
      sockets.push(server);
      socket.pipe(server).pipe(socket);
    });
    await new Promise<void>((done) => pooler.listen(0, '127.0.0.1', done));
    try {
      const url = new URL(other.url);
      url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
      const failure = await migrate(url.href).catch((error: Error) => error);
      expect(failure).to.be.instanceOf(StartRefused);
      expect(String(failure)).to.include('DATABASE_URL').and.include('default_pool_size');
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => pooler.close(done));
      await other.drop();
    }
  });

  it('are the same whether they are new or come from an earlier version', async () => {
    const other = await emptyDatabase();
    try {
      const schema = join(import.meta.dirname, '../migration/folder-2026-11-21/schema.sql');
      await client.query(readFileSync(schema, 'utf8'));
      await Promise.all([migrate(database.url), migrate(other.url)]);
      const ours = async (url: string) => {
        const one = new pg.Client({ connectionString: url });
        await one.connect();
        const { rows } = await one.query<{ owner: string }>(catalogue);
        await one.end();
        return rows.filter(({ owner }) => !ofReadModels.test(owner));
      };
      const made = await ours(other.url);
      expect(made.length).to.be.at.least(200);
      const upgraded = await ours(database.url);
      expect(upgraded.filter(({ owner }) => !owner.startsWith('graphile_worker'))).to.deep.equal(
        made,
      );
    } finally {
      await other.drop();
    }
  });

  it('move the quotas in use into the ledger, which processes of the version before go on with', async () => {
    const files = schemaFiles();
    const ledger = files.findIndex(({ subject }) => subject === 'holds');
    await migrate(database.url, files.slice(0, ledger));
    const take = async (): Promise<string> =>
      (await rowsOf("select id from limits.take_letters('acct', 10, 4, 4, 30)"))[0]?.id;
    const old = await take();
    const [draft, gas, later] = [1, 2, 3].map((n) => `0b6c6a52-7d5c-4a3e-9d55-2f8d9b1c7e1${n}`);
    const payment = async (id: string | undefined) =>
      (await rowsOf("select * from limits.hold_gas('payer', $1, 60, 100, 7, 900)", [id]))[0];
    await rowsOf("insert into limits.draft_holds values ($1, 'acct', now() + interval '1 hour')", [
      draft,
    ]);
    expect(await payment(gas)).to.deep.equal({ held: 'now', ahead: '0' });

    await migrate(database.url);
    const held = async () =>
      (await rowsOf('select budget, amount::int from limits.holds order by budget')).map(
        ({ budget, amount }) => `${budget} ${amount}`,
      );
    expect(await held()).to.deep.equal(['drafts 1', 'gas 60', 'letters 4', 'payments 7']);
    expect(await payment(gas)).to.deep.equal({ held: 'before', ahead: '0' });
    expect(await payment(later)).to.deep.equal({ held: null, ahead: '7' });
    expect(await take()).to.not.equal(old);
    const giveBack = "select limits.return_letters(gen_random_uuid(), $1, '{4}', '{0}')";
    await rowsOf(giveBack, [[old]]);
    // As the version before says it.
    await rowsOf('delete from limits.draft_holds where letter_id = $1', [draft]);
    await rowsOf('delete from limits.gas_holds where payment_id = $1', [gas]);
    await rowsOf("delete from limits.letter_grants where until < now() - interval '25 hours'");
    expect(await held()).to.deep.equal(['letters 4']);
  });

  it('number the requests of a database of before in one sequence, which a standby that takes over can read', async () => {
    const files = schemaFiles();
    const logged = files.findIndex(({ subject }) => subject === 'logged-requests');
    await migrate(database.url, files.slice(0, logged));
    const add = async (): Promise<string> =>
      (
        await rowsOf(
          `insert into console.requests (account_id, key_id, operation, status, request_id, ms, at)
           values ('acct', 'key', 'send_letter', 201, 'req', 1, now()) returning id`,
        )
      )[0]?.id;
    expect([await add(), await add()]).to.deep.equal(['1', '2']);
    await migrate(database.url);
    expect(await add()).to.equal('3');
    const unlogged = await rowsOf(
      "select relname from pg_class where relkind = 'S' and relpersistence <> 'p'",
    );
    expect(unlogged).to.deep.equal([]);
  });

  it('are continued with the file that was not committed when a process is killed', async () => {
    const program = new URL('../support/migrate-and-hang.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [program, database.url], { stdio: 'ignore' });
    await until(async () => {
      const [found] = await rowsOf("select to_regclass('public.first') is not null as there");
      const [busy] = await rowsOf(
        "select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(2)%' and datname = current_database() and pid <> pg_backend_pid()",
      );
      return found?.there && busy?.n > 0;
    }, 30_000);
    child.kill('SIGKILL');
    await once(child, 'close');
    const files: SchemaFile[] = [
      { number: 1, subject: 'first', sql: 'select 1 / 0' },
      { number: 2, subject: 'second', sql: 'create table if not exists public.second (n int)' },
      { number: 3, subject: 'later', sql: 'create table public.later (n int)' },
    ];
    const done = await migrate(database.url, files);
    // The server may have finished the killed process's statement, and rolls it back without its commit.
    expect(done).to.deep.equal(['second', 'later']);
    expect(await appliedNow()).to.deep.equal([1, 2, 3]);
    const [third] = await rowsOf("select to_regclass('public.third') as there");
    expect(third?.there).to.equal(null);
  });

  it('keep what was committed when a later file fails', async () => {
    const files: SchemaFile[] = [
      { number: 1, subject: 'first', sql: 'create table public.first (n int)' },
      { number: 2, subject: 'second', sql: 'create table public.second (n int); select 1 / 0' },
    ];
    const failed = await migrate(database.url, files).catch((error: Error) => error.message);
    expect(failed).to.contain('division by zero');
    expect(await appliedNow()).to.deep.equal([1]);
    const [second] = await rowsOf("select to_regclass('public.second') as there");
    expect(second?.there).to.equal(null);
  });

  it('hold positions in the log only where the list of them says so', async () => {
    await migrate(database.url);
    const rows = await rowsOf(
      `select table_schema || '.' || table_name || '.' || column_name as name
       from information_schema.columns
       where data_type = 'bigint' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const listed = logCheckpoints.flatMap(({ table, column, consumer }) => [
      `${table}.${column}`,
      ...(consumer === undefined ? [] : [`${table}.${markColumns[0]}`]),
    ]);
    const others = [
      ...['event_log.events.position', 'event_log.events.version', 'event_log.head.position'],
      ...['reactors.parked.version', 'reactors.leases.token', 'reactors.log_generations.number'],
      ...['identity.credentials.log_index', 'identity.credentials.sequence', 'identity.log.size'],
      ...['identity.credentials.position', 'identity.issued.log_index', 'identity.issued.sequence'],
      ...['identity.issued.occurred_at', 'identity.tiles.index', 'identity.checkpoints.size'],
      ...[
        'deliveries.messages.message_id',
        'deliveries.attempts.message_id',
        'deliveries.attempts.attempt_id',
      ],
      ...[
        'limits.letter_grants.id',
        'limits.letter_grants.count',
        'limits.holds.id',
        'limits.holds.amount',
        'storage.files.bytes',
        'storage.used.bytes',
      ],
      'console.passkeys.counter',
      'console.requests.id',
      ...[
        'payments.block_cursors.block',
        'payments.block_cursors.first_block',
        'print.restored_jobs.generation',
      ],
    ];
    expect(rows.map(({ name }) => name).sort()).to.deep.equal([...listed, ...others].sort());
  });
});
