/** Rows about an erased account that no event makes. */
import { expect } from 'chai';
import { removeRows } from '../../infra/accounts/account-data.ts';
import { createBegunPasskeys } from '../../infra/sessions/begun-passkeys.ts';
import { accounts } from '../../projections/accounts/project.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { openWorld, type World } from '../support/projection-world.ts';

describe('the rows of an account that is erased', () => {
  let world: World;

  before(async () => {
    world = await openWorld();
    await ensureReadModels(world, [accounts]);
  });
  after(() => world?.close());

  it('do not include the key of a passkey whose registration crashed', async () => {
    const { db } = world;
    const begun = createBegunPasskeys({ db, clock: Date.now });
    await begun.begin({ accountId: 'acct_1', keyId: 'key_1' });
    await begun.begin({ accountId: 'acct_2', keyId: 'key_2' });
    await removeRows(db, 'acct_1');
    const { rows } = await db.query('select account_id from console.begun_passkeys');
    expect(rows).to.deep.equal([{ account_id: 'acct_2' }]);
  });
});
