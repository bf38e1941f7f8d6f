import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import { approvalsDue } from '../../projections/approvals/query.ts';
import { approvalLinksOf } from '../../service/wings/approval-page.ts';
import {
  expectProblem,
  letterTo,
  type NewKeyJson,
  type PageOf,
  type RotatedKeyJson,
  type Sent,
  until,
  useService,
} from '../support/client.ts';

type Held = Sent & {
  hold_reason: string;
  approval_id: string;
  approval_url: string;
  expires_at: string;
  reasons: object[];
};
type Budgets = { data: { used: number; reserved: number }[] };

describe('a letter that a policy holds', () => {
  const api = useService();

  type Client = ReturnType<typeof api.as>;

  const rules = [
    { id: 'up-to', effect: 'allow', limit: { amount: 50, per: 'total' } },
    { id: 'ask', effect: 'hold', when: { countries: ['DE'] } },
  ];

  const withAgent = async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const path = `/auth/keys/${agent.id}/policy`;
    const set = await owner.put(path, { rules });
    expect(set.status, set.text).to.equal(200);
    return { owner, path, agent };
  };

  const reserved = async (agent: Client): Promise<number> =>
    (await agent.get<Budgets>('/api/budgets')).body.data[0]?.reserved ?? Number.NaN;

  it('answers 202, reserves its money, and answers a repetition alike', async () => {
    const { agent, owner } = await withAgent();
    const before = await owner.balance();
    const headers = { 'Idempotency-Key': randomUUID() };
    const sent = await agent.post<Held>('/api/send', letterTo('DE'), headers);
    expect(sent.status, sent.text).to.equal(202);
    const { approval_id, letter_id, price } = sent.body;
    expect(sent.body).to.include({ status: 'draft', hold_reason: 'approval' });
    expect(sent.body.reasons).to.deep.equal([{ policy: agent.id, rule: 'ask' }]);
    expect(sent.body.approval_url).to.match(new RegExp(`/approvals/${approval_id}$`));
    expect(await reserved(agent)).to.equal(price.total);
    expect((await owner.balance()).available).to.be.below(before.available);
    const again = await agent.post<Held>('/api/send', letterTo('DE'), headers);
    expect(again.status).to.equal(202);
    expect(again.body).to.deep.equal(sent.body);
    const waiting = expectProblem(
      await agent.post('/api/send', { letter_id }),
      409,
      'approval_pending',
    );
    expect(waiting).to.include({ approval_id });
  });

  it('holds a draft when it is sent', async () => {
    const { agent } = await withAgent();
    const draft = await agent.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const { letter_id } = draft.body;
    const sent = await agent.post<Held>('/api/send', { letter_id });
    expect(sent.status, sent.text).to.equal(202);
    expect(sent.body).to.include({ letter_id, hold_reason: 'approval' });
    const read = await agent.get<Held>(`/api/letters/${letter_id}`);
    expect(read.body).to.include({ status: 'draft', hold_reason: 'approval' });
    expect(await reserved(agent)).to.equal(sent.body.price.total);
  });

  it('is said by a dry run, and is not asked for where nothing holds', async () => {
    const { agent } = await withAgent();
    const dry = await agent.post<{ outcome: string; rules: object[] }>(
      '/api/send',
      letterTo('DE', { dry_run: true }),
    );
    expect(dry.body.outcome).to.equal('held');
    expect(dry.body.rules).to.deep.equal([{ policy: agent.id, rule: 'ask' }]);
    const abroad = await agent.post<Sent>('/api/send', letterTo('FR'));
    expect(abroad.status, abroad.text).to.equal(201);
    const moved = await agent.patch(`/api/letters/${abroad.body.letter_id}`, {
      to_line1: 'Lindenstraße 5',
      to_city: 'Berlin',
      to_postal_code: '10969',
      to_country: 'DE',
    });
    const { detail } = expectProblem(moved, 403, 'approval_required');
    expect(detail).to.contain('The letter stays as it is. Cancel it, and send a new one');
    expect((await agent.letter(abroad.body.letter_id)).to_country).to.equal('FR');
  });

  it('gives its money back when it is cancelled or changed', async () => {
    const { agent } = await withAgent();
    const first = await agent.post<Held>('/api/send', letterTo('DE'));
    const cancelled = await agent.post(`/api/letters/${first.body.letter_id}/cancel`, {});
    expect(cancelled.status, cancelled.text).to.equal(200);
    await until(async () => (await reserved(agent)) === 0);
    const second = await agent.post<Held>('/api/send', letterTo('DE'));
    const changed = await agent.patch(`/api/letters/${second.body.letter_id}`, {
      to_name: 'Anna Schmidt',
    });
    expect(changed.status, changed.text).to.equal(200);
    await until(async () => (await reserved(agent)) === 0);
    const again = await agent.post<Held>('/api/send', { letter_id: second.body.letter_id });
    expect(again.status, again.text).to.equal(202);
    expect(again.body.approval_id).not.to.equal(second.body.approval_id);
  });

  it('is sent again under another key once its approval ended, and each key keeps its answer', async () => {
    const { agent, owner } = await withAgent();
    const boss = await owner.post<NewKeyJson>('/auth/keys', { label: 'boss', scope: 'full' });
    const { body: draft } = await agent.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const { letter_id } = draft;
    const keys = [randomUUID(), randomUUID(), randomUUID()];
    const send = (key = '', client: Client = agent) =>
      client.post<Held>('/api/send', { letter_id }, { 'Idempotency-Key': key });
    const first = await send(keys[0]);
    expect(first.status, first.text).to.equal(202);
    expectProblem(await send(keys[1]), 409, 'approval_pending');
    const changed = await agent.patch(`/api/letters/${letter_id}`, { to_name: 'Anna Schmidt' });
    expect(changed.status, changed.text).to.equal(200);
    const second = await send(keys[1]);
    expect(second.status, second.text).to.equal(202);
    expect(second.headers.get('idempotent-replayed')).to.equal(null);
    expect(second.body.approval_id).not.to.equal(first.body.approval_id);
    const reject = `/api/approvals/${second.body.approval_id}/reject`;
    const rejected = await api.as(boss.body.api_key).post(reject, { reason: 'no' });
    expect(rejected.status, rejected.text).to.equal(200);
    const third = await send(keys[2], owner);
    expect(third.body.status, third.text).to.equal('queued');
    for (const [index, answer] of [first, second, third].entries()) {
      const again = await send(keys[index]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(again.text).to.equal(answer.text);
    }
  });

  it('keeps its approvers, and shows their addresses to its owner', async () => {
    const { owner, path, agent } = await withAgent();
    const boss = await owner.post<NewKeyJson>('/auth/keys', { label: 'boss', scope: 'full' });
    const approvals = { quorum: 2, approvers: [boss.body.id, 'Boss@Example.com'] };
    const set = await owner.put<{ approvals: object }>(path, { rules, approvals });
    expect(set.status, set.text).to.equal(200);
    expect(set.body.approvals).to.deep.equal({
      quorum: 2,
      approvers: [boss.body.id, 'boss@example.com'],
      expires_in_hours: 72,
    });
    const strange = { approvers: [`key_${'0'.repeat(32)}`] };
    const refused = expectProblem(
      await owner.put(path, { rules, approvals: strange }),
      422,
      'validation_failed',
    );
    expect(JSON.stringify(refused)).to.include('/approvals/approvers/0');
    const sent = await agent.post<Held>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(202);
  });

  it('names no approver that could never approve, except where the policy has it already', async () => {
    const { owner, path } = await withAgent();
    const [reader, ended, boss] = [
      await api.newKey(owner, 'read'),
      await api.newKey(owner, 'full'),
      await api.newKey(owner, 'send'),
    ];
    expect((await owner.delete(`/auth/keys/${ended.id}`)).status).to.equal(200);
    const expires_at = new Date(Date.now() + 500).toISOString();
    const wanted = { label: 'short', scope: 'full', expires_at };
    const expired = (await owner.post<NewKeyJson>('/auth/keys', wanted)).body;
    await until(async () => (await api.as(expired.api_key).get('/api/balance')).status === 401);
    const ofAgent = path.split('/').at(-2) ?? '';
    const put = (id: string, to = path) =>
      owner.put(to, { rules, approvals: { approvers: [boss.id, id] } });
    for (const id of [reader.id, ended.id, expired.id, ofAgent, owner.account.key_id]) {
      const refused = expectProblem(await put(id), 422, 'validation_failed');
      expect(refused.errors?.[0]).to.include({
        pointer: '/approvals/approvers/1',
        code: 'cannot_approve',
      });
    }
    const kept = await api.newKey(owner, 'full');
    expect((await put(kept.id)).status).to.equal(200);
    expect((await owner.delete(`/auth/keys/${kept.id}`)).status).to.equal(200);
    const stricter = [...rules, { effect: 'deny', when: { countries: ['FR'] } }];
    const approvals = { approvers: [boss.id, kept.id] };
    const lowered = await boss.put(path, { rules: stricter, approvals });
    expect(lowered.status, lowered.text).to.equal(200);
    const rotator = await api.newKey(owner, 'full');
    const replaced = await rotator.post<RotatedKeyJson>(`/auth/keys/${ofAgent}/rotate`, {});
    expect(replaced.status, replaced.text).to.equal(201);
    expectProblem(await put(rotator.id), 422, 'validation_failed');
    expect((await put(owner.account.key_id, '/api/policy')).status, 'of the account').to.equal(200);
    const held = await api.as(replaced.body.api_key).post<Held>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
  });

  type Approval = {
    approval_id: string;
    status: string;
    price: { total: number };
    requested_by: string;
    decisions: { approver: string; decision: string }[];
  };
  type Decided = { status: string; letter_status: string; approvals_missing: number };

  it('says to a key under the policy that holds a letter that it cannot decide', async () => {
    const owner = await api.register();
    const team = await api.newKey(owner, 'full');
    const [agent, sibling] = [await api.newKey(team, 'send'), await api.newKey(team, 'full')];
    await owner.put(`/auth/keys/${team.id}/policy`, { rules });
    const { body } = await agent.post<Held>('/api/send', letterTo('DE'));
    const refused = await sibling.post(`/api/approvals/${body.approval_id}/reject`, {});
    const { detail } = expectProblem(refused, 403, 'approver_is_requester');
    expect(detail).to.contain('a policy that holds the letter applies to this credential. Decide');
  });

  it('is queued by an approver, and not by the credential that sent or made it', async () => {
    const { owner, agent } = await withAgent();
    const boss = await api.newKey(owner, 'full');
    const sent = await agent.post<Held>('/api/send', letterTo('DE'));
    const { approval_id, letter_id, price } = sent.body;
    const path = `/api/approvals/${approval_id}`;
    for (const relative of [agent, owner]) {
      expectProblem(await relative.post(`${path}/approve`, {}), 403, 'approver_is_requester');
      expectProblem(await relative.post(`${path}/reject`, {}), 403, 'approver_is_requester');
    }
    const other = await api.register();
    expectProblem(await other.post(`${path}/approve`, {}), 404, 'approval_not_found');
    const listed = await agent.get<{ data: Approval[] }>('/api/approvals?status=pending');
    expect(listed.body.data.map((one) => one.approval_id)).to.deep.equal([approval_id]);
    const approved = await boss.post<Decided>(`${path}/approve`, {});
    expect(approved.status, approved.text).to.equal(200);
    expect(approved.body).to.include({
      status: 'approved',
      letter_status: 'queued',
      approvals_missing: 0,
    });
    const letter = await agent.get<Sent>(`/api/letters/${letter_id}`);
    expect(letter.body).to.deep.include({ status: 'queued', hold_reason: null, price });
    expect(await reserved(agent)).to.equal(price.total);
    const read = await boss.get<Approval>(path);
    expect(read.body).to.include({ status: 'approved', requested_by: agent.id });
    expect(read.body.decisions).to.have.length(1);
    expect(read.body.decisions[0]).to.include({ approver: boss.id, decision: 'approve' });
    const again = await boss.post<Decided>(`${path}/approve`, {});
    expect(again.body).to.include({ status: 'approved' });
    const late = expectProblem(await boss.post(`${path}/reject`, {}), 409, 'approval_over');
    expect(late).to.include({ approval_status: 'approved' });
  });

  it('stays a draft when it is rejected, and its money goes back', async () => {
    const { owner, agent } = await withAgent();
    const boss = await api.newKey(owner, 'full');
    const before = await owner.balance();
    const sent = await agent.post<Held>('/api/send', letterTo('DE'));
    const { approval_id, letter_id } = sent.body;
    const path = `/api/approvals/${approval_id}`;
    const rejected = await boss.post<Decided>(`${path}/reject`, { reason: 'Send an e-mail.' });
    expect(rejected.status, rejected.text).to.equal(200);
    expect(rejected.body).to.include({ status: 'rejected', letter_status: 'draft' });
    await until(async () => (await owner.balance()).available === before.available);
    expect(await reserved(agent)).to.equal(0);
    const letter = await agent.get<Held>(`/api/letters/${letter_id}`);
    expect(letter.body).to.include({ status: 'draft', hold_reason: 'requested' });
    expectProblem(await boss.post(`${path}/approve`, {}), 409, 'approval_over');
    const again = await agent.post<Held>('/api/send', { letter_id });
    expect(again.status, again.text).to.equal(202);
    await agent.post<Held>('/api/send', letterTo('DE', { reference: 'another letter' }));
    const listed = async (by: typeof owner, query: string) => {
      const { body } = await by.get<PageOf<Held>>(`/api/approvals?letter_id=${letter_id}${query}`);
      return body.data.map(({ approval_id: id }) => id);
    };
    const both = [again.body.approval_id, approval_id];
    expect(await listed(owner, '')).to.deep.equal(both);
    expect(await listed(owner, '&status=rejected')).to.deep.equal(both.slice(1));
    const stranger = await api.register();
    expect(await listed(stranger, '')).to.deep.equal([]);
  });

  it('keeps how an approval ended, and why, when the letter is sent again', async () => {
    const { owner, agent } = await withAgent();
    const boss = await api.newKey(owner, 'full');
    const { approval_id, letter_id } = (await agent.post<Held>('/api/send', letterTo('DE'))).body;
    const path = `/api/approvals/${approval_id}`;
    await boss.post(`${path}/reject`, { reason: 'Send an e-mail.' });
    const expectRejected = async () => {
      const { body } = await boss.get<{ status: string; reason: string | null }>(path);
      expect(body).to.include({ status: 'rejected', reason: 'Send an e-mail.' });
      for (const decision of ['approve', 'reject']) {
        const answer = await boss.post(`${path}/${decision}`, {});
        if (decision === 'reject' && answer.status === 200) continue;
        const over = expectProblem(answer, 409, 'approval_over');
        expect(over).to.include({ approval_status: 'rejected' });
      }
    };
    await expectRejected();
    expect((await agent.post('/api/send', { letter_id })).status).to.equal(202);
    await expectRejected();
    await agent.patch(`/api/letters/${letter_id}`, { to_name: 'Anna Schmidt' });
    expect((await owner.post('/api/send', { letter_id })).status).to.equal(201);
    await expectRejected();
  });

  it('needs two approvers for a quorum of two, whom the policy names', async () => {
    const { owner, agent, path } = await withAgent();
    const [one, two, three] = [
      await api.newKey(owner, 'send'),
      await api.newKey(owner, 'send'),
      await api.newKey(owner, 'full'),
    ];
    const approvals = { quorum: 2, approvers: [one.id, two.id] };
    expect((await owner.put(path, { rules, approvals })).status).to.equal(200);
    const sent = await agent.post<Held>('/api/send', letterTo('DE'));
    const approve = `/api/approvals/${sent.body.approval_id}/approve`;
    expectProblem(await three.post(approve, {}), 403, 'approver_not_allowed');
    const first = await one.post<Decided>(approve, {});
    expect(first.body).to.include({ status: 'pending', approvals_missing: 1 });
    const second = await two.post<Decided>(approve, {});
    expect(second.body).to.include({ status: 'approved', letter_status: 'queued' });
  });

  it('is not approved by or for a credential that is frozen', async () => {
    const { owner, agent } = await withAgent();
    const boss = await api.newKey(owner, 'full');
    const sent = await agent.post<Held>('/api/send', letterTo('DE'));
    const approve = `/api/approvals/${sent.body.approval_id}/approve`;
    await owner.post(`/auth/keys/${agent.id}/freeze`, {});
    const ofSender = expectProblem(await boss.post(approve, {}), 403, 'frozen');
    expect(ofSender.detail).to.match(/^The credential that sent the letter is frozen: key /);
    expect(ofSender).to.include({ frozen: agent.id });
    await owner.post(`/auth/keys/${agent.id}/unfreeze`, {});
    await owner.post(`/auth/keys/${boss.id}/freeze`, {});
    const ofCaller = expectProblem(await boss.post(approve, {}), 403, 'frozen');
    expect(ofCaller.detail).to.match(/^This credential is frozen: key /);
  });

  it('is not approved once the key or the UCAN that sent it was revoked, but is once the key was rotated', async () => {
    const { owner, agent } = await withAgent();
    const boss = await api.newKey(owner, 'full');
    const held = async (sender: Client) => {
      const sent = await sender.post<Held>('/api/send', letterTo('DE'));
      expect(sent.status, sent.text).to.equal(202);
      return `/api/approvals/${sent.body.approval_id}`;
    };
    const issued = await agent.post<{ cid: string; token: string }>('/api/identity/ucan', {
      scope: 'send',
    });
    expect(issued.status, issued.text).to.equal(201);
    const ofUcan = await held(api.as(`ucan:${issued.body.token}`));
    await agent.post('/api/identity/ucan/revoke', { cid: issued.body.cid });
    expectProblem(await boss.post(`${ofUcan}/approve`, {}), 409, 'key_revoked');
    const before = await held(agent);
    const rotated = await owner.post<NewKeyJson>(`/auth/keys/${agent.id}/rotate`);
    expect((await boss.post(`${before}/approve`, {})).status).to.equal(200);
    const next = api.as(rotated.body.api_key);
    const after = await held(next);
    expect((await owner.delete(`/auth/keys/${rotated.body.id}`)).status).to.equal(200);
    expectProblem(await boss.post(`${after}/approve`, {}), 409, 'key_revoked');
    expect((await boss.post(`${after}/reject`, {})).status).to.equal(200);
  });

  it('is not approved once the key was frozen or revoked with which another account passed on the UCAN that sent it', async () => {
    const [owner, friend] = [await api.register(), await api.register()];
    const own = await friend.post<{ did: string }>('/api/identity/did', {});
    const wish = { scope: 'send', audience: own.body.did };
    const giver = await api.newKey(owner, 'send');
    const given = await giver.post<{ token: string }>('/api/identity/ucan', wish);
    expect(given.status, given.text).to.equal(201);
    const set = await owner.put('/api/policy', { rules });
    expect(set.status, set.text).to.equal(200);
    const boss = await api.newKey(owner, 'full');
    const { token } = given.body;
    const heldBy = async (key: Client) => {
      const passed = await key.post<{ token: string }>('/api/identity/delegate', {
        ...wish,
        token,
      });
      expect(passed.status, passed.text).to.equal(201);
      const sent = await api
        .as(`ucan:${passed.body.token}`)
        .post<Held>('/api/send', letterTo('DE'));
      expect(sent.status, sent.text).to.equal(202);
      return `/api/approvals/${sent.body.approval_id}`;
    };
    const agent = await api.newKey(friend, 'send');
    const [ofAgent, ofFriend] = [await heldBy(agent), await heldBy(friend)];
    await friend.post(`/auth/keys/${agent.id}/freeze`, {});
    const frozen = expectProblem(await boss.post(`${ofAgent}/approve`, {}), 403, 'frozen');
    expect(frozen.detail).to.match(/^The credential that sent the letter is frozen: UCAN /);
    expect(JSON.stringify(frozen), 'names no key of another account').to.not.include(agent.id);
    expect((await friend.delete(`/auth/keys/${agent.id}`)).status).to.equal(200);
    expectProblem(await boss.post(`${ofAgent}/approve`, {}), 409, 'key_revoked');
    expect((await boss.post(`${ofFriend}/approve`, {})).status).to.equal(200);
  });

  it('of a blocked account is approved neither by the link in the mail nor by the operator', async () => {
    const owner = await api.register();
    const approvals = { approvers: [`${randomUUID()}@example.org`] };
    expect((await owner.put('/api/policy', { rules, approvals })).status).to.equal(200);
    const { body } = await owner.post<Held>('/api/send', letterTo('DE'));
    const { account_id: accountId } = owner.account;
    const { foundation } = api.service().service;
    const operate = (...args: string[]) => commandOf(args)(foundation, () => {});
    await operate('block', accountId, '--reason', 'stolen card');
    const links = approvalLinksOf(foundation as never);
    const found = await links.find(body.approval_id);
    const [by] = await links.approversOf(accountId, { needs: found?.approval?.needs ?? [] });
    const token = links.tokenOf(body.approval_id, by?.approver ?? '');
    const decide = async (decision: string) => {
      const form = new FormData();
      form.set('token', token);
      form.set('decision', decision);
      const path = `/approvals/${body.approval_id}`;
      return await fetch(`${api.service().url}${path}`, { method: 'POST', body: form });
    };
    const refused = await decide('approve');
    expect(refused.status).to.equal(409);
    expect(await refused.text()).to.include('blocked the account');
    const byOperator = await operate('approve', body.approval_id).catch((error: unknown) => error);
    expect(byOperator).to.include({ code: 'account_blocked' });
    expect((await owner.letter(body.letter_id)).status).to.equal('draft');
    // A rejection sends nothing.
    expect((await decide('reject')).status).to.equal(200);
    await operate('unblock', accountId);
  });

  it('is due for its end once its time is over, and no longer when it was decided', async () => {
    const { owner, agent } = await withAgent();
    const boss = await api.newKey(owner, 'full');
    const { readDb } = api.service().service.foundation.storage;
    const { approval_id, expires_at } = (await agent.post<Held>('/api/send', letterTo('DE'))).body;
    const isDue = async (at: number): Promise<boolean> => {
      const due = await approvalsDue(readDb, new Date(at).toISOString(), 1_000);
      return due.some(({ approvalId }) => approvalId === approval_id);
    };
    const end = Date.parse(expires_at);
    await until(() => isDue(end));
    expect(await isDue(end - 1)).to.equal(false);
    await boss.post(`/api/approvals/${approval_id}/reject`, {});
    await until(async () => !(await isDue(end)));
  });
});
