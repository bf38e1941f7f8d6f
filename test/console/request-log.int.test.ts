/** Several processes write and trim the log of requests at the same time. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createRequestLog } from '../../infra/requests/request-log.ts';
import { openWorld, type World } from '../support/projection-world.ts';

const accountId = 'acct_1';

describe('the log of requests of several processes', () => {
  let world: World;
  let other: pg.Client;

  before(async () => {
    world = await openWorld();
    other = new pg.Client({ connectionString: world.url });
    await other.connect();
  });
  after(async () => {
    await other?.end();
    await world?.close();
  });

  /** Writes `count` requests as one process, and keeps `mostPerAccount` of them. */
  const write = async (count: number, mostPerAccount: number): Promise<void> => {
    const failed: unknown[] = [];
    const onError = (error: unknown) => void failed.push(error);
    const rules = { db: world.db, clock: Date.now, mostPerAccount, keptDays: 7, onError };
    const log = createRequestLog(rules);
    for (let n = 0; n < count; n++) {
      const requestId = randomUUID();
      const code = undefined;
      log.note({ accountId, keyId: 'k', operation: 'o', status: 200, code, requestId, ms: 1 });
    }
    await log.stop();
    expect(failed).to.deep.equal([]);
  };

  const kept = async (): Promise<number> =>
    (await world.db.query('select from console.requests')).rows.length;

  it('is trimmed without waiting for another process that trims it', async () => {
    await write(30, 100);
    await other.query('begin');
    await other.query('select from console.requests order by id limit 1 for update');
    await write(2, 20);
    expect(await kept()).to.equal(21);
    await other.query('rollback');
    await write(2, 20);
    expect(await kept()).to.equal(20);
  });
});
