import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import {
  createLetterGrants,
  prepareLetterGrants,
  sweepLetterGrants,
} from '../../infra/quotas/letter-grants.ts';
import { freshDatabase } from '../support/postgres.ts';

const daySeconds = 86_400;

describe('grants of letters in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let grants: ReturnType<typeof createLetterGrants>;

  before(async () => {
    database = await freshDatabase();
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
    await Promise.all([prepareLetterGrants(db), prepareLetterGrants(db)]);
    grants = createLetterGrants(db);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const take = (accountId: string, quota: number, want = 1, waiting = 1) =>
    grants.take({ accountId, quota, want, waiting, holdMs: 30_000 });
  const age = (accountId: string, seconds: number) =>
    db.query(
      'update limits.letter_grants set until = until - make_interval(secs => $2) where account_id = $1',
      [accountId, seconds],
    );
  const countOf = async (accountId: string): Promise<number> => {
    const { rows } = await db.query<{ all: number }>(
      'select coalesce(sum(count), 0)::int as all from limits.letter_grants where account_id = $1',
      [accountId],
    );
    return rows[0]?.all ?? 0;
  };

  it('begin with what was sent in the last 24 hours, once', async () => {
    expect(await countOf('earlier')).to.equal(2);
    await prepareLetterGrants(db);
    expect(await countOf('earlier')).to.equal(2);
    expect((await take('earlier', 3)).granted).to.equal(1);
    const refused = await take('earlier', 3);
    expect(refused.granted).to.equal(0);
    if (!('waitMs' in refused)) throw new Error('granted');
    // The older of the two is two hours old.
    expect(refused.waitMs / 1_000).to.be.within(daySeconds - 7_260, daySeconds - 7_100);
  });

  it('are no more together than the quota, however many ask at once', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => take('many', 100, 5, (n % 3) + 1));
    const given = (await Promise.all(asked)).reduce((sum, { granted }) => sum + granted, 0);
    expect(given).to.equal(100);
    expect(await countOf('many')).to.equal(100);
  });

  it('are a fiftieth of what is left at most, but as many as wait', async () => {
    expect((await take('share', 1_000, 500)).granted).to.equal(20);
    expect((await take('share', 1_000, 500, 64)).granted).to.equal(64);
    expect((await take('share', 100, 500, 64)).granted).to.equal(16);
  });

  it('count no more when they are given back, or a day is over', async () => {
    const taken = await take('back', 1_000, 20, 20);
    if (!('id' in taken)) throw new Error('refused');
    await grants.giveBack([
      { id: taken.id, count: 5, usedMsAgo: 1_000 },
      { id: taken.id, count: 3, usedMsAgo: 500 },
    ]);
    expect(await countOf('back')).to.equal(12);
    await grants.giveBack([{ id: taken.id, count: 12, usedMsAgo: 0 }]);
    const { rows } = await db.query("select from limits.letter_grants where account_id = 'back'");
    expect(rows).to.have.length(0);
    expect((await take('back', 2, 2, 2)).granted).to.equal(2);
    expect((await take('back', 2)).granted).to.equal(0);
    await age('back', daySeconds + 31);
    expect((await take('back', 2)).granted).to.equal(1);
    await age('back', 4_000);
    expect(await sweepLetterGrants(db)).to.equal(1);
    expect(await countOf('back')).to.equal(1);
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
