/** Passkeys in Chromium, with a virtual authenticator: registered, used to sign in, and asked for before what matters. */
import { expect } from 'chai';
import pg from 'pg';
import type { CDPSession, Page } from 'puppeteer-core';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { clientOf, type KeyJson, type NewKeyJson, type PageOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { useBrowser } from '../support/use-browser.ts';
import { createKeyboard, typeInto } from './keyboard.ts';
import { ownerTasks } from './keyboard-tasks.ts';
import { withAuthenticator } from './passkey-device.ts';

describe('a passkey', function () {
  this.timeout(240_000);
  let service: TestService;
  let base: string;
  const browser = useBrowser();
  let shiftMs = 0;
  before(async () => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    const clock = () => Date.now() + shiftMs;
    service = await startTestService({ PORT: String(port), BASE_URL: base }, { clock });
  });
  after(async () => {
    await service?.stop();
  });
  const api = clientOf(() => service);

  type Client = Awaited<ReturnType<typeof api.register>>;
  type Device = { page: Page; cdp: CDPSession; authenticator: string };

  /** A browser with an authenticator that confirms its user without asking. */
  const device = async (): Promise<Device> => {
    const { page } = await browser.open();
    const cdp = await page.createCDPSession();
    await cdp.send('Network.clearBrowserCookies');
    return { page, cdp, authenticator: await withAuthenticator(cdp) };
  };
  const at = (path: string): string => `${base}/console${path}`;
  const keyboard = createKeyboard('/console', ownerTasks);
  const { press } = keyboard;
  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.goto(at('/sign-in'));
    await typeInto(page, 'api_key', key);
    await press(page, 'form[action$="/sign-in"] button');
  };
  const pathOf = (page: Page): string => new URL(page.url()).pathname;
  const register = async (page: Page): Promise<void> => {
    await page.goto(at('/settings'));
    await typeInto(page, 'label', 'laptop');
    await press(page, 'form[data-passkey="create"] button');
  };
  const owner = async () => {
    const client = await api.register();
    const { page, cdp, authenticator } = await device();
    await signIn(page, client.key);
    await register(page);
    expect(new URL(page.url()).search).to.equal('?said=passkey_registered');
    return { client, page, cdp, authenticator };
  };
  const query = async (sql: string, values: unknown[] = []) => {
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    const { rows } = await database.query(sql, values);
    await database.end();
    return rows;
  };
  const keysOf = async ({
    get,
  }: {
    get: typeof api extends never ? never : Awaited<ReturnType<typeof api.register>>['get'];
  }) => (await get<PageOf<KeyJson>>('/auth/keys')).body.data;

  it('is registered in the settings, and signs in without a key', async () => {
    const { client, page } = await owner();
    const made = (await keysOf(client)).find(({ label }) => label === 'Passkey: laptop');
    expect(made?.scope).to.equal('full');
    await press(page, 'form[action$="/sign-out"] button');
    expect(pathOf(page)).to.equal('/console/sign-in');
    await press(page, 'form[data-passkey="get"] button');
    expect(pathOf(page)).to.equal('/console/letters');
    await page.goto(at('/settings'));
    expect(await page.content()).to.contain(client.account.account_id);
    await page.close();
  });

  it('ends with its key, and its session with it', async () => {
    const { client, page } = await owner();
    await press(page, 'form[action$="/sign-out"] button');
    await press(page, 'form[data-passkey="get"] button');
    const made = (await keysOf(client)).find(({ label }) => label === 'Passkey: laptop');
    expect((await client.delete(`/auth/keys/${made?.id}`)).status).to.equal(200);
    await page.goto(at('/letters'));
    expect(pathOf(page)).to.equal('/console/sign-in');
    await press(page, 'form[data-passkey="get"] button');
    expect(await page.$eval('[role="alert"]', (one) => one.textContent)).to.contain('not known');
    await page.close();
  });

  it('ends with the recovery of the account, and its session with it', async () => {
    const { client, page } = await owner();
    await press(page, 'form[action$="/sign-out"] button');
    await press(page, 'form[data-passkey="get"] button');
    const { derive } = service.service.foundation.keys;
    const token = createRecoveryTokens(derive('recovery')).issue({
      accountId: client.account.account_id,
      recoveries: 0,
      expiresAtMs: Date.now() + shiftMs + 60_000,
    });
    expect((await api.call('POST', '/auth/recover', { token })).status).to.equal(201);
    await page.goto(at('/letters'));
    expect(pathOf(page)).to.equal('/console/sign-in');
    await press(page, 'form[data-passkey="get"] button');
    expect(await page.$eval('[role="alert"]', (one) => one.textContent)).to.contain('not known');
    await page.close();
  });

  it('is asked for before a key is made, once in ten minutes, and the form is then obeyed', async () => {
    const { client, page } = await owner();
    await page.goto(at('/keys'));
    await page.type('[name="label"]', 'printer <b>');
    await press(page, 'form[action$="/keys"] button');
    expect(await page.$eval('h1', (one) => one.textContent)).to.equal('Confirm with your passkey');
    expect((await keysOf(client)).map(({ label }) => label)).to.not.include('printer <b>');
    await press(page, 'form[data-passkey="get"] button');
    expect(await page.$eval('#secret', (one) => one.textContent)).to.match(/^svc_test_/);
    expect((await keysOf(client)).map(({ label }) => label)).to.include('printer <b>');
    await page.type('[name="label"]', 'second');
    await press(page, 'form[action$="/keys"] button');
    expect(await page.$('#secret')).to.not.equal(null);
    await page.close();
  });

  it('is asked for before data is exported and before the account is closed', async () => {
    const { client, page } = await owner();
    const heading = () => page.$eval('h1', (one) => one.textContent);
    const forget = () => query('update console.sessions set confirmed_at = null');
    const exportsMade = () =>
      query('select from exports.exports where account_id = $1', [client.account.account_id]);
    await page.goto(at('/settings/data'));
    await press(page, 'form[action$="/settings/exports"] button');
    expect(await heading()).to.equal('Confirm with your passkey');
    expect(await exportsMade()).to.have.length(0);
    await press(page, 'form[data-passkey="get"] button');
    expect(pathOf(page)).to.match(/^\/console\/settings\/exports\/[\w-]+$/);
    expect(await exportsMade()).to.have.length(1);
    await forget();
    await page.goto(at('/settings/data'));
    await page.type('[name="confirm"]', client.account.account_id);
    await press(page, 'button[value="close"]');
    expect(await heading()).to.equal('Confirm with your passkey');
    expect(await page.$('#closing')).to.equal(null);
    await press(page, 'form[data-passkey="get"] button');
    expect(await page.$('#closing')).to.not.equal(null);
    await page.close();
  });

  it('of another account confirms nothing', async () => {
    const { client } = await owner();
    const other = await owner();
    await press(other.page, 'form[action$="/sign-out"] button');
    await signIn(other.page, client.key);
    await other.page.goto(at('/keys'));
    await other.page.type('[name="label"]', 'stolen');
    await press(other.page, 'form[action$="/keys"] button');
    // The page asks for the passkeys of the account; the browser has none of them, and a forged page asks for any.
    await other.page.$eval('form[data-passkey]', (form) => {
      const { options } = (form as unknown as { dataset: { options: string } }).dataset;
      const asked = { ...JSON.parse(options), allowCredentials: [] };
      form.setAttribute('data-options', JSON.stringify(asked));
    });
    await press(other.page, 'form[data-passkey="get"] button');
    expect(await other.page.$eval('[role="alert"]', (one) => one.textContent)).to.contain(
      'cannot confirm this for your account',
    );
    expect((await keysOf(client)).map(({ label }) => label)).to.not.include('stolen');
    await other.page.close();
  });

  it('of another host is refused', async () => {
    const { page, cdp, authenticator } = await owner();
    const { credentials } = await cdp.send('WebAuthn.getCredentials', {
      authenticatorId: authenticator,
    });
    const [credential] = credentials;
    if (!credential) throw new Error('the authenticator has no passkey');
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId: authenticator });
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId: authenticator,
      credential: { ...credential, rpId: 'evil.localhost' },
    });
    // A page of the other host gets an answer to our challenge, and hands it to us.
    await press(page, 'form[action$="/sign-out"] button');
    const [options, ticket] = await page.$eval('form[data-passkey="get"]', (form) => [
      form.getAttribute('data-options') ?? '',
      (form.querySelector('[name="ticket"]') as unknown as { value: string }).value,
    ]);
    await page.goto(base.replace('//localhost', '//evil.localhost'));
    const asked = JSON.stringify({ ...JSON.parse(options ?? ''), rpId: 'evil.localhost' });
    const answer = (await page.evaluate(
      `navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${asked}) }).then((one) => JSON.stringify(one.toJSON()))`,
    )) as string;
    const given = await fetch(at('/sign-in/passkey'), {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Sec-Fetch-Site': 'same-origin',
      },
      body: new URLSearchParams({ ticket: ticket ?? '', answer }).toString(),
    });
    expect([given.status, given.headers.get('set-cookie')]).to.deep.equal([403, null]);
    await page.close();
  });

  it('answers a challenge once, for the purpose and the session that it was for', async () => {
    const { page } = await owner();
    await page.goto(at('/keys'));
    await page.type('[name="label"]', 'one');
    await press(page, 'form[action$="/keys"] button');
    const answered = (await page.$eval('form[data-passkey="get"]', async (form) => {
      const options = JSON.parse(form.getAttribute('data-options') ?? '');
      const script = globalThis as unknown as {
        PublicKeyCredential: { parseRequestOptionsFromJSON(of: object): object };
        navigator: { credentials: { get(of: object): Promise<{ toJSON(): object }> } };
      };
      const publicKey = script.PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const answer = await script.navigator.credentials.get({ publicKey });
      const ticket = form.querySelector('[name="ticket"]') as unknown as { value: string };
      return { ticket: ticket.value, answer: JSON.stringify(answer.toJSON()) };
    })) as { ticket: string; answer: string };
    const cookie = (await page.cookies()).map(({ name, value }) => `${name}=${value}`).join();
    const send = async (path: string) =>
      fetch(at(path), {
        method: 'POST',
        redirect: 'manual',
        headers: {
          cookie,
          'Content-Type': 'application/x-www-form-urlencoded',
          'Sec-Fetch-Site': 'same-origin',
        },
        body: new URLSearchParams({
          ...answered,
          to: '/keys',
          'held:label': 'x',
          'held:scope': 'read',
        }).toString(),
      });
    expect((await send('/sign-in/passkey')).status).to.equal(403);
    expect((await send('/confirm')).status).to.equal(200);
    await query('update console.sessions set confirmed_at = null');
    expect((await send('/confirm')).status).to.equal(403);
    await page.close();
  });

  const ends: [string, (client: Client, key: NewKeyJson) => Promise<void>][] = [
    [
      'expires',
      async () => {
        shiftMs += 2 * 3_600_000;
      },
    ],
    [
      'is revoked',
      async (client, { id }) => {
        expect((await client.delete(`/auth/keys/${id}`)).status).to.equal(200);
      },
    ],
  ];
  for (const [how, end] of ends) {
    it(`of a key no longer counts and is no longer asked for once that key ${how}`, async () => {
      const client = await api.register();
      const made = await client.post<NewKeyJson>('/auth/keys', {
        label: 'contractor',
        scope: 'full',
        expires_at: new Date(Date.now() + shiftMs + 3_600_000).toISOString(),
      });
      const { page, cdp } = await device();
      await signIn(page, made.body.api_key);
      await register(page);
      const makeKey = async (label: string) => {
        await page.goto(at('/keys'));
        await page.type('[name="label"]', label);
        await press(page, 'form[action$="/keys"] button');
      };
      const heading = () => page.$eval('h1', (one) => one.textContent);
      await cdp.send('Network.clearBrowserCookies');
      await signIn(page, client.key);
      await makeKey('asked before');
      expect(await heading()).to.equal('Confirm with your passkey');

      await end(client, made.body);
      if (how === 'expires') {
        await cdp.send('Network.clearBrowserCookies');
        await signIn(page, client.key);
      } else {
        await press(page, 'form[data-passkey="get"] button');
        expect(await heading()).to.equal('Confirm with your passkey');
        expect((await keysOf(client)).map(({ label }) => label)).to.not.include('asked before');
      }
      await makeKey('by the owner');
      expect(await page.$('#secret')).to.not.equal(null);
      await press(page, 'form[action$="/sign-out"] button');
      await press(page, 'form[data-passkey="get"] button');
      expect(pathOf(page)).to.equal('/console/sign-in/passkey');
      await page.close();
    });
  }

  it('is registered, used and asked for by keyboard', () => {
    expect(keyboard.leftOf('passkeys.e2e.test.ts')).to.deep.equal([]);
  });
});
