import { expect } from 'chai';
import { Refused } from '../../operator/command.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { askForChange, holdsAll, putPolicy } from '../support/holding-world.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { operatorOf } from '../support/operator.ts';

const createHoldingWorld = async (quorum: 1 | 2) => {
  const world = createLetterWorld();
  await world.fund(1_000n);
  const approvals = { quorum, approvers: ['key_a', 'key_b'], expiresInHours: 72 };
  await putPolicy(world, { timeZone: 'UTC', rules: holdsAll, approvals });
  const sent = await world.letters.send(letterTo(), plainly, world.asked('one'));
  const { handler, letters } = world;
  const foundation = { commands: { handler }, shared: { letters } } as unknown as Foundation;
  return {
    ...world,
    letterId: sent.letterId,
    approvalId: sent.approval?.approvalId ?? '',
    operate: operatorOf(() => foundation).operate,
  };
};

describe('the operator, of a letter that waits for approval', () => {
  it('approves it', async () => {
    const world = await createHoldingWorld(1);
    expect(await world.operate('approve', world.approvalId)).to.include('It is queued');
    const letter = await world.letter(world.letterId);
    if (letter.status === 'none') throw new Error('no letter');
    expect(letter.status).to.equal('queued');
    expect(letter.approval?.given.map(({ approver }) => approver)).to.deep.equal(['operator']);
  });

  it('is one approver of two', async () => {
    const world = await createHoldingWorld(2);
    for (const _ of [1, 2]) {
      expect(await world.operate('approve', world.approvalId)).to.include('another approver');
    }
    expect((await world.letter(world.letterId)).status).to.equal('draft');
  });

  it('rejects it', async () => {
    const world = await createHoldingWorld(1);
    const said = await world.operate('reject', world.approvalId, '--reason', 'No budget');
    expect(said).to.include('draft again');
    const letter = await world.letter(world.letterId);
    if (letter.status === 'none') throw new Error('no letter');
    expect(letter.approval?.status).to.equal('rejected');
  });

  it('hears that there is no such approval', async () => {
    const world = await createHoldingWorld(1);
    const unknown = world.operate('approve', `apr_${'0'.repeat(40)}`);
    const outcome = await unknown.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Refused);
  });
});

describe('the operator, of a change of a policy that waits for approval', () => {
  const free = [{ id: 'all', effect: 'allow' as const }];

  it('approves it, and the policy is changed', async () => {
    const world = await createHoldingWorld(1);
    const asked = await askForChange(world, free);
    expect(await world.operate('approve', asked)).to.include('It holds now');
    const { policies } = (await world.wallet()).guards;
    expect(policies.get('account')?.rules).to.deep.equal(free);
    const again = world.operate('reject', asked).catch((error: unknown) => error);
    expect(await again).to.include({ code: 'approval_over' });
  });

  it('is one approver of two, and rejects with a reason', async () => {
    const world = await createHoldingWorld(2);
    const asked = await askForChange(world, free);
    expect(await world.operate('approve', asked)).to.include('another approver');
    const said = await world.operate('reject', asked, '--reason', 'Too much');
    expect(said).to.include('stays as it is');
    const { changesAsked, policies } = (await world.wallet()).guards;
    expect(changesAsked.get('account')).to.include({ isRejected: true, reason: 'Too much' });
    expect(policies.get('account')?.rules).to.have.length(2);
  });

  it('hears that there is no such change', async () => {
    const world = await createHoldingWorld(1);
    const unknown = world.operate('approve', `apc_${'0'.repeat(46)}`);
    expect(await unknown.catch((error: unknown) => error)).to.include({
      code: 'approval_not_found',
    });
  });
});
