import { expect } from 'chai';
import { createSpentChallenges } from '../../infra/identity/spent-challenges.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { migrate } from '../../infra/schema/migrate.ts';
import { emptyDatabase } from '../support/postgres.ts';

describe('challenges that presentations answer, in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await emptyDatabase();
    db = createReadDb({ url: database.url, max: 4, applicationName: 'test', onError: () => {} });
    // As an earlier version left it.
    await db.query('create schema identity');
    await db.query(
      `create table identity.spent_challenges (
         digest text collate "C" primary key, spent_at timestamptz not null default now())`,
    );
    await db.query('insert into identity.spent_challenges (digest) values ($1)', [
      JSON.stringify(['old', null, 'did:key:bob']),
    ]);
    await migrate(database.url);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const answer = (challenge: string, holder: string, presentation: string, domain?: string) =>
    createSpentChallenges(db, (text) => text)({ challenge, domain, holder, presentation });

  it('count once for each holder, and no holder uses up that of another', async () => {
    expect(await answer('n-1', 'did:key:mallory', 'hers')).to.equal(true);
    expect(await answer('n-1', 'did:key:bob', 'his')).to.equal(true);
    expect(await answer('n-1', 'did:key:bob', 'another of his')).to.equal(false);
    expect(await answer('n-1', 'did:key:bob', 'another of his', 'shop.example')).to.equal(true);
    expect(await answer('old', 'did:key:bob', 'his')).to.equal(false);
  });

  it('are answered the same for the same presentation, for five minutes', async () => {
    expect(await answer('n-2', 'did:key:bob', 'his')).to.equal(true);
    expect(await answer('n-2', 'did:key:bob', 'his')).to.equal(true);
    const both = await Promise.all([
      answer('n-3', 'did:key:bob', 'one'),
      answer('n-3', 'did:key:bob', 'two'),
    ]);
    expect(both.filter(Boolean)).to.have.length(1);
    await db.query(`update identity.spent_challenges set spent_at = now() - interval '6 minutes'`);
    expect(await answer('n-2', 'did:key:bob', 'his')).to.equal(false);
  });
});
