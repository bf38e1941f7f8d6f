/** Decisions of the console before any operation is called: cookies, origins, addresses. */

import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import type { PortalRequest, Session } from '../../contract/portal.ts';
import { comesFromOwnPage } from '../../http/same-origin.ts';
import { sessionCookie } from '../../infra/sessions/session-cookie.ts';
import { createMatcher } from '../../pages/console/match-route.ts';
import { operatorPortal } from '../../pages/console/operator/operator-portal.ts';
import { consolePortal } from '../../pages/console/portal.ts';
import { routes } from '../../pages/console/routes.ts';
import { allServices } from '../../postal/services.ts';
import { noSessions } from './portal-with.ts';

const session: Session = {
  id: 'session',
  caller: { accountId: 'acc', keyId: 'key', scope: 'full', test: false },
  language: 'en',
};

const portalAt = (baseUrl: string) =>
  consolePortal({
    baseUrl,
    service: { name: 'Letters', contact: undefined },
    offered: allServices,
    cookie: sessionCookie(baseUrl, '/console'),
    sessions: {
      ...noSessions,
      find: async (token) => (token === 'token' ? session : undefined),
    },
  });

const request = (changes: Partial<PortalRequest> = {}): PortalRequest => ({
  method: 'GET',
  path: '/sign-in',
  query: new URLSearchParams(),
  form: new URLSearchParams(),
  file: undefined,
  headers: {},
  address: '192.0.2.1',
  session: undefined,
  call: async (name) => {
    throw new Error(`${name} is not called`);
  },
  ...changes,
});

