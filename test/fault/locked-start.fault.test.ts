/** A start while a long statement of somebody else holds a lock. */
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { StartRefused } from '../../contract/start-refused.ts';
import { createLogger } from '../../infra/log.ts';
import { outwaitLocks } from '../../service/run/outwait-locks.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  makeDataDir,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

const log = createLogger({ level: 'silent' });
const stopping = new AbortController().signal;

describe('a start while somebody else holds a lock', function () {
  this.timeout(180_000);
  const closing = new AsyncDisposableStack();
  const folder = makeDataDir();
  closing.defer(folder.remove);
  after(() => closing.disposeAsync());

  /** Locks a table until the client rolls back. */
  const locking = async (url: string, table: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, application_name: 'nightly-report' });
    await client.connect();
    closing.defer(() => client.end());
    await client.query('begin');
    await client.query(`lock table ${table}`);
    return client;
  };

  /** The database of a service, with a table that is locked until `client` rolls back. */
  const lockedDatabase = async (table: string): Promise<{ url: string; client: pg.Client }> => {
    const { url, drop } = await serviceDatabase();
    closing.defer(drop);
    return { url, client: await locking(url, table) };
  };
  const start = async (name: string, url: string): Promise<ServiceProcess> => {
    const dataDir = join(folder.dataDir, name);
    const service = spawnService(await freePort(), dataDir, { ...oneProcess, DATABASE_URL: url });
    closing.defer(async () => void (await service.terminate()));
    return service;
  };

  // Each start waits for ten seconds. All hooks run before the first test, so that the starts wait at the same time.
  for (const table of ['read_models.projections', 'migrations.applied', 'event_log.head']) {
    let client: pg.Client;
    let service: ServiceProcess;
    before(async () => {
      const locked = await lockedDatabase(table);
      client = locked.client;
      service = await start(table, locked.url);
    });

    it(`waits for ${table}, says for what, answers 503 meanwhile, and starts then`, async () => {
      await eventually('it says so', () => service.output().includes('nightly-report'));
      expect(service.output()).to.match(/waits for a lock .*nightly-report/);
      expect((await call(service.url, 'GET', '/health')).status).to.equal(200);
      const refused = await call(service.url, 'POST', '/api/send', { body: letterBody('Hi.') });
      expect([refused.status, refused.body.code]).to.deep.equal([503, 'store_unavailable']);
      // A migration has no time limit, so its start begins only once.
      if (table !== 'migrations.applied') {
        await eventually('it begins again', () => service.output().includes('begins again'));
      }
      const { rows } = await client.query(
        `select from pg_stat_activity where datname = current_database()
         and application_name like 'letters-%'`,
      );
      expect(rows.length).to.be.below(40);
      await client.query('rollback');
      await service.ready();
    });
  }

  it('ends at once and in good order when it is stopped meanwhile', async () => {
    const { url, client } = await lockedDatabase('event_log.head');
    const service = await start('stopped', url);
    await eventually('it says so', () => service.output().includes('nightly-report'));
    const ended = await service.terminate();
    expect(ended.code, service.output()).to.equal(0);
    expect(ended.ms).to.be.below(5_000);
    await client.query('rollback');
  });

  it('is refused with the holder of the lock when the wait is over', async () => {
    const { url, client } = await lockedDatabase('event_log.head');
    const other = new pg.Client({
      connectionString: url,
      application_name: 'letters-test',
    });
    await other.connect();
    const waiting = other.query('select from event_log.head').catch(() => undefined);
    const started = outwaitLocks({ url, log, stopping, patienceMs: 1_000 }, async () => {
      await waiting;
      throw new Error('not within the time');
    });
    const failure = await started.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(StartRefused);
    expect((failure as Error).message).to.match(
      /letters-test .*nightly-report .*pg_terminate_backend\(\d+\)/,
    );
    await client.query('rollback');
    await other.end();
  });

  it('fails at once for a reason of its own', async () => {
    const { url, drop } = await serviceDatabase();
    closing.defer(drop);
    const failure = await outwaitLocks({ url, log, stopping }, () =>
      Promise.reject(new Error('no key')),
    ).catch((error: unknown) => error);
    expect((failure as Error).message).to.equal('no key');
  });

  it('ends a command of the operator with the advice to check its result first', async () => {
    const { url, drop } = await serviceDatabase();
    closing.defer(drop);
    const env = { DATA_DIR: folder.dataDir, DATABASE_URL: url, MASTER_KEY: '11'.repeat(32) };
    expect((await runOperator(env, ['keys'])).code).to.equal(0);
    const client = await locking(url, 'event_log.head');
    const { code, err } = await runOperator(env, ['rotate-key', 'credential']);
    expect(code, err).to.equal(1);
    expect(err).to.match(
      /may still take effect.*: check the result before you repeat the command\.\n$/,
    );
    expect(err).to.not.include('correct the address');
    await client.query('rollback');
  });
});
