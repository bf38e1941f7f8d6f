/** A service on a database whose administrator chose other defaults. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { completeBackups } from '../../infra/backup/note.ts';
import { createConnection } from '../../infra/event-store/postgres/connection.ts';
import { settle } from '../../infra/event-store/postgres/connection-settings.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { call } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

const defaults = [
  `datestyle = 'German'`,
  `default_transaction_isolation = 'serializable'`,
  'synchronous_commit = off',
  `timezone = 'Asia/Kathmandu'`,
  `intervalstyle = 'sql_standard'`,
  `bytea_output = 'escape'`,
  'extra_float_digits = -5',
  'standard_conforming_strings = off',
  'row_security = off',
  'array_nulls = off',
  `search_path = 'nowhere'`,
  `statement_timeout = '5ms'`,
  `lock_timeout = '1ms'`,
  `idle_in_transaction_session_timeout = '1ms'`,
  `idle_session_timeout = '1s'`,
];

const setDefaults = async (url: string, settings = defaults): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  for (const one of settings) await client.query(`alter database ${name} set ${one}`);
  await client.end();
};

const settingsQuery = `select current_setting('datestyle') as datestyle,
  current_setting('transaction_isolation') as isolation,
  current_setting('synchronous_commit') as commits,
  current_setting('work_mem') as memory,
  current_setting('timezone') as zone,
  current_setting('standard_conforming_strings') as strings,
  current_setting('statement_timeout') as longest`;
type Settings = Record<
  'datestyle' | 'isolation' | 'commits' | 'memory' | 'zone' | 'strings' | 'longest',
  string
>;

describe('a database with other defaults', function () {
  this.timeout(180_000);

  it('sets no time limit, also behind a pooler that drops the options of connections', async () => {
    const database = await freshDatabase();
    const limits = ['statement', 'lock', 'idle_in_transaction_session', 'idle_session'];
    await setDefaults(
      database.url,
      limits.map((limit) => `${limit}_timeout = '1min'`),
    );
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await settle(client);
      const { rows } = await client.query<{ name: string }>(
        `select name from pg_settings where name like '%\\_timeout' and setting <> reset_val`,
      );
      expect(rows.map(({ name }) => name)).to.have.members(limits.map((one) => `${one}_timeout`));
      const { rows: checks } = await client.query('show client_connection_check_interval');
      const linux = process.platform === 'linux';
      expect(checks).to.deep.equal([{ client_connection_check_interval: linux ? '2s' : '0' }]);
    } finally {
      await client.end();
    }
  });

  it('has no influence behind a pooler that drops the options of connections', async () => {
    const database = await freshDatabase();
    await setDefaults(database.url);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await settle(client);
      const { rows } = await client.query<Settings & { path: string }>(
        `${settingsQuery}, current_setting('search_path') as path`,
      );
      expect(rows[0]?.datestyle).to.match(/^ISO/);
      expect(rows[0]).to.include({ isolation: 'read committed', commits: 'on', zone: 'UTC' });
      expect(rows[0]).to.include({ strings: 'on', longest: '0', path: '"$user",public' });
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('has no influence on how connections read dates, isolate and commit', async () => {
    const database = await freshDatabase();
    await setDefaults(database.url);
    const url = `${database.url}?options=-c%20work_mem%3D5MB`;
    const pool = { url, max: 1, applicationName: 'letters-test', onError: () => {} };
    const named = { url, applicationName: 'letters-test', patienceMs: 1_000 };
    const [readDb, lazyDb, connection] = [
      createReadDb(pool),
      createReadDb({ ...pool, lazyCommit: true, byKeys: true }),
      createConnection(named),
    ];
    try {
      const ask = async (db: { query(text: string): Promise<{ rows: unknown[] }> }) =>
        (await db.query(settingsQuery)).rows[0] as Settings;
      for (const [commits, found] of [
        ['on', await ask(readDb)],
        ['off', await ask(lazyDb)],
        ['on', await connection.use((client) => ask(client))],
      ] as const) {
        expect(found.datestyle).to.match(/^ISO/);
        expect(found).to.include({ isolation: 'read committed', commits, memory: '5MB' });
        expect(found).to.include({ zone: 'UTC', strings: 'on', longest: '0' });
      }
    } finally {
      for (const one of [readDb, lazyDb, connection]) await one.close();
      await database.drop();
    }
  });

  it('keeps a setting that waits for more than the own disk', async () => {
    const database = await freshDatabase();
    await setDefaults(database.url, ['synchronous_commit = remote_apply']);
    const pool = { max: 1, applicationName: 'letters-test', onError: () => {} };
    const db = createReadDb({ url: database.url, ...pool });
    const { rows } = await db.query<Settings>(settingsQuery);
    expect(rows[0]?.commits).to.equal('remote_apply');
    await db.close();
    await database.drop();
  });

  it('serves, follows the log, verifies, backs up, restores and rotates keys', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'letters-test-defaults-'));
    const [database, empty] = [await serviceDatabase(), await emptyDatabase()];
    for (const { url } of [database, empty]) await setDefaults(url);
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') };
    try {
      const service = await startTestService(env);
      try {
        const key = await registerAccount(service.url);
        await Promise.all(Array.from({ length: 20 }, () => sendOne(service.url, key)));
        await atRest(service.url);
        expect((await call(service.url, 'GET', '/health')).body.status).to.equal('ok');
      } finally {
        await service.stop();
      }
      const verified = await runOperator(env, ['verify']);
      expect(verified.code, verified.out + verified.err).to.equal(0);
      const { out } = await runOperator(env, ['doctor']);
      expect(out).to.match(/^ok +clock/m);
      const made = await runOperator(env, ['backup-key', join(folder, 'id.age')]);
      const args = ['backup', '--to', join(folder, 'b'), '--recipient', made.out.trim()];
      const backup = await runOperator(env, args);
      expect(backup.code, backup.err).to.equal(0);
      const from = ['--from', join(folder, 'b'), '--identity', join(folder, 'id.age')];
      const drill = await runOperator(env, ['restore-drill', ...from, '--in', folder]);
      expect(drill.code, drill.out + drill.err).to.equal(0);
      const rotated = await runOperator(env, ['rotate-master', 'root', '--apply']);
      expect(rotated.code, rotated.out + rotated.err).to.equal(0);
      const elsewhere = { DATABASE_URL: empty.url, DATA_DIR: join(folder, 'elsewhere') };
      const restored = await runOperator(elsewhere, ['restore', ...from]);
      expect(restored.code, restored.out + restored.err).to.equal(0);
    } finally {
      await database.drop();
      await empty.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is refused by commands before they change anything when it takes no writes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'letters-test-defaults-'));
    const [database, empty] = [await serviceDatabase(), await emptyDatabase()];
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') };
    const elsewhere = { DATABASE_URL: empty.url, DATA_DIR: join(folder, 'elsewhere') };
    try {
      const service = await startTestService(env);
      await service.stop();
      const made = await runOperator(env, ['backup-key', join(folder, 'id.age')]);
      const to = ['--to', join(folder, 'b'), '--recipient', made.out.trim()];
      expect((await runOperator(env, ['backup', ...to])).code).to.equal(0);
      for (const { url } of [database, empty]) {
        await setDefaults(url, ['default_transaction_read_only = on']);
      }
      const from = ['--from', join(folder, 'b'), '--identity', join(folder, 'id.age')];
      for (const [place, args] of [
        [env, ['backup', ...to]],
        [env, ['rotate-master', 'root', '--apply']],
        [env, ['restore-drill', ...from, '--in', folder]],
        [elsewhere, ['restore', ...from]],
      ] as const) {
        const { code, err } = await runOperator(place, [...args]);
        expect(code, args[0]).to.equal(1);
        expect(err, args[0]).to.match(/the database .* takes no writes/);
        expect(err, args[0]).to.not.contain('failed:');
      }
      expect(await readdir(folder)).to.not.include('elsewhere');
      expect(await completeBackups(join(folder, 'b'))).to.have.length(1);
      const { out } = await runOperator(env, ['doctor']);
      expect(out).to.match(/^FAIL +database .*takes no writes/m);
    } finally {
      await database.drop();
      await empty.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
