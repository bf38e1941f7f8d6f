/** A database that takes no writes, as one that was demoted to a standby. */
import { expect } from 'chai';
import pg from 'pg';
import { clientOf, expectProblem, letterTo, type Sent, until } from '../support/client.ts';
import { startTestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

describe('a database that takes no writes', function () {
  this.timeout(180_000);

  it('is answered for with 503, takes the service off /ready, and is used again when it takes writes', async () => {
    const database = await serviceDatabase();
    const service = await startTestService({ DATABASE_URL: database.url });
    const api = clientOf(() => service);
    const name = new URL(database.url).pathname.slice(1);
    const server = new URL(database.url);
    server.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: server.href });
    await admin.connect();
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`);
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [name],
      );
    };
    const ready = async (): Promise<number> => (await api.call('GET', '/ready')).status;
    try {
      const client = await api.register();
      const send = () => client.post<Sent>('/api/send', letterTo('DE'));
      await until(async () => (await ready()) === 200);
      await setReadOnly('on');
      const first = await send();
      expectProblem(first, 503, 'store_unavailable');
      expect(first.headers.get('retry-after')).to.match(/^\d+$/);
      await until(async () => (await ready()) === 503);
      expectProblem(await send(), 503, 'store_unavailable');
      await admin.query(`alter database ${name} set default_transaction_read_only = off`);
      await until(async () => (await ready()) === 200);
      await until(async () => (await send()).status === 201);
      type Health = { status: string };
      await until(
        async () => (await api.call<Health>('GET', '/health')).body.status === 'ok',
        30_000,
      );
    } finally {
      await service.stop();
      await admin.end();
      await database.drop();
    }
  });
});
