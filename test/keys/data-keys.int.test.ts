/** Data keys in memory follow erasures by other processes. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createDataKeys } from '../../infra/keys/data-keys.ts';
import { createLogger } from '../../infra/log.ts';
import { createTestKeyring } from '../support/keyring.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventually } from '../support/service-process.ts';

describe('a data key', function () {
  this.timeout(180_000);

  it('is forgotten by every process, also by one that reads it while another erases it', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url });
    const root = randomBytes(32);
    const roots = { version: 1, list: [{ n: 1, state: 'active' as const, material: root }] };
    const keysOn = (on: pg.Pool) =>
      createDataKeys({
        url: database.url,
        pool: on,
        keyring: createTestKeyring(root),
        loadRoots: async () => roots as never,
        log: createLogger({ level: 'silent' }),
      });
    let queries = 0;
    let arrives: Promise<void> = Promise.resolve();
    // Answers of the database arrive when the test lets them.
    const slowPool = {
      async query(text: string, values: unknown[]) {
        const answer = await pool.query(text, values);
        queries++;
        await arrives;
        return answer;
      },
    } as unknown as pg.Pool;
    const one = await keysOn(pool);
    const other = await keysOn(slowPool);
    try {
      await pool.query(`insert into keys.roots (n, state) values (1, 'active')
        on conflict do nothing`);
      await one.create('letter-x');
      await one.create('letter-y');
      await other.get('letter-y');
      await eventually('both hear of erasures', async () => {
        const { rowCount } = await pool.query(
          `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
           where locktype = 'advisory' and classid = 730551327 and datname = current_database()`,
        );
        return rowCount === 2;
      });
      await eventually('a key is in memory', async () => {
        const before = queries;
        await other.get('letter-y');
        return queries === before;
      });
      const heard: (string | undefined)[] = [];
      other.onErased((subject) => heard.push(subject));
      const { promise, resolve } = Promise.withResolvers<void>();
      arrives = promise;
      const before = queries;
      const reading = other.get('letter-x');
      await eventually('it was read', () => queries > before);
      await one.erase('letter-x');
      await one.erase('letter-y');
      const asked = queries;
      await eventually('it heard of the erasures', async () => {
        void other.get('letter-y');
        await new Promise(setImmediate);
        return queries > asked;
      });
      resolve();
      expect(await reading, 'it was there when it was read').not.to.equal(undefined);
      expect(await other.get('letter-y')).to.equal(undefined);
      expect(await other.get('letter-x')).to.equal(undefined);
      expect(heard).to.include.members(['letter-x', 'letter-y']);
      expect(heard).to.not.include(undefined);
      await pool.query(`select pg_terminate_backend(pid)
        from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where locktype = 'advisory' and classid = 730551327 and datname = current_database()`);
      await eventually('it was not listening for a while', () => heard.includes(undefined));
    } finally {
      await one.close();
      await other.close();
      await pool.end();
      await database.drop();
    }
  });
});
