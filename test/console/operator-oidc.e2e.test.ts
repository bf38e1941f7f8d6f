/** Sign-in of operators with an identity provider: a real one, over a real socket. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Provider } from 'oidc-provider';
import { useService } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { useBrowser } from '../support/use-browser.ts';
import { consoleAt, cookieIn, type Shown } from './console-client.ts';
import { createKeyboard, fill, tabTo } from './keyboard.ts';
import { operatorTasks } from './keyboard-tasks.ts';

type Person = { email: string; email_verified: boolean; groups: string[] };

const people: Record<string, Person> = {
  olga: { email: 'Olga@example.com', email_verified: true, groups: [] },
  guest: { email: 'guest@example.com', email_verified: true, groups: ['guests'] },
  unverified: { email: 'olga@example.com', email_verified: false, groups: [] },
  auditor: { email: 'audit@example.com', email_verified: true, groups: ['letters-auditors'] },
};

const client = { client_id: 'letters', client_secret: 'a secret of the console' };

/** A server whose address is known before its answers are set. */
const reserve = async (): Promise<Server> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const issuerOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const provide = (server: Server, redirectUri: string): void => {
  const provider = new Provider(issuerOf(server), {
    clients: [{ ...client, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    pkce: { required: () => true },
    findAccount: async (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people[id] }),
    }),
  });
  server.on('request', provider.callback());
};

/** A browser as far as a sign-in needs one: it follows redirects and keeps the cookies of each host. */
const createBrowser = () => {
  const jars = new Map<string, Map<string, string>>();
  const request = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie,
        ...(form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(form ? { method: 'POST', body: new URLSearchParams(form).toString() } : {}),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  };
  /** Follows redirects, and stops before an address that begins with `end`. */
  const follow = async (url: string, end: string): Promise<string> => {
    let [next, answer] = [url, await request(url)];
    for (let step = 0; step < 10 && answer.status >= 300 && answer.status < 400; step++) {
      next = new URL(answer.headers.get('location') ?? '', next).href;
      if (next.startsWith(end)) return next;
      answer = await request(next);
    }
    return next;
  };
  return { request, follow };
};

