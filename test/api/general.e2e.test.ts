import { expect } from 'chai';
import { countryCodes, serviceIds } from '../../postal/types.ts';
import { expectMembers, expectProblem, letterTo, until, useService } from '../support/client.ts';

type Info = {
  name: string;
  version: string;
  status: string;
  countries: Record<string, string[]>;
  payment_methods: string[];
  capabilities: string[];
  endpoints: Record<string, string>;
  links: Record<string, string>;
  well_known: string[];
};
type Catalogued = {
  services: { service: string; price_from: { total: number }; estimate: boolean }[];
};
type OpenApi = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  components: { schemas: Record<string, { properties?: Record<string, Inline> }> };
};
/** A schema that a property holds itself, or refers to. */
type Inline = { properties?: object; items?: Inline };

describe('the rest of the HTTP surface', () => {
  const api = useService({ MECH_MODE: 'test' });
  const get = <T>(path: string, headers?: Record<string, string>) =>
    api.call<T>('GET', path, undefined, { headers });

  it('says at / what it is, where it sends to and where its documents are', async () => {
    const { status, body } = await get<Info>('/');
    expect(status).to.equal(200);
    expect(body).to.include.all.keys(
      'name',
      'version',
      'description',
      'status',
      'docs',
      'openapi',
      'api_docs',
      'countries',
      'payment_methods',
      'endpoints',
      'capabilities',
      'well_known',
    );
    expect(body).to.include({ version: '0.2.0', status: 'ok' });
    expect(Object.keys(body.countries)).to.have.members([...countryCodes]);
    expect(Object.values(body.countries).flat()).to.have.members([...serviceIds]);
    expect(body.endpoints).to.include.all.keys('rest', 'signup', 'docs');
    expect(body.capabilities)
      .to.include.members(['send', 'ucan', 'audit'])
      .and.not.include('email');
  });

  it('names documents and endpoints that are there', async () => {
    await api.register();
    const { body } = await get<Info>('/');
    const { rest, signup, mcp, anp, mech, ...endpoints } = body.endpoints;
    const writes = ['api', 'signup', 'mcp'].map((path) => `http://localhost/${path}`);
    expect([rest, signup, mcp]).to.deep.equal(writes);
    for (const [prefix, name] of [[anp, 'anp'] as const, [mech, 'mech'] as const]) {
      if (prefix === undefined) continue;
      const operations = api.service().service.operations.map(({ path }) => path);
      expect(prefix).to.equal(`http://localhost/api/${name}`);
      expect(operations.some((path) => path.startsWith(`/api/${name}/`))).to.equal(true);
    }
    expect(body.well_known).to.have.length(7);
    const links = Object.values(body.links);
    expect(links).to.include('http://localhost/api-docs');
    for (const url of [...body.well_known, ...links, ...Object.values(endpoints)]) {
      const here = api.service().url + new URL(url).pathname;
      // The log has its first checkpoint with its first credential
      await until(async () => (await fetch(here)).status === 200);
    }
  });

  it('is alive and ready, with the state of each read model', async () => {
    const before = Date.now();
    const health = await get<{ status: string; timestamp: string }>('/health');
    expect(health.body.status).to.equal('ok');
    // The answer may be a second old.
    expect(Date.parse(health.body.timestamp)).to.be.within(before - 2_000, Date.now());
    const ready = await get<{ ready: boolean; projections: { name: string; lag: string }[] }>(
      '/ready',
    );
    expect(ready.body.ready).to.equal(true);
    expect(ready.body.projections.map(({ name }) => name)).to.include.members([
      'letters',
      'wallets',
      'accounts',
      'notifications',
    ]);
  });

  it('counts requests for Prometheus by operation, without any value of theirs', async () => {
    const client = await api.register();
    const { letter_id } = await client.send();
    await client.letter(letter_id);
    const { text, headers } = await get('/metrics');
    expect(headers.get('content-type')).to.contain('text/plain');
    expect(text).to.match(/^http_requests_total\{operation="get_letter",status="200"\} \d+$/m);
    expect(text).to.match(/^projection_position\{projection="letters"\} \d+$/m);
    expect(text).to.match(/^letters\{mode="test",status="queued"\} [1-9]\d*$/m);
    expect(text).to.match(/^letters\{mode="live",status="failed"\} 0$/m);
    expect(text).to.match(/^letters_oldest_seconds\{mode="test",status="queued"\} \d+\.\d+$/m);
    expect(text).to.match(/^print_backlog\{mode="live",stage="due"\} 0$/m);
    expect(text).to.match(/^wallets_usd\{mode="test",part="held"\} [1-9][\d.]*$/m);
    expect(text).not.to.contain(letter_id).and.not.to.contain(client.account.account_id);
  });

  it('tells the state of x402 and the scopes', async () => {
    const x402 = await get<object>('/x402');
    expectMembers(x402.body, ['status', 'methods', 'quickstart', 'operations']);
    const { body } = await get<{ scopes: { scope: string }[] }>('/auth/scopes');
    expect(body.scopes.map(({ scope }) => scope)).to.deep.equal(['full', 'send', 'read']);
  });

  it('describes every operation of the table in /openapi.json', async () => {
    const { body } = await get<OpenApi>('/openapi.json');
    expect(body.openapi).to.match(/^3\.1/);
    expect(body.info.version).to.equal('0.2.0');
    const described = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const table = api
      .service()
      .service.operations.map(({ name, method, path }) => `${name} ${method} ${path}`);
    const pages = [
      'page_auth_recover GET /auth/recover',
      'page_auth_confirm GET /auth/confirm',
      'page_auth_email_stop GET /auth/email/stop',
      'page_unsubscribe GET /unsubscribe',
      'page_docs GET /docs',
      'page_api_docs GET /api-docs',
    ];
    expect(described).to.have.members([...table, ...pages, 'mcp POST /mcp']);
  });

  it('leaves no schema unnamed that generators would give the name of another', async () => {
    const { schemas } = (await get<OpenApi>('/openapi.json')).body.components;
    const pascal = (name: string) =>
      `_${name}`.replace(/_+(.)/g, (_, first) => first.toUpperCase());
    const taken = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { properties: own, items }]) => own ?? items?.properties)
        .map(([field, { items }]) => `${name}${pascal(field)}${items ? 'Item' : ''}`)
        .filter((made) => made in schemas),
    );
    expect(taken).to.deep.equal([]);
  });

  it('shows examples of bodies that work as they stand', async () => {
    const usual = await api.register();
    let shown = 0;
    for (const { name, method, path, tag, examples = [] } of api.service().service.operations) {
      const [example] = examples.filter(({ body }) => body !== undefined);
      // One names an offer that somebody was made, the other a code from an e-mail.
      if (example === undefined || ['accept_offer', 'close_account'].includes(name)) continue;
      // The policy of an example must not decide about the letters of the others.
      const client = tag === 'Guards' ? await api.register() : usual;
      let { key } = client;
      const newKey = async () =>
        (await client.post<{ api_key: string }>('/auth/keys', { label: 'x', scope: 'full' })).body
          .api_key;
      /** The letter of one key, which another one decides on. */
      const approvalOf = async (): Promise<string> => {
        const rules = [{ effect: 'allow' }, { effect: 'hold' }];
        await client.put('/api/policy', { rules });
        const sent = await api
          .as(await newKey())
          .post<{ approval_id: string }>('/api/send', letterTo('DE'));
        key = await newKey();
        return sent.body.approval_id;
      };
      /** The change of a policy that one key asks for, which another one decides on. */
      const changeOf = async (): Promise<string> => {
        await client.put('/api/policy', {
          rules: [{ effect: 'deny', when: { countries: ['FR'] } }, { effect: 'allow' }],
        });
        const asking = await client.post<{ api_key: string }>('/auth/keys', {
          label: 'agent',
          scope: 'send',
        });
        const asked = await api
          .as(asking.body.api_key)
          .put<{ approval_id: string }>('/api/policy', {
            rules: [{ effect: 'allow' }],
            request_approval: true,
          });
        key = await newKey();
        return asked.body.approval_id;
      };
      const idOf = async (): Promise<string> => {
        if (path.startsWith('/api/approvals/')) return approvalOf();
        if (path.startsWith('/api/policy-changes/')) return changeOf();
        if (!path.startsWith('/auth/keys/')) return (await client.send()).letter_id;
        const made = await client.post<{ id: string }>('/auth/keys', { label: 'x', scope: 'send' });
        return made.body.id;
      };
      const cidOf = async (): Promise<string> =>
        (await client.post<{ cid: string }>('/api/identity/ucan', { scope: 'send' })).body.cid;
      let at = path;
      if (path.includes('{id}')) at = path.replace('{id}', await idOf());
      if (path.includes('{cid}')) at = path.replace('{cid}', await cidOf());
      const own = JSON.stringify(example.body).replaceAll(/acct_\w+/g, client.account.account_id);
      const answer = await api.call(method, at, JSON.parse(own), { key });
      const taken = name === 'signup'; // its example is that of register
      expect(answer.status, `${name}: ${answer.text}`).to.be.oneOf(taken ? [409] : [200, 201, 202]);
      shown += 1;
    }
    expect(shown).to.be.at.least(5);
  });

  it('names prices on its first page, and leads auditors to the verifier', async () => {
    const { text } = await get('/', { Accept: 'text/html' });
    expect(text).to.match(/One page to .*\$\d+\.\d\d/);
    expect(text).to.match(/<code>de_standardbrief<\/code><\/td><td>\$\d+\.\d\d/);
    const [, verifier = ''] = /href="([^"]*\/verify-audit\.mjs)"/.exec(text) ?? [];
    expect((await get(verifier)).status).to.equal(200);
  });

  it('serves /docs without asking anybody else', async () => {
    for (const path of ['/docs', '/docs/']) {
      const page = await get(path);
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.contain('text/html');
      expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'");
      expect(page.text).not.to.match(/(?:https?:)?\/\/[a-z0-9]/i);
      const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
      expect(links).to.have.length.above(3);
      for (const link of links) expect((await get(link ?? '')).status, link).to.equal(200);
    }
    const initializer = await get('/docs/initializer.js');
    expect(initializer.text).to.contain("url: '/openapi.json'").and.contain('validatorUrl: null');
    const css = await get('/docs/swagger-ui.css');
    expect(css.text).not.to.match(/url\(\s*["']?(?:https?:)?\/\/|@import/);
  });

  it('knows paths, and their methods', async () => {
    for (const path of ['/nothing', '/api', '/API/send', '/.git/config']) {
      expectProblem(await get(path), 404, 'not_found');
    }
    const cases = {
      '/api/send': ['GET', 'OPTIONS, POST'],
      '/api/letters': ['POST', 'GET, HEAD, OPTIONS'],
      '/health': ['DELETE', 'GET, HEAD, OPTIONS'],
      // A path without parameters is no letter's.
      '/api/letters/counts': ['PATCH', 'GET, HEAD, OPTIONS'],
      '/auth/keys': ['PUT', 'GET, HEAD, OPTIONS, POST'],
      '/api/letters/6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e': [
        'PUT',
        'DELETE, GET, HEAD, OPTIONS, PATCH',
      ],
    };
    for (const [path, [method = '', allow]] of Object.entries(cases)) {
      const answer = await api.call(method, path);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).to.equal(allow);
      const options = await api.call('OPTIONS', path);
      expect(options.status).to.equal(204);
      expect(options.headers.get('allow')).to.equal(allow);
    }
    expectProblem(await api.call('POST', '/docs'), 405, 'method_not_allowed');
    expectProblem(await get('/api/letters/%E0%A4%A'), 400, 'invalid_encoding');
  });

  it('shows people a page at an unknown path, and programs a problem document', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const path of ['/nothing', '/api-docs/guides/nothing', '/errors/a/b']) {
      const page = await get(path, { Accept: browser });
      expect(page.status).to.equal(404);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('vary')).to.contain('Accept');
      expect(page.headers.get('cache-control')).to.equal('no-store');
      expect(page.headers.get('content-security-policy')).to.contain("style-src 'self'");
      expect(page.text).to.contain('<html lang="en">').and.contain('<title>Page not found');
    }
    for (const Accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expectProblem(await get('/nothing', { Accept }), 404, 'not_found');
    }
    expectProblem(await get('/api/send', { Accept: browser }), 405, 'method_not_allowed');
  });

  it('refuses a browser that asks for a page wrongly with a page, and a program with a problem', async () => {
    const path = '/anp/eval?month=<b>';
    const page = await get(path, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(page.status).to.equal(422);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'");
    expect(page.text).to.include('month is not a known field').and.include('validation_failed');
    for (const Accept of ['*/*', 'application/json'])
      expectProblem(await get(path, { Accept }), 422, 'validation_failed');
    const ofData = await get('/api/anp/eval?month=1', { Accept: 'text/html' });
    expectProblem(ofData, 422, 'validation_failed');
  });

  it('says first at / for whom it is and what it does, in every country that it serves', async () => {
    const { text } = await get('/', { Accept: 'text/html' });
    const hero = /<section class="hero">(.*?)<\/section>/s.exec(text)?.[1] ?? '';
    const [lead = '', next = ''] = [...hero.matchAll(/<p[^>]*>(.*?)<\/p>/gs)].map(([, one]) => one);
    expect(lead).to.match(/^For businesses, developers and AI agents that have to send paper/);
    for (const place of ['United States', 'France', 'United Kingdom', 'Canada', 'Germany']) {
      expect(lead).to.contain(place);
    }
    for (const step of [
      'checks the address',
      'price before you pay',
      'prints and posts',
      'prove',
    ]) {
      expect(next).to.contain(step);
    }
  });

  it('shows at / the price of one page by each service, as the catalogue and a quote have it', async () => {
    const client = await api.register();
    const { text } = await get('/', { Accept: 'text/html' });
    const rows = [
      ...text.matchAll(/<td><code>(\w+)<\/code><\/td><td>\$([\d.]+)( \(estimate\))?<\/td>/g),
    ].map(([, service, price, estimate]) => ({
      service,
      total: Number(price),
      estimate: estimate !== undefined,
    }));
    const listed = await Promise.all(
      countryCodes.map(async (country) => {
        const { body } = await api.call<Catalogued>('GET', `/api/services/${country}`, undefined, {
          key: client.key,
        });
        return body.services;
      }),
    );
    expect(rows).to.deep.equal(
      listed.flat().map(({ service, price_from, estimate }) => ({
        service,
        total: price_from.total,
        estimate,
      })),
    );
    const { body } = await api.call<{ total: number }>(
      ...(['POST', '/api/quote', { to_country: 'DE', pages: 1 }] as const),
      { key: client.key },
    );
    expect(text).to.contain(`to Germany $${body.total.toFixed(2)}`);
  });

  it('may be read by browsers of any origin, without cookies', async () => {
    const answer = await get('/', { Origin: 'https://shop.example' });
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
    expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(answer.headers.get('x-request-id')).to.be.a('string');
  });

  it('answers HEAD as GET, without the body', async () => {
    const { status, text } = await api.call('HEAD', '/');
    expect([status, text]).to.deep.equal([200, '']);
  });
});
