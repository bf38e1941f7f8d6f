/** A pasted key becomes a session, which counts on the pages of the console and nowhere else. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { letterTo, until, useService } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { consoleAt, cookieIn, toolAnswer } from './console-client.ts';

const halfHourMs = 30 * 60_000;

describe('signing in to the console', function () {
  this.timeout(180_000);
  const time = createMovedClock('2026-11-23T09:00:00Z');
  const api = useService({}, { clock: time.clock });
  const pages = consoleAt(() => api.service().url);

  const sessionRows = async () => {
    const client = new pg.Client({ connectionString: api.service().databaseUrl });
    await client.connect();
    const { rows } = await client.query('select * from console.sessions');
    await client.end();
    return rows;
  };

  it('leads from /console to the sign-in page, and from there to the letters', async () => {
    const { key } = await api.register();
    const start = await pages.get('');
    expect([start.status, start.headers.get('location')]).to.deep.equal([303, '/console/sign-in']);
    const page = await pages.get('/sign-in');
    expect(page.status).to.equal(200);
    expect(page.text).to.contain('<h1>Sign in</h1>').and.to.not.contain('<script>');
    const person = await pages.signIn(key);
    const letters = await person.get('/letters');
    expect(letters.status).to.equal(200);
    expect(letters.text).to.contain('<h1>Letters</h1>');
    expect((await person.get('')).headers.get('location')).to.equal('/console/letters');
  });

  it('shows every page without a session the way to the sign-in page', async () => {
    for (const [path, to] of [
      ['/letters', ''],
      ['/letters/x', '?to=%2Fletters%2Fx'],
      ['/wallet', '?to=%2Fwallet'],
      ['/nothing', '?to=%2Fnothing'],
    ] as const) {
      const { status, headers } = await pages.get(path);
      expect([status, headers.get('location')]).to.deep.equal([303, `/console/sign-in${to}`]);
    }
  });

  it('takes a form again, after a new sign-in, that was sent after the session ended', async () => {
    const { key } = await api.register();
    const form = { do: 'draft', ...letterTo('DE'), content: 'Hello. '.repeat(4_000) };
    for (const content of ['Hello.', form.content]) {
      const ended = await pages.post('/write', { ...form, content });
      expect(ended.status).to.equal(401);
      expect(ended.text).to.contain('You are signed out').and.to.not.contain('Hello.');
      const person = await pages.signIn(key);
      const again = await person.post('/write', { ...form, content });
      expect(again.headers.get('location')).to.contain('said=drafted');
    }
  });

  it('refuses what is not a valid key, and shows nothing of it', async () => {
    for (const wrong of ['', 'svc_test_wrong', '"><script>alert(1)</script>']) {
      const answer = await pages.post('/sign-in', { api_key: wrong });
      expect(answer.status).to.equal(403);
      expect(answer.text).to.contain('This API key is not valid').and.to.not.contain('alert(1)');
      expect(answer.headers.get('set-cookie')).to.equal(null);
    }
  });

  it('leads to the page that was asked for before the sign-in', async () => {
    const { key } = await api.register();
    const asked = await pages.get('/letters/9b2f?reason=late%20%26%20lost');
    const address = asked.headers.get('location') ?? '';
    const wanted = '/letters/9b2f?reason=late+%26+lost';
    expect(new URLSearchParams(address.split('?')[1]).get('to')).to.equal(wanted);
    const form = await pages.get(address.replace('/console', ''));
    expect(form.text).to.contain(`name="to" value="${wanted.replace('&', '&amp;')}"`);
    expect(form.text).to.contain('?language=de&amp;to=%2Fletters%2F9b2f');
    const wrong = await pages.post('/sign-in', { api_key: 'svc_test_wrong', to: wanted });
    expect(wrong.text).to.contain('name="to"');
    const { headers } = await pages.post('/sign-in', { api_key: key, to: wanted });
    expect(headers.get('location')).to.equal(`/console${wanted}`);
    const again = await pages.get(`/sign-in?${new URLSearchParams({ to: '/wallet' })}`, {
      cookie: headers.get('set-cookie')?.split(';')[0] ?? '',
    });
    expect(again.headers.get('location')).to.equal('/console/wallet');
  });

  it('leads nowhere else', async () => {
    const { key } = await api.register();
    for (const to of [
      'https://evil.example/letters',
      '//evil.example/letters',
      '/\\evil.example/letters',
      '/\t/evil.example/letters',
      'javascript:alert(1)',
      '/sign-in/link',
      '/nothing',
      '/../../api/letters',
      `/letters?search=${'a'.repeat(2_000)}`,
    ]) {
      const { headers } = await pages.post('/sign-in', { api_key: key, to });
      expect(headers.get('location'), to).to.equal('/console/letters');
    }
    const lines = { api_key: key, to: '/letters/a\r\nSet-Cookie: b' };
    const { status, headers } = await pages.post('/sign-in', lines);
    expect([status, headers.get('location')]).to.deep.equal([
      303,
      '/console/letters/aSet-Cookie:%20b',
    ]);
  });

  it('sets headers that keep other sites, frames and caches out', async () => {
    const { headers } = await pages.get('/sign-in');
    const policy = headers.get('content-security-policy');
    expect(policy).to.contain("default-src 'none'").and.contain("frame-ancestors 'none'");
    expect(policy).to.not.contain('unsafe');
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('keeps only hashes, and gives a cookie that scripts cannot read', async () => {
    const { key } = await api.register();
    const answer = await pages.post('/sign-in', { api_key: key });
    const set = answer.headers.get('set-cookie') ?? '';
    expect(set).to.match(
      /^console=[\w-]{43}; Max-Age=43200; Path=\/console; HttpOnly; SameSite=Lax$/,
    );
    const token = cookieIn(answer).slice('console='.length);
    const hash = createHash('sha256').update(token).digest('base64url');
    const rows = await sessionRows();
    expect(rows.map(({ token_hash }) => token_hash)).to.include(hash);
    expect(JSON.stringify(rows)).to.not.contain(token).and.to.not.contain(key);
  });

  it('begins a new session whatever cookie the browser had, and ends the one before', async () => {
    const { key } = await api.register();
    const planted = `console=${'A'.repeat(43)}`;
    const first = await pages.post('/sign-in', { api_key: key }, { cookie: planted });
    expect(cookieIn(first)).to.not.equal(planted);
    expect((await pages.get('/letters', { cookie: planted })).status).to.equal(303);
    const second = await pages.post('/sign-in', { api_key: key }, { cookie: cookieIn(first) });
    expect((await pages.get('/letters', { cookie: cookieIn(first) })).status).to.equal(303);
    expect((await pages.get('/letters', { cookie: cookieIn(second) })).status).to.equal(200);
  });

  it('means nothing to the API and to MCP', async () => {
    const { key } = await api.register();
    const { cookie } = await pages.signIn(key);
    const { url } = api.service();
    const letters = await fetch(`${url}/api/letters`, { headers: { cookie } });
    expect(letters.status).to.equal(401);
    expect(await toolAnswer(url, cookie)).to.contain('authentication_required');
  });

  it('refuses forms of other sites, and does nothing', async () => {
    const { key } = await api.register();
    const person = await pages.signIn(key);
    const foreign = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': undefined, Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': undefined, Origin: 'null' },
      { 'Sec-Fetch-Site': undefined },
    ];
    for (const headers of foreign) {
      const answer = await person.post('/sign-out', {}, headers);
      expect(answer.status, JSON.stringify(headers)).to.equal(403);
      expect(answer.text).to.contain('This form came from another site');
    }
    expect((await person.get('/letters')).status).to.equal(200);
    const own = { 'Sec-Fetch-Site': undefined, Origin: 'http://localhost' };
    expect((await person.post('/sign-out', {}, own)).status).to.equal(303);
  });

  it('answers by a page to what is no form of ours: another method, another type, too much', async () => {
    const json = { 'Content-Type': 'application/json' };
    expect((await pages.post('/sign-in', { api_key: 'a' }, json)).status).to.equal(415);
    const long = await pages.post('/sign-in', { api_key: 'a'.repeat(3 * 1024 * 1024) });
    expect([long.status, long.headers.get('content-type')]).to.deep.equal([
      401,
      'text/html; charset=utf-8',
    ]);
    expect(long.text).to.contain('You are signed out');
    const person = await pages.signIn((await api.register()).key);
    const known = await person.post('/settings', { webhook_url: 'a'.repeat(1024 * 1024) });
    expect(known.status, 'more than a letter has').to.equal(413);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(3 * 1024 * 1024)]), 'a.pdf');
    const file = await fetch(`${api.service().url}/console/sign-in`, {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      body: form,
    });
    expect(file.status, 'a large file of a stranger').to.equal(401);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, '']));
    expect((await pages.post('/sign-in', many)).status).to.equal(400);
    const put = await fetch(`${api.service().url}/console/letters`, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, POST']);
  });

  it('ends the oldest session of a key that has too many', async () => {
    const { key } = await api.register();
    const first = await pages.signIn(key);
    for (let count = 0; count < 20; count++) await pages.signIn(key);
    expect((await first.get('/letters')).status).to.equal(303);
  });

  it('ends with a sign-out, also for a copy of the cookie', async () => {
    const { key } = await api.register();
    const person = await pages.signIn(key);
    const out = await person.post('/sign-out', {});
    expect(out.headers.get('set-cookie')).to.match(/^console=; Max-Age=0/);
    expect((await person.get('/letters')).status).to.equal(303);
  });

  it('ends with its key', async () => {
    const owner = await api.register();
    const made = await owner.post<{ id: string; api_key: string }>('/auth/keys', {
      label: 'a',
      scope: 'read',
    });
    const person = await pages.signIn(made.body.api_key);
    expect((await person.get('/letters')).status).to.equal(200);
    await owner.delete(`/auth/keys/${made.body.id}`);
    await until(async () => (await person.get('/letters')).status === 303);
  });

  it('ends after an hour without use, and after twelve hours with it', async () => {
    const { key } = await api.register();
    const idle = await pages.signIn(key);
    const busy = await pages.signIn(key);
    const start = time.clock();
    const moveToHalfHour = (count: number): void =>
      time.moveTo(new Date(start + count * halfHourMs).toISOString());
    for (let half = 1; half < 24; half++) {
      moveToHalfHour(half);
      expect((await busy.get('/letters')).status, `after ${half / 2} h`).to.equal(200);
      if (half === 2) expect((await idle.get('/letters')).status).to.equal(303);
    }
    moveToHalfHour(24);
    expect((await busy.get('/letters')).status).to.equal(303);
  });

  it('keeps the language that was chosen, otherwise follows the browser', async () => {
    const { key } = await api.register();
    const chosen = await pages.signIn(key, { language: 'de' });
    expect((await chosen.get('/letters', { 'Accept-Language': 'fr' })).text).to.contain(
      '<html lang="de">',
    );
    const open = await pages.signIn(key);
    expect((await open.get('/letters', { 'Accept-Language': 'fr' })).text).to.contain(
      '<h1>Lettres</h1>',
    );
  });
});
