/** Two processes on one database: a limit is one limit, whichever of them is asked. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { clientOf, until } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

describe('the rate limit of two processes', function () {
  this.timeout(180_000);
  const limit = 150;
  const services: TestService[] = [];
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let db: pg.Client;

  before(async () => {
    database = await serviceDatabase();
    db = new pg.Client(database.url);
    await db.connect();
    const env = {
      DATABASE_URL: database.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      LIMIT_RATE_PER_CREDENTIAL: String(limit),
      // Longer than a busy machine takes for all requests.
      LIMIT_RATE_WINDOW_SECONDS: '60',
    };
    services.push(
      await startTestService(env),
      await startTestService({ ...env, ROLES: 'read-api' }),
    );
  });
  after(async () => {
    for (const service of services.toReversed()) await service.stop();
    await db.end();
    await database.drop();
  });

  it('holds within a tenth, and names neither account nor address in the database', async () => {
    const [one, other] = services.map((service) => clientOf(() => service)) as [
      ReturnType<typeof clientOf>,
      ReturnType<typeof clientOf>,
    ];
    const { account } = await one.register();
    await until(async () => {
      await one.as(account.api_key).get('/api/balance');
      const { rows } = await db.query('select key from limits.windows');
      return rows.length > 0;
    });
    const second = await one.register();
    const clients = [one, other].map((api) => api.as(second.account.api_key));
    // Either may ask for a key that its read models do not have yet.
    for (const client of clients) {
      await until(async () => (await client.get('/api/balance')).status === 200);
    }
    const asked = Array.from({ length: limit }, () =>
      clients.map((client) => client.get('/api/balance')),
    );
    const answers = await Promise.all(asked.flat());
    const allowed = answers.filter(({ status }) => status === 200).length;
    expect(allowed).to.be.within(limit * 0.9, limit * 1.1);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 429]));
    for (const { status, headers } of answers) {
      if (status === 429) expect(headers.get('retry-after')).to.match(/^\d+$/);
    }
    const { rows } = await db.query<{ key: string }>('select key from limits.windows');
    for (const { key } of rows) {
      expect(key).not.to.contain(second.account.account_id);
      expect(key).not.to.contain('127.0.0.1');
    }
  });
});
