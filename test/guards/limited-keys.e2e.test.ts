/**
 * Calls every operation that changes something with a key that has scope full and a policy. It is refused if
 * it would reach further than the key; otherwise a reason says why it may continue.
 */
import { expect } from 'chai';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import { expectProblem, letterTo, type RotatedKeyJson, useService } from '../support/client.ts';

type Ucan = { token: string; cid: string; proofs: string[] };

/** Of the account: keys and UCANs that do not come from the key that has a policy. */
type Others = { accountId: string; keyId: string; limitedKeyId: string; cid: string };

/** The request that is refused, or why the operation is allowed. */
type Verdict = { refused: (others: Others) => [path: string, body?: object] } | { goesOn: string };

const rules = [{ id: 'day', effect: 'allow', limit: { amount: 5, per: 'day' } }];
const wider = { rules: [{ id: 'day', effect: 'allow', limit: { amount: 50, per: 'day' } }] };
const email = 'other@example.com';
const { did } = ed25519FromSeed(Buffer.alloc(32, 9));

const counted = { goesOn: 'the wallet judges every letter by the policy' };
const comesFromIt = { goesOn: 'what it makes has its policy' };
const takesAway = { goesOn: 'it only takes away' };
const ownLetters = {
  goesOn: 'it changes letters and links, and moves no money that no limit counts',
};
const money = { goesOn: 'it brings money in' };

const verdicts: Record<string, Verdict> = {
  revoke_key: { refused: ({ keyId }) => [`/auth/keys/${keyId}`] },
  rotate_key: { refused: ({ keyId }) => [`/auth/keys/${keyId}/rotate`, {}] },
  revoke_ucan: { refused: ({ cid }) => ['/api/identity/ucan/revoke', { cid }] },
  delegate_ucan: {
    refused: ({ cid }) => ['/api/identity/delegate', { cid, audience: did, scope: 'send' }],
  },
  change_email: { refused: () => ['/auth/email', { email }] },
  set_did: { refused: () => ['/api/identity/did', { did }] },
  update_settings: { refused: () => ['/api/settings', { rotate_webhook_secret: true }] },
  close_account: { refused: ({ accountId }) => ['/api/account', { confirm: accountId }] },
  withdraw_account_closure: { refused: () => ['/api/account/closure'] },
  unsubscribe_audit: {
    refused: () => ['/api/identity/audit/subscribe', { url: 'https://example.com/hook' }],
  },
  set_policy: { refused: () => ['/api/policy', wider] },
  delete_policy: { refused: () => ['/api/policy'] },
  set_key_policy: { refused: ({ limitedKeyId: id }) => [`/auth/keys/${id}/policy`, wider] },
  delete_key_policy: { refused: ({ limitedKeyId: id }) => [`/auth/keys/${id}/policy`] },
  set_ucan_policy: { refused: ({ cid }) => [`/api/identity/ucan/${cid}/policy`, wider] },
  delete_ucan_policy: { refused: ({ cid }) => [`/api/identity/ucan/${cid}/policy`] },
  unfreeze_account: { refused: () => ['/api/account/unfreeze'] },
  unfreeze_key: { refused: ({ limitedKeyId: id }) => [`/auth/keys/${id}/unfreeze`] },
  unfreeze_ucan: { refused: ({ cid }) => ['/api/identity/ucan/unfreeze', { cid }] },
  create_contract: {
    refused: () => ['/api/anp/contracts', { committed_units: 100, period: 'year' }],
  },
  send_letter: counted,
  update_letter: counted,
  create_order: counted,
  quote_letter: { goesOn: 'it keeps nothing' },
  accept_offer: counted,
  create_key: comesFromIt,
  issue_ucan: comesFromIt,
  create_console_link: comesFromIt,
  rotate_own_key: comesFromIt,
  revoke_own_key: takesAway,
  freeze_account: takesAway,
  freeze_key: takesAway,
  freeze_ucan: takesAway,
  reject_letter: takesAway,
  approve_letter: { goesOn: 'it approves as nobody, unless a policy names it' },
  reject_policy_change: takesAway,
  approve_policy_change: { goesOn: 'it is refused: a credential with a policy approves no change' },
  cancel_letter: ownLetters,
  delete_letter: ownLetters,
  upload_logo: ownLetters,
  delete_logo: ownLetters,
  renew_tracking_link: ownLetters,
  revoke_tracking_link: ownLetters,
  create_audit_link: ownLetters,
  revoke_audit_link: ownLetters,
  create_presentation: ownLetters,
  create_export: { goesOn: 'it reads' },
  search_letters: { goesOn: 'it reads' },
  subscribe_audit: { goesOn: 'it tells more, and nobody less' },
  test_webhook: { goesOn: 'it tells more, and nobody less' },
  replay_notification: { goesOn: 'it tells again' },
  test_audit_webhook: { goesOn: 'it tells more, and nobody less' },
  replay_audit_delivery: { goesOn: 'it tells again' },
  replay_audit_events: { goesOn: 'it tells again' },
  top_up: money,
  refill_test_wallet: money,
  advance_test_letter: { goesOn: 'test accounts only' },
  advance_test_contract: { goesOn: 'test accounts only' },
};