describe('operators with an identity provider', function () {
  this.timeout(180_000);
  const env: Record<string, string> = {
    OPERATOR_OIDC_CLIENT_ID: client.client_id,
    OPERATOR_OIDC_CLIENT_SECRET: client.client_secret,
    OPERATOR_OIDC_SCOPES: 'openid email groups',
    OPERATOR_OIDC_EMAILS: 'olga@example.com',
    OPERATOR_OIDC_AUDITOR_CLAIM: 'groups=letters-auditors',
  };
  let provider: Server;
  const browser = useBrowser();
  before(async () => {
    const port = await freePort();
    env.PORT = String(port);
    env.BASE_URL = `http://localhost:${port}`;
    provider = await reserve();
    env.OPERATOR_OIDC_ISSUER = issuerOf(provider);
    provide(provider, `${env.BASE_URL}/console/operator/sign-in/callback`);
  });
  const api = useService(env);
  after(() => {
    provider.closeAllConnections();
    provider.close();
  });
  const pages = consoleAt(() => api.service().url);

  /** Goes to the provider, signs in there as `login`, and comes back to the address of the callback. */
  const comeBack = async (login: string, query = '') => {
    const begun = await pages.get(`/operator/sign-in/provider${query}`);
    expect(begun.status, begun.text).to.equal(303);
    const asked = new URL(begun.headers.get('location') ?? '');
    const browser = createBrowser();
    let page = await browser.follow(asked.href, 'none');
    const forms: Record<string, string>[] = [
      { prompt: 'login', login, password: 'any' },
      { prompt: 'consent' },
    ];
    for (const form of forms) {
      if (page.startsWith(env.BASE_URL ?? '')) break;
      const answer = await browser.request(page, form);
      const next = new URL(answer.headers.get('location') ?? '', page).href;
      page = await browser.follow(next, env.BASE_URL ?? '');
    }
    return { begun, asked, callback: new URL(page) };
  };

  const finish = (callback: URL, begun: Shown): Promise<Shown> =>
    pages.get(`/operator/sign-in/callback${callback.search}`, { cookie: cookieIn(begun) });

  it('signs in a person with a verified address, with PKCE, state and nonce', async () => {
    expect((await pages.get('/operator/sign-in')).text).to.contain(
      'Sign in with your organisation',
    );
    const { begun, asked, callback } = await comeBack('olga');
    const sent = Object.fromEntries(asked.searchParams);
    expect(sent).to.include({ response_type: 'code', code_challenge_method: 'S256' });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(sent[name], name).to.have.length.above(40);
    }
    expect(begun.headers.get('set-cookie')).to.contain('HttpOnly; SameSite=Lax');
    const signedIn = await finish(callback, begun);
    expect([signedIn.status, signedIn.headers.get('location')], signedIn.text).to.deep.equal([
      303,
      '/console/operator',
    ]);
    const overview = await pages.get('/operator', { cookie: cookieIn(signedIn) });
    expect(overview.status).to.equal(200);
    expect(overview.text)
      .to.match(/Signed in as opr_[\w-]{22}/)
      .and.to.not.contain('olga');
    // The code was used, so the same address opens nothing again.
    expect((await finish(callback, begun)).status).to.equal(403);
  });

  it('leads to the page that was asked for before the sign-in', async () => {
    const to = '/jobs?a=b:c%20d';
    const asked = await pages.get(`/operator${to}`);
    const signIn = asked.headers.get('location')?.replace('/console', '') ?? '';
    const [, query] = /sign-in\/provider(\?[^"]+)"/.exec((await pages.get(signIn)).text) ?? [];
    const { begun, callback } = await comeBack('olga', query?.replaceAll('&amp;', '&'));
    const signedIn = await finish(callback, begun);
    expect(signedIn.headers.get('location')).to.equal('/console/operator/jobs?a=b%3Ac+d');
    const far = await comeBack('olga', `?to=/jobs?a=${'b'.repeat(1_900)}`);
    const overview = await finish(far.callback, far.begun);
    expect(overview.headers.get('location')).to.equal('/console/operator');
  });

  it('answers, however many sign-ins to whatever pages a browser has begun', async () => {
    const cookies = new Map<string, string>();
    const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const length of [1_450, 200]) {
      for (let tab = 0; tab < 8; tab += 1) {
        const path = `/operator/sign-in/provider?to=/jobs?a=${'b'.repeat(length)}`;
        const begun = await pages.get(path, { cookie: cookie() });
        expect(begun.status, begun.text).to.equal(303);
        const [name = '', value = ''] = cookieIn(begun).split('=');
        cookies.set(name, value);
      }
      expect(cookies.size).to.equal(8);
    }
    expect((await pages.get('/operator/sign-in', { cookie: cookie() })).status).to.equal(200);
  });

  it('signs in by keyboard, without scripts, narrow and wide, light and dark', async () => {
    const keyboard = createKeyboard('/console/operator', operatorTasks);
    for (const [width, scheme] of [
      [320, 'dark'],
      [1440, 'light'],
    ] as const) {
      const { page, complaints } = await browser.open();
      const session = await page.createCDPSession();
      await session.send('Network.clearBrowserCookies');
      // The pages of the provider ask for a font of another host.
      await session.send('Network.enable');
      await session.send('Network.setBlockedURLs', { urls: ['https://*'] });
      await page.setJavaScriptEnabled(false);
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      const enter = async (): Promise<void> => {
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      };
      await page.goto(`${env.BASE_URL}/console/operator/sign-in`);
      await keyboard.reach(page, 'a[href*="/sign-in/provider"]');
      await enter();
      // The pages of the provider are not part of the console.
      expect(page.url()).to.contain(issuerOf(provider));
      await fill(page, 'login', 'olga');
      await fill(page, 'password', 'any');
      await enter();
      await tabTo(page, 'button[type="submit"]');
      await enter();
      expect(page.url()).to.equal(`${env.BASE_URL}/console/operator`);
      expect(await page.$eval('h1', (heading) => heading.textContent)).to.equal('Overview');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      await keyboard.press(page, 'form[action$="/sign-out"] button');
      expect(complaints.filter((text) => !text.includes('BLOCKED_BY_CLIENT'))).to.deep.equal([]);
      await page.close();
    }
    expect(keyboard.leftOf('operator-oidc.e2e.test.ts')).to.deep.equal([]);
  });

  it('signs in auditors by a claim, who only see histories', async () => {
    const { begun, callback } = await comeBack('auditor');
    const signedIn = await finish(callback, begun);
    const cookie = cookieIn(signedIn);
    expect((await pages.get('/operator/audit', { cookie })).status).to.equal(200);
    expect((await pages.get('/operator/accounts', { cookie })).status).to.equal(404);
  });

  for (const login of ['guest', 'unverified']) {
    it(`refuses a person who may not sign in (${login})`, async () => {
      const { begun, callback } = await comeBack(login);
      const refused = await finish(callback, begun);
      expect(refused.status).to.equal(403);
      expect(refused.text).to.contain('may not use this console');
      expect(refused.headers.get('set-cookie')).to.equal(null);
    });
  }

  it('refuses a sign-in that began in another browser, or whose state is another', async () => {
    const { begun, callback } = await comeBack('olga');
    const other = await pages.get('/operator/sign-in/provider');
    expect((await finish(callback, other)).status).to.equal(403);
    const without = await pages.get(`/operator/sign-in/callback${callback.search}`);
    expect(without.text).to.contain('did not begin in this browser');
    const forged = new URL(callback);
    forged.searchParams.set('state', 'another');
    expect((await finish(forged, begun)).status).to.equal(403);
    const denied = new URL(callback);
    denied.searchParams.delete('code');
    denied.searchParams.set('error', 'access_denied');
    expect((await finish(denied, begun)).text).to.contain('access_denied');
  });
});

describe('operators whose identity provider is down', function () {
  this.timeout(180_000);
  const api = useService({
    OPERATOR_OIDC_ISSUER: 'http://127.0.0.1:9',
    OPERATOR_OIDC_CLIENT_ID: 'letters',
    OPERATOR_OIDC_CLIENT_SECRET: 'secret',
    OPERATOR_OIDC_EMAILS: 'olga@example.com',
  });
  const pages = consoleAt(() => api.service().url);

  it('see a page that says so and offers a link', async () => {
    const { status, text } = await pages.get('/operator/sign-in/provider');
    expect(status).to.equal(503);
    expect(text).to.contain('The identity provider does not answer').and.to.contain('console-link');
  });
});
