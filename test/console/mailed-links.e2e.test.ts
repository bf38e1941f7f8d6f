/** Signing in to the console by a link in a mail to the confirmed address of an account. */
import { expect } from 'chai';
import pg from 'pg';
import type { Page } from 'puppeteer-core';
import { createRecoveryTokens, type RecoveryGrant } from '../../commands/accounts/recovery.ts';
import {
  type KeyJson,
  letterTo,
  type NewKeyJson,
  type PageOf,
  type Sent,
  until,
  useService,
} from '../support/client.ts';
import { useMailService } from '../support/mail-service.ts';
import { operate } from '../support/operator.ts';
import { asksToConfirm, tokenIn } from '../support/smtp-server.ts';
import { useBrowser } from '../support/use-browser.ts';
import { challengeIn, createAuthenticator, fieldsIn } from './authenticator.ts';
import { consoleAt, cookieIn } from './console-client.ts';
import { createKeyboard, typeInto } from './keyboard.ts';
import { operatorTasks, ownerTasks } from './keyboard-tasks.ts';
import { linkFor as operatorLink } from './operator-client.ts';

describe('signing in by e-mail', function () {
  this.timeout(180_000);
  const api = useMailService();
  const browser = useBrowser();
  const { mailsTo } = api;
  const pages = consoleAt(() => api.service().url);

  const base = 'http://localhost';
  const signsIn = ({ text }: { text: string }): boolean => text.includes('/console/sign-in/link');
  const linksTo = (email: string) => mailsTo(email).filter(signsIn);
  const ask = (email: string) => pages.post('/sign-in/mail', { email });
  const use = (token: string) => pages.post('/sign-in/link', { token });
  const confirm = async (email: string): Promise<void> => {
    const token = await api.confirmationToken(email);
    const done = await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    expect(done.status, done.text).to.equal(200);
  };
  const confirmed = async (mode: 'live' | 'test' = 'live') => {
    const client = await api.register(mode);
    await confirm(client.email);
    return client;
  };
  const mailedToken = async (email: string): Promise<string> => {
    await ask(email);
    await until(async () => linksTo(email).length > 0);
    return tokenIn(linksTo(email)[0] ?? { text: '' });
  };
  /** A link as the service would write it. */
  const linkFor = (grant: RecoveryGrant): string =>
    createRecoveryTokens(api.service().service.foundation.keys.derive('sign-in-links')).issue(
      grant,
    );
  const hourFromNow = () => Date.now() + 3_600_000;

  it('lets the holder of the address in, once', async () => {
    const client = await confirmed();
    const token = await mailedToken(client.email);
    const answer = await use(token);
    expect(answer.status, answer.text).to.equal(303);
    const cookie = cookieIn(answer);
    expect((await pages.get('/letters', { cookie })).status).to.equal(200);
    expect((await use(token)).status).to.equal(403);
    expect(linksTo(client.email)[0]?.text).to.not.contain(client.key);
  });

  it('lets one of several in who use one link at the same time', async () => {
    const client = await confirmed();
    const token = await mailedToken(client.email);
    const answers = await Promise.all(Array.from({ length: 6 }, () => use(token)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([
      303,
      ...Array.from({ length: 5 }, () => 403),
    ]);
  });

  it('says the same of every address, and mails only to confirmed ones', async () => {
    const client = await confirmed();
    const unconfirmed = await api.register('live');
    const answers = [];
    for (const email of ['nobody@example.com', unconfirmed.email, 'no address', client.email]) {
      answers.push(await ask(email));
    }
    // Every page asks passkeys with a challenge of its own.
    const plain = (text = '') =>
      text.replaceAll(/data-options="[^"]*"|name="ticket" value="[^"]*"/g, '');
    const [first] = answers;
    for (const { status, text } of answers) {
      expect([status, plain(text)]).to.deep.equal([200, plain(first?.text)]);
    }
    await until(async () => linksTo(client.email).length > 0);
    expect(linksTo(unconfirmed.email)).to.deep.equal([]);
    expect(mailsTo('nobody@example.com')).to.deep.equal([]);
  });

  it('mails an account one link at a time', async () => {
    const client = await confirmed();
    await ask(client.email);
    await ask(client.email.toUpperCase());
    const other = await confirmed();
    await mailedToken(other.email);
    expect(linksTo(client.email).length).to.equal(1);
  });

  it('gives a session that ends with its key, which nobody has', async () => {
    const client = await confirmed();
    const cookie = cookieIn(await use(await mailedToken(client.email)));
    const { data } = (await client.get<PageOf<KeyJson>>('/auth/keys')).body;
    const made = data.find(({ label }) => label === 'Sign-in by e-mail');
    expect(made).to.include({ scope: 'full', expires_at: null });
    const again = await use(
      linkFor({
        accountId: client.account.account_id,
        recoveries: 0,
        expiresAtMs: hourFromNow(),
      }),
    );
    expect(again.status).to.equal(303);
    const keys = (await client.get<PageOf<KeyJson>>('/auth/keys')).body.data;
    expect(keys.length).to.equal(data.length);
    expect((await client.delete(`/auth/keys/${made?.id}`)).status).to.equal(200);
    expect((await pages.get('/letters', { cookie })).status).to.equal(303);
  });

  it('ends the sessions of an address with its change', async () => {
    const client = await confirmed();
    const cookie = cookieIn(await use(await mailedToken(client.email)));
    const { foundation } = api.service().service;
    const [id, next] = [client.account.account_id, `new-${client.email}`];
    await operate(foundation, 'change-email', id, next, '--final');
    await until(async () => (await pages.get('/letters', { cookie })).status === 303);
    const made = await pages.post('/keys', { label: 'for good', scope: 'full' }, { cookie });
    expect(made.status).to.equal(401);
    const { data } = (await client.get<PageOf<KeyJson>>('/auth/keys')).body;
    expect(data.map(({ label }) => label)).to.not.include('Sign-in by e-mail');
  });

  it('lets an owner sign in whose only passkey is frozen and who has no key', async () => {
    const client = await confirmed();
    const cookie = cookieIn(await use(await mailedToken(client.email)));
    const device = createAuthenticator(base);
    const { ticket, options } = challengeIn((await pages.get('/settings', { cookie })).text);
    const registered = { ticket, answer: device.create(options), label: 'phone' };
    expect((await pages.post('/settings/passkeys', registered, { cookie })).status).to.equal(303);
    const { data } = (await client.get<PageOf<KeyJson>>('/auth/keys')).body;
    const passkey = data.find(({ label }) => label === 'Passkey: phone');
    expect((await client.post(`/auth/keys/${passkey?.id}/freeze`)).status).to.equal(200);
    const lost = await client.delete(`/auth/keys/${client.account.key_id}`);
    expect(lost.status, lost.text).to.equal(200);
    const wanted = { label: 'new', scope: 'full' };
    const asked = await pages.post('/keys', wanted, { cookie });
    expect(asked.status).to.equal(403);
    const challenge = challengeIn(asked.text);
    const answer = device.get(challenge.options);
    const form = { ...fieldsIn(asked.text), ticket: challenge.ticket, answer };
    const refused = await pages.post('/confirm', form, { cookie });
    expect(refused.text).to.contain('its key is frozen');
    await api.call('POST', '/auth/register', { email: client.email });
    const isRecovery = ({ text }: { text: string }) => text.includes('/auth/recover#token=');
    await until(async () => mailsTo(client.email).some(isRecovery));
    const token = tokenIn(mailsTo(client.email).find(isRecovery) ?? { text: '' });
    const recovered = await api.call<NewKeyJson>('POST', '/auth/recover', { token });
    expect(recovered.status, recovered.text).to.equal(201);
    const person = await pages.signIn(recovered.body.api_key);
    expect((await person.post('/keys', wanted)).status).to.equal(200);
    const keys = (await api.as(recovered.body.api_key).get<PageOf<KeyJson>>('/auth/keys')).body;
    const labels = keys.data.map(({ label }) => label).sort();
    expect(labels).to.deep.equal(['new', 'recovery']);
  });

  type Held = Sent & { approval_id: string };
  /** Approves by the link in the mail about an approval. */
  const approveByMail = async (email: string, approvalId: string) => {
    const link = new RegExp(`/approvals/${approvalId}\\?token=(\\S+)`);
    const tokens = () => mailsTo(email).flatMap(({ text }) => link.exec(text)?.[1] ?? []);
    await until(async () => tokens().length > 0);
    const body = new FormData();
    body.set('token', tokens()[0] ?? '');
    body.set('decision', 'approve');
    const { url } = api.service();
    const answer = await fetch(`${url}/approvals/${approvalId}`, { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };

  it('lets the reader of the address approve what others sent, and not what the session sent itself', async () => {
    const client = await confirmed('test');
    const rules = [
      { id: 'all', effect: 'allow' },
      { id: 'ask', effect: 'hold' },
    ];
    expect((await client.put('/api/policy', { rules })).status).to.equal(200);
    const cookie = cookieIn(await use(await mailedToken(client.email)));
    const { body: draft } = await client.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const path = `/letters/${draft.letter_id}`;
    const shown = await pages.get(path, { cookie });
    expect((await pages.post(`${path}/send`, fieldsIn(shown.text), { cookie })).status).to.equal(
      303,
    );
    const statusOf = async (id: string) =>
      (await client.get<Sent>(`/api/letters/${id}`)).body.status;
    const pending = await client.get<PageOf<Held>>('/api/approvals?status=pending');
    const own = pending.body.data[0]?.approval_id ?? '';
    expect((await pages.post(`/approvals/${own}/approve`, {}, { cookie })).status).to.equal(403);
    const refused = await approveByMail(client.email, own);
    expect(refused.status).to.equal(409);
    expect(refused.text).to.contain('You asked for it yourself');
    expect(await statusOf(draft.letter_id)).to.equal('draft');

    const made = await pages.post('/keys', { label: 'agent', scope: 'send' }, { cookie });
    const agent = api.as(/svc_test_\w+/.exec(made.text)?.[0] ?? '');
    const held = await agent.post<Held>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    const approved = await approveByMail(client.email, held.body.approval_id);
    expect(approved.status, approved.text).to.equal(200);
    expect(await statusOf(held.body.letter_id)).to.equal('queued');
  });

  it('keeps a link while the state of its key cannot be read', async () => {
    const client = await confirmed();
    const token = await mailedToken(client.email);
    const database = new pg.Client({ connectionString: api.service().databaseUrl });
    await database.connect();
    await database.query('begin');
    await database.query('lock table read_models.api_keys in exclusive mode');
    const behind = await use(token);
    await database.query('rollback');
    await database.end();
    expect(behind.status, behind.text).to.equal(503);
    await until(async () => (await use(token)).status === 303);
    expect((await use(token)).status).to.equal(403);
  });

  it('refuses links that expired, of another recovery, of unconfirmed addresses, and made up ones', async () => {
    const client = await confirmed();
    const unconfirmed = await api.register('live');
    const { account_id: accountId } = client.account;
    const grant = { accountId, recoveries: 0, expiresAtMs: hourFromNow() };
    for (const token of [
      linkFor({ ...grant, expiresAtMs: Date.now() - 1 }),
      linkFor({ ...grant, recoveries: 1 }),
      linkFor({ ...grant, accountId: unconfirmed.account.account_id }),
      linkFor({ ...grant, accountId: 'acct_0' }),
      `${linkFor(grant).slice(0, -1)}!`,
      createRecoveryTokens(api.service().service.foundation.keys.derive('recovery')).issue(grant),
      '"><script>',
    ]) {
      const answer = await use(token);
      expect([answer.status, answer.headers.get('set-cookie')]).to.deep.equal([403, null]);
    }
  });

  /** Asks for a link and signs in with it, by keyboard. */
  const signInByMail = async (page: Page): Promise<void> => {
    const { email } = await confirmed();
    const keyboard = createKeyboard('/console', ownerTasks);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.goto(`${api.service().url}/console/sign-in`);
    await typeInto(page, 'email', email);
    await keyboard.press(page, 'form[action$="/sign-in/mail"] button');
    expect(keyboard.leftOf('mailed-links.e2e.test.ts')).to.deep.equal([]);
    await until(async () => linksTo(email).length > 0);
    await page.goto(`${api.service().url}/console/sign-in/link`);
    await typeInto(page, 'token', tokenIn(linksTo(email)[0] ?? { text: '' }));
    await keyboard.press(page, 'button.button');
    expect(page.url()).to.contain('/console/letters');
  };

  it('lets operators send a mail of a letter again, and owners sign in, by keyboard and without scripts', async () => {
    const client = await api.register();
    const address = `reader-${client.account.account_id.slice(-8)}@example.org`;
    await client.put('/api/settings', { notification_email: address });
    const token = await api.confirmationToken(address);
    expect((await api.call('POST', '/auth/confirm', { token })).status).to.equal(200);
    const { letter_id: letterId } = await client.send({ service: 'de_standardbrief' });
    await client.advance(letterId, { to: 'posted' });
    const about = () => mailsTo(address).filter((mail) => !asksToConfirm(mail));
    await until(async () => about().length === 1);
    const foundation = () => api.service().service.foundation;
    const { readDb } = foundation().storage;
    let mailId = '';
    await until(async () => {
      const { rows } = await readDb.query<{ id: string }>(
        "select mail_id as id from read_models.mails where letter_id = $1 and state = 'sent'",
        [letterId],
      );
      mailId = rows[0]?.id ?? '';
      return mailId !== '';
    });
    const { press } = createKeyboard('/console/operator', operatorTasks);
    const { page, complaints } = await browser.open();
    await page.setJavaScriptEnabled(false);
    await page.setViewport({ width: 320, height: 900 });
    const link = await operatorLink(foundation());
    await page.goto(`${api.service().url}/console/operator/sign-in`);
    await typeInto(page, 'token', link.split('#token=')[1] ?? '');
    await press(page, 'button.button');
    await page.goto(`${api.service().url}/console/operator`);
    await typeInto(page, 'text', mailId);
    await press(page, 'form[role="search"] button');
    await press(page, 'form[action$="/again"] button');
    expect(page.url()).to.contain('said=');
    await until(async () => about().length === 2);
    expect(about()[1]?.subject).to.equal(about()[0]?.subject);
    await signInByMail(page);
    expect(complaints).to.deep.equal([]);
  });
});

describe('signing in where the service sends no mails', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);

  it('offers no link by e-mail', async () => {
    expect((await pages.get('/sign-in')).text).to.not.contain('/sign-in/mail');
  });
});
