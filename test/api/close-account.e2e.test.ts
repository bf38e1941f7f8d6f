import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import type { AccountClosure, Erasure } from '../../presenters/account-closure.ts';
import { expectProblem, letterTo, type Sent, until } from '../support/client.ts';
import { useMailService } from '../support/mail-service.ts';
import { operatorOf } from '../support/operator.ts';
import { tokenIn } from '../support/smtp-server.ts';

type Closure = Static<typeof AccountClosure>;
type Erased = Static<typeof Erasure>;

describe('the end of an account', function () {
  this.timeout(240_000);
  const api = useMailService();

  const mailTo = (address: string, asked: RegExp) =>
    api.mailTo(address, ({ subject }) => asked.test(subject));
  type Client = Awaited<ReturnType<typeof api.register>>;
  const close = (client: Client, body: object = {}) =>
    api.call<Closure>('DELETE', '/api/account', body, { key: client.key });
  const takeBack = (client: Client) => client.delete<Closure>('/api/account/closure');
  const stateOf = async (client: Client) =>
    (await client.get<Closure>('/api/account/closure')).body;
  const confirmed = async (mode: 'live' | 'test' = 'test') => {
    const client = await api.register(mode);
    const token = tokenIn(await mailTo(client.email, /Please confirm/));
    await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    return client;
  };
  const codeOf = async (client: Client): Promise<string> => {
    expectProblem(await close(client), 403, 'closure_code_required');
    const mail = await mailTo(client.email, /code to close your account/);
    return /[A-Z2-9]{5}-[A-Z2-9]{5}/.exec(mail.text)?.[0] ?? expect.fail(mail.text);
  };
  const { operate, refusal } = operatorOf(() => api.service().service.foundation);
  const funded = async (client: Client): Promise<Client> => {
    await operate('credit', client.account.account_id, '50.00', '--reference', 'wire 7');
    await until(async () => (await client.balance()).available === 50);
    return client;
  };

  it('needs the id of the account where no address is confirmed', async () => {
    const client = await api.register();
    expectProblem(await close(client), 422, 'validation_failed', '/confirm');
    const wrong = await close(client, { confirm: 'acct_other' });
    expectProblem(wrong, 422, 'validation_failed', '/confirm');
    expect(await stateOf(client)).to.deep.include({ status: 'none', proof: 'confirm' });
    const closed = await close(client, { confirm: client.account.account_id });
    expect(closed.status, closed.text).to.equal(202);
    expect(closed.body).to.deep.include({ status: 'closing', blockers: [] });
    const days = Date.parse(closed.body.erases_at ?? '') - Date.now();
    expect(days / 86_400_000).to.be.closeTo(30, 0.1);
  });

  it('needs the code that the confirmed address gets, and no other', async () => {
    const client = await confirmed();
    const code = await codeOf(client);
    const confirm = client.account.account_id;
    expectProblem(await close(client, { confirm }), 403, 'closure_code_required');
    const wrong = `${code.startsWith('A') ? 'B' : 'A'}${code.slice(1)}`;
    expectProblem(await close(client, { code: wrong }), 422, 'closure_code_invalid');
    const other = await confirmed();
    expectProblem(await close(other, { code }), 422, 'closure_code_invalid');
    const closed = await close(client, { code: code.toLowerCase().replace('-', ' ') });
    expect(closed.status, closed.text).to.equal(202);
    const again = await close(client, { code });
    expect(again.body.closure_id).to.equal(closed.body.closure_id);
    expect(again.body.erases_at).to.equal(closed.body.erases_at);
  });

  it('is for permanent keys of scope full alone', async () => {
    const client = await api.register();
    const body = { confirm: client.account.account_id };
    const keyWith = async (more: object): Promise<string> =>
      (await client.post<{ api_key: string }>('/auth/keys', { label: 'x', ...more })).body.api_key;
    const send = await keyWith({ scope: 'send' });
    const answer = await api.call('DELETE', '/api/account', body, { key: send });
    expectProblem(answer, 403, 'scope_insufficient');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const expiring = await keyWith({ scope: 'full', expires_at });
    const refused = await api.call('DELETE', '/api/account', body, { key: expiring });
    expectProblem(refused, 403, 'scope_insufficient');
  });

  it('stops sending and making, while reading and cancelling go on, until it is taken back', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send({ draft: true });
    await close(client, { confirm: client.account.account_id });
    expectProblem(await client.post('/api/send', letterTo('DE')), 403, 'account_closing');
    const draft = await client.post('/api/send', letterTo('DE', { draft: true }));
    expectProblem(draft, 403, 'account_closing');
    const key = await client.post('/auth/keys', { label: 'x', scope: 'read' });
    expectProblem(key, 403, 'account_closing');
    const hook = await client.put('/api/settings', { webhook_url: 'https://example.org/hook' });
    expectProblem(hook, 403, 'account_closing');
    expect((await client.post('/api/account/unfreeze')).status).to.equal(200);
    expect((await client.letter(letterId)).status).to.equal('draft');
    const cancelled = await client.post(`/api/letters/${letterId}/cancel`);
    expect(cancelled.status, cancelled.text).to.equal(200);
    expectProblem(await client.post('/api/send', letterTo('DE')), 403, 'account_closing');
    const back = await takeBack(client);
    expect([back.status, back.body.status]).to.deep.equal([200, 'none']);
    await client.send();
    expect((await takeBack(client)).status).to.equal(200);
  });

  it('names for a letter that waits for approval what a closing account can do', async () => {
    const client = await api.register();
    const [agent, approver] = [await api.newKey(client, 'send'), await api.newKey(client)];
    const rules = [
      { id: 'all', effect: 'allow' },
      { id: 'ask', effect: 'hold' },
    ];
    await client.put(`/auth/keys/${agent.id}/policy`, { rules });
    const held = await api
      .as(agent.key)
      .post<Sent & { approval_id: string }>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    const closed = await close(client, { confirm: client.account.account_id });
    const [blocker] = closed.body.blockers;
    expect(blocker?.code).to.equal('approvals_pending');
    const { approval_id, letter_id } = held.body;
    for (const decision of ['approve', 'reject']) {
      const decided = await approver.post(`/api/approvals/${approval_id}/${decision}`);
      expectProblem(decided, 403, 'account_closing');
    }
    expect(blocker?.detail).to.match(/Cancel them, or wait until their approvals expire/);
    const cancelled = await client.post(`/api/letters/${letter_id}/cancel`);
    expect(cancelled.status, cancelled.text).to.equal(200);
  });

  it('lists letters under way and money that is left, and waits for them', async () => {
    const client = await funded(await api.register('live'));
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(201);
    const closed = await close(client, { confirm: client.account.account_id });
    const codes = closed.body.blockers.map(({ code }) => code);
    expect(codes).to.have.members(['letters_under_way', 'balance_left']);
    const left = closed.body.blockers.find(({ code }) => code === 'balance_left');
    expect(left?.amount).to.equal((await client.balance()).available);
    await client.post(`/api/letters/${sent.body.letter_id}/cancel`);
    await until(async () => (await stateOf(client)).blockers.length === 1);
    const forfeits = { confirm: client.account.account_id, forfeit_balance: true };
    const given = await close(client, forfeits);
    expect(given.body).to.deep.include({ blockers: [], forfeits_balance: true });
    expect(given.body.closure_id).to.equal(closed.body.closure_id);
  });

  it('is refused to the operator while there is money, and nothing changes', async () => {
    const client = await funded(await api.register('live'));
    const id = client.account.account_id;
    const told = await refusal('erase-account', id, '--now');
    expect(told).to.include('$50.00 is left in the wallet').and.not.include('\n');
    expect((await stateOf(client)).status).to.equal('none');
    expect((await client.balance()).available).to.equal(50);
    const done = await operate('erase-account', id, '--paid-out', 'wire 8');
    expect(done).to.include('$50.00').and.include('in 30 days');
    await until(async () => (await client.balance()).available === 0);
    expect((await stateOf(client)).status).to.equal('closing');
    expect(await operate('erase-account', id, '--undo')).to.include('is open again');
    expect((await stateOf(client)).status).to.equal('none');
  });

  it('erases the account when its time has come, and mails a certificate before the address goes', async () => {
    const client = await funded(await confirmed('live'));
    const { account_id: id } = client.account;
    const { letter_id: letterId } = await client.send({ draft: true });
    const code = await codeOf(client);
    const { body } = await close(client, { code, forfeit_balance: true });
    const closureId = body.closure_id ?? '';
    const erasure = async () =>
      (await api.call<Erased>('GET', `/api/account/closure/${closureId}`)).body;
    await until(async () => (await erasure()).status === 'closing');
    expect(await operate('erase-account', id, '--now')).to.include(
      'erased by the running service now',
    );
    const certificate = await (async () => {
      await until(async () => (await erasure()).certificate !== null);
      return (await erasure()).certificate ?? '';
    })();
    const mail = await mailTo(client.email, /Your account was erased/);
    expect(mail.text).to.include(certificate);
    const check = await api.call<{ valid: boolean }>('POST', '/api/identity/verify-vc', {
      credential: certificate,
    });
    expect(check.body.valid, check.text).to.equal(true);
    const claims = JSON.parse(
      Buffer.from(certificate.split('.')[1] ?? '', 'base64url').toString('utf8'),
    );
    expect(claims.vc.credentialSubject).to.include({ eventType: 'account.erased', account: id });
    expectProblem(await client.get(`/api/letters/${letterId}`), 401, 'invalid_api_key');
    const { storage } = api.service().service.foundation;
    const keysLeft = async () =>
      (
        await storage.readDb.query<{ subject: string }>(
          `select subject from keys.data_keys where wrapped is not null and subject = any($1)`,
          [[`account-${id}`, `letter-${letterId}`]],
        )
      ).rows;
    await until(async () => (await keysLeft()).length === 0);
    const taken = await operate('statement', id).catch((error: Error) => error.message);
    expect(taken).not.to.include(client.email);
    expect(await operate('erase-account', id)).to.include('is erased');
    expect(await operate('verify')).to.include('OK: everything holds.');
  });

  it('lets the address and the agent id be registered anew, as another account', async () => {
    const agent_id = `agent-${randomUUID()}`;
    const register = () =>
      api.call<{ api_key: string; account_id: string }>('POST', '/auth/agent', {
        agent_id,
        agent_name: 'Agent',
        mode: 'test',
      });
    const first = (await register()).body;
    await operate('erase-account', first.account_id, '--now');
    const isOver = async () =>
      (await api.call('GET', '/api/balance', undefined, { key: first.api_key })).status === 401;
    await until(isOver);
    const second = await register();
    expect(second.status, second.text).to.equal(201);
    expect(second.body.account_id).not.to.equal(first.account_id);
    const client = await api.register();
    await operate('erase-account', client.email, '--now');
    await until(async () => (await client.get('/api/balance')).status === 401);
    const anew = await api.call<{ account_id: string }>('POST', '/auth/register', {
      email: client.email,
      mode: 'test',
    });
    expect(anew.status, anew.text).to.equal(201);
    expect(anew.body.account_id).not.to.equal(client.account.account_id);
  });
});
