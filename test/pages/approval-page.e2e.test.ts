import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { emailApprover } from '../../commands/guards/email-approver.ts';
import { approvalLinksOf } from '../../service/wings/approval-page.ts';
import { findingsOn } from '../support/axe.ts';
import { startBrowser } from '../support/browser.ts';
import { letterTo, type NewKeyJson, type Sent, until, useService } from '../support/client.ts';

type Held = Sent & { approval_id: string; approval_url: string };

describe('the page of an approval', function () {
  this.timeout(180_000);
  const api = useService();
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.stop());

  const rules = [
    { id: 'all', effect: 'allow' },
    { id: 'ask-me', effect: 'hold' },
  ];
  const [boss, chief] = ['boss@example.com', 'chief@example.com'];

  const withAgent = async (quorum: 1 | 2 = 1) => {
    const owner = await api.register();
    const made = await owner.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
    const approvals = { quorum, approvers: [boss, chief] };
    await owner.put(`/auth/keys/${made.body.id}/policy`, { rules, approvals });
    return { owner, agent: api.as(made.body.api_key) };
  };
  type World = Awaited<ReturnType<typeof withAgent>>;

  const held = async ({ owner, agent }: World, more: object = {}) => {
    const sent = await agent.post<Held>('/api/send', letterTo('DE', more));
    expect(sent.status, sent.text).to.equal(202);
    const { approval_id: approvalId, letter_id: letterId } = sent.body;
    const { foundation } = api.service().service;
    const links = approvalLinksOf(foundation);
    const tokenOf = (email: string) =>
      links.tokenOf(
        approvalId,
        emailApprover(foundation.keys.indexOf, owner.account.account_id, email),
      );
    const path = `/approvals/${approvalId}`;
    const pathFor = (email: string) => `${path}?token=${tokenOf(email)}`;
    return { approvalId, letterId, path, pathFor, tokenOf, price: sent.body.price };
  };

  const open = async (path: string, { width = 1280, scheme = 'light', script = false } = {}) => {
    const { page, complaints } = await browser.open();
    await page.setJavaScriptEnabled(script);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(api.service().url + path);
    return { page, complaints };
  };
  const textOf = async (page: Page) =>
    String(await page.evaluate("document.querySelector('main').innerText"));
  const stateOf = async (page: Page) =>
    String(await page.evaluate("document.getElementById('state').dataset.state"));
  const press = async (page: Page, decision: 'approve' | 'reject') => {
    await Promise.all([page.waitForNavigation(), page.click(`button[value="${decision}"]`)]);
  };
  const statusOf = async ({ agent }: World, letterId: string) =>
    (await agent.get<Sent>(`/api/letters/${letterId}`)).body.status;
  const decide = async (path: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const url = new URL(path, api.service().url);
    return fetch(`${url.origin}${url.pathname}`, { method: 'POST', body });
  };

  it('shows the letter, its pages and its price, and approves it without a script', async () => {
    const world = await withAgent();
    const { path, pathFor, letterId, price } = await held(world);
    const { page, complaints } = await open(pathFor(boss));
    const text = await textOf(page);
    expect(text).to.include('Anna Müller').and.include('Lindenstraße 5').and.include('ask-me');
    expect(text).to.include(`$${price.total.toFixed(2)}`);
    const widths = "[...document.querySelectorAll('.pictures img')].map((one) => one.naturalWidth)";
    await page.waitForFunction(`${widths}.every((width) => width > 0)`);
    expect(await page.evaluate(widths)).to.have.length(1);
    expect(await statusOf(world, letterId)).to.equal('draft');
    await press(page, 'approve');
    expect(await stateOf(page)).to.equal('approved');
    expect(await textOf(page)).not.to.include('Anna Müller');
    expect(await statusOf(world, letterId)).to.equal('queued');
    expect(complaints).to.deep.equal([]);
    const again = await open(pathFor(boss));
    expect(await stateOf(again.page)).to.equal('approved');
    expect(await again.page.$('form')).to.equal(null);
    const picture = pathFor(boss).replace(path, `${path}/pages/1.png`);
    expect((await api.call('GET', picture)).status).to.equal(404);
  });

  it('rejects it with a reason', async () => {
    const world = await withAgent();
    const { approvalId, letterId, pathFor } = await held(world);
    const { page } = await open(pathFor(chief));
    await page.type('#reason', 'Send it by e-mail.');
    await press(page, 'reject');
    expect(await stateOf(page)).to.equal('rejected');
    expect(await statusOf(world, letterId)).to.equal('draft');
    const read = () =>
      world.owner.get<{ status: string; reason: string; decisions: object[] }>(
        `/api/approvals/${approvalId}`,
      );
    await until(async () => (await read()).body.status === 'rejected');
    const { decisions, reason } = (await read()).body;
    expect(reason).to.equal('Send it by e-mail.');
    expect(decisions).to.have.length(1);
    expect(decisions[0]).to.include({ approver: 'email', decision: 'reject' });
  });

  it('needs both approvers where the quorum is two, and each counts once', async () => {
    const world = await withAgent(2);
    const { letterId, pathFor, tokenOf } = await held(world);
    const path = pathFor(boss);
    expect(await textOf((await open(path)).page)).to.include('Two approvers');
    const answers = await Promise.all(
      [1, 2].map(() => decide(path, { token: tokenOf(boss), decision: 'approve' })),
    );
    for (const answer of answers) expect(await answer.text()).to.include('data-state="given"');
    expect(await statusOf(world, letterId)).to.equal('draft');
    const last = await decide(path, { token: tokenOf(chief), decision: 'approve' });
    expect(await last.text()).to.include('data-state="approved"');
    expect(await statusOf(world, letterId)).to.equal('queued');
  });

  it('shows nothing without the token of this approval, and says how to get access', async () => {
    const world = await withAgent();
    const [one, other] = [await held(world), await held(world)];
    const access = await api.call('GET', one.path);
    expect(access.status).to.equal(200);
    expect(access.text).to.include('Open the link in the e-mail').and.not.include('<form');
    const unknown = await api.call('GET', `/approvals/apr_${'0'.repeat(40)}`);
    expect(unknown.text).to.equal(access.text);
    const foreign = [other.tokenOf(boss), `${one.tokenOf(boss)}x`, one.tokenOf('x@example.com')];
    const [digest = ''] = one.tokenOf(boss).split('.');
    const mixed = `${digest}.${one.tokenOf(chief).split('.')[1]}`;
    for (const token of [other.tokenOf(boss), `${one.tokenOf(boss)}x`, mixed, '', digest]) {
      expect((await api.call('GET', `${one.path}?token=${token}`)).status).to.equal(404);
      const picture = await api.call('GET', `${one.path}/pages/1.png?token=${token}`);
      expect(picture.status).to.equal(404);
    }
    for (const token of foreign) {
      const answer = await decide(one.path, { token, decision: 'approve' });
      expect(await answer.text()).not.to.include('Anna Müller');
    }
    expect(await statusOf(world, one.letterId)).to.equal('draft');
  });

  it('decides nothing when a program looks at the link', async () => {
    const world = await withAgent();
    const { letterId, path, pathFor, tokenOf } = await held(world);
    for (const method of ['GET', 'HEAD', 'GET']) await api.call(method, pathFor(boss));
    await api.call('GET', `${pathFor(boss)}&decision=approve`);
    const plain = new URLSearchParams({ token: tokenOf(boss), decision: 'approve' });
    const posted = await fetch(api.service().url + path, { method: 'POST', body: plain });
    expect(posted.status).to.equal(415);
    const headers = (await api.call('GET', pathFor(boss))).headers;
    expect(headers.get('content-security-policy'))
      .to.include("frame-ancestors 'none'")
      .and.include("form-action 'self'")
      .and.not.include('script-src');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(await statusOf(world, letterId)).to.equal('draft');
  });

  it('says that a letter was changed or cancelled, and what a frozen sender means', async () => {
    const world = await withAgent();
    const changed = await held(world);
    await world.agent.patch(`/api/letters/${changed.letterId}`, { to_name: 'Anna Schmidt' });
    const cancelled = await held(world);
    await world.agent.post(`/api/letters/${cancelled.letterId}/cancel`, {});
    for (const { pathFor, tokenOf } of [changed, cancelled]) {
      const answer = await decide(pathFor(boss), { token: tokenOf(boss), decision: 'approve' });
      const text = await answer.text();
      expect(text).to.include('data-state="superseded"').and.not.include('Anna');
    }
    const frozen = await held(world);
    await world.owner.post('/api/account/freeze', {});
    const answer = await decide(frozen.path, { token: frozen.tokenOf(boss), decision: 'approve' });
    expect(answer.status).to.equal(409);
    expect(await answer.text())
      .to.include('is frozen')
      .and.include('data-state="pending"');
    expect(await statusOf(world, frozen.letterId)).to.equal('draft');
  });

  for (const language of ['en', 'de', 'fr']) {
    it(`is accessible, light, dark, wide and narrow (${language})`, async () => {
      const world = await withAgent(2);
      const { path, pathFor, tokenOf } = await held(world);
      const inLanguage = `${pathFor(boss)}&language=${language}`;
      for (const [scheme, width] of [
        ['light', 1280],
        ['dark', 1280],
        ['light', 390],
      ] as const) {
        const { page } = await open(inLanguage, { scheme, width, script: true });
        expect(await findingsOn(page), `${scheme} ${width}`).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
        expect(await page.evaluate('document.documentElement.lang')).to.equal(language);
        await page.close();
      }
      await decide(path, { token: tokenOf(boss), decision: 'approve' });
      for (const shown of [inLanguage, `${path}?language=${language}`]) {
        const { page } = await open(shown, { script: true });
        expect(await findingsOn(page), shown).to.deep.equal([]);
        await page.close();
      }
    });
  }
});
