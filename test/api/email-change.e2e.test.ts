import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import {
  type Account,
  expectProblem,
  type NewKeyJson,
  type SettingsJson,
  until,
} from '../support/client.ts';
import { useMailService } from '../support/mail-service.ts';
import { operatorOf } from '../support/operator.ts';
import { tokenIn } from '../support/smtp-server.ts';

type Changed = { email: string; confirmed: boolean; expires_at: string | null; message: string };

type Owner = Awaited<ReturnType<ReturnType<typeof useMailService>['register']>>;

const some = (): string => `${randomUUID()}@example.org`;

describe('the e-mail address of an account', function () {
  this.timeout(180_000);
  const api = useMailService();
  const { mailsTo } = api;

  const mailTo = (address: string, asked: RegExp) =>
    api.mailTo(address, ({ subject }) => asked.test(subject));
  const asks = /Please confirm/;
  const confirm = async (address: string, keep: string[] | 'all' = 'all') => {
    const token = tokenIn(await mailTo(address, asks));
    return await api.call('POST', '/auth/confirm', { token, keep });
  };
  const owner = async () => {
    const client = await api.register('live');
    const answer = await confirm(client.email);
    expect(answer.status, answer.text).to.equal(200);
    return client;
  };
  const { operate } = operatorOf(() => api.service().service.foundation);

  it('answers a repeated request as at first, also after a later one and its confirmation', async () => {
    const client = await owner();
    const [next, last] = [some(), some()];
    const headers = { 'Idempotency-Key': randomUUID() };
    const asked = await client.post<Changed>('/auth/email', { email: next }, headers);
    expect(asked.status, asked.text).to.equal(202);
    const isRepeated = async () => {
      const again = await client.post<Changed>('/auth/email', { email: next }, headers);
      expect([again.status, again.text]).to.deep.equal([202, asked.text]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
    };
    expect((await client.post('/auth/email', { email: last })).status).to.equal(202);
    await isRepeated();
    expect((await confirm(last)).status).to.equal(200);
    await isRepeated();
    const stranger = await api.call('POST', '/auth/register', { email: next, mode: 'live' });
    expect(stranger.status, stranger.text).to.equal(201);
    await isRepeated();
    expect(await client.post('/auth/email', { email: some() }, headers)).to.include({
      status: 422,
    });
  });

  it('changes with a link to the new one, and the account is found by the new one alone', async () => {
    const client = await owner();
    const [before, next] = [client.email, some()];
    await client.put('/api/settings', { notification_email: before });
    const asked = await client.post<Changed>('/auth/email', { email: next });
    expect(asked.status, asked.text).to.equal(202);
    expect(asked.body).to.include({ email: next, confirmed: false });
    const mail = await mailTo(next, asks);
    expect(mail.text).to.include('address of the account').and.include('within 24 hours');
    expect(mail.text).not.to.include(before);
    const token = tokenIn(mail);
    const shown = await api.call('POST', '/auth/confirm/preview', { token });
    expect(shown.body).to.deep.include({
      address: 'change',
      email: next,
      confirmed: false,
      keys: [],
    });
    for (let time = 0; time < 2; time += 1) {
      const confirmed = await api.call('POST', '/auth/confirm', { token });
      expect(confirmed.status, confirmed.text).to.equal(200);
      expect(confirmed.body).to.deep.include({ email: next, confirmed: true, ended_keys: [] });
    }
    const set = await client.get<SettingsJson>('/api/settings');
    expect(set.body).to.include({ notification_email: next, notification_email_confirmed: true });
    expect((await client.post('/auth/keys', { label: 'more', scope: 'send' })).status).to.equal(
      201,
    );

    const told = await mailTo(before, /was changed/);
    expect(told.text).not.to.include(next);
    const again = await api.call('POST', '/auth/register', { email: next, mode: 'live' });
    expectProblem(again, 409, 'email_registered');
    await mailTo(next, /A new API key/);
    const old = await api.call('POST', '/auth/register', { email: before, mode: 'live' });
    expectProblem(old, 409, 'email_registered');
    expect(old.text).to.include('until a few days ago');
    // The address is another account in test mode.
    const test = await api.call<Account>('POST', '/auth/register', { email: before, mode: 'test' });
    expect(test.status, test.text).to.equal(201);
    expect(test.body.account_id).not.to.equal(client.account.account_id);
    expect(mailsTo(before).filter(({ subject }) => /A new API key/.test(subject))).to.be.empty;
    expect(await operate('account', next))
      .to.include(client.account.account_id)
      .and.include(next);

    const stopToken = tokenIn(told);
    const stopped = await api.call('POST', '/auth/email/stop', { token: stopToken });
    expect(stopped.status, stopped.text).to.equal(200);
    expect(stopped.body).to.include({ email: before });
    const recovery = tokenIn(await mailTo(before, /A new API key/));
    const recovered = await api.call<NewKeyJson>('POST', '/auth/recover', { token: recovery });
    expect(recovered.status, recovered.text).to.equal(201);
    expect((await client.get('/api/balance')).status).to.equal(401);
    const restored = await api.as(recovered.body.api_key).get<SettingsJson>('/api/settings');
    expect(restored.body.notification_email).to.equal(before);
    const repeated = await api.call('POST', '/auth/email/stop', { token: stopToken });
    expect(repeated.status, repeated.text).to.equal(200);
    expectProblem(await api.call('POST', '/auth/confirm', { token }), 422, 'confirmation_invalid');
  });

  it('is confirmed for a live and a test account at the same time, with a link for each', async () => {
    const live = await owner();
    const test = await api.register('test');
    expect((await confirm(test.email)).status).to.equal(200);
    const next = some();
    for (const one of [live, test]) {
      const asked = await one.post<Changed>('/auth/email', { email: next });
      expect(asked.body.message, asked.text).to.include('A mail asks the address');
    }
    await until(async () => mailsTo(next).length === 2);
    const shown = await Promise.all(
      mailsTo(next).map((mail) => api.call('POST', '/auth/confirm', { token: tokenIn(mail) })),
    );
    expect(shown.map(({ status }) => status)).to.deep.equal([200, 200]);
    for (const one of [live, test]) {
      const settled = await one.post<Changed>('/auth/email', { email: next });
      expect(settled.body, settled.text).to.include({ email: next, confirmed: true });
    }
  });

  it('is asked for with a full key that lasts, and not for an address of another account', async () => {
    const client = await owner();
    const other = await owner();
    const send = await client.post<NewKeyJson>('/auth/keys', { label: 's', scope: 'send' });
    const narrow = await api.as(send.body.api_key).post('/auth/email', { email: some() });
    expectProblem(narrow, 403, 'scope_insufficient');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const short = await client.post<NewKeyJson>('/auth/keys', {
      label: 'short',
      scope: 'full',
      expires_at,
    });
    const ending = await api.as(short.body.api_key).post('/auth/email', { email: some() });
    expectProblem(ending, 403, 'scope_insufficient');
    const taken = await client.post('/auth/email', { email: other.email.toUpperCase() });
    expectProblem(taken, 409, 'email_registered');
    const own = await client.post<Changed>('/auth/email', { email: client.email });
    expect(own.body).to.deep.include({ confirmed: true, expires_at: null });
    const wrong = await api.call('POST', '/auth/email/stop', { token: 'x' });
    expectProblem(wrong, 422, 'confirmation_invalid');
    const agent = await api.call<Account>('POST', '/auth/agent', {
      agent_id: randomUUID(),
      agent_name: 'Agent',
      scope: 'send',
    });
    const ofAgent = await api.as(agent.body.api_key).post('/auth/email', { email: some() });
    expectProblem(ofAgent, 403, 'scope_insufficient');
  });

  const stops: [string, (client: Owner, keyId: string) => ReturnType<Owner['post']>][] = [
    ['the key that asked is frozen', (client, id) => client.post(`/auth/keys/${id}/freeze`)],
    ['the account is frozen', (client) => client.post('/api/account/freeze')],
    [
      'the key that asked has a policy',
      (client, id) =>
        client.put(`/auth/keys/${id}/policy`, {
          rules: [{ effect: 'allow', limit: { amount: 5, per: 'day' } }],
        }),
    ],
  ];
  for (const [when, stop] of stops) {
    it(`is not confirmed for a stolen key by an earlier link once ${when}`, async () => {
      const client = await owner();
      const made = await client.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'full' });
      const stolen = api.as(made.body.api_key);
      const [next, reader] = [some(), some()];
      expect((await stolen.post('/auth/email', { email: next })).status).to.equal(202);
      const set = await stolen.put('/api/settings', { notification_email: reader });
      expect(set.status, set.text).to.equal(200);
      await mailTo(next, asks);
      await mailTo(reader, asks);
      const stopped = await stop(client, made.body.id);
      expect(stopped.status, stopped.text).to.equal(200);
      expectProblem(await confirm(next), 422, 'confirmation_invalid');
      expectProblem(await confirm(reader), 422, 'confirmation_invalid');
      const shown = await client.get<SettingsJson>('/api/settings');
      expect(shown.body.notification_email_confirmed).to.equal(false);
      const again = await api.call('POST', '/auth/register', {
        email: client.email,
        mode: 'live',
      });
      expectProblem(again, 409, 'email_registered');
    });
  }

  it('of notifications is not confirmed for a key that was revoked, but is for one that was rotated', async () => {
    const client = await owner();
    const make = async () => {
      const made = await client.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'full' });
      const reader = some();
      await api.as(made.body.api_key).put('/api/settings', { notification_email: reader });
      await mailTo(reader, asks);
      return { id: made.body.id, reader };
    };
    const revoked = await make();
    expect((await client.delete(`/auth/keys/${revoked.id}`)).status).to.equal(200);
    expectProblem(await confirm(revoked.reader), 422, 'confirmation_invalid');
    const rotated = await make();
    const rotation = await client.post<NewKeyJson>(`/auth/keys/${rotated.id}/rotate`);
    expect(rotation.status, rotation.text).to.equal(201);
    const confirmed = await confirm(rotated.reader);
    expect(confirmed.status, confirmed.text).to.equal(200);
  });

  it('of an account that nobody confirmed asks the new one what to keep', async () => {
    const client = await api.register('live');
    const next = some();
    expect((await client.post('/auth/email', { email: next })).status).to.equal(202);
    const moved = await confirm(next);
    expect(moved.status, moved.text).to.equal(200);
    const questions = () => mailsTo(next).filter(({ subject }) => asks.test(subject));
    await until(async () => questions().length === 2);
    const token = tokenIn(questions()[1] ?? { text: '' });
    const shown = await api.call<{ keys: unknown[]; address: string }>(
      ...(['POST', '/auth/confirm/preview', { token }] as const),
    );
    expect(shown.body.address).to.equal('registered');
    expect(shown.body.keys).to.have.length(1);
    expect(mailsTo(client.email).filter(({ subject }) => /changed/.test(subject))).to.be.empty;
    const free = await api.call('POST', '/auth/register', { email: client.email, mode: 'live' });
    expect(free.status, free.text).to.equal(201);
  });

  it('is changed by the operator at once, and for good where asked', async () => {
    const client = await owner();
    const next = some();
    expect(await operate('change-email', client.email, next)).to.include(
      'can take the change back',
    );
    await mailTo(client.email, /was changed/);
    expect(await operate('change-email', next, next)).to.include('nothing was changed');
    const last = some();
    const { account_id: id } = client.account;
    expect(await operate('change-email', id, last, '--final')).to.include('cannot take the change');
    expect(await operate('account', last)).to.include(`Address before: ${client.email}`);
    const free = await api.call('POST', '/auth/register', { email: next, mode: 'live' });
    expect(free.status, free.text).to.equal(201);
    expect(() => commandOf(['change-email', id, 'nowhere'])).to.throw('not an e-mail address');
  });

  it('has a page to stop a change', async () => {
    const page = await api.call('GET', '/auth/email/stop');
    expect(page.status).to.equal(200);
    expect(page.text).to.include('Take the change back');
    const script = await api.call('GET', '/auth/email/stop.js');
    expect(() => new Function(script.text)).not.to.throw();
  });
});
