import { expect } from 'chai';
import { clientOf, letterTo, type Sent, until } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startTestService, type TestService, untilShown } from '../support/service.ts';

type Held = Sent & { approval_id: string };

describe('a letter that waits for approval longer than drafts are kept', function () {
  this.timeout(120_000);
  const moved = createMovedClock('2026-11-02T10:00:00Z');
  let service: TestService;
  const api = clientOf(() => service);
  before(async () => {
    const kept = { RETENTION_DAYS: '1', DRAFT_RETENTION_DAYS: '1' };
    service = await startTestService(kept, { clock: moved.clock });
  });
  after(() => service.stop());

  it('is neither erased nor cancelled, and can be approved until its approval expires', async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const boss = await api.newKey(owner, 'full');
    await owner.put(`/auth/keys/${agent.id}/policy`, {
      rules: [
        { id: 'all', effect: 'allow' },
        { id: 'ask', effect: 'hold' },
      ],
    });
    const sent = await agent.post<Held>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(202);
    const draft = await owner.send({ draft: true });
    await untilShown(service);
    moved.moveTo('2026-11-04T10:00:00Z');
    await until(async () => (await owner.letter(draft.letter_id)).to_name === '[erased]');
    const waiting = await owner.letter(sent.body.letter_id);
    expect(waiting).to.include({ status: 'draft', hold_reason: 'approval' });
    expect(waiting.to_name).not.to.equal('[erased]');
    const approved = await boss.post(`/api/approvals/${sent.body.approval_id}/approve`, {});
    expect(approved.status, approved.text).to.equal(200);
  });
});
