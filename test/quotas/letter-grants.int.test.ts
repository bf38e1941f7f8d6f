import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { sweepHolds } from '../../infra/quotas/holds.ts';
import { createLetterGrants } from '../../infra/quotas/letter-grants.ts';
import { migrate } from '../../infra/schema/migrate.ts';
import { emptyDatabase } from '../support/postgres.ts';

const daySeconds = 86_400;

describe('grants of letters in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await emptyDatabase();
    db = createReadDb({ url: database.url, max: 8, applicationName: 'test', onError: () => {} });
    await db.query('create schema read_models');
    await db.query(
      'create table read_models.letters (account_id text, status text, created_at timestamptz)',
    );
    await db.query(
      `insert into read_models.letters
       select 'earlier', status, now() - ago * interval '1 hour'
       from (values ('queued', 1), ('cancelled', 2), ('draft', 3), ('queued', 25)) as letter (status, ago)`,
    );
    await Promise.all([migrate(database.url), migrate(database.url)]);
    await db.query('create table read_models.accounts (account_id text, quotas jsonb)');
    await db.query(`insert into read_models.accounts values ('own', '{"liveLettersPerDay": 2}')`);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const grantsOf = (usual: number) => createLetterGrants(db, { name: 'liveLettersPerDay', usual });
  const take = (accountId: string, quota: number, want = 1, waiting = 1) =>
    grantsOf(quota).take({ accountId, want, waiting, holdMs: 30_000 });
  const granted = async (...asked: Parameters<typeof take>): Promise<number> => {
    const answer = await take(...asked);
    return 'id' in answer ? answer.granted : 0;
  };
  const age = (accountId: string, seconds: number) =>
    db.query('update limits.holds set until = until - make_interval(secs => $2) where owner = $1', [
      accountId,
      seconds,
    ]);
  const countOf = async (accountId: string): Promise<number> => {
    const { rows } = await db.query<{ all: number }>(
      'select coalesce(sum(amount), 0)::int as all from limits.holds where owner = $1',
      [accountId],
    );
    return rows[0]?.all ?? 0;
  };

  it('begin with what was sent in the last 24 hours, once', async () => {
    expect(await countOf('earlier')).to.equal(2);
    await migrate(database.url);
    expect(await countOf('earlier')).to.equal(2);
    expect(await granted('earlier', 3)).to.equal(1);
    const refused = await take('earlier', 3);
    if (!('waitMs' in refused)) throw new Error('granted');
    // The older of the two is two hours old.
    expect(refused.waitMs / 1_000).to.be.within(daySeconds - 7_260, daySeconds - 7_100);
  });

  it('are no more together than the quota, however many ask at once', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => granted('many', 100, 5, (n % 3) + 1));
    const given = (await Promise.all(asked)).reduce((sum, count) => sum + count, 0);
    expect(given).to.equal(100);
    expect(await countOf('many')).to.equal(100);
  });

  it('are not taken by a request for none, which leaves no row when it is returned', async () => {
    const looked = await take('looked', 100, 0, 0);
    if (!('id' in looked)) throw new Error('refused');
    expect([looked.granted, await countOf('looked')]).to.deep.equal([0, 0]);
    const unused = [{ id: looked.id, count: 0, usedMsAgo: 0 }];
    await grantsOf(100).giveBack({ key: randomUUID(), unused });
    const { rows } = await db.query('select from limits.holds where owner = $1', ['looked']);
    expect(rows).to.have.length(0);
    expect(await granted('looked', 1)).to.equal(1);
    expect(await take('looked', 1, 0, 0)).to.have.property('quota', 1);
  });

  it('are a fiftieth of what is left at most, but as many as wait', async () => {
    expect(await granted('share', 1_000, 500)).to.equal(20);
    expect(await granted('share', 1_000, 500, 64)).to.equal(64);
    expect(await granted('share', 100, 500, 64)).to.equal(16);
  });

  it('count no more when they are given back, or a day is over', async () => {
    const taken = await take('back', 1_000, 20, 20);
    if (!('id' in taken)) throw new Error('refused');
    const back = {
      key: randomUUID(),
      unused: [
        { id: taken.id, count: 5, usedMsAgo: 1_000 },
        { id: taken.id, count: 3, usedMsAgo: 500 },
      ],
    };
    // A process that lost the answer repeats the request.
    for (let time = 0; time < 3; time++) await grantsOf(0).giveBack(back);
    expect(await countOf('back')).to.equal(12);
    const rest = [{ id: taken.id, count: 12, usedMsAgo: 0 }];
    await grantsOf(0).giveBack({ key: randomUUID(), unused: rest });
    const { rows } = await db.query("select from limits.holds where owner = 'back'");
    expect(rows).to.have.length(0);
    expect(await granted('back', 2, 2, 2)).to.equal(2);
    expect(await granted('back', 2)).to.equal(0);
    await age('back', daySeconds + 31);
    expect(await granted('back', 2)).to.equal(1);
    expect([await countOf('back'), await sweepHolds(db)]).to.deep.equal([1, 0]);
    await age('back', daySeconds + 31);
    expect([await sweepHolds(db), await countOf('back')]).to.deep.equal([1, 0]);
  });

  it('are as many as the operator says for one account', async () => {
    expect([await granted('own', 9), await granted('own', 9)]).to.deep.equal([1, 1]);
    const refused = await take('own', 9);
    expect('quota' in refused && refused.quota).to.equal(2);
  });

  it('say when enough of them are a day old, also when the quota was lowered', async () => {
    for (let hour = 0; hour < 5; hour++) {
      await take('lowered', 10);
      await age('lowered', 3_600);
    }
    const refused = await take('lowered', 3);
    if (!('waitMs' in refused)) throw new Error('granted');
    // Three must go; the third was taken three hours ago.
    expect(refused.waitMs / 3_600_000).to.be.closeTo(21, 0.1);
  });
});
