import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import { expectProblem, letterTo, useService } from '../support/client.ts';

type Change = {
  approval_id: string;
  status: string;
  before: { version: number; rules: { limit: { amount: number } }[] } | null;
  after: { rules: { limit: { amount: number } }[] } | null;
  approvals_missing: number;
  requested_by: string;
  decided_by: string[];
  reason: string | null;
};
type Policy = { version: number; rules: { limit: { amount: number } }[] };

describe('asking for the approval of a change of a policy', () => {
  const api = useService();

  type Client = ReturnType<typeof api.as>;

  const upTo = (amount: number, more: object = {}) => ({
    rules: [{ id: 'daily', effect: 'allow', limit: { amount, per: 'day' } }],
    ...more,
  });
  const asking = { request_approval: true };

  const withAgent = async (approvals?: object) => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const office = await api.newKey(owner, 'full');
    const path = `/auth/keys/${agent.id}/policy`;
    const set = await owner.put(path, upTo(1, { ...(approvals && { approvals }) }));
    expect(set.status, set.text).to.equal(200);
    return { owner, agent, office, path };
  };

  const limitOf = async (owner: Client, path: string): Promise<number | undefined> =>
    (await owner.get<Policy>(path)).body.rules[0]?.limit.amount;

  it('lets an agent ask for more, and raises its limit once another key approves', async () => {
    const { owner, agent, office, path } = await withAgent();
    expectProblem(await agent.put(path, upTo(50)), 403, 'policy_protected');
    expectProblem(await agent.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    const asked = await agent.put<Change>(path, upTo(50, asking));
    expect(asked.status, asked.text).to.equal(202);
    const { approval_id: id } = asked.body;
    expect(asked.body).to.include({ status: 'pending', requested_by: agent.id });
    expect(asked.body.before?.rules[0]?.limit.amount).to.equal(1);
    expect(asked.body.after?.rules[0]?.limit.amount).to.equal(50);
    expect((await agent.put<Change>(path, upTo(50, asking))).body.approval_id).to.equal(id);
    expect(await limitOf(owner, path)).to.equal(1);

    const approve = `/api/policy-changes/${id}/approve`;
    for (const one of [agent, owner]) {
      expectProblem(await one.post(approve), 403, 'approver_is_requester');
    }
    const approved = await office.post<Change>(approve);
    expect(approved.status, approved.text).to.equal(200);
    expect(approved.body).to.include({ status: 'approved', approvals_missing: 0, before: null });
    expect(approved.body.decided_by).to.deep.equal([office.id]);
    expect(await limitOf(owner, path)).to.equal(50);
    expect((await agent.post('/api/send', letterTo('DE'))).status).to.equal(201);
  });

  it('makes a change at once that the caller can make itself', async () => {
    const { owner, office, path } = await withAgent();
    const lowered = await (await api.newKey(owner, 'send')).put(path, upTo(0.5, asking));
    expect(lowered.status, lowered.text).to.equal(200);
    expect((await office.put(path, upTo(2, asking))).status).to.equal(200);
    expect(await limitOf(owner, path)).to.equal(2);
  });

  it('lets a UCAN ask for a change of its own policy, which neither it nor the key that issued it approves', async () => {
    const owner = await api.register();
    const [office, desk] = [await api.newKey(owner, 'full'), await api.newKey(owner, 'full')];
    const issued = await desk.post<{ token: string; cid: string }>('/api/identity/ucan', {
      scope: 'send',
    });
    const agent = api.as(`ucan:${issued.body.token}`);
    const path = `/api/identity/ucan/${issued.body.cid}/policy`;
    expect((await owner.put(path, upTo(1))).status).to.equal(200);
    const asked = await agent.put<Change>(path, upTo(50, asking));
    expect(asked.status, asked.text).to.equal(202);
    const approve = `/api/policy-changes/${asked.body.approval_id}/approve`;
    for (const one of [agent, desk, owner]) {
      expectProblem(await one.post(approve), 403, 'approver_is_requester');
    }
    expect(await limitOf(owner, path)).to.equal(1);
    const approved = await office.post<Change>(approve);
    expect(approved.body.status, approved.text).to.equal('approved');
    expect(await limitOf(owner, path)).to.equal(50);
    expect((await agent.post('/api/send', letterTo('DE'))).status).to.equal(201);
  });

  it('lets an agent ask for the removal of its policy, and deletes it once another key approves', async () => {
    const { owner, agent, office, path } = await withAgent();
    const ask = `${path}?request_approval=true`;
    expectProblem(await agent.delete(path), 403, 'policy_protected');
    const sender = await api.newKey(owner, 'send');
    expectProblem(await sender.delete(path), 403, 'scope_insufficient');
    const asked = await agent.delete<Change>(ask);
    expect(asked.status, asked.text).to.equal(202);
    expect(asked.body).to.include({ status: 'pending', requested_by: agent.id, after: null });
    expect(asked.body.before?.rules[0]?.limit.amount).to.equal(1);
    const { approval_id: id } = asked.body;
    expect((await agent.delete<Change>(ask)).body.approval_id).to.equal(id);
    expectProblem(await sender.delete(ask), 409, 'approval_pending');
    const approve = `/api/policy-changes/${id}/approve`;
    for (const one of [agent, owner]) {
      expectProblem(await one.post(approve), 403, 'approver_is_requester');
    }
    expectProblem(await sender.post(approve), 403, 'approver_not_allowed');
    expect(await limitOf(owner, path)).to.equal(1);
    const approved = await office.post<Change>(approve);
    expect(approved.body).to.include({ status: 'approved', after: null });
    expectProblem(await owner.get(path), 404, 'policy_not_found');
    expect((await agent.post('/api/send', letterTo('DE'))).status).to.equal(201);
    expectProblem(await office.delete(`${path}?request_approval=yes`), 422, 'validation_failed');
    expect((await owner.put(path, upTo(1))).status).to.equal(200);
    const alone = await office.delete<{ deleted: boolean }>(ask);
    expect([alone.status, alone.body.deleted]).to.deep.equal([200, true]);
  });

  it('asks for the removal of the policies of the account and of a UCAN', async () => {
    const { owner, office } = await withAgent();
    const [sender, desk] = [await api.newKey(owner, 'send'), await api.newKey(owner, 'full')];
    const issued = await desk.post<{ token: string; cid: string }>('/api/identity/ucan', {
      scope: 'send',
    });
    const ucan = api.as(`ucan:${issued.body.token}`);
    const cases = [
      ['/api/policy', sender],
      [`/api/identity/ucan/${issued.body.cid}/policy`, ucan],
    ] as const;
    for (const [path, asker] of cases) {
      expect((await owner.put(path, upTo(1))).status).to.equal(200);
      expect((await asker.delete(path)).status).to.equal(403);
      const asked = await asker.delete<Change>(`${path}?request_approval=true`);
      expect(asked.status, asked.text).to.equal(202);
      const approve = `/api/policy-changes/${asked.body.approval_id}/approve`;
      expectProblem(await asker.post(approve), 403, 'approver_is_requester');
      const approved = await office.post<Change>(approve);
      expect(approved.body.status, approved.text).to.equal('approved');
      expectProblem(await owner.get(path), 404, 'policy_not_found');
    }
  });

  it('leaves the policy as it is when an approver rejects the change', async () => {
    const { owner, agent, office, path } = await withAgent();
    const { approval_id: id } = (await agent.put<Change>(path, upTo(50, asking))).body;
    const reason = 'Ask again next month.';
    const rejected = await office.post<Change>(`/api/policy-changes/${id}/reject`, { reason });
    expect(rejected.body).to.include({ status: 'rejected', reason });
    const again = await office.post(`/api/policy-changes/${id}/approve`);
    expectProblem(again, 409, 'approval_over');
    expect(await limitOf(owner, path)).to.equal(1);
    expect((await agent.get<Change>(`/api/policy-changes/${id}`)).body.reason).to.equal(reason);
  });

  it('is not approved once the key that asked was revoked', async () => {
    const { owner, agent, office, path } = await withAgent();
    const { body } = await agent.put<Change>(path, upTo(50, asking));
    expect((await owner.delete(`/auth/keys/${agent.id}`)).status).to.equal(200);
    const approve = `/api/policy-changes/${body.approval_id}/approve`;
    expectProblem(await office.post(approve), 409, 'key_revoked');
    expect(await limitOf(owner, path)).to.equal(1);
  });

  it('of a blocked account is not approved', async () => {
    const { owner, agent, path } = await withAgent();
    const { body } = await agent.put<Change>(path, upTo(50, asking));
    const { foundation } = api.service().service;
    const operate = (...args: string[]) => commandOf(args)(foundation, () => {});
    await operate('block', owner.account.account_id, '--reason', 'x');
    const refused = await operate('approve', body.approval_id).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'account_blocked' });
    expect(await limitOf(owner, path)).to.equal(1);
    await operate('unblock', owner.account.account_id);
    await operate('approve', body.approval_id);
    expect(await limitOf(owner, path)).to.equal(50);
  });

  it('needs every approval of its quorum, whichever arrive at the same time', async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const [one, other] = [await api.newKey(owner, 'send'), await api.newKey(owner, 'send')];
    const path = `/auth/keys/${agent.id}/policy`;
    const approvals = { quorum: 2, approvers: [one.id, other.id] };
    await owner.put(path, upTo(1, { approvals }));
    const wanted = upTo(50, { ...asking, approvals });
    const { approval_id: id } = (await agent.put<Change>(path, wanted)).body;
    const approve = (by: Client) => by.post<Change>(`/api/policy-changes/${id}/approve`);
    expect((await approve(one)).body).to.include({ status: 'pending', approvals_missing: 1 });
    expect(await limitOf(owner, path)).to.equal(1);
    const answers = await Promise.all([approve(one), approve(other), approve(other)]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const policy = (await owner.get<Policy>(path)).body;
    expect(policy).to.deep.include({ version: 2 });
    expect(policy.rules[0]?.limit.amount).to.equal(50);
  });

  it('is superseded once the policy changes, and shows only the policies that a key may see', async () => {
    const { owner, agent, office, path } = await withAgent();
    const { approval_id: id } = (await agent.put<Change>(path, upTo(50, asking))).body;
    expect((await office.put(path, upTo(0.5))).status).to.equal(200);
    expectProblem(await office.post(`/api/policy-changes/${id}/approve`), 409, 'approval_over');
    const shown = async (by: Client) =>
      (await by.get<{ data: Change[] }>('/api/policy-changes')).body.data.map(
        ({ approval_id, status }) => ({ approval_id, status }),
      );
    const superseded = [{ approval_id: id, status: 'superseded' }];
    expect(await shown(owner)).to.deep.equal(superseded);
    expect(await shown(agent)).to.deep.equal(superseded);
    const stranger = await api.newKey(owner, 'send');
    expect(await shown(stranger)).to.deep.equal([]);
    expectProblem(await stranger.get(`/api/policy-changes/${id}`), 404, 'approval_not_found');
    const elsewhere = await api.register();
    const foreign = await elsewhere.post(`/api/policy-changes/${id}/approve`);
    expectProblem(foreign, 404, 'approval_not_found');
  });

  it('refuses a policy that is wrong, and asks for nothing', async () => {
    const { agent, owner, path } = await withAgent();
    const zone = upTo(50, { ...asking, time_zone: 'Mars/Base' });
    expectProblem(await agent.put(path, zone), 422, 'validation_failed');
    const list = await owner.get<{ data: Change[] }>('/api/policy-changes');
    expect(list.body.data).to.deep.equal([]);
  });
});
