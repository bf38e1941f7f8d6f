/** A start that fills read models from the log first, which may take minutes. */
import { expect } from 'chai';
import pg from 'pg';
import { call, letterBody } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually, freePort, makeDataDir, spawnService } from '../support/service-process.ts';

describe('a start that fills read models', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let client: pg.Client;

  beforeEach(async () => {
    database = await serviceDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('update read_models.projections set version = 0');
    // Another process fills them at the moment: this one waits for it.
    await client.query(
      'select pg_advisory_lock(73055132, hashtext(name)) from read_models.projections',
    );
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });
  after(() => folder.remove());

  const begin = async () => {
    const env = { DATABASE_URL: database.url, ROLES: 'write-api,read-api,projections' };
    const service = spawnService(await freePort(), folder.dataDir, env);
    await eventually('it fills', async () => {
      const { rows } = await client.query(
        `select from pg_stat_activity where datname = current_database()
         and application_name = 'letters-rebuild'`,
      );
      return rows.length > 0;
    });
    return service;
  };

  it('lives, is not ready and asks callers to retry until they are filled', async () => {
    const service = await begin();
    try {
      const health = await call(service.url, 'GET', '/health');
      expect(health.status).to.equal(200);
      expect(health.body).to.include({ status: 'degraded' });
      for (const [method, path] of [
        ['GET', '/ready'],
        ['POST', '/api/send'],
      ] as const) {
        const body = method === 'POST' ? { body: letterBody('Hello.') } : {};
        const refused = await call(service.url, method, path, body);
        expect([refused.status, refused.body.code]).to.deep.equal([503, 'store_unavailable']);
        expect(refused.body.detail).to.include('Read models that changed are filled');
      }
      const ready = await fetch(`${service.url}/ready`);
      expect(ready.headers.get('retry-after')).to.match(/^\d+$/);
      await client.query('select pg_advisory_unlock_all()');
      await service.ready();
      expect((await call(service.url, 'GET', '/health')).body.parts).to.equal(undefined);
    } finally {
      await service.terminate();
    }
  });

  it('stops with exit code 0 and leaves no read model half filled', async () => {
    const service = await begin();
    expect((await service.terminate()).code, service.output()).to.equal(0);
    const { rows } = await client.query<{ versions: number[] }>(
      'select array_agg(distinct version) as versions from read_models.projections',
    );
    expect(rows[0]?.versions).to.deep.equal([0]);
  });
});
