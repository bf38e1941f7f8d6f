import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('a transaction', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let silent: ReturnType<typeof createReadDb>;
  let other: ReturnType<typeof createReadDb>;
  const lock = 'select from work.rows where id = 1 for update';

  before(async () => {
    database = await freshDatabase();
    const options = { url: database.url, max: 2, applicationName: 'test', onError: () => {} };
    silent = createReadDb({ ...options, silentMs: 300 });
    other = createReadDb(options);
    await other.query('create schema if not exists work');
    await other.query('create table work.rows (id int)');
    await other.query('insert into work.rows values (1)');
  });
  after(async () => {
    await Promise.all([silent.close(), other.close()]);
    await database.drop();
  });

  it('of a process that hangs keeps its locks from others for a limited time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const hanging = silent.transaction(async (tx) => {
      await tx.query(lock);
      locked.resolve();
      await promise;
    });
    await locked.promise;
    await other.query('update work.rows set id = 1');
    resolve();
    const failure = await hanging.catch((error: Error) => error.message);
    expect(failure).to.contain('the database does not answer');
    expect((await silent.query('select')).rows).to.have.length(1);
  });

  it('that is unlimited keeps its locks for as long as it takes', async () => {
    await silent.transaction(
      async (tx) => {
        await tx.query(lock);
        await other.query('select pg_sleep(1)');
        await tx.query(lock);
      },
      { unlimited: true },
    );
  });
});
