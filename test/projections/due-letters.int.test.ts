import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { areAnyOverdue, dueLetters, lettersInProduction } from '../../projections/letters/query.ts';
import { storedDoc } from '../../projections/letters/stored-doc.ts';
import { letterTable } from '../../projections/letters/table.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { freshDatabase } from '../support/postgres.ts';

const now = '2026-11-03T09:00:00.000Z';

describe('letters that are due', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 2, applicationName: 'test', onError: () => {} });
    await db.query(letterTable.create('read_models.letters', undefined));
  });
  beforeEach(() => db.query('truncate read_models.letters'));
  after(async () => {
    await db.close();
    await database.drop();
  });

  type Row = { country?: string; status?: string; test?: boolean; startedAt?: string };
  /** Letters of an account, one due each second up to `lastS` seconds before now. */
  const queue = async (account: string, count: number, lastS: number, row: Row = {}) => {
    const { country = 'FR', status = 'queued', test = false, startedAt } = row;
    const source = 'partner';
    const timeline =
      startedAt === undefined ? [] : [{ status: 'processing' as const, at: startedAt, source }];
    const ids = Array.from({ length: count }, () => randomUUID());
    await db.query(
      `insert into read_models.letters
       select id, $2, $9::boolean, $3, 'service', $4, n, $5::timestamptz, $5::timestamptz, null, null,
         null, null, $5::timestamptz - make_interval(secs => $6::int + $7::int - n), null, null, 0,
         null, null, $8, n
       from unnest($1::uuid[]) with ordinality as t (id, n)`,
      [
        ids,
        account,
        status,
        country,
        now,
        lastS,
        count,
        storedDoc({ terms: sampleTerms(), createdAt: now, updatedAt: now, timeline }),
        test,
      ],
    );
    return ids;
  };
  const due = (limit: number, countries = ['FR'], test = true) =>
    dueLetters(db, now, { countries, test }, limit);

  it('come in turn: the oldest one of each account before the second of any', async () => {
    const many = await queue('acct_many', 5_000, 60);
    const two = await queue('acct_two', 2, 10);
    const [one] = await queue('acct_one', 1, 0);
    const first = await due(6);
    expect(first).to.deep.equal([many[0], two[0], one, many[1], two[1], many[2]]);
  });

  it('are those whose time was not skipped by a jump of the clock', async () => {
    const [old] = await queue('acct_a', 1, 10);
    await queue('acct_a', 1, 5);
    const [later] = await queue('acct_a', 1, 2);
    const agoMs = (seconds: number) => Date.parse(now) - seconds * 1_000;
    const skipped = { fromMs: agoMs(6), toMs: agoMs(3) };
    const all = { countries: ['FR'], test: true };
    expect(await dueLetters(db, now, all, 10, skipped)).to.deep.equal([old, later]);
  });

  it('are those whose time has come, to open countries, and test letters', async () => {
    const [old] = await queue('acct_a', 1, 1);
    await queue('acct_a', 1, -1);
    await queue('acct_a', 1, 1, { status: 'cancelled' });
    await queue('acct_a', 1, 1, { country: 'DE' });
    const [test] = await queue('acct_b', 1, 1, { country: 'DE', test: true });
    expect(await due(10)).to.have.members([old, test]);
    expect(await due(10, [])).to.deep.equal([test]);
    expect(await due(10, ['FR', 'DE'], false))
      .to.include(old)
      .and.not.include(test);
  });

  it('are overdue for their account while they are queued', async () => {
    await queue('acct_a', 1, 1);
    await queue('acct_b', 1, -1);
    await queue('acct_c', 1, 1, { status: 'processing' });
    const asked = ['acct_b', 'acct_a', 'acct_c', 'acct_a'].map((accountId) => ({
      accountId,
      until: now,
    }));
    expect(await areAnyOverdue(db, asked)).to.deep.equal([false, true, false, true]);
  });

  it('may be in production, also if that started before their time', async () => {
    const status = 'processing';
    const [due] = await queue('acct_a', 1, 1);
    await queue('acct_a', 1, -1);
    const [early] = await queue('acct_a', 1, -1, { status, startedAt: now });
    await queue('acct_a', 1, -1, { status, startedAt: '2026-11-03T09:00:00.001Z' });
    expect(await lettersInProduction(db, now)).to.have.members([due, early]);
  });
});
