/** Sessions behind a proxy that ends TLS, at an https address: the cookies are bound to the host. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useService } from '../support/client.ts';
import { testCa, testServerTls } from '../support/tls.ts';
import { linkFor } from './operator-client.ts';

const host = 'files.example.org';
const baseUrl = `https://${host}`;

/** The headers that the guide asks of a proxy: host name and client address. */
const startTlsProxy = async (target: () => string) => {
  const server = createServer(testServerTls, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = { ...headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const passed = httpRequest(new URL(url ?? '/', target()), { method, headers: forwarded });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, stop };
};

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; text: string };

describe('the cookies of the console over https', function () {
  this.timeout(180_000);
  const api = useService({ BASE_URL: baseUrl, TRUSTED_PROXIES: '127.0.0.1,::1' });
  let proxy: Awaited<ReturnType<typeof startTlsProxy>>;
  before(async () => {
    proxy = await startTlsProxy(() => api.service().url);
  });
  after(() => proxy.stop());

  const ask = async (
    path: string,
    { cookie, form }: { cookie?: string; form?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const sent = request({
      host: '127.0.0.1',
      port: proxy.port,
      servername: host,
      ca: testCa,
      agent: false,
      path,
      method: form ? 'POST' : 'GET',
      headers: {
        host,
        'sec-fetch-site': 'same-origin',
        ...(cookie === undefined ? {} : { cookie }),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject);
    });
    sent.end(form && new URLSearchParams(form).toString());
    const answer = await answered;
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  };

  const people: {
    who: string;
    name: string;
    start: string;
    credential: () => Promise<Record<string, string>>;
  }[] = [
    {
      who: 'operators',
      name: '__Host-operator',
      start: '/console/operator',
      credential: async () => ({ token: await linkFor(api.service().service.foundation) }),
    },
    {
      who: 'owners',
      name: '__Host-console',
      start: '/console/letters',
      credential: async () => ({ api_key: (await api.register()).key }),
    },
  ];
  for (const { who, name, start, credential } of people) {
    const signInPath = start.replace('/letters', '').concat('/sign-in');

    it(`are Secure, without a domain and for one host, and sign ${who} in`, async () => {
      const form = await credential();
      if (form.token !== undefined) expect(form.token).to.match(/^https:\/\/files\.example\.org\//);
      const entered = await ask(signInPath, { form });
      expect([entered.status, entered.headers.location], entered.text).to.deep.equal([303, start]);
      const [set = '', ...others] = entered.headers['set-cookie'] ?? [];
      expect(others).to.have.length(0);
      const cookie = set.split(';')[0] ?? '';
      const token = cookie.slice(name.length + 1);
      expect(token).to.match(/^[\w-]{43}$/);
      const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';
      expect(set).to.equal(`${name}=${token}; Max-Age=43200; ${attributes}`);

      expect((await ask(start, { cookie })).status).to.equal(200);
      // A page of another host below the same domain can set a cookie without the prefix.
      const bare = await ask(start, { cookie: `${name.replace('__Host-', '')}=${token}` });
      expect([bare.status, bare.headers.location]).to.deep.equal([303, signInPath]);
      // The path of the cookie is the whole host.
      expect((await ask('/api/letters', { cookie })).status).to.equal(401);

      const out = await ask(signInPath.replace('sign-in', 'sign-out'), { cookie, form: {} });
      expect(out.headers['set-cookie']).to.deep.equal([`${name}=; Max-Age=0; ${attributes}`]);
      expect((await ask(start, { cookie })).status).to.equal(303);
    });
  }
});
