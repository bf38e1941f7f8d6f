/** Letters that wait for approval, with the log in EventStoreDB: nothing is lifted that was frozen before. */

import { expect } from 'chai';
import { freeze } from '../../commands/guards/freeze.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { createHoldingWorld, operator } from '../support/holding-world.ts';
import { account } from '../support/letter-world.ts';

describe('a letter that is held, on EventStoreDB', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  let store: EventStore;
  let world: Awaited<ReturnType<typeof createHoldingWorld>>;

  beforeEach(async () => {
    server = await startEventStoreDbServer();
    store = createEventStoreDb({ connectionString: server.connectionString });
    world = await createHoldingWorld(false, store);
  });
  afterEach(async () => {
    await store.close();
    await server.close();
  });

  const waiting = async (key: string) => {
    const { letterId, approval } = await world.send(world.asked(key));
    if (!approval) throw new Error('the letter does not wait');
    const { approvalId } = approval;
    return { letterId, approvalId };
  };
  const walletEvents = async () =>
    (await store.readAll({ after: 0n }))
      .filter(({ stream }) => stream.startsWith('wallet-'))
      .map((one) => decodeEvent(one));
  const lifts = async () => (await walletEvents()).filter(({ type }) => type === 'HoldLifted');
  const approve = ({ approvalId }: { approvalId: string }) =>
    world.process().letters.approvals.approve(account, approvalId, operator, world.context());
  const freezeAccount = () =>
    world
      .process()
      .handler.handle(walletAggregate, account, world.context(), (wallet) =>
        freeze(wallet, { type: 'Freeze', subject: 'account', maker: { subjects: [] } }),
      );

  it('is lifted once by its last approval, which moves no money, also for a process that starts then', async () => {
    const held = await waiting('one');
    const before = await world.available();
    await approve(held);
    await approve(held);
    const [lifted, ...more] = await lifts();
    expect(more).to.deep.equal([]);
    expect(lifted?.data).to.have.nested.property('purpose.id', held.letterId);
    expect(await world.available()).to.equal(before);
    expect((await world.letter(held.letterId)).status).to.equal('queued');
    const [reservation] = [...(await world.wallet()).reservations.values()];
    expect(reservation?.state).to.equal('held');
  });

  it('is not lifted after a freeze', async () => {
    const held = await waiting('one');
    await freezeAccount();
    expect(await rejectionOf(approve(held))).to.equal('frozen');
    expect(await lifts()).to.deep.equal([]);
    expect((await world.letter(held.letterId)).status).to.equal('draft');
  });

  it('is lifted before a freeze that comes at the same time, or stays a draft', async () => {
    const held = await waiting('one');
    const [refused] = await Promise.all([rejectionOf(approve(held)), freezeAccount()]);
    const types = (await walletEvents()).map(({ type }) => type);
    const [liftedAt, frozenAt] = [types.indexOf('HoldLifted'), types.indexOf('SpendingFrozen')];
    const isQueued = (await world.letter(held.letterId)).status === 'queued';
    expect(frozenAt).to.be.at.least(0);
    expect(isQueued, types.join()).to.equal(refused === undefined);
    expect(liftedAt >= 0, types.join()).to.equal(isQueued);
    if (isQueued) expect(liftedAt).to.be.below(frozenAt);
  });
});