describe('the console', () => {
  it('binds the cookie to the host over https', async () => {
    const portal = portalAt('https://letters.example');
    const form = new URLSearchParams({ api_key: 'svc_test_x' });
    const { status, headers } = await portal.serve(request({ method: 'POST', form }));
    expect(status).to.equal(303);
    expect(headers['Set-Cookie']).to.equal(
      '__Host-console=token; Max-Age=43200; Path=/; Secure; HttpOnly; SameSite=Lax',
    );
    expect(await portal.sessionOf('a=b; __Host-console=token', '192.0.2.1')).to.equal(session);
    expect(await portal.sessionOf('console=token', '192.0.2.1')).to.equal(undefined);
  });

  for (const host of ['localhost:3000', '127.0.0.1:80', '[::1]:3000']) {
    it(`takes a cookie without https on this machine (${host})`, () => {
      const cookie = sessionCookie(`http://${host}`, '/console');
      expect(cookie?.holding('t')).to.equal(
        'console=t; Max-Age=43200; Path=/console; HttpOnly; SameSite=Lax',
      );
    });
  }

  for (const host of [
    'letters.example',
    '192.168.1.5',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ]) {
    it(`takes no key at an http address (${host})`, async () => {
      const portal = portalAt(`http://${host}`);
      const form = new URLSearchParams({ api_key: 'svc_test_x' });
      for (const method of ['GET', 'POST'] as const) {
        const { status, headers, body } = await portal.serve(request({ method, form }));
        expect(status).to.equal(403);
        expect(body).to.contain('The console needs https').and.to.not.contain('api_key');
        expect(headers['Set-Cookie']).to.equal(undefined);
      }
    });
  }

  for (const host of ['192.168.1.5:3000', 'letters.example', 'localhost.evil.example', undefined]) {
    it(`takes no key where its public address was never set, from another machine (${host})`, async () => {
      const portal = portalAt('http://localhost:3000');
      for (const method of ['GET', 'POST'] as const) {
        const { status, headers } = await portal.serve(request({ method, headers: { host } }));
        expect([status, headers['Set-Cookie']]).to.deep.equal([403, undefined]);
      }
    });
  }

  for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
    it(`takes a key from this machine (${host})`, async () => {
      const portal = portalAt('http://localhost:3000');
      const { status } = await portal.serve(request({ headers: { host } }));
      expect(status).to.equal(200);
    });
  }

  it('stays below the path of the public address', async () => {
    const portal = portalAt('https://example.com/post');
    const start = await portal.serve(request({ path: '' }));
    expect(start.headers.Location).to.equal('/post/console/sign-in');
    const { body } = await portal.serve(request());
    expect(body).to.contain('action="/post/console/sign-in"');
    expect(body).to.contain('href="/post/audit/page.css"');
  });

  it('calls no operation for a person who is not signed in, whatever the page', async () => {
    const portal = portalAt('https://letters.example');
    for (const { method, path } of routes) {
      const { status, headers } = await portal.serve(request({ method, path }));
      const to = path === '/letters' ? '' : `?${new URLSearchParams({ to: path })}`;
      const expected = method === 'GET' ? [303, `/console/sign-in${to}`] : [401, undefined];
      expect([status, headers.Location], path).to.deep.equal(expected);
    }
  });

  it('says how a form is kept whose session ended', async () => {
    const portal = portalAt('https://example.com/post');
    const form = new URLSearchParams({ content: 'a long letter' });
    const { body } = await portal.serve(request({ method: 'POST', path: '/write', form }));
    expect(body).to.contain('You are signed out').and.to.contain('reload this page');
    expect(body).to.contain('href="/post/console/sign-in" target="_blank"');
    const reason = new AppError('authentication_required', 'A form of this size needs a session.');
    const large = portal.refuse(reason, {});
    expect([large.status, large.body]).to.deep.equal([401, body]);
  });

  it('says in the language of the browser why a request was refused before a page could be made', () => {
    const headers = { 'Retry-After': '30' };
    const reason = new AppError('rate_limited', 'Too many requests.', { headers });
    const portal = portalAt('https://letters.example');
    const { status, body } = portal.refuse(reason, { 'accept-language': 'de' });
    expect(status).to.equal(429);
    expect(body).to.contain('Zu viele Anfragen. Versuchen Sie es in 30 Sekunden noch einmal.');
    expect(body).to.not.contain('Too many');
    const operators = operatorPortal({ baseUrl: 'https://letters.example' } as Parameters<
      typeof operatorPortal
    >[0]);
    const told = operators.refuse(reason, { 'accept-language': 'fr' });
    expect(told.body).to.contain('Trop de requêtes. Réessayez dans 30');
  });

  it('leads to the sign-in page when the credential ends while a page is made', async () => {
    const problem = { status: 401, code: 'invalid_api_key', title: '', detail: '' };
    const call = async () => ({ status: 401, headers: {}, body: JSON.stringify(problem) });
    const portal = portalAt('https://letters.example');
    const { status, headers } = await portal.serve(request({ path: '/letters', session, call }));
    expect([status, headers.Location]).to.deep.equal([303, '/console/sign-in']);
    const sent = request({ method: 'POST', path: '/letters/x/cancel', session, call });
    expect((await portal.serve(sent)).status).to.equal(401);
  });

  const own = 'https://letters.example';
  for (const [headers, isOwn] of [
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site', origin: own }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: own }, false],
    [{ 'sec-fetch-site': '', origin: own }, false],
    [{ origin: own }, true],
    [{ origin: `${own}.evil.example` }, false],
    [{ origin: 'null' }, false],
    [{}, false],
  ] as const) {
    it(`${isOwn ? 'takes' : 'refuses'} a form with ${JSON.stringify(headers)}`, () => {
      expect(comesFromOwnPage(headers, own)).to.equal(isOwn);
    });
  }
});

describe('the routes of the console', () => {
  const match = createMatcher(routes);

  it('decode one part of the path at a time', () => {
    expect(match('GET', '/letters/a%2Fb')?.params).to.deep.equal({ id: 'a/b' });
    expect(match('GET', '/letters/a/b')).to.equal(undefined);
    expect(match('GET', '/letters/a/page-2.png')?.params).to.deep.equal({ id: 'a', page: '2' });
  });

  it('do not match a path that cannot be decoded, or that has U+0000', () => {
    for (const part of ['%zz', '%', '%c3%28', '%00', 'a%00b']) {
      expect(match('GET', `/letters/${part}`), part).to.equal(undefined);
      expect(match('POST', `/letters/${part}/cancel`), part).to.equal(undefined);
    }
  });

  it('keep methods apart', () => {
    expect(match('GET', '/letters/a/cancel')).to.equal(undefined);
    expect(match('POST', '/letters/a/cancel')?.params).to.deep.equal({ id: 'a' });
  });
});
