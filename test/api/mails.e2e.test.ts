import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { attemptMail, mailAggregate } from '../../commands/mails/mail.ts';
import { mails } from '../../projections/mails/project.ts';
import { rebuild } from '../../projections/rebuild.ts';
import {
  type Account,
  expectMembers,
  expectProblem,
  letterTo,
  type NotificationJson,
  type PageOf,
  type SettingsJson,
  until,
  useService,
} from '../support/client.ts';
import { creditWallet, verifyLog } from '../support/foundation.ts';
import { useMailService } from '../support/mail-service.ts';
import { operate } from '../support/operator.ts';
import { untilShown } from '../support/service.ts';
import { asksToConfirm } from '../support/smtp-server.ts';

describe('e-mails over the whole service', () => {
  const api = useMailService({
    MAIL_FROM: 'Letters <post@letters.example.org>',
    CANCELLATION_WINDOW_SECONDS: '0',
  });

  /** Waits until an address has `count` mails, and returns them. */
  const mailsTo = async (address: string, count: number) => {
    const about = () => api.mailsTo(address).filter((mail) => !asksToConfirm(mail));
    await until(async () => about().length >= count);
    const arrived = about();
    expect(arrived.map(({ subject }) => subject)).to.have.length(count);
    return arrived;
  };

  const reader = async (mode: 'live' | 'test' = 'test') => {
    const client = await api.register(mode);
    const address = `reader-${randomUUID()}@example.org`;
    const set = await client.put<SettingsJson>('/api/settings', { notification_email: address });
    expect(set.body.notification_email_confirmed).to.equal(false);
    const token = await api.confirmationToken(address);
    const confirmed = await api.call('POST', '/auth/confirm', { token });
    expect(confirmed.status, confirmed.text).to.equal(200);
    return { ...client, address };
  };

  const notificationOf = async (
    client: Pick<Awaited<ReturnType<typeof reader>>, 'get'>,
    type: string,
  ): Promise<NotificationJson | undefined> => {
    const list = await client.get<PageOf<NotificationJson>>('/api/notifications?limit=100');
    expect(list.status, list.text).to.equal(200);
    return list.body.data.find((one) => one.type === type);
  };

  /** Writes the events of the second mail, without the hour before it. */
  const recordMail = async (facts: { accountId: string; kind: string; letterId: string }) => {
    const { handler } = api.service().service.foundation.commands;
    const mailId = randomUUID();
    const context = { commandId: randomUUID(), actor: 'operator' };
    await handler.handle(mailAggregate, mailId, context, (state) =>
      attemptMail(state, { type: 'AttemptMail', facts: { mailId, ...facts } }),
    );
  };

  it('confirm an untracked and a tracked test letter, once each, marked as tests', async () => {
    const client = await reader();
    const untracked = await client.send({ service: 'de_standardbrief' });
    await client.advance(untracked.letter_id, { to: 'posted' });
    const [first] = await mailsTo(client.address, 1);
    expect(first?.subject).to.equal('[TEST] Your letter was shipped');
    for (const part of [first?.text, first?.html]) {
      expect(part).to.include('there will be no tracking number').and.include('Expected delivery');
      expect(part).to.include('TEST: this was a test letter').and.include('Anna Müller');
    }
    const tracked = await client.send({ service: 'de_einschreiben' });
    await client.advance(tracked.letter_id, { to: 'posted' });
    const [, second] = await mailsTo(client.address, 2);
    const { tracking } = await client.letter(tracked.letter_id);
    expect(second?.text).to.include(tracking?.tracking_number).and.not.include('piececode=');
    await client.advance(tracked.letter_id, { to: 'delivered' });
    const [, , third] = await mailsTo(client.address, 3);
    expect(third?.subject).to.equal('[TEST] Your letter was delivered');
  });

  it('about an account are in its language: as it registered, or chose since', async () => {
    const register = async (more: object, headers: Record<string, string>) => {
      const email = `ada-${randomUUID()}@example.org`;
      const body = { email, mode: 'test', ...more };
      const made = await api.call<{ api_key: string }>('POST', '/auth/register', body, { headers });
      expect(made.status, made.text).to.equal(201);
      await until(async () => api.mailsTo(email).length > 0);
      const [mail] = api.mailsTo(email);
      return { email, mail, ...api.as(made.body.api_key) };
    };
    const german = await register({ language: 'de' }, { 'Accept-Language': 'fr' });
    expect(german.mail?.subject).to.equal('[TEST] Bitte bestätigen Sie Ihre E-Mail-Adresse');
    expect(german.mail?.text).to.include('/auth/confirm?language=de#token=');
    const french = await register({}, { 'Accept-Language': 'fr-CA, en;q=0.5' });
    expect(french.mail?.subject).to.include('Veuillez confirmer');
    const other = await register({}, { 'Accept-Language': '*' });
    expect(other.mail?.subject).to.include('Please confirm');
    expect((await other.get<SettingsJson>('/api/settings')).body).not.to.have.property('language');
    const chosen = await other.put('/api/settings', { language: 'fr' });
    expect(chosen.body).to.include({ language: 'fr' });
    expect((await other.get('/api/settings')).body).to.include({ language: 'fr' });
    expectProblem(await other.put('/api/settings', { language: 'es' }), 422, 'validation_failed');
    const address = `reader-${randomUUID()}@example.org`;
    await other.put('/api/settings', { notification_email: address });
    await until(async () => api.mailsTo(address).length > 0);
    expect(api.mailsTo(address)[0]?.subject).to.include('Veuillez confirmer');
    const again = { email: french.email, mode: 'test' };
    expectProblem(await api.call('POST', '/auth/register', again), 409, 'email_registered');
    await until(async () => api.mailsTo(french.email).length > 1);
    expect(api.mailsTo(french.email)[1]?.subject).to.include('Une nouvelle clé API');
  });

  it('are the e-mail channel of their notification', async () => {
    const client = await reader();
    const sent = await client.send();
    await client.advance(sent.letter_id, { to: 'posted' });
    await mailsTo(client.address, 1);
    await until(async () => {
      const found = await notificationOf(client, 'letter.posted');
      return found?.channels[0]?.state === 'delivered';
    });
    const posted = await notificationOf(client, 'letter.posted');
    expect(posted?.channels).to.have.length(1);
    expect(posted?.channels[0]).to.include({ channel: 'email', mail: 'shipped' });
    expect(posted?.channels[0]?.attempts).to.have.length(1);
    const one = await client.get<NotificationJson>(`/api/notifications/${posted?.id}`);
    expect(one.body).to.deep.equal(posted);
    expect((await notificationOf(client, 'letter.queued'))?.channels).to.deep.equal([]);
  });

  it('show as failed, or as pending with a time, while the mail server refuses them', async () => {
    const client = await reader();
    api.smtp().behave({ kind: 'refuse', code: 550 });
    try {
      const sent = await client.send();
      await client.post(`/api/letters/${sent.letter_id}/cancel`);
      await until(async () => {
        const found = await notificationOf(client, 'letter.cancelled');
        return found?.channels[0]?.state === 'failed';
      });
      const failed = await notificationOf(client, 'letter.cancelled');
      expect(failed?.channels[0]?.attempts[0]).to.include({ error: 'rejected', status: null });
      api.smtp().behave({ kind: 'refuse', code: 451 });
      const other = await client.send();
      await client.advance(other.letter_id, { to: 'posted' });
      await until(async () => {
        const [channel] = (await notificationOf(client, 'letter.posted'))?.channels ?? [];
        return channel?.attempts.length === 1 && channel.next_attempt_at !== null;
      });
      const [channel] = (await notificationOf(client, 'letter.posted'))?.channels ?? [];
      expect(channel?.state).to.equal('pending');
      expect(Date.parse(channel?.next_attempt_at ?? '')).to.be.above(Date.now());
    } finally {
      api.smtp().behave({ kind: 'take' });
    }
  });

  it('confirm a live letter that is numbered later without its number', async () => {
    const client = await reader('live');
    await creditWallet(
      api.service().service.foundation.commands,
      client.account.account_id,
      50_000_000n,
    );
    await mailsTo(client.address, 1);
    const body = letterTo('FR', { service: 'fr_lettre_suivie' });
    const sent = await client.post<{ letter_id: string }>('/api/send', body);
    expect(sent.status, sent.text).to.equal(201);
    const { letter_id: id } = sent.body;
    await until(async () => (await client.letter(id)).status === 'processing');
    const inbox = join(api.service().dataDir, 'inbox');
    await mkdir(inbox, { recursive: true });
    const report = join(inbox, '.posted');
    await writeFile(report, JSON.stringify({ job_id: id, status: 'posted' }));
    await rename(report, join(inbox, `${id}.json`));
    const [credit, mail] = await mailsTo(client.address, 2);
    expect(credit?.subject).to.equal('Your wallet was credited with $50.00');
    expect(mail?.text).to.include('second e-mail within 1 to 24 hours');
    expect(mail?.text).not.to.match(/TEST|Tracking number/);
    await recordMail({
      accountId: client.account.account_id,
      kind: 'tracking_ready',
      letterId: id,
    });
    await until(async () => {
      const { channels = [] } = (await notificationOf(client, 'letter.posted')) ?? {};
      return (
        channels.map((channel) => channel.mail).join() === 'shipped_number_follows,tracking_ready'
      );
    });
  });

  it('name money of the operator as the operator named it', async () => {
    const client = await reader('live');
    const { foundation } = api.service().service;
    const { account_id: id } = client.account;
    const named = 'bank transfer 8841';
    await operate(foundation, 'credit', id, '250.00', '--reference', named);
    await operate(foundation, 'adjust', id, '25.00', '--credit', named, '--reason', 'typed 250.00');
    const mailed = await mailsTo(client.address, 2);
    const textOf = (subject: RegExp) => mailed.find((mail) => subject.test(mail.subject))?.text;
    expect(textOf(/credited/)).to.include(named);
    expect(textOf(/taken back/)).to.include('typed 250.00');
    for (const { text } of mailed) expect(text).to.not.include('operator-');
  });

  it('leave a log in order and rows that a rebuild finds again', async () => {
    const { foundation } = api.service().service;
    expect(await verifyLog(foundation)).to.deep.equal([]);
    const rows = async () =>
      (
        await foundation.storage.readDb.query<{ row: string }>(
          'select m::text as row from read_models.mails m order by mail_id',
        )
      ).rows;
    await untilShown(api.service());
    const before = await rows();
    expect(before).to.have.length.greaterThan(4);
    const { store, rebuildDb } = foundation.storage;
    await rebuild({ store, db: rebuildDb, log: foundation.log }, [mails]);
    expect(await rows()).to.deep.equal(before);
  });

  describe('recovery', () => {
    const linkIn = (text = ''): string => /https?:\/\/\S+#token=\S+/.exec(text)?.[0] ?? '';
    const tokenOf = (link: string): string => link.split('#token=')[1] ?? '';
    const recover = <T = Account>(token: unknown, headers: Record<string, string> = {}) =>
      api.call<T>('POST', '/auth/recover', { token }, { headers });

    it('sends one link to an address that is registered, and a key to whoever has it', async () => {
      const client = await api.register();
      for (let time = 0; time < 3; time++) {
        const again = await api.call('POST', '/auth/register', {
          email: client.email.toUpperCase(),
          mode: 'test',
        });
        const { detail } = expectProblem(again, 409, 'email_registered');
        expect(detail).to.include('recovery link');
      }
      const [mail] = await mailsTo(client.email, 1);
      expect(mail?.subject).to.equal('[TEST] A new API key for your account');
      const link = linkIn(mail?.text);
      expect(mail?.html).to.include(link);
      const token = tokenOf(link);
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await recover(token, headers);
      expect(first.status, first.text).to.equal(201);
      expectMembers(first.body, [...Object.keys(client.account), 'ended_keys', 'left']);
      expect(first.body).to.include({ scope: 'full', account_id: client.account.account_id });
      const again = await recover(token, headers);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(again.body.api_key).to.equal(first.body.api_key);
      expectProblem(await recover(token), 409, 'recovery_token_used', '/token');
      expect((await api.as(first.body.api_key).get('/auth/keys')).status).to.equal(200);
      expectProblem(await client.get('/auth/keys'), 401, 'invalid_api_key');
      const { foundation } = api.service().service;
      const log = JSON.stringify(
        (await foundation.storage.store.readAll({ after: 0n, limit: 5_000 })).map(
          ({ data }) => data,
        ),
      );
      expect(log).not.to.include(token);
    });

    it('refuses what is no token, and a link whose hour is over', async () => {
      for (const token of ['x', 'acct_1.1.1.AAAA', `${'a'.repeat(200)}`]) {
        expectProblem(await recover(token), 422, 'recovery_token_invalid', '/token');
      }
      expectProblem(await recover(''), 422, 'validation_failed', '/token');
      expectProblem(await recover(5), 422, 'validation_failed', '/token');
      const { account } = await api.register();
      const { derive } = api.service().service.foundation.keys;
      const old = createRecoveryTokens(derive('recovery')).issue({
        accountId: account.account_id,
        recoveries: 0,
        expiresAtMs: Date.now() - 1,
      });
      expectProblem(await recover(old), 422, 'recovery_token_expired', '/token');
    });

    it('has a page that runs only its own script', async () => {
      for (const [path, type] of [
        ['/auth/recover', 'text/html; charset=utf-8'],
        ['/auth/recover.js', 'text/javascript; charset=utf-8'],
      ]) {
        const answer = await api.call('GET', path ?? '');
        expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, type]);
        const policy = answer.headers.get('content-security-policy');
        expect(policy).to.include("default-src 'none'").and.include("script-src 'self'");
        expect(answer.headers.get('cache-control')).to.equal('no-store');
        expect(answer.text).not.to.match(/<script>|onclick|https?:\/\//);
      }
    });
  });
});

describe('a service without a mail server', () => {
  const api = useService();

  it('attempts nothing, shows no e-mail channel and promises no link', async () => {
    const client = await api.register();
    await client.put('/api/settings', { notification_email: 'nobody@example.org' });
    const sent = await client.send();
    await client.advance(sent.letter_id, { to: 'posted' });
    const again = await api.call('POST', '/auth/register', { email: client.email, mode: 'test' });
    const { detail } = expectProblem(again, 409, 'email_registered');
    expect(detail).not.to.include('recovery link');
    const list = await client.get<PageOf<NotificationJson>>('/api/notifications');
    expect(list.body.data.flatMap(({ channels }) => channels)).to.deep.equal([]);
    const { readDb, store } = api.service().service.foundation.storage;
    await until(async () => {
      const { rows } = await readDb.query<{ left: bigint }>(
        "select count(*) as left from work.jobs where task = 'mail'",
      );
      return rows[0]?.left === 0n;
    });
    const events = await store.readAll({ after: 0n });
    expect(events.filter(({ stream }) => stream.startsWith('mail-'))).to.deep.equal([]);
  });
});
