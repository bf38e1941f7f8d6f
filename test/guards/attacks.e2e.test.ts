/** A program with a key of its own tries to spend more than its owner allows, by every way that is not a send. */
import { expect } from 'chai';
import { ed25519FromSeed } from '../../identity/keys.ts';
import {
  expectProblem,
  letterTo,
  type RotatedKeyJson,
  type Sent,
  useService,
} from '../support/client.ts';

type Held = { letter_id: string; approval_id: string };
type QuoteJson = { quote_id: string; price: { total: number } };

const everything = { effect: 'allow' };
const upTo = (amount: number) => ({ effect: 'allow', limit: { amount, per: 'total' } });
const ask = { effect: 'hold' };

describe('a key that has a policy', () => {
  const api = useService();

  /** An owner, and an agent whose key has rules. */
  const withAgent = async (rules: object[], scope = 'full') => {
    const owner = await api.register();
    const agent = await api.newKey(owner, scope);
    const set = await owner.put(`/auth/keys/${agent.id}/policy`, { rules });
    expect(set.status, set.text).to.equal(200);
    return { owner, agent };
  };

  it('cannot take the account over by another address, another DID or other notifications', async () => {
    const { owner, agent } = await withAgent([upTo(1)]);
    const email = 'agent@example.com';
    const address = await agent.post('/auth/email', { email });
    expectProblem(address, 403, 'policy_protected');
    const { did } = ed25519FromSeed(Buffer.alloc(32, 7));
    expectProblem(await agent.post('/api/identity/did', { did }), 403, 'policy_protected');
    const settings = { notification_email: email };
    expectProblem(await agent.put('/api/settings', settings), 403, 'policy_protected');
    const made = await api.newKey(agent, 'full');
    expectProblem(await made.post('/auth/email', { email }), 403, 'policy_protected');
    expect((await owner.post('/auth/email', { email })).status).to.equal(202);
    expect((await owner.post('/api/identity/did', { did })).status).to.equal(202);
    expect((await agent.put('/api/settings', { language: 'de' })).status).to.equal(200);
  });

  it('cannot promise a volume whose shortfall no limit counts', async () => {
    const { owner, agent } = await withAgent([upTo(1)], 'send');
    const contract = { committed_units: 100, period: 'year' };
    expectProblem(await agent.post('/api/anp/contracts', contract), 403, 'policy_protected');
    const other = await api.newKey(owner, 'send');
    await owner.put('/api/policy', { rules: [upTo(50)] });
    expectProblem(await other.post('/api/anp/contracts', contract), 403, 'policy_protected');
    expect((await owner.post('/api/anp/contracts', contract)).status).to.equal(201);
  });

  it('sends nothing more by a quote that was cheaper, a new key, a rotated key or a cancelled letter', async () => {
    const { owner, agent } = await withAgent([upTo(100)]);
    const { price } = await agent.send();
    const quote = await agent.post<QuoteJson>('/api/quote', letterTo('DE'));
    const path = `/auth/keys/${agent.id}/policy`;
    const limits = [
      { id: 'rule-1', ...upTo(2 * price.total) },
      { id: 'pace', effect: 'allow', limit: { letters: 1, per: 'total' } },
    ];
    expect((await owner.put(path, { rules: limits })).status).to.equal(200);
    const second = await agent.post<Sent>('/api/send', {
      ...letterTo('DE'),
      quote_id: quote.body.quote_id,
    });
    expect(second.status, second.text).to.equal(201);
    const child = await api.newKey(agent, 'send');
    expectProblem(await child.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    const cancelled = await agent.post(`/api/letters/${second.body.letter_id}/cancel`);
    expect(cancelled.status, cancelled.text).to.equal(200);
    expectProblem(await agent.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    const rotated = await agent.post<RotatedKeyJson>(`/auth/keys/${agent.id}/rotate`);
    expect(rotated.status, rotated.text).to.be.oneOf([200, 201]);
    const next = api.as(rotated.body.api_key);
    expectProblem(await next.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    const own = await next.put(`/auth/keys/${rotated.body.id}/policy`, { rules: [everything] });
    expectProblem(own, 403, 'policy_protected');
  });

  it('approves nothing that it sent by its own keys, or those that it makes, and rotates no other', async () => {
    const { owner, agent } = await withAgent([everything, ask]);
    const approver = await api.newKey(owner, 'full');
    const held = await agent.post<Held>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    const path = `/api/approvals/${held.body.approval_id}/approve`;
    const child = await api.newKey(agent, 'full');
    for (const one of [agent, child, owner]) {
      expectProblem(await one.post(path), 403, 'approver_is_requester');
    }
    const stolen = await agent.post(`/auth/keys/${approver.id}/rotate`);
    expectProblem(stolen, 403, 'policy_protected');
    const read = await owner.get<{ status: string }>(`/api/letters/${held.body.letter_id}`);
    expect(read.body.status).to.equal('draft');
  });

  it('prints nothing else under a reference that was approved', async () => {
    const { owner, agent } = await withAgent([everything, ask], 'send');
    const approver = await api.newKey(owner, 'full');
    const letter = { ...letterTo('DE'), reference: 'Invoice 1' };
    const held = await agent.post<Held>('/api/send', letter);
    const approved = await approver.post(`/api/approvals/${held.body.approval_id}/approve`);
    expect(approved.status, approved.text).to.equal(200);
    const path = `/api/letters/${held.body.letter_id}`;
    const changed = await agent.patch(path, { reference: 'You are dismissed' });
    expectProblem(changed, 403, 'approval_required');
    expectProblem(await agent.patch(path, { to_name: 'Mallory' }), 403, 'approval_required');
    expect((await agent.patch(path, { metadata: { seen: 'yes' } })).status).to.equal(200);
    expect((await owner.get<{ reference: string }>(path)).body.reference).to.equal('Invoice 1');
  });

  it('cannot take another key out of service by a policy, but can ask for one', async () => {
    const { owner, agent } = await withAgent([upTo(1)], 'send');
    const [office, free] = [await api.newKey(owner, 'full'), await api.newKey(owner, 'send')];
    const path = `/auth/keys/${office.id}/policy`;
    const wanted = { rules: [upTo(0.01)] };
    expectProblem(await agent.put(path, wanted), 403, 'policy_protected');
    expectProblem(await agent.put(`/auth/keys/${free.id}/policy`, wanted), 403, 'policy_protected');
    expectProblem(await free.put(path, wanted), 403, 'scope_insufficient');
    expect((await office.post('/api/send', letterTo('DE'))).status).to.equal(201);
    const asked = await free.put(path, { ...wanted, request_approval: true });
    expect(asked.status, asked.text).to.equal(202);
    expect((await free.put(`/auth/keys/${agent.id}/policy`, wanted)).status).to.equal(200);
  });

  it('limits the keys that come from it', async () => {
    const { agent } = await withAgent([upTo(1)]);
    const child = await api.newKey(agent, 'full');
    const set = await agent.put(`/auth/keys/${child.id}/policy`, { rules: [upTo(0.5)] });
    expect(set.status, set.text).to.equal(200);
  });

  it('names no approver in the first policy of the account, whom later rules that hold letters would ask', async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const wanted = { rules: [everything], approvals: { approvers: ['friend@example.com'] } };
    expectProblem(await agent.put('/api/policy', wanted), 403, 'scope_insufficient');
    const asked = await agent.put('/api/policy', { ...wanted, request_approval: true });
    expect(asked.status, asked.text).to.equal(202);
    expect((await owner.get('/api/policy')).status).to.equal(404);
    expect((await agent.put('/api/policy', { rules: [everything] })).status).to.equal(200);
  });

  it('names no friend that approves more for it, where no rule holds letters either', async () => {
    const owner = await api.register();
    const [agent, friend] = [await api.newKey(owner, 'send'), await api.newKey(owner, 'send')];
    expect((await owner.put('/api/policy', { rules: [upTo(1)] })).status).to.equal(200);
    const approvals = { approvers: [friend.id] };
    for (const rules of [[upTo(1)], [upTo(0.5)], [upTo(1), ask]]) {
      const named = await agent.put('/api/policy', { rules, approvals });
      expectProblem(named, 403, 'scope_insufficient');
    }
    type Change = { approval_id: string };
    const wanted = { rules: [upTo(50)], approvals, request_approval: true };
    const asked = await agent.put<Change>('/api/policy', wanted);
    expect(asked.status, asked.text).to.equal(202);
    const approve = `/api/policy-changes/${asked.body.approval_id}/approve`;
    expectProblem(await friend.post(approve), 403, 'approver_not_allowed');
    expectProblem(await agent.post('/api/send', letterTo('DE')), 403, 'policy_denied');
  });

  it('keeps its time zone, and takes that of the account, where none is sent', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const path = `/auth/keys/${key.id}/policy`;
    type Zoned = { time_zone: string };
    const daily = (amount: number) => [{ id: 'd', effect: 'allow', limit: { amount, per: 'day' } }];
    const ofAccount = { time_zone: 'Europe/Berlin', rules: daily(9) };
    expect((await owner.put<Zoned>('/api/policy', ofAccount)).status).to.equal(200);
    const set = await owner.put<Zoned>(path, { rules: daily(5) });
    expect(set.body.time_zone).to.equal('Europe/Berlin');
    const again = await owner.put<Zoned>('/api/policy', { rules: daily(8) });
    expect(again.body.time_zone).to.equal('Europe/Berlin');
  });
});