describe('a full key that has a policy', () => {
  const api = useService();
  type Client = ReturnType<typeof api.as>;

  const changing = () =>
    api
      .service()
      .service.operations.filter(({ method, access }) => method !== 'GET' && access !== 'public');

  const limit = async (owner: Client, path: string, policy: object = { rules }) => {
    const set = await owner.put(path, policy);
    expect(set.status, set.text).to.equal(200);
  };

  const stage = async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner);
    const limited = await api.newKey(owner);
    const issued = await owner.post<Ucan>('/api/identity/ucan', { scope: 'send' });
    expect(issued.status, issued.text).to.equal(201);
    const { cid } = issued.body;
    await limit(owner, '/api/policy');
    await limit(owner, `/auth/keys/${limited.id}/policy`);
    await limit(owner, `/api/identity/ucan/${cid}/policy`);
    expect((await owner.post(`/auth/keys/${limited.id}/freeze`)).status).to.equal(200);
    expect((await owner.post('/api/identity/ucan/freeze', { cid })).status).to.equal(200);
    const { account_id: accountId, key_id: keyId } = owner.account;
    const others: Others = { accountId, keyId, limitedKeyId: limited.id, cid };
    return { owner, agent, others };
  };

  it('has a verdict on every operation that changes something', () => {
    const names = changing().map(({ name }) => name);
    expect(Object.keys(verdicts)).to.have.members(names);
  });

  it('is refused everything that reaches further than the key, as are the keys and UCANs that come from it', async () => {
    const { owner, agent, others } = await stage();
    const child = await api.newKey(agent);
    await limit(owner, `/auth/keys/${agent.id}/policy`);
    const rotated = await agent.post<RotatedKeyJson>('/auth/keys/self/rotate', {});
    expect(rotated.status, rotated.text).to.equal(201);
    for (const { name, method } of changing()) {
      const verdict = verdicts[name];
      if (!verdict || !('refused' in verdict)) continue;
      const [path, body] = verdict.refused(others);
      for (const key of [child.key, rotated.body.api_key]) {
        const refused = await api.call(method, path, body, { key });
        expect([name, refused.status, refused.body.code], refused.text).to.deep.equal([
          name,
          403,
          'policy_protected',
        ]);
      }
    }
  });

  it('manages itself, the keys that it makes and the UCANs that it issues', async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner);
    await limit(owner, `/auth/keys/${agent.id}/policy`);
    const first = await api.newKey(agent, 'send');
    const second = await api.newKey(agent, 'send');
    const ended = await agent.delete(`/auth/keys/${first.id}`);
    expect(ended.status, ended.text).to.equal(200);
    const replaced = await agent.post(`/auth/keys/${second.id}/rotate`, {});
    expect(replaced.status, replaced.text).to.equal(201);
    const issued = await agent.post<Ucan>('/api/identity/ucan', { scope: 'send' });
    expect(issued.status, issued.text).to.equal(201);
    const { cid } = issued.body;
    const delegated = await agent.post<Ucan>('/api/identity/delegate', {
      cid,
      audience: did,
      scope: 'send',
    });
    expect(delegated.status, delegated.text).to.equal(201);
    expect(delegated.body.proofs.map((proof) => cidOf(proof))).to.include(cid);
    const revoked = await agent.post('/api/identity/ucan/revoke', { cid });
    expect(revoked.status, revoked.text).to.equal(200);
    const rotated = await agent.post(`/auth/keys/${agent.id}/rotate`, {});
    expect(rotated.status, rotated.text).to.equal(201);
  });

  it('gets no token of a UCAN that its policy does not limit', async () => {
    const owner = await api.register();
    const agent = await api.newKey(owner);
    await limit(owner, `/auth/keys/${agent.id}/policy`, {
      rules: [{ id: 'none', effect: 'allow', limit: { letters: 1, per: 'total' } }],
    });
    const free = await owner.post<Ucan>('/api/identity/ucan', { scope: 'send' });
    const wanted = { cid: free.body.cid, audience: did, scope: 'send' };
    expectProblem(await agent.post('/api/identity/delegate', wanted), 403, 'policy_protected');
    await agent.send();
    expectProblem(await agent.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    expect((await owner.post('/api/identity/delegate', wanted)).status).to.equal(201);
  });
});
