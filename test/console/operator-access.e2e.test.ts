/** Entry to the operator's console: its own sessions, and nothing for anybody else. */
import { expect } from 'chai';
import { operatorRoutes } from '../../pages/console/operator/operator-portal.ts';
import { useService } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { cookieIn, toolAnswer } from './console-client.ts';
import { linkFor, operatorAt } from './operator-client.ts';

const minuteMs = 60_000;

describe('the entry to the console of operators', function () {
  this.timeout(240_000);
  const time = createMovedClock('2026-11-23T09:00:00Z');
  const api = useService({}, { clock: time.clock });
  const foundation = () => api.service().service.foundation;
  const operators = operatorAt(() => api.service().url, foundation);
  const { pages, at, signInWith, signIn } = operators;

  const addressOf = (path: string, ids: { account: string; letter: string }): string =>
    path
      .replace('{key}', 'key_1')
      .replace('{notification}', `ntf_${'0'.repeat(32)}`)
      .replace('{id}', path.startsWith('/accounts') ? ids.account : ids.letter);

  it('opens no page and no form for strangers, owners, and forged cookies', async () => {
    const owner = await api.register();
    const { letter_id: letter } = await owner.send();
    const ids = { account: owner.account.account_id, letter };
    const reader = await owner.post<{ api_key: string }>('/auth/keys', {
      label: 'read',
      scope: 'read',
    });
    const ended = await signIn();
    await ended.post('/sign-out', {});
    const { cookie: own } = await pages.signIn(owner.key);
    const { cookie: read } = await pages.signIn(reader.body.api_key);
    const token = own.split('=')[1] ?? '';
    const visitors: Record<string, Record<string, string>> = {
      nobody: {},
      owner: { cookie: own },
      reader: { cookie: read },
      'owner with the token in the other cookie': { cookie: `operator=${token}` },
      forger: { cookie: `operator=${'a'.repeat(43)}` },
      'somebody who signed out': { cookie: ended.cookie },
      'owner with a key': { authorization: `Bearer ${owner.key}` },
    };
    expect(operatorRoutes.length).to.be.at.least(30);
    for (const [who, headers] of Object.entries(visitors)) {
      for (const { method, path } of operatorRoutes) {
        const address = at(addressOf(path, ids));
        expect(address).to.not.contain('{');
        const {
          status,
          headers: answer,
          text,
        } = method === 'GET'
          ? await pages.get(address, headers)
          : await pages.post(address, { text: letter, key: 'a', reactor: 'a' }, headers);
        const where = `${who}: ${method} ${path}`;
        const isForm = method === 'POST';
        const [signIn] = answer.get('location')?.split('?to=') ?? [];
        expect([status, signIn], where).to.deep.equal(
          isForm ? [401, undefined] : [303, '/console/operator/sign-in'],
        );
        if (isForm) expect(text, where).to.contain('<h1>You are signed out</h1>');
        else expect(text, where).to.equal('');
      }
    }
  });

  it('leads to the page that was asked for before the sign-in, and nowhere else', async () => {
    const link = () => linkFor(foundation());
    const asked = await pages.get(at('/accounts/9b2f?reason=late%20%26%20lost'));
    const address = asked.headers.get('location')?.replace('/console', '') ?? '';
    const form = await pages.get(address);
    const to = '/accounts/9b2f?reason=late+%26+lost';
    expect(form.text).to.contain(`name="to" value="${to.replace('&', '&amp;')}"`);
    expect(form.text).to.contain('?language=de&amp;to=%2Faccounts%2F9b2f');
    const wrong = await pages.post(at('/sign-in'), { token: 'used', to });
    expect(wrong.text).to.contain('name="to"');
    const entered = await pages.post(at('/sign-in'), { token: await link(), to });
    expect(entered.headers.get('location')).to.equal(`/console/operator${to}`);
    for (const other of ['https://evil.example/jobs', '//evil.example/jobs', '/sign-out', '/no']) {
      const { headers } = await pages.post(at('/sign-in'), { token: await link(), to: other });
      expect(headers.get('location'), other).to.equal('/console/operator');
    }
  });

  it('lets auditors see histories, and nothing else', async () => {
    const owner = await api.register();
    const { letter_id: letter } = await owner.send();
    const ids = { account: owner.account.account_id, letter };
    const auditor = await signIn('--auditor');
    for (const { method, path, forAuditors } of operatorRoutes) {
      const address = addressOf(path, ids);
      const form = { letter };
      const answer =
        method === 'GET' ? await auditor.get(address) : await auditor.post(address, form);
      if (forAuditors) expect(answer.status, `${method} ${path}`).to.be.oneOf([200, 303]);
      else if (path === '')
        expect(answer.headers.get('location')).to.equal(`/console${at('/audit')}`);
      else expect(answer.status, `${method} ${path}`).to.equal(404);
    }
    const page = await auditor.get(`/audit/${letter}`);
    expect(page.text).to.contain('History of a letter').and.to.contain('src="/audit/page.js"');
    const certificate = await auditor.get(`/audit/${letter}/certificate`);
    const verified = new URL(certificate.headers.get('location') ?? '');
    const shown = await fetch(`${api.service().url}${verified.pathname}${verified.search}`);
    expect(shown.status).to.equal(200);
    expect((await auditor.get('/audit/00000000-0000-4000-8000-000000000000')).status).to.equal(404);
  });

  it('takes a link once, for 15 minutes', async () => {
    const link = await linkFor(foundation());
    expect(link).to.match(/\/console\/operator\/sign-in#token=[\w-]{43}$/);
    const token = link.split('#token=')[1] ?? '';
    expect((await signInWith(token)).status).to.equal(303);
    const again = await signInWith(token);
    expect([again.status, again.text.includes('This link does not work')]).to.deep.equal([
      403,
      true,
    ]);
    const shared = (await linkFor(foundation())).split('#token=')[1] ?? '';
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => signInWith(shared)));
    expect(atOnce.map(({ status }) => status).sort()).to.deep.equal([303, 403, 403, 403]);
    const late = await linkFor(foundation());
    const start = time.clock();
    time.moveTo(new Date(start + 15 * minuteMs).toISOString());
    expect((await signInWith(late)).status).to.equal(403);
    for (const wrong of ['', 'x', 'a'.repeat(43), `${'a'.repeat(42)}'`]) {
      expect((await signInWith(wrong)).status, wrong).to.equal(403);
    }
  });

  it('begins a new session whatever cookie the browser had, and ends the one before', async () => {
    const opens = async (cookie: string) => (await pages.get(at('/search'), { cookie })).status;
    const enter = async (cookie: string) => {
      const token = await linkFor(foundation());
      const answer = await pages.post(at('/sign-in'), { token }, { cookie });
      expect(answer.status, answer.text).to.equal(303);
      return cookieIn(answer);
    };
    const planted = `operator=${'A'.repeat(43)}`;
    const first = await enter(planted);
    expect(first).to.not.equal(planted);
    expect([await opens(planted), await opens(first)]).to.deep.equal([303, 200]);
    const second = await enter(first);
    expect(second).to.not.equal(first);
    expect([await opens(first), await opens(second)]).to.deep.equal([303, 200]);
    const used = await pages.post(at('/sign-in'), { token: 'a'.repeat(43) }, { cookie: second });
    expect([used.status, await opens(second)]).to.deep.equal([403, 200]);
  });

  it('ends after an hour without use, and after twelve hours with it', async () => {
    const idle = await signIn();
    const busy = await signIn();
    const start = time.clock();
    const moveToHalfHour = (count: number): void =>
      time.moveTo(new Date(start + count * 30 * minuteMs).toISOString());
    for (let half = 1; half < 24; half++) {
      moveToHalfHour(half);
      expect((await busy.get('/search')).status, `after ${half / 2} h`).to.equal(200);
      if (half === 2) expect((await idle.get('/search')).status).to.equal(303);
    }
    moveToHalfHour(24);
    expect((await busy.get('/search')).status).to.equal(303);
  });

  it('gives a session no rights in the API, in MCP or in the console of owners', async () => {
    const owner = await api.register();
    const { letter_id: letter } = await owner.send();
    const { cookie } = await signIn();
    for (const path of ['/api/letters', `/api/letters/${letter}`, '/api/balance', '/auth/keys']) {
      const { status } = await fetch(`${api.service().url}${path}`, { headers: { cookie } });
      expect(status, path).to.equal(401);
    }
    expect(await toolAnswer(api.service().url, cookie)).to.contain('authentication_required');
    const value = cookie.split('=')[1] ?? '';
    for (const sent of [cookie, `console=${value}`]) {
      const { status, headers } = await pages.get('/letters', { cookie: sent });
      expect([status, headers.get('location')]).to.deep.equal([303, '/console/sign-in']);
    }
  });

  it('refuses forms of other sites, and frames, and sets a cookie that scripts cannot read', async () => {
    const answer = await signInWith(await linkFor(foundation()));
    expect(answer.headers.get('set-cookie')).to.match(
      /^operator=[\w-]{43}; Max-Age=43200; Path=\/console\/operator; HttpOnly; SameSite=Lax$/,
    );
    const person = await signIn();
    for (const site of ['cross-site', 'same-site']) {
      const refused = await person.post('/jobs/retry', { key: 'a' }, { 'Sec-Fetch-Site': site });
      expect([refused.status, refused.text.includes('another site')]).to.deep.equal([403, true]);
    }
    const { headers } = await person.get('');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).to.contain("frame-ancestors 'none'").and.to.not.contain('unsafe');
    expect(headers.get('cache-control')).to.equal('no-store');
  });
});
