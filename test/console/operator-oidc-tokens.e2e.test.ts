/** Answers and ID tokens of an identity provider that are not for this sign-in. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createOperatorSessions } from '../../infra/sessions/operator-sessions.ts';
import { createOperatorStore } from '../../infra/sessions/operator-store.ts';
import { useService } from '../support/client.ts';
import { operate } from '../support/operator.ts';
import { consoleAt, cookieIn } from './console-client.ts';
import { linkFor } from './operator-client.ts';

type Claims = Record<string, unknown>;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** openid-client trusts the connection to the token endpoint, and checks the claims. */
const idToken = (claims: Claims): string =>
  [part({ alg: 'RS256', kid: 'one' }), part(claims), part({ signature: 'none' })].join('.');

describe('operators whose identity provider answers something else', function () {
  this.timeout(180_000);
  const env: Record<string, string> = {
    BASE_URL: 'http://localhost:4998',
    OPERATOR_OIDC_CLIENT_ID: 'letters',
    OPERATOR_OIDC_CLIENT_SECRET: 'a secret of the console',
    OPERATOR_OIDC_EMAILS: 'olga@example.com',
  };
  let provider: Server;
  let issuer: string;
  let claims: Claims = {};
  let userInfo: Claims = { sub: 'olga' };

  const answers: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    }),
    '/userinfo': () => userInfo,
    '/token': () => ({ access_token: 'a', token_type: 'Bearer', id_token: idToken(claims) }),
  };

  before(async () => {
    provider = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(answer?.() ?? {}));
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    env.OPERATOR_OIDC_ISSUER = issuer;
  });
  const api = useService(env);
  after(() => {
    provider.closeAllConnections();
    provider.close();
  });
  const pages = consoleAt(() => api.service().url);

  /** @param cookie what the browser has already */
  const begin = async (cookie = '') => {
    const begun = await pages.get('/operator/sign-in/provider', { cookie });
    expect(begun.status, begun.text).to.equal(303);
    const { searchParams } = new URL(begun.headers.get('location') ?? '');
    const nonce = searchParams.get('nonce') ?? '';
    return { cookie: cookieIn(begun), state: searchParams.get('state') ?? '', nonce };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;

  const comeBack = ({ cookie, state }: Begun, query: Record<string, string> = {}) => {
    const back = new URLSearchParams({ code: 'c', state, iss: issuer, ...query });
    return pages.get(`/operator/sign-in/callback?${back}`, { cookie });
  };

  const seconds = (): number => Math.floor(Date.now() / 1_000);
  const goodClaims = ({ nonce }: Begun): Claims => ({
    iss: issuer,
    sub: 'olga',
    aud: 'letters',
    exp: seconds() + 300,
    iat: seconds(),
    nonce,
    email: 'olga@example.com',
    email_verified: true,
  });

  it('sign in with an answer that is for them', async () => {
    const begun = await begin();
    claims = goodClaims(begun);
    const answer = await comeBack(begun);
    expect([answer.status, answer.headers.get('location')], answer.text).to.deep.equal([
      303,
      '/console/operator',
    ]);
  });

  const refused: [string, (begun: Begun) => Claims, string][] = [
    ['a token of another issuer', () => ({ iss: 'https://evil.example' }), 'OPERATOR_OIDC_ISSUER'],
    ['a token for another client', () => ({ aud: 'shop' }), 'OPERATOR_OIDC_CLIENT_ID'],
    ['an expired token', () => ({ exp: seconds() - 600 }), 'has expired'],
    ['a token that is not valid yet', () => ({ nbf: seconds() + 600 }), 'not valid yet'],
    ['a token with another nonce', () => ({ nonce: 'n'.repeat(43) }), 'another sign-in'],
    ['a token without a nonce', () => ({ nonce: undefined }), 'not valid'],
  ];
  for (const [what, wrong, sentence] of refused) {
    it(`are refused with ${what}, and learn why`, async () => {
      const begun = await begin();
      claims = { ...goodClaims(begun), ...wrong(begun) };
      const answer = await comeBack(begun);
      expect(answer.status, answer.text).to.equal(403);
      expect(answer.text).to.contain(sentence);
      expect(answer.headers.get('set-cookie')).to.equal(null);
    });
  }

  type Told = { token: Claims; userInfo: Claims };
  const verified = { email: 'olga@example.com', email_verified: true };
  const places: [string, Told, number][] = [
    ['userinfo alone', { token: {}, userInfo: verified }, 303],
    [
      'userinfo, of an address that the token names too',
      { token: { email: 'olga@example.com' }, userInfo: verified },
      303,
    ],
    [
      'userinfo, of another address than that of the token',
      {
        token: { email: 'olga@example.com' },
        userInfo: { email: 'mallory@example.com', email_verified: true },
      },
      403,
    ],
    [
      'the token, of no address',
      { token: { email_verified: true }, userInfo: { email: 'olga@example.com' } },
      403,
    ],
    [
      'userinfo, against the token',
      { token: { ...verified, email_verified: false }, userInfo: verified },
      403,
    ],
  ];
  for (const [where, told, status] of places) {
    it(`${status === 303 ? 'sign in' : 'are refused'} with a verification in ${where}`, async () => {
      const begun = await begin();
      const nobody = { email: undefined, email_verified: undefined };
      claims = { ...goodClaims(begun), ...nobody, ...told.token };
      userInfo = { sub: 'olga', ...told.userInfo };
      const answer = await comeBack(begun);
      userInfo = { sub: 'olga' };
      expect(answer.status, answer.text).to.equal(status);
    });
  }

  it('stay signed in only while the settings that let them in stay the same, and until their sessions are ended', async () => {
    const begun = await begin();
    claims = goodClaims(begun);
    const cookie = cookieIn(await comeBack(begun));
    const shown = await pages.get('/operator', { cookie });
    expect(shown.status).to.equal(200);
    const { foundation } = api.service().service;
    const store = createOperatorStore(foundation.storage.readDb);
    for (const settingsHash of ['of other settings', undefined]) {
      const elsewhere = createOperatorSessions({ store, clock: Date.now, settingsHash });
      const who = { operator: 'opr_dismissed', rights: 'operator', language: undefined } as const;
      const dismissed = `operator=${await elsewhere.begin(who)}`;
      const answer = await pages.get('/operator', { cookie: dismissed });
      expect(answer.headers.get('location')).to.equal('/console/operator/sign-in');
    }
    const link = await linkFor(foundation);
    const byLink = await pages.post('/operator/sign-in', { token: link });
    const statuses = async () => [
      (await pages.get('/operator', { cookie })).status,
      (await pages.get('/operator', { cookie: cookieIn(byLink) })).status,
    ];
    expect(await statuses()).to.deep.equal([200, 200]);
    const operator = /opr_[\w-]{22}/.exec(shown.text)?.[0] ?? '';
    const ended = await operate(foundation, 'end-console-sessions', operator);
    expect(ended.join()).to.match(/^[1-9]\d* sessions? ha(s|ve) ended/);
    expect(await statuses()).to.deep.equal([303, 200]);
    const unused = await linkFor(foundation);
    await operate(foundation, 'end-console-sessions');
    expect(await statuses()).to.deep.equal([303, 303]);
    expect((await pages.post('/operator/sign-in', { token: unused })).status).to.equal(403);
  });

  it('sign in in each of several tabs of a browser, and only there', async () => {
    const tabs: Begun[] = [];
    const jar = () => tabs.map(({ cookie }) => cookie).join('; ');
    for (let tab = 0; tab < 4; tab++) tabs.push(await begin(jar()));
    const names = tabs.map(({ cookie }) => cookie.split('=')[0]);
    expect(new Set(names).size).to.equal(tabs.length);
    for (const tab of tabs) {
      claims = goodClaims(tab);
      expect((await comeBack({ ...tab, cookie: jar() })).status).to.equal(303);
    }
    const [first, second] = tabs as [Begun, Begun];
    const elsewhere = await comeBack({ ...first, cookie: second.cookie });
    expect(elsewhere.status).to.equal(403);
    expect(elsewhere.text).to.contain('did not begin in this browser');
  });

  it('keep few cookies, however many tabs begin a sign-in', async () => {
    const jar = new Map<string, string>();
    let last: Begun | undefined;
    for (let tab = 0; tab < 20; tab++) {
      last = await begin([...jar].map((pair) => pair.join('=')).join('; '));
      const [name = '', value = ''] = last.cookie.split('=');
      jar.set(name, value);
    }
    expect(jar.size).to.be.at.most(8);
    if (!last) throw new Error('no tab began');
    claims = goodClaims(last);
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    expect((await comeBack({ ...last, cookie })).status).to.equal(303);
  });

  it('are refused with the token of an earlier sign-in', async () => {
    const [earlier, begun] = [await begin(), await begin()];
    claims = goodClaims(earlier);
    const answer = await comeBack(begun);
    expect([answer.status, answer.headers.get('set-cookie')]).to.deep.equal([403, null]);
    expect(answer.text).to.contain('belongs to another sign-in');
  });

  it('are refused when another issuer answers than the one that was asked', async () => {
    const begun = await begin();
    claims = goodClaims(begun);
    const mixedUp = await comeBack(begun, { iss: 'https://evil.example' });
    expect([mixedUp.status, mixedUp.headers.get('set-cookie')]).to.deep.equal([403, null]);
    expect(mixedUp.text).to.contain('OPERATOR_OIDC_ISSUER');
  });
});
