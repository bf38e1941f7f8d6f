import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createPolicyChanges } from '../../commands/guards/change-book.ts';
import { isAnyRevoked } from '../../commands/ucans/was-revoked.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { notificationOf } from '../../events/notifications.ts';
import { letterIdOf } from '../../events/registry.ts';
import { createStatusTargets } from '../../infra/webhooks/status-targets.ts';
import type { Targets } from '../../infra/webhooks/targets.ts';
import { askForChange, createHoldingWorld, holdsAll, operator } from '../support/holding-world.ts';
import { account } from '../support/letter-world.ts';

type Told = Parameters<Targets['bodies']>[0];
type Target = Parameters<Targets['bodies']>[1];

type World = Awaited<ReturnType<typeof createHoldingWorld>>;

/** The messages that the events of a stream make, with the data of their bodies, which are made after `afterwards`. */
const toldOf = async (
  world: World,
  stream: string,
  afterwards: () => Promise<unknown> = async () => {},
) => {
  const targets = createStatusTargets({
    handler: world.handler,
    clock: world.clock,
    store: world.store,
    approvalUrl: (id) => `https://letters.example.org/approvals/${id}`,
  });
  const messages = (await world.store.readStream(stream)).flatMap((recorded) => {
    const event = decodeEvent(recorded);
    const type = notificationOf(event);
    const letterId = letterIdOf(event) ?? null;
    const { id: eventId, position } = event;
    return type ? [{ eventId, position, type, letterId, status: null, at: '' }] : [];
  });
  await afterwards();
  const bodies = await targets.bodies(messages as unknown as Told, { test: false } as Target);
  return messages.map(({ eventId, type }) => ({
    type,
    data: JSON.parse(bodies.get(eventId) ?? '{}').data,
  }));
};

describe('the bodies of webhooks about approvals', () => {
  it('name the approval of each event and its page, without a token', async () => {
    const world = await createHoldingWorld(true);
    const first = await world.send(world.asked('one'));
    const { letterId } = first;
    const approvalId = first.approval?.approvalId ?? '';
    await world.letters.approvals.approve(account, approvalId, operator, world.context());
    const told = await toldOf(world, `letter-${letterId}`);
    expect(told.map(({ type }) => type)).to.deep.equal([
      'letter.draft',
      'approval.requested',
      'approval.given',
      'letter.queued',
    ]);
    const approval_url = `https://letters.example.org/approvals/${approvalId}`;
    for (const { type, data } of told) {
      if (type.startsWith('approval.')) {
        expect(data).to.include({ approval_id: approvalId, approval_url });
      } else expect(data).not.to.have.any.keys('approval_id', 'approval_url');
    }
  });

  it('are made although the letter has an event of a later version', async () => {
    const world = await createHoldingWorld(true);
    const { letterId } = await world.send(world.asked('one'));
    const stream = `letter-${letterId}`;
    const told = await toldOf(world, stream, async () => {
      const events = await world.store.readStream(stream);
      const metadata = events.at(-1)?.metadata ?? '{}';
      const later = { id: randomUUID(), type: 'LetterGlowed', data: '{}', metadata };
      await world.store.append(stream, BigInt(events.length) - 1n, [later]);
    });
    expect(told.map(({ type }) => type)).to.deep.equal(['letter.draft', 'approval.requested']);
    expect(told[1]?.data).to.have.property('approval_id');
  });

  it('name each change of a policy as well, and nothing that it changes', async () => {
    const world = await createHoldingWorld(true);
    const changes = createPolicyChanges({ handler: world.handler, isAnyRevoked });
    const first = await askForChange(world, [{ id: 'all', effect: 'allow' }]);
    await changes.approve(account, first, operator, world.context());
    await world.put(holdsAll);
    const second = await askForChange(world, [{ id: 'all', effect: 'allow' }]);
    const no = { ...operator, reason: 'Not yet' };
    await changes.reject(account, second, no, world.context());
    const [recorded] = await world.store.readAll({ after: 0n });
    const told = (await toldOf(world, recorded?.stream ?? '')).filter(({ type }) =>
      type.startsWith('policy_change.'),
    );
    const expected = [
      ['policy_change.requested', first],
      ['policy_change.approved', first],
      ['policy_change.requested', second],
      ['policy_change.rejected', second],
    ] as const;
    expect(told.map(({ type, data }) => [type, data.approval_id])).to.deep.equal(expected);
    for (const { data } of told) {
      const { notification_id: _, ...rest } = data;
      expect(rest).to.deep.equal({
        letter_id: null,
        status: null,
        approval_id: data.approval_id,
        approval_url: `https://letters.example.org/approvals/${data.approval_id}`,
        test: false,
      });
    }
  });
});
