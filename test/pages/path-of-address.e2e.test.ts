/** A service whose public address has a path: a proxy takes the path away. */
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { createEmailTokens, type EmailGrant } from '../../commands/accounts/confirmation.ts';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { emailApprover } from '../../commands/guards/email-approver.ts';
import { approvalLinksOf } from '../../service/wings/approval-page.ts';
import { linkFor } from '../console/operator-client.ts';
import { clientOf, letterTo, type Sent, until } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { useBrowser } from '../support/use-browser.ts';

const prefix = '/letters';

/** Answers nothing outside of the path. */
const startStrippingProxy = async (target: () => string) => {
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) return outgoing.writeHead(404).end('outside of the path');
    const passed = forward(target() + url.slice(prefix.length), { method, headers });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    return incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, stop };
};

describe('a public address with a path', function () {
  this.timeout(180_000);
  let running: TestService;
  let proxy: Awaited<ReturnType<typeof startStrippingProxy>>;
  const browser = useBrowser();
  let baseUrl = '';
  before(async () => {
    proxy = await startStrippingProxy(() => running.url);
    baseUrl = `http://localhost:${proxy.port}${prefix}`;
    running = await startTestService({ BASE_URL: baseUrl });
  });
  after(async () => {
    await running?.stop();
    await proxy?.stop();
  });
  const api = clientOf(() => running);
  const foundation = () => running.service.foundation;

  /** A page and the paths at which its browser found nothing. */
  const open = async (path: string) => {
    const { page, complaints } = await browser.open();
    const missing: string[] = [];
    page.on('response', (answer) => {
      const isPage = answer.request().isNavigationRequest();
      if (answer.status() >= 400 && !isPage) missing.push(new URL(answer.url()).pathname);
    });
    await page.goto(path.startsWith('http') ? path : baseUrl + path);
    return { page, complaints, missing };
  };

  /** Links of the page that leave the path. */
  const linksOutside = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll('[href], [src], [action]')]
      .flatMap((one) => ['href', 'src', 'action'].map((name) => one.getAttribute(name) ?? ''))
      .filter((one) => one.startsWith('/') && !one.startsWith('${prefix}/'))`);

  const grantFor = (
    grant: Pick<EmailGrant, 'purpose' | 'accountId' | 'address'>,
    email: string,
  ) => {
    const { derive, indexOf } = foundation().keys;
    const digest = indexOf('email', email.toLowerCase());
    const expiresAtMs = Date.now() + 60_000;
    return createEmailTokens(derive('email-links')).issue({ ...grant, digest, expiresAtMs });
  };

  const heldFor = async (email: string): Promise<string> => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const rules = [
      { id: 'all', effect: 'allow' },
      { id: 'ask-me', effect: 'hold' },
    ];
    await owner.put(`/auth/keys/${agent.id}/policy`, {
      rules,
      approvals: { approvers: [email] },
    });
    const { status, text, body } = await agent.post<
      Sent & { approval_id: string; approval_url: string }
    >('/api/send', letterTo('DE'));
    expect(status, text).to.equal(202);
    const { approval_id: id, approval_url: url } = body;
    const approver = emailApprover(foundation().keys.indexOf, owner.account.account_id, email);
    return `${url}?token=${approvalLinksOf(foundation()).tokenOf(id, approver)}`;
  };

  it('has every file and every link of its pages below the path', async () => {
    const client = await api.register();
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    const { letter_id: id } = sent.body;
    const made = async (path: string) => (await client.post<{ url: string }>(path, {})).body.url;
    await until(async () => (await client.get(`/api/letters/${id}`)).status === 200);
    const pages = [
      '/',
      '/docs',
      '/api-docs',
      '/anp/eval',
      '/errors/not_found',
      '/auth/confirm',
      '/auth/recover',
      '/auth/email/stop',
      '/unsubscribe',
      `/track/${id}?token=x`,
      `/verify/${id}?token=x`,
      `/audit/${id}?token=x`,
      `/audit/${id}/bundle.zip?token=x`,
      `/order/x?secret=x`,
      `/approvals/apr_${'0'.repeat(40)}`,
      `/approvals/apr_${'0'.repeat(40)}?token=x`,
      '/nothing-here',
      '/console/sign-in',
      '/console/operator/sign-in',
      await made(`/api/letters/${id}/tracking-link`),
      await made(`/api/identity/audit/${id}/link`),
      await heldFor('boss@example.com'),
    ];
    for (const path of pages) {
      const { page, missing } = await open(path);
      if (path === '/docs') await page.waitForSelector('.swagger-ui .info');
      expect(await page.$$eval('link[rel="stylesheet"]', (all) => all.length), path).to.be.above(0);
      expect(missing, path).to.deep.equal([]);
      expect(await linksOutside(page), path).to.deep.equal([]);
      await page.close();
    }
  });

  it('is one at which the buttons behind links of mails work', async () => {
    const client = await api.register();
    const accountId = client.account.account_id;
    const reader = 'reader@example.org';
    await client.put('/api/settings', { notification_email: reader });
    const grants = {
      unsubscribe: grantFor(
        { purpose: 'unsubscribe', address: 'notifications', accountId },
        reader,
      ),
      stop: grantFor({ purpose: 'stop', address: 'registered', accountId }, client.email),
      confirm: grantFor({ purpose: 'confirm', address: 'registered', accountId }, client.email),
    };
    const recovery = createRecoveryTokens(foundation().keys.derive('recovery'));
    const expiresAtMs = Date.now() + 60_000;
    const recover = recovery.issue({ accountId, recoveries: 0, expiresAtMs });
    const asked: [path: string, button: string][] = [
      [`/unsubscribe?token=${grants.unsubscribe}`, '#ask'],
      [`/auth/email/stop#token=${grants.stop}`, '#ask'],
      [`/auth/confirm#token=${grants.confirm}`, '#keep-all'],
      [`/auth/recover#token=${recover}`, '#ask'],
    ];
    for (const [path, button] of asked) {
      const { page } = await open(path);
      await page.waitForSelector(button, { visible: true });
      const [answer] = await Promise.all([
        page.waitForResponse((one) => one.request().method() === 'POST'),
        page.click(button),
      ]);
      expect(new URL(answer.url()).pathname).to.equal(prefix + path.replace(/[?#].*/, ''));
      expect(answer.headers()['content-type'], path).to.match(/json/);
      expect(answer.ok(), `${path} ${await answer.text()}`).to.equal(true);
      await page.close();
    }
  });

  it('is one at which an approver sees the pages of the letter and decides', async () => {
    const { page, complaints } = await open(await heldFor('chief@example.com'));
    await page.waitForFunction(`[...document.images].every((one) => one.naturalWidth > 0)`);
    await Promise.all([page.waitForNavigation(), page.click('button[value="approve"]')]);
    expect(await page.$eval('#state', (one) => one.getAttribute('data-state'))).to.equal(
      'approved',
    );
    expect(complaints).to.deep.equal([]);
  });

  it('is one at which people sign in to both consoles and out', async () => {
    const { key } = await api.register();
    const { page } = await open('/console');
    expect(page.url()).to.equal(`${baseUrl}/console/sign-in`);
    await page.type('input[name="api_key"]', key);
    await Promise.all([page.waitForNavigation(), page.click('form button.button')]);
    expect(page.url()).to.equal(`${baseUrl}/console/letters`);
    expect(await linksOutside(page)).to.deep.equal([]);
    await page.goto(await linkFor(foundation()));
    await Promise.all([page.waitForNavigation(), page.click('form button.button')]);
    expect(page.url()).to.equal(`${baseUrl}/console/operator`);
    expect(await linksOutside(page)).to.deep.equal([]);
    await page.goto(`${baseUrl}/console/letters`);
    const signOut = 'form[action$="/sign-out"] button';
    await Promise.all([page.waitForNavigation(), page.click(signOut)]);
    expect(page.url()).to.equal(`${baseUrl}/console/sign-in`);
  });
});
