/** A service on a database whose administrator chose other defaults. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { createConnection } from '../../infra/event-store/postgres/connection.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { call } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

const defaults = [
  `datestyle = 'German'`,
  `default_transaction_isolation = 'serializable'`,
  'synchronous_commit = off',
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
  current_setting('work_mem') as memory`;
type Settings = Record<'datestyle' | 'isolation' | 'commits' | 'memory', string>;

describe('a database with other defaults', function () {
  this.timeout(90_000);

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

  it('serves, follows the log, verifies and backs up', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'letters-test-defaults-'));
    const database = await serviceDatabase();
    await setDefaults(database.url);
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
    } finally {
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
