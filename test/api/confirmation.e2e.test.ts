import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { toTimestamp } from '../../ground/clock.ts';
import {
  expectProblem,
  letterTo,
  type NewKeyJson,
  type PageOf,
  type SettingsJson,
  until,
} from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { useMailService } from '../support/mail-service.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { asksToConfirm, type ReceivedMail, tokenIn } from '../support/smtp-server.ts';

/** The address in the List-Unsubscribe header, which may be folded. */
const unsubscribeUrlIn = (mail: ReceivedMail | undefined): string => {
  const unfolded = (mail?.raw ?? '').replaceAll(/\r\n[ \t]+/g, ' ');
  return /^List-Unsubscribe: <(\S+)>/m.exec(unfolded)?.[1] ?? '';
};

type ShownSetting = { id: string; kind: string; value: string; undecided: boolean };

type Shown = {
  confirmed: boolean;
  email: string;
  keys: {
    id: string;
    label: string;
    may_spend: boolean;
    undecided: boolean;
    ucans: number;
    audit_links: { id: string; letter_id: string }[];
  }[];
  settings: ShownSetting[];
};

type Confirmed = Shown & { ended_keys: string[]; ended_settings: ShownSetting[]; message: string };

describe('an address that is to be confirmed', () => {
  const api = useMailService();
  const { mailsTo, confirmationToken: tokenTo } = api;

  const confirm = <T = Shown>(body: object) => api.call<T>('POST', '/auth/confirm', body);

  const registered = async () => {
    const client = await api.register('live');
    const { commands } = api.service().service.foundation;
    await creditWallet(commands, client.account.account_id, 100_000_000n);
    await until(async () => (await client.balance()).available === 100);
    return client;
  };

  /** Resolves once the mails that follow from the log so far are planned. */
  const mailsArePlanned = async (): Promise<void> => {
    const head = await api.service().service.foundation.storage.store.head();
    await until(async () => {
      const { body } = await api.call<{ reactors: { name: string; position: string }[] }>(
        'GET',
        '/health',
      );
      const { position } = body.reactors.find(({ name }) => name === 'send-mails') ?? {};
      return position !== undefined && BigInt(position) >= head;
    });
  };

  const send = (key: string) => api.as(key).post('/api/send', letterTo('DE'));

  it('is asked by a mail of our words; looking at the link changes nothing', async () => {
    const client = await registered();
    const token = await tokenTo(client.email);
    expect((await api.call('GET', '/auth/confirm')).status).to.equal(200);
    for (let time = 0; time < 2; time++) {
      const { body, text } = await api.call<Shown>('POST', '/auth/confirm/preview', { token });
      expect(body.confirmed, text).to.equal(false);
      expect(body.keys).to.have.length(1);
      const { key_id: id } = client.account;
      expect(body.keys[0]).to.include({ id, label: 'registration', undecided: true });
    }
    expect((await send(client.key)).status).to.equal(201);
  });

  it('keeps what its owner names, and ends everything else of before', async () => {
    const client = await registered();
    const kept = await client.post<NewKeyJson>('/auth/keys', { label: 'mine', scope: 'send' });
    const ucan = await client.post<{ token: string }>('/api/identity/ucan', { scope: 'full' });
    const letter = await client.send();
    const link = await client.post<{ id: string; url: string }>(
      `/api/identity/audit/${letter.letter_id}/link`,
      {},
    );
    const linkPath = link.body.url.slice(link.body.url.indexOf('/audit/'));
    expect((await api.call('GET', linkPath)).status).to.equal(200);
    await client.put('/api/settings', {
      webhook_url: 'https://hooks.example.com/',
      notification_email: `eve-${randomUUID()}@example.org`,
    });
    const token = await tokenTo(client.email);
    const look = () => api.call<Shown>('POST', '/auth/confirm/preview', { token });
    const linksOf = ({ body }: Awaited<ReturnType<typeof look>>, of: string) =>
      body.keys.find(({ label }) => label === of)?.audit_links;
    await until(async () => linksOf(await look(), 'registration')?.length === 1);
    const seen = await look();
    const registration = seen.body.keys.find(({ label }) => label === 'registration');
    expect(registration).to.include({ undecided: true, ucans: 1 });
    const [named] = linksOf(seen, 'registration') ?? [];
    expect(named).to.include({ id: link.body.id, letter_id: letter.letter_id });
    expect(linksOf(seen, 'mine')).to.deep.equal([]);
    expect(seen.body.settings.map(({ kind, undecided }) => [kind, undecided])).to.deep.equal([
      ['webhook', true],
      ['notification_email', true],
    ]);
    const webhook = seen.body.settings.find(({ kind }) => kind === 'webhook')?.id ?? '';
    const { body, text } = await confirm<Confirmed>({ token, keep: [kept.body.id, webhook] });
    expect(body.confirmed, text).to.equal(true);
    expect(body.keys.map(({ label }) => label)).to.deep.equal(['mine']);
    expect(body.settings.map(({ kind }) => kind)).to.deep.equal(['webhook']);
    expect(body.ended_keys).to.deep.equal([client.account.key_id]);
    expect(body.ended_settings.map(({ kind }) => kind)).to.deep.equal(['notification_email']);
    expect(body.message).to.equal(
      'The address is confirmed: 1 key ended, 1 setting removed. The account has no full key left. A recovery link is on its way to the address.',
    );
    expectProblem(await client.get('/api/balance'), 401, 'invalid_api_key');
    const bearer = api.as(`ucan:${ucan.body.token}`);
    await until(async () => (await bearer.get('/api/balance')).status === 401);
    await until(async () => (await api.call('GET', linkPath)).status === 404);
    expect((await send(kept.body.api_key)).status).to.equal(201);
    const settingsNow = await api.as(kept.body.api_key).get<SettingsJson>('/api/settings');
    expect(settingsNow.body).to.include({
      webhook_url: 'https://hooks.example.com/',
      notification_email: null,
    });
    const recoveryMail = () => mailsTo(client.email).find((mail) => !asksToConfirm(mail));
    await until(async () => recoveryMail() !== undefined);
    // The link ends nothing any more.
    expect((await confirm({ token })).status).to.equal(200);
    const end = await confirm({ token, end: [kept.body.id] });
    expectProblem(end, 422, 'confirmation_invalid');
    const recovered = await api.call<{ api_key: string }>('POST', '/auth/recover', {
      token: tokenIn(recoveryMail() ?? { text: '' }),
      keep_keys: 'all',
    });
    expect(recovered.status, recovered.text).to.equal(201);
    expectProblem(await confirm({ token }), 422, 'confirmation_invalid');
  });

  it('keeps everything with the word all, and a test account is no exception', async () => {
    for (const mode of ['live', 'test'] as const) {
      const client = mode === 'live' ? await registered() : await api.register('test');
      const token = await tokenTo(client.email);
      const { body } = await confirm<Confirmed>({ token, keep: 'all' });
      expect(body).to.deep.include({ confirmed: true, ended_keys: [], ended_settings: [] });
      expect((await send(client.key)).status, mode).to.equal(201);
    }
    const other = await api.register('test');
    await confirm({ token: await tokenTo(other.email) });
    expectProblem(await send(other.key), 401, 'invalid_api_key');
  });

  it('sends nothing to a thief who registered it first, after the owner confirmed and recovered it', async () => {
    const thief = await registered();
    const thiefAddress = `thief-${randomUUID()}@example.org`;
    await thief.put('/api/settings', { notification_email: thiefAddress });
    await confirm({ token: await tokenTo(thiefAddress) });
    const own = await thief.get<SettingsJson>('/api/settings');
    expect(own.body.notification_email_confirmed).to.equal(true);
    await confirm({ token: await tokenTo(thief.email) });
    const again = await api.call('POST', '/auth/register', { email: thief.email, mode: 'live' });
    expectProblem(again, 409, 'email_registered');
    const recoveryMail = () => mailsTo(thief.email).find((mail) => !asksToConfirm(mail));
    await until(async () => recoveryMail() !== undefined);
    const { body, text } = await api.call<{ api_key: string; left: object }>(
      'POST',
      '/auth/recover',
      { token: tokenIn(recoveryMail() ?? { text: '' }) },
    );
    expect(body.left, text).to.deep.equal({
      keys: [],
      webhook_url: null,
      notification_email: null,
      audit_webhooks: [],
      did: null,
      policies: [],
    });
    const shown = await api.as(body.api_key).get<SettingsJson>('/api/settings');
    expect(shown.body.notification_email).to.equal(null);
    expect(mailsTo(thiefAddress).filter((mail) => !asksToConfirm(mail))).to.deep.equal([]);
  });

  /** Every letter waits for an approver, who reads it. */
  const planted = (approver: string) => ({
    rules: [{ effect: 'allow' }, { effect: 'hold' }],
    approvals: { approvers: [approver] },
  });
  const credited = async (accountId: string, key: string) => {
    const { commands } = api.service().service.foundation;
    await creditWallet(commands, accountId, 100_000_000n);
    await until(async () => (await api.as(key).balance()).available === 100);
  };
  type Recovered = {
    api_key: string;
    left: { keys: string[]; policies: string[] };
  };
  const recover = async (accountId: string, recoveries: number, more: object) => {
    const { derive } = api.service().service.foundation.keys;
    const expiresAtMs = Date.now() + 60_000;
    const token = createRecoveryTokens(derive('recovery')).issue({
      accountId,
      recoveries,
      expiresAtMs,
    });
    const answer = await api.call<Recovered>('POST', '/auth/recover', { token, ...more });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const mailed = (approver: string) => mailsTo(approver);

  it('ends the policy of a stranger who registered it first, so that its approver reads no letters', async () => {
    const stranger = await api.register('live');
    const mallory = `mallory-${randomUUID()}@example.org`;
    expect((await stranger.put('/api/policy', planted(mallory))).status).to.equal(200);
    const token = await tokenTo(stranger.email);
    const seen = await api.call<Shown>('POST', '/auth/confirm/preview', { token });
    const policy = seen.body.settings.find(({ kind }) => kind === 'policy');
    expect(policy).to.include({ value: `account (${mallory})`, undecided: true });
    const { body, text } = await confirm<Confirmed>({ token });
    expect(body.settings, text).to.deep.equal([]);
    expect(body.ended_settings).to.deep.equal([{ ...policy }]);
    const { account_id: accountId } = stranger.account;
    const { api_key, left } = await recover(accountId, 0, {});
    expect(left.policies).to.deep.equal([]);
    await credited(accountId, api_key);
    expect((await send(api_key)).status).to.equal(201);
    expect(mailed(mallory)).to.deep.equal([]);
  });

  it('ends the approvers of a key that its owner keeps, and leaves the limits and the freezes of the key', async () => {
    const stranger = await registered();
    const mallory = `mallory-${randomUUID()}@example.org`;
    const kept = await stranger.post<NewKeyJson>('/auth/keys', { label: 'mine', scope: 'send' });
    const frozen = await stranger.post<NewKeyJson>('/auth/keys', { label: 'ice', scope: 'send' });
    await stranger.post(`/auth/keys/${frozen.body.id}/freeze`);
    const path = `/auth/keys/${kept.body.id}/policy`;
    const { approvals } = planted(mallory);
    const rules = [{ effect: 'allow', limit: { letters: 1, per: 'day' } }, { effect: 'hold' }];
    expect((await stranger.put(path, { rules, approvals })).status).to.equal(200);
    const token = await tokenTo(stranger.email);
    const keep = [kept.body.id, stranger.account.key_id, frozen.body.id];
    expect((await confirm({ token, keep })).body.settings).to.deep.equal([]);
    const held = await send(kept.body.api_key);
    expect(held.status, held.text).to.equal(202);
    expectProblem(await send(kept.body.api_key), 403, 'policy_denied');
    expectProblem(await send(frozen.body.api_key), 403, 'frozen');
    const policy = await stranger.get<{ approvals?: { approvers: string[] } }>(path);
    expect(policy.body.approvals?.approvers ?? [], policy.text).to.deep.equal([]);
    await until(async () => mailed(stranger.email).some(({ subject }) => /approv/i.test(subject)));
    expect(mailed(mallory)).to.deep.equal([]);
  });

  it('keeps a policy that its owner keeps, and ends it with a recovery that resets the settings', async () => {
    const owner = await registered();
    const mallory = `mallory-${randomUUID()}@example.org`;
    expect((await owner.put('/api/policy', planted(mallory))).status).to.equal(200);
    const token = await tokenTo(owner.email);
    const seen = await api.call<Shown>('POST', '/auth/confirm/preview', { token });
    // Another version of the policy is another setting, which its owner has not kept.
    const [policy] = seen.body.settings;
    const changed = await owner.put('/api/policy', {
      ...planted(mallory),
      rules: [{ effect: 'allow' }],
    });
    expect(changed.status, changed.text).to.equal(200);
    expectProblem(await confirm({ token, keep: [policy?.id] }), 404, 'key_not_found');
    const { body, text } = await confirm<Confirmed>({ token, keep: 'all' });
    expect(
      body.settings.map(({ kind, undecided }) => [kind, undecided]),
      text,
    ).to.deep.equal([['policy', false]]);
    const { account_id: accountId } = owner.account;
    const first = await recover(accountId, 0, {});
    expect(first.left.policies).to.deep.equal([`account (${mallory})`]);
    const second = await recover(accountId, 1, { reset_settings: true });
    expect(second.left.policies).to.deep.equal([]);
    expect((await send(second.api_key)).status).to.equal(201);
    expect((await api.as(second.api_key).get('/api/policy')).status).to.equal(404);
  });

  it('ends everything that a stranger who registered it first left behind, once its owner recovers it', async () => {
    const client = await registered();
    const made = await client.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'full' });
    const ucan = await client.post<{ token: string }>('/api/identity/ucan', { scope: 'full' });
    await client.put('/api/settings', { notification_email: `eve-${randomUUID()}@example.org` });
    const { derive } = api.service().service.foundation.keys;
    const token = createRecoveryTokens(derive('recovery')).issue({
      accountId: client.account.account_id,
      recoveries: 0,
      expiresAtMs: Date.now() + 60_000,
    });
    const { body, text } = await api.call<{
      api_key: string;
      ended_keys: string[];
      left: { keys: string[]; notification_email: string | null };
    }>('POST', '/auth/recover', { token });
    expect(body.ended_keys, text).to.have.members([client.account.key_id, made.body.id]);
    expect(body.left).to.deep.include({ keys: [], notification_email: null });
    for (const key of [client.key, made.body.api_key]) {
      expectProblem(await api.as(key).get('/api/balance'), 401, 'invalid_api_key');
    }
    const bearer = api.as(`ucan:${ucan.body.token}`);
    await until(async () => (await bearer.get('/api/balance')).status === 401);
    const owner = api.as(body.api_key);
    expect((await send(owner.key)).status).to.equal(201);
    const shown = await owner.get<SettingsJson>('/api/settings');
    expect(shown.body.notification_email).to.equal(null);
  });

  it('gets no mail about letters before, one mail that asks, and a way to stop the others', async () => {
    const client = await api.register('test');
    const address = `reader-${randomUUID()}@example.org`;
    const evil = 'BUY http://evil.example NOW';
    await client.put('/api/settings', { notification_email: address });
    const token = await tokenTo(address);
    const [asking] = mailsTo(address);
    expect(unsubscribeUrlIn(asking)).to.include('/unsubscribe?token=');
    const first = await client.send({ to_name: evil, reference: evil });
    await client.advance(first.letter_id, { to: 'posted' });
    await mailsArePlanned();
    // Others may name the address, too: it is not asked again.
    const other = await api.register('test');
    await other.put('/api/settings', { notification_email: address });
    expect((await confirm({ token })).body).to.include({ confirmed: true, email: address });
    const second = await client.send({ to_name: evil, reference: evil });
    await client.advance(second.letter_id, { to: 'posted' });
    await until(async () => mailsTo(address).length >= 2);
    const mails = mailsTo(address);
    expect(mails.filter(asksToConfirm)).to.have.length(1);
    const about = mails.filter((mail) => !asksToConfirm(mail));
    expect(about.map(({ subject }) => subject)).to.deep.equal(['[TEST] Your letter was shipped']);
    expect(about[0]?.raw).to.include('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const german = await client.send({ language: 'de' });
    await client.advance(german.letter_id, { to: 'posted' });
    await until(async () => mailsTo(address).length >= 3);
    const [inGerman] = mailsTo(address).filter(({ subject }) => subject.includes('Brief'));
    expect(inGerman?.text).to.contain('Diese E-Mails abbestellen').and.not.contain('Unsubscribe');
    expect(inGerman?.html).to.contain('Diese E-Mails abbestellen');
    const url = unsubscribeUrlIn(about[0]);
    const path = url.slice(url.indexOf('/unsubscribe'));
    expect((await api.call('GET', path)).status).to.equal(200);
    const isSet = async () =>
      (await client.get<SettingsJson>('/api/settings')).body.notification_email === address;
    expect(await isSet()).to.equal(true);
    const stopped = await fetch(`${api.service().url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(stopped.status, await stopped.text()).to.equal(200);
    await until(async () => !(await isSet()));
  });

  it('is changed five times a day at most', async () => {
    const client = await api.register('test');
    for (let time = 0; time < 5; time++) {
      const set = { notification_email: `r-${randomUUID()}@example.org` };
      expect((await client.put('/api/settings', set)).status).to.equal(200);
    }
    const again = await client.put('/api/settings', {
      notification_email: `r-${randomUUID()}@example.org`,
    });
    expectProblem(again, 429, 'quota_exceeded');
    expect(Number(again.headers.get('retry-after'))).to.be.within(86_000, 86_400);
    expect((await client.get<PageOf<unknown>>('/api/notifications')).status).to.equal(200);
  });

  it('refuses links that are none, are another one’s, or are old', async () => {
    for (const token of ['x', 'cr.acct_1.a.b.c', 'a'.repeat(240)]) {
      expectProblem(await confirm({ token }), 422, 'confirmation_invalid');
      const stop = await api.call('POST', `/unsubscribe?token=${token}`);
      expectProblem(stop, 422, 'confirmation_invalid');
    }
    const client = await api.register('test');
    const token = await tokenTo(client.email);
    expectProblem(await confirm({ token: `${token}A` }), 422, 'confirmation_invalid');
    expectProblem(await confirm({ token, keep: ['key_1'] }), 404, 'key_not_found');
    const stop = await api.call('POST', `/unsubscribe?token=${token}`);
    expectProblem(stop, 422, 'confirmation_invalid');
  });
});

describe('a notification address that nobody confirmed', () => {
  const hoursAgo = (hours: number) => toTimestamp(Date.now() - hours * 3_600_000);
  const { clock, moveTo } = createMovedClock(hoursAgo(9));
  const api = useMailService({}, { clock });
  const { mailsTo, confirmationToken: tokenTo } = api;

  it('is asked again when it is set again after six hours, until it is confirmed', async () => {
    const client = await api.register('test');
    const notification_email = `late-${randomUUID()}@example.org`;
    const set = async () => {
      const answer = await client.put<SettingsJson>('/api/settings', { notification_email });
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.notification_email_confirmed;
    };
    const { account_id: id } = client.account;
    const { handler } = api.service().service.foundation.commands;
    const versionNow = async () => (await handler.load(accountAggregate, id)).version;
    expect(await set()).to.equal(false);
    const first = await tokenTo(notification_email);
    const version = await versionNow();
    moveTo(hoursAgo(4));
    expect(await set()).to.equal(false);
    expect(await versionNow(), 'too early').to.equal(version);
    moveTo(hoursAgo(2));
    expect(await set()).to.equal(false);
    await until(async () => mailsTo(notification_email).length === 2);
    const second = await tokenTo(notification_email);
    expect(second).to.not.equal(first);
    const confirmed = await api.call<Shown>('POST', '/auth/confirm', { token: second });
    expect(confirmed.body, confirmed.text).to.include({ confirmed: true });
    const settled = await versionNow();
    moveTo(hoursAgo(-5));
    expect(await set()).to.equal(true);
    expect(await versionNow(), 'confirmed').to.equal(settled);
  });
});
