import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { emailApprover } from '../../commands/guards/email-approver.ts';
import { approvalLinksOf } from '../../service/wings/approval-page.ts';
import { findingsOn } from '../support/axe.ts';
import { letterTo, type Sent, until, useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

type Held = Sent & { approval_id: string; approval_url: string };

describe('the page of an approval', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();

  const rules = [
    { id: 'all', effect: 'allow' },
    { id: 'ask-me', effect: 'hold' },
  ];
  const [boss, chief] = ['boss@example.com', 'chief@example.com'];

  const withAgent = async (quorum: 1 | 2 = 1) => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const approvals = { quorum, approvers: [boss, chief] };
    const policyPath = `/auth/keys/${agent.id}/policy`;
    await owner.put(policyPath, { rules, approvals });
    return { owner, agent, policyPath, approvals };
  };
  type World = Awaited<ReturnType<typeof withAgent>>;

  /** The page of an approval and the links to it. */
  const linksOf = ({ account }: World['owner'], approvalId: string) => {
    const { foundation } = api.service().service;
    const links = approvalLinksOf(foundation);
    const tokenOf = (email: string) =>
      links.tokenOf(approvalId, emailApprover(foundation.keys.indexOf, account.account_id, email));
    const path = `/approvals/${approvalId}`;
    return { path, tokenOf, pathFor: (email: string) => `${path}?token=${tokenOf(email)}` };
  };

  const held = async ({ owner, agent }: World, more: object = {}) => {
    const sent = await agent.post<Held>('/api/send', letterTo('DE', more));
    expect(sent.status, sent.text).to.equal(202);
    const { approval_id: approvalId, letter_id: letterId } = sent.body;
    return { approvalId, letterId, ...linksOf(owner, approvalId), price: sent.body.price };
  };

  /** Asks for more than the policy of the agent allows. */
  const asked = async (
    { agent, policyPath, approvals }: World,
    dollars = 50,
    approvers: string[] = approvals.approvers,
  ) => {
    const wanted = [{ id: 'all', effect: 'allow', limit: { amount: dollars, per: 'day' } }];
    const answer = await agent.put<{ approval_id: string; approval_url: string }>(policyPath, {
      rules: wanted,
      approvals: { ...approvals, approvers },
      request_approval: true,
    });
    expect(answer.status, answer.text).to.equal(202);
    return answer.body;
  };
  const changeOf = async (world: World, ...wanted: [dollars?: number, approvers?: string[]]) => {
    const { approval_id: approvalId, approval_url: url } = await asked(world, ...wanted);
    return { approvalId, url, ...linksOf(world.owner, approvalId) };
  };
  const rulesOf = async ({ owner, policyPath }: World) =>
    (await owner.get<{ rules: { id: string }[] }>(policyPath)).body.rules.map(({ id }) => id);

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

  it('shows the day on which the letter is to be sent', async () => {
    const world = await withAgent();
    const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
    const shown = async (more: object) => {
      const { pathFor } = await held(world, more);
      return (await fetch(api.service().url + pathFor(boss))).text();
    };
    expect(await shown({ send_date: day })).to.include(
      `<dt>Send on</dt><dd><time datetime="${day}">`,
    );
    expect(await shown({ reference: 'soon' })).to.not.include('Send on');
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

  it('shows a policy before and after a change, what the change raises, and sets it without a script', async () => {
    const world = await withAgent();
    const { path, url, pathFor } = await changeOf(world, 50, [boss]);
    expect(new URL(url).pathname).to.equal(path);
    const { page, complaints } = await open(pathFor(boss));
    const text = await textOf(page);
    expect(text).to.include('Change this policy?').and.include('key_');
    const raised = String(await page.evaluate("document.getElementById('raised').innerText"));
    expect(raised)
      .to.include('Letters that the rule “ask-me” holds now no longer all wait for approval.')
      .and.include('Other approvers decide.');
    expect(text).to.include('The policy now').and.include('ask-me').and.include(chief);
    expect(text.toLowerCase())
      .to.include('the policy after the change')
      .and.include('$50.00 / day');
    expect(await rulesOf(world)).to.deep.equal(['all', 'ask-me']);
    await press(page, 'approve');
    expect(await stateOf(page)).to.equal('approved');
    expect(await textOf(page)).not.to.include('ask-me');
    expect(await rulesOf(world)).to.deep.equal(['all']);
    expect(complaints).to.deep.equal([]);
    const again = await open(pathFor(boss));
    expect(await stateOf(again.page)).to.equal('approved');
    expect(await again.page.$('form')).to.equal(null);
  });

  it('needs both approvers of a change where the quorum is two, and one rejection ends it', async () => {
    const world = await withAgent(2);
    const one = await changeOf(world);
    expect(await textOf((await open(one.pathFor(boss))).page)).to.include('Two approvers');
    const answers = await Promise.all(
      [1, 2].map(() => decide(one.path, { token: one.tokenOf(boss), decision: 'approve' })),
    );
    for (const answer of answers) expect(await answer.text()).to.include('data-state="given"');
    expect(await rulesOf(world)).to.deep.equal(['all', 'ask-me']);
    const no = { token: one.tokenOf(chief), decision: 'reject', reason: 'Too much.' };
    expect(await (await decide(one.path, no)).text()).to.include('data-state="rejected"');
    const read = await world.owner.get<{ status: string; reason: string; decided_by: string[] }>(
      `/api/policy-changes/${one.approvalId}`,
    );
    expect(read.body).to.include({ status: 'rejected', reason: 'Too much.' });
    expect(read.body.decided_by).to.deep.equal(['email']);
    const two = await changeOf(world);
    for (const email of [boss, chief]) {
      await decide(two.path, { token: two.tokenOf(email), decision: 'approve' });
    }
    expect(await rulesOf(world)).to.deep.equal(['all']);
  });

  it('opens a change for its own approvers only, and decides nothing once the change is over', async () => {
    const world = await withAgent();
    const one = await changeOf(world);
    const access = await api.call('GET', one.path);
    expect(access.text).to.include('Open the link in the e-mail').and.not.include('<form');
    const unknown = await api.call('GET', `/approvals/apc_${'0'.repeat(46)}`);
    expect(unknown.text).to.equal(access.text);
    const letter = await held(world);
    const foreign = [letter.tokenOf(boss), `${one.tokenOf(boss)}x`, '', one.tokenOf(boss).slice(1)];
    for (const token of foreign) {
      expect((await api.call('GET', `${one.path}?token=${token}`)).status).to.equal(404);
    }
    const stranger = { token: one.tokenOf('x@example.com'), decision: 'approve' };
    expect(await (await decide(one.path, stranger)).text()).to.include('data-state="removed"');
    const picture = one.pathFor(boss).replace(one.path, `${one.path}/pages/1.png`);
    expect((await api.call('GET', picture)).status).to.be.within(404, 422);
    const next = await changeOf(world, 60);
    const late = await decide(one.path, { token: one.tokenOf(boss), decision: 'approve' });
    const text = await late.text();
    expect(text).to.include('data-state="superseded"').and.not.include('ask-me');
    await world.owner.post('/api/account/freeze', {});
    const frozen = await decide(next.path, { token: next.tokenOf(boss), decision: 'approve' });
    expect(frozen.status).to.equal(409);
    expect(await frozen.text()).to.include('is frozen');
    expect(await rulesOf(world)).to.deep.equal(['all', 'ask-me']);
  });

  it('names countries in the language of its reader', async () => {
    const { pathFor } = await held(await withAgent());
    for (const [language, germany] of [
      ['en', 'Germany'],
      ['de', 'Deutschland'],
      ['fr', 'Allemagne'],
    ]) {
      const { page } = await open(`${pathFor(boss)}&language=${language}`);
      expect(await textOf(page)).to.include(germany);
    }
  });

  it('fits on the smallest screens, however long the ids of rules are', async () => {
    const world = await withAgent();
    const { owner, policyPath, approvals } = world;
    const held = { id: 'h'.repeat(64), effect: 'hold', when: { countries: ['FR'] } };
    const set = await owner.put(policyPath, { rules: [...rules, held], approvals });
    expect(set.status, set.text).to.equal(200);
    const { pathFor } = await changeOf(world);
    const { page } = await open(pathFor(boss), { width: 320 });
    expect(await textOf(page)).to.include(held.id);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(320);
  });

  for (const language of ['en', 'de', 'fr']) {
    it(`is accessible, light, dark, wide and narrow (${language})`, async () => {
      const world = await withAgent(2);
      const { path, pathFor, tokenOf } = await held(world);
      const change = await changeOf(world);
      const inLanguage = `${pathFor(boss)}&language=${language}`;
      const ofChange = `${change.pathFor(boss)}&language=${language}`;
      for (const [shown, scheme, width] of [
        [inLanguage, 'light', 1280],
        [inLanguage, 'dark', 1280],
        [inLanguage, 'light', 390],
        [ofChange, 'dark', 1280],
        [ofChange, 'light', 390],
      ] as const) {
        const { page } = await open(shown, { scheme, width, script: true });
        expect(await findingsOn(page), `${shown} ${scheme} ${width}`).to.deep.equal([]);
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
