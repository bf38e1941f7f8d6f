import { expect } from 'chai';
import { decodeEvent } from '../../events/envelope.ts';
import { notificationOf } from '../../events/notifications.ts';
import { createStatusTargets } from '../../infra/webhooks/status-targets.ts';
import type { Targets } from '../../infra/webhooks/targets.ts';
import { createHoldingWorld, operator } from '../support/holding-world.ts';
import { account } from '../support/letter-world.ts';

type Told = Parameters<Targets['bodies']>[0];
type Target = Parameters<Targets['bodies']>[1];

describe('the bodies of webhooks about approvals', () => {
  it('name the approval of each event and its page, without a token', async () => {
    const world = await createHoldingWorld(true);
    const first = await world.send(world.asked('one'));
    const { letterId } = first;
    const approvalId = first.approval?.approvalId ?? '';
    await world.letters.approvals.approve(account, approvalId, operator, world.context());
    const targets = createStatusTargets({
      handler: world.handler,
      clock: world.clock,
      store: world.store,
      approvalUrl: (id) => `https://letters.example.org/approvals/${id}`,
    });
    const messages = (await world.store.readStream(`letter-${letterId}`)).flatMap((recorded) => {
      const event = decodeEvent(recorded);
      const type = notificationOf(event);
      return type ? [{ eventId: event.id, type, letterId, status: null, at: '' }] : [];
    });
    const bodies = await targets.bodies(messages as unknown as Told, { test: false } as Target);
    const told = messages.map(({ eventId, type }) => ({
      type,
      data: JSON.parse(bodies.get(eventId) ?? '{}').data,
    }));
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
});
