import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { spentByDay } from '../../projections/ledger/query.ts';
import { letters } from '../../projections/letters/project.ts';
import { lettersByDay } from '../../projections/letters/query.ts';
import { stepRecordedAt } from '../../projections/letters/stored-doc.ts';
import { ensureReadModels, rebuild } from '../../projections/rebuild.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import {
  account,
  live,
  openWorld,
  projectInBatches,
  register,
  type World,
} from '../support/projection-world.ts';
import { projections } from '../support/some-projections.ts';

const hourMs = 3_600_000;
const always = { from: '2000-01-01', to: '2999-12-31' };

/** Each command happens seven hours after the one before, in turn over nine days. */
const overDays = (world: World): World => {
  let commands = 0;
  const handler = createCommandHandler({
    store: world.store,
    dataKeys: createMemoryDataKeys(),
    clock: () => Date.UTC(2026, 1, 20) + ((commands++ * 7) % 216) * hourMs,
  });
  return { ...world, handler };
};

type Days = { letters: Map<string, number>; spent: Map<string, bigint> };

const daysOf = async ({ db }: World, accountId = account, range = always): Promise<Days> => ({
  letters: await lettersByDay(db, accountId, range),
  spent: await spentByDay(db, accountId, range),
});

/** As the rows of letters and the lines of the statement say it. */
const daysOfRows = async ({ db }: World): Promise<Days> => {
  const { rows: counted } = await db.query<{ day: string; letters: number }>(
    `select to_char(${stepRecordedAt('step')} at time zone 'UTC', 'YYYY-MM-DD') as day,
       count(*)::int as letters
     from read_models.letters, json_array_elements(doc::json -> 'l') step
     where account_id = $1 and step ->> 0 = 'queued' group by 1 order by 1`,
    [account],
  );
  const { rows: paid } = await db.query<{ day: string; spent: bigint }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
       -sum(coalesce(crypto_micro, 0) + coalesce(fiat_micro, 0))::bigint as spent
     from read_models.ledger_entries where account = $1
       and type in ('FundsReserved', 'FundsReleased', 'FundsRefunded') group by 1 order by 1`,
    [`available:${account}`],
  );
  return {
    letters: new Map(counted.map((row) => [row.day, row.letters])),
    spent: new Map(paid.map((row) => [row.day, row.spent])),
  };
};

const sorted = ({ letters: counted, spent }: Days) => ({
  letters: [...counted].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  spent: [...spent].toSorted(([a], [b]) => (a < b ? -1 : 1)),
});

describe('letters and spending by day', function () {
  this.timeout(180_000);
  let world: World;
  beforeEach(async () => {
    world = overDays(await openWorld());
    await register(world, account);
  });
  afterEach(() => world.close());

  for (const seed of [1, 2, 3]) {
    it(`equal the letters and the statement, in batches of any size (seed ${seed})`, async () => {
      await ensureReadModels(world, projections);
      await live(world, 60, seed);
      const events = await projectInBatches(world, [letters, ledger], seed);
      const kept = sorted(await daysOf(world));
      expect(kept).to.deep.equal(sorted(await daysOfRows(world)));
      expect(kept.letters.length).to.be.above(3);
      const types = new Set(events.map(decodeEvent).map(({ type }) => type));
      expect([...types]).to.include.members(['FundsReserved', 'FundsReleased']);
      await rebuild(world, [letters]);
      await rebuild(world, [ledger]);
      expect(sorted(await daysOf(world))).to.deep.equal(kept);
    });
  }

  it('are those of the account and of the days that were asked for', async () => {
    await live(world, 20, 4);
    await ensureReadModels(world, projections);
    const all = await daysOf(world);
    const [day = ''] = [...all.letters.keys()].toSorted();
    const one = await daysOf(world, account, { from: day, to: day });
    expect([...one.letters]).to.deep.equal([[day, all.letters.get(day)]]);
    for (const other of ['acct_', 'acct_10', 'acct_2', '']) {
      expect(sorted(await daysOf(world, other)), other).to.deep.equal({ letters: [], spent: [] });
    }
  });
});
