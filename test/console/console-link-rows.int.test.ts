/** The same request for a link comes to several processes at once. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import type { Db } from '../../ground/db.ts';
import { createConsoleLinks } from '../../infra/sessions/console-links.ts';
import { withKey } from '../support/keyring.ts';
import { openWorld, type World } from '../support/projection-world.ts';
import { eventually } from '../support/service-process.ts';

describe('a link to the console that two processes are asked for at once', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world?.close());

  const key = withKey(randomBytes(32));
  const linksOf = (db: Db) => createConsoleLinks({ db, clock: Date.now, key, mostPerKey: 20 });
  const ucan = { cid: 'c', cids: [], tokens: ['t'], audience: 'a', expiresAtMs: undefined };
  const caller: Caller = {
    accountId: 'acct_1',
    keyId: 'ucan:c',
    scope: 'full',
    test: true,
    ucan: { ...ucan, invocation: false, permits: [] },
  };
  const wanted = { readOnly: false, lifetimeMs: 600_000 };

  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await world.db.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%console.links%'`,
    );
    return rows.length > 0;
  };

  /** The first process commits while the statement of the second waits for it. */
  const makeTwice = async (commandId: string, hashes: [string, string]) => {
    let second: Promise<unknown> | undefined;
    const first = await world.db.transaction(async (tx) => {
      const command = { commandId, actor: caller.keyId, repeatable: true };
      const made = await linksOf(tx).make(caller, wanted, { ...command, requestHash: hashes[0] });
      second = linksOf(world.db)
        .make(caller, wanted, { ...command, requestHash: hashes[1] })
        .catch((error: unknown) => error);
      await eventually('the second waits', isWaiting);
      return made;
    });
    return { first, second: await second };
  };

  it('is the same link', async () => {
    const { first, second } = await makeTwice('one', ['h', 'h']);
    expect(first.replayed).to.equal(false);
    expect(second).to.deep.equal({ ...first, replayed: true });
  });

  it('is refused to the second that asks for another one', async () => {
    const { second } = await makeTwice('two', ['h', 'i']);
    expect(isAppError(second) && second.code).to.equal('idempotency_key_reused');
  });
});
