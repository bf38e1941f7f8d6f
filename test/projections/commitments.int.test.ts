/** Commitments with many letters: one shows all of them, a list the first ones of each. */
import { expect } from 'chai';
import { commitmentRows } from '../../projections/commitments/project.ts';
import {
  commitmentOf,
  commitmentsOf,
  mostLettersListed,
} from '../../projections/commitments/query.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { openWorld, type World } from '../support/projection-world.ts';

const used = mostLettersListed + 20;

describe('the letters of a commitment', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
    await ensureReadModels(world, [commitmentRows]);
    await world.db.query(
      `insert into read_models.commitments_g1 (commitment_id, account_id, tier, position, accepted_at, doc)
       select 'commitment_' || n, 'acct_1', 'economy', n, now(), '{}' from generate_series(0, 2) n`,
    );
    // Each fourth letter gave its use back.
    await world.db.query(
      `insert into read_models.commitment_uses_g1 (letter_id, commitment_id, money_micro)
       select md5(c || ' ' || n)::uuid, 'commitment_' || c, case n % 4 when 0 then 0 else 1 end
       from generate_series(0, 1) c, generate_series(1, case c when 0 then 4 else $1 end) n`,
      [(used / 3) * 4],
    );
  });
  after(() => world.close());

  it('are all shown of one', async () => {
    const view = await commitmentOf(world.db, 'acct_1', 'commitment_1');
    expect(view?.letters).to.have.length(used);
    expect(view?.used).to.equal(used);
    expect(await commitmentOf(world.db, 'acct_2', 'commitment_1')).to.equal(undefined);
  });

  it('are counted in a list, which shows the first ones', async () => {
    const page = { before: undefined, limit: 10 };
    const [none, many, few] = await commitmentsOf(world.db, 'acct_1', page);
    expect(none).to.deep.include({ letters: [], used: 0 });
    const all = (await commitmentOf(world.db, 'acct_1', 'commitment_1'))?.letters;
    expect(many).to.deep.include({ letters: all?.slice(0, mostLettersListed), used });
    expect(few?.used).to.equal(3);
    expect(few?.letters).to.have.length(3);
  });
});
