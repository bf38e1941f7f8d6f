import { expect } from 'chai';
import { decodeEvent } from '../../events/envelope.ts';
import { letters } from '../../projections/letters/project.ts';
import { lettersByStatus, oldestLetters, printBacklog } from '../../projections/letters/query.ts';
import { ensureReadModels, rebuild } from '../../projections/rebuild.ts';
import {
  account,
  live,
  openWorld,
  projectInBatches,
  register,
  type World,
} from '../support/projection-world.ts';
import { projections } from '../support/some-projections.ts';

type Counts = Record<string, number>;

const sorted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const totalsOf = async ({ db }: World): Promise<Counts> =>
  sorted(
    Object.fromEntries(
      (await lettersByStatus(db))
        .filter((one) => one.letters !== 0n)
        .map((one) => [`${one.test}/${one.status}`, Number(one.letters)]),
    ),
  );

/** Of each account, as it is kept. */
const accountCountsOf = async ({ db }: World): Promise<Counts> => {
  const { rows } = await db.query<{ id: string; letters: number }>(
    'select id, letters::int as letters from read_models.letter_counts',
    [],
  );
  return sorted(Object.fromEntries(rows.map(({ id, letters: count }) => [id, count])));
};

/** The same, counted. */
const countedByAccount = async ({ db }: World): Promise<Counts> => {
  const { rows } = await db.query<{ id: string; letters: number }>(
    `select account_id || '/' || state as id, count(*)::int as letters
     from read_models.letters cross join lateral (
       select status as state union all select 'returned' where delivery_outcome = 'returned') s
     where deleted_at is null group by 1`,
    [],
  );
  return sorted(Object.fromEntries(rows.map(({ id, letters: count }) => [id, count])));
};

const countsOf = async ({ db }: World): Promise<Counts> => {
  const { rows } = await db.query<{ name: string; letters: number }>(
    `select test::text || '/' || status as name, count(*)::int as letters
     from read_models.letters where deleted_at is null group by 1`,
    [],
  );
  return sorted(Object.fromEntries(rows.map(({ name, letters: count }) => [name, count])));
};

describe('totals of letters by status', function () {
  this.timeout(180_000);
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    await register(world, account);
  });
  afterEach(() => world.close());

  for (const seed of [1, 2, 3]) {
    it(`equal the counts after random lives, in batches of any size (seed ${seed})`, async () => {
      await ensureReadModels(world, projections);
      await live(world, 60, seed);
      const events = await projectInBatches(world, [letters], seed, async () => {
        expect(await totalsOf(world)).to.deep.equal(await countsOf(world));
        expect(await accountCountsOf(world)).to.deep.equal(await countedByAccount(world));
      });
      const kept = await totalsOf(world);
      expect(Object.keys(kept).length).to.be.above(3);
      expect(events.map(decodeEvent).some(({ type }) => type === 'LetterErased')).to.equal(true);
      const keptByAccount = await accountCountsOf(world);
      expect(Object.keys(keptByAccount).some((id) => id.endsWith('/returned'))).to.equal(true);
      await rebuild(world, [letters]);
      expect(await totalsOf(world)).to.deep.equal(kept);
      expect(await accountCountsOf(world)).to.deep.equal(keptByAccount);
    });
  }

  it('come with the oldest letters that must go on', async () => {
    await live(world, 60, 4);
    await ensureReadModels(world, projections);
    const { rows } = await world.db.query<{ status: string; oldest: Date }>(
      `select status, min(created_at) as oldest from read_models.letters
       where status in ('queued', 'processing') and deleted_at is null group by 1`,
      [],
    );
    const expected = rows.map(({ status, oldest }) => [status, oldest.toISOString()]);
    const read = (await oldestLetters(world.db)).map((one) => {
      expect(one.test).to.equal(false);
      return [one.status, one.oldest.toISOString()];
    });
    expect(read).to.have.deep.members(expected);
    expect(read.length).to.be.above(0);
  });

  it('come with the letters that wait for production, and since when the first of them does', async () => {
    await live(world, 60, 4);
    await ensureReadModels(world, projections);
    const now = '2026-04-01T00:00:00.000Z';
    const { rows } = await world.db.query<{ stage: string; count: bigint; oldest: Date }>(
      `select 'due' as stage, count(*), min(release_at) as oldest
       from read_models.letters where status = 'queued' and deleted_at is null having count(*) > 0
       union all
       select 'waiting_for_partner', count(*), min(hand_over_at)
       from read_models.letters where status = 'processing' and deleted_at is null
         and hand_over = 'waiting_for_partner' having count(*) > 0`,
      [],
    );
    const read = (await printBacklog(world.db, now)).map((one) => ({
      stage: one.stage,
      count: one.count,
      oldest: one.oldest,
    }));
    expect(read).to.have.deep.members(rows);
    expect(read.map(({ stage }) => stage)).to.have.members(['due', 'waiting_for_partner']);
  });
});
