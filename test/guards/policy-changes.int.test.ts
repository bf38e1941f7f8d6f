import { expect } from 'chai';
import { createPolicyChanges } from '../../commands/guards/change-book.ts';
import type { Deciding } from '../../commands/policies/approvers.ts';
import { isAnyRevoked } from '../../commands/ucans/was-revoked.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { createHoldingWorld } from '../support/holding-world.ts';
import { account } from '../support/letter-world.ts';

const by = (approver: string): Deciding => ({
  approver,
  credential: { own: [approver], line: [approver] },
  hasFullScope: false,
});

const limit = (dollars: number) => [
  {
    id: 'all',
    effect: 'allow' as const,
    limit: { amountCents: dollars * 100, per: 'day' as const },
  },
];

describe('a change of a policy that is decided in several processes', () => {
  const approvals = (quorum: 1 | 2) => ({
    quorum,
    approvers: ['key_one', 'key_two'],
    expiresInHours: 72,
  });

  const waiting = async (quorum: 1 | 2) => {
    const world = await createHoldingWorld(true);
    await world.put(limit(20), { approvals: approvals(quorum), subject: 'key_agent' });
    const [one, other] = [world.process(), world.process()].map(({ handler }) =>
      createPolicyChanges({ handler, isAnyRevoked }),
    );
    if (!one || !other) throw new Error('two processes');
    const command = {
      subject: 'key_agent',
      wanted: { timeZone: 'UTC', rules: limit(50), approvals: approvals(quorum) },
      maker: { subjects: ['key_agent'], mayRaise: false },
      requester: by('key_agent').credential,
    };
    const { asked } = await one.request(account, command, world.context());
    if (!asked) throw new Error('the change does not wait');
    const { approvalId } = asked.change;
    const changes = async () =>
      (await world.store.readAll({ after: 0n }))
        .map(decodeEvent)
        .flatMap(({ type, data }) =>
          type.startsWith('Policy') && 'subject' in data && data.subject === 'key_agent'
            ? [type]
            : [],
        )
        .slice(2);
    return { world, one, other, approvalId, changes };
  };

  it('is approved or rejected, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { world, one, other, approvalId, changes } = await waiting(1);
      const rejecting = { ...by('key_two'), reason: undefined };
      const [approved, rejected] = await Promise.all([
        rejectionOf(one.approve(account, approvalId, by('key_one'), world.context())),
        rejectionOf(other.reject(account, approvalId, rejecting, world.context())),
      ]);
      expect([approved, rejected].filter((code) => code === 'approval_over')).to.have.length(1);
      expect(await changes()).to.deep.equal(
        approved === undefined ? ['PolicyChangeApproved', 'PolicySet'] : ['PolicyChangeRejected'],
      );
    }
  });

  it('is set once by two approvals at the same time, and not by one', async () => {
    const { world, one, other, approvalId, changes } = await waiting(2);
    await Promise.all([
      one.approve(account, approvalId, by('key_one'), world.context()),
      other.approve(account, approvalId, by('key_one'), world.context()),
    ]);
    expect(await changes()).to.deep.equal(['PolicyChangeApproved']);
    const { status } = await other.find(account, approvalId);
    expect(status).to.equal('pending');
    await Promise.all(
      [one, other, one].map((changesOf) =>
        changesOf.approve(account, approvalId, by('key_two'), world.context()),
      ),
    );
    expect(await changes()).to.deep.equal([
      'PolicyChangeApproved',
      'PolicyChangeApproved',
      'PolicySet',
    ]);
    expect((await one.find(account, approvalId)).status).to.equal('approved');
  });

  it('is not approved by an approver that was revoked before the last one approves', async () => {
    const { world, one, approvalId, changes } = await waiting(2);
    await one.approve(account, approvalId, by('key_one'), world.context());
    const revoked = createPolicyChanges({
      handler: world.process().handler,
      isAnyRevoked: async (_handler, _account, ids) => ids.includes('key_one'),
    });
    const approve = revoked.approve(account, approvalId, by('key_two'), world.context());
    expect(await rejectionOf(approve)).to.equal('key_revoked');
    expect(await changes()).to.deep.equal(['PolicyChangeApproved']);
  });

  it('is never approved after the policy changed in another process', async () => {
    const { world, one, other, approvalId, changes } = await waiting(1);
    await other.find(account, approvalId);
    await world.put(limit(5), { approvals: approvals(1), subject: 'key_agent' });
    const approve = other.approve(account, approvalId, by('key_one'), world.context());
    expect(await rejectionOf(approve)).to.equal('approval_over');
    expect((await one.find(account, approvalId)).status).to.equal('superseded');
    expect(await changes()).to.deep.equal(['PolicySet']);
  });
});
