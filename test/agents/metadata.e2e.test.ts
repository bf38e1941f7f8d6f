import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import { until, useService } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

type AgentRecord = {
  name: string;
  did: string;
  logo: string;
  contact?: string;
  capabilities: {
    name: string;
    description: string;
    endpoint: string;
    method: string;
    countries?: string[];
  }[];
  protocols: Record<string, { url: string }>;
  endpoints: Record<string, string>;
  authentication: {
    preferred: string;
    methods: { type: string; header?: string; signup_required: boolean }[];
  };
};
type Link = { href: string; type?: string };
type Linkset = { linkset: ({ anchor: string } & Record<string, Link[] | string>)[] };
type Registration = {
  type: string;
  image: string;
  services: { name: string; endpoint: string }[];
  x402Support: boolean;
  registrations: unknown[];
};

const x402 = {
  X402_NETWORK: 'base-sepolia',
  X402_RPC_URL: 'http://127.0.0.1:9',
  X402_PAY_TO: '0x1111111111111111111111111111111111111111',
  X402_SIGNER_KEY: `0x${'11'.repeat(32)}`,
};

const paths = [
  '/.well-known/agent.json',
  '/.well-known/agent-registration.json',
  '/.well-known/api-catalog',
  '/schemas/agent-v1.json',
  '/llms.txt',
  '/llms-full.txt',
];

describe('what agents and directories are told', () => {
  const api = useService();
  const here = (url: string): string => url.replace('http://localhost', api.service().url);
  const read = async <T>(path: string): Promise<T> =>
    (await (await fetch(api.service().url + path)).json()) as T;
  const record = () => read<AgentRecord>('/.well-known/agent.json');

  it('is a record that its own schema allows, and that says what the specification asks for', async () => {
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    const schema = await read<{ $id: string }>('/schemas/agent-v1.json');
    expect(schema.$id).to.equal('http://localhost/schemas/agent-v1.json');
    const validate = ajv.compile(schema);
    const found = await record();
    expect(validate(found), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate({ ...found, did: 'key:z6' }), 'a DID that is none').to.equal(false);
    expect(validate({ ...found, anything: { else: true } }), 'extra properties').to.equal(true);
    expect(found.did).to.match(/^did:/);
    const names = found.capabilities.map(({ name }) => name);
    expect(names).to.include.members(['send_letter', 'quote_letter', 'track_letter', 'get_proof']);
    const send = found.capabilities.find(({ name }) => name === 'send_letter');
    expect(send?.countries).to.have.members(['US', 'FR', 'GB', 'CA', 'DE']);
  });

  it('names only operations that answer, and every one of them with its method', async () => {
    const { capabilities } = await record();
    expect(capabilities.length).to.be.at.least(16);
    for (const { name, endpoint, method } of capabilities) {
      const at = here(endpoint).replaceAll(/\{\w+\}/g, '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e');
      const answer = await fetch(at, { method: 'OPTIONS' });
      expect(answer.status, name).to.equal(204);
      expect(answer.headers.get('allow')?.split(', '), name).to.include(method);
    }
  });

  it('names only addresses where something is', async () => {
    await api.register();
    const { protocols, endpoints, logo } = await record();
    const { linkset } = await read<Linkset>('/.well-known/api-catalog');
    const registration = await read<Registration>('/.well-known/agent-registration.json');
    const linked = linkset.flatMap((context) =>
      Object.values(context).flatMap((links) => (Array.isArray(links) ? links : [])),
    );
    const named = [
      ...Object.values(protocols).flatMap((one) => Object.values(one)),
      ...Object.entries(endpoints).flatMap(([name, url]) =>
        // Prefixes of many addresses, and one that only takes POST
        ['rest', 'anp', 'mech', 'signup'].includes(name) ? [] : [url],
      ),
      ...linked.map(({ href }) => href),
      ...registration.services.map(({ endpoint }) => endpoint),
      ...[logo, registration.image],
    ].filter((one): one is string => typeof one === 'string' && one.startsWith('http'));
    expect(named.length).to.be.at.least(20);
    for (const url of new Set(named)) {
      const answers = async () => (await fetch(here(url))).status;
      if (url.endsWith('/mcp')) expect(await answers()).to.equal(405);
      // The log has its first checkpoint with its first credential
      else await until(async () => (await answers()) === 200);
    }
    for (const { href, type = '' } of linked) {
      const { headers } = await fetch(here(href), { headers: { Accept: type || '*/*' } });
      expect(headers.get('content-type'), href).to.contain(type);
    }
  });

  it('is an API catalogue of RFC 9727, and a registration of ERC-8004 without a registration', async () => {
    const answer = await fetch(`${api.service().url}/.well-known/api-catalog`);
    expect(answer.headers.get('content-type')).to.equal(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    const head = await fetch(answer.url, { method: 'HEAD' });
    expect(head.headers.get('link')).to.contain('rel="api-catalog"');
    const registration = await read<Registration>('/.well-known/agent-registration.json');
    expect(registration.type).to.equal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1');
    expect(registration).to.deep.include({ x402Support: false, active: true, registrations: [] });
    const { protocols, authentication } = await record();
    expect(protocols).to.include.all.keys('mcp', 'rest');
    expect(protocols).not.to.have.any.keys('x402', 'mech');
    expect(authentication.preferred).to.equal('api_key');
    expect(authentication.methods.map(({ type }) => type)).to.deep.equal(['ucan', 'api_key']);
  });

  it('follows the configuration: x402 with its top-up and header, the contact, the mech, the path of BASE_URL', async () => {
    const paid = await startTestService({
      ...x402,
      SERVICE_CONTACT: 'post@letters.example',
      MECH_MODE: 'test',
      BASE_URL: 'https://letters.example/post',
    });
    try {
      const get = async <T>(path: string) => (await (await fetch(paid.url + path)).json()) as T;
      const { protocols, authentication, capabilities, contact } =
        await get<AgentRecord>('/.well-known/agent.json');
      expect(protocols.x402).to.include({ network: 'eip155:84532', testnet: true });
      expect(authentication.preferred).to.equal('x402');
      expect(authentication.methods[0]).to.include({
        type: 'x402',
        header: 'X-PAYMENT-SIGNATURE',
        signup_required: false,
      });
      expect(capabilities.map(({ name }) => name)).to.include('top_up_wallet');
      expect(contact).to.equal('post@letters.example');
      const registration = await get<Registration>('/.well-known/agent-registration.json');
      expect(registration.x402Support).to.equal(true);
      expect(registration.services.map(({ name }) => name)).to.include('email');
      const info = await get<{
        payment_methods: string[];
        capabilities: string[];
        endpoints: object;
        well_known: string[];
      }>('/');
      expect(info.payment_methods).to.deep.equal(['wallet', 'x402', 'usdc']);
      expect(info.endpoints).to.include.keys('x402', 'mech');
      expect(info.capabilities).to.include('mech');
      const mech = protocols.mech as { url: string; tools: string; mode: string };
      expect(mech.mode).to.equal('test');
      for (const url of [mech.url, mech.tools]) {
        const path = url.replace('https://letters.example/post', '');
        expect((await fetch(paid.url + path)).status, url).to.equal(200);
      }
      expect(info.well_known).to.include('https://letters.example/post/did.json');
      expect(await get<object>('/did.json')).to.have.property('id', 'did:web:letters.example:post');
      const page = await (await fetch(`${paid.url}/api-docs`)).text();
      const links = [...page.matchAll(/(?:href|src|action)="([^"#]+)/g)].map(
        ([, link = '']) => link,
      );
      expect(
        links.filter((link) => !/^(\/post\/|https:\/\/letters\.example\/post\/)/.test(link)),
      ).to.deep.equal([]);
      expect(await (await fetch(`${paid.url}/api-docs/letters.md`)).text()).to.contain('by x402');
    } finally {
      await paid.stop();
    }
  });

  it('may be read by every site, is asked for again in vain, and is there for HEAD and OPTIONS', async () => {
    for (const path of paths) {
      const url = api.service().url + path;
      const answer = await fetch(url, { headers: { Origin: 'https://directory.example' } });
      expect(answer.status, path).to.equal(200);
      expect(answer.headers.get('access-control-allow-origin'), path).to.equal('*');
      expect(answer.headers.get('cache-control'), path).to.match(/^public, max-age=\d+$/);
      const etag = answer.headers.get('etag') ?? '';
      const again = await fetch(url, { headers: { 'If-None-Match': etag } });
      expect([again.status, await again.text()], path).to.deep.equal([304, '']);
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, head.headers.get('etag'), await head.text()]).to.deep.equal([
        200,
        etag,
        '',
      ]);
      const options = await fetch(url, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).to.deep.equal([
        204,
        'GET, HEAD, OPTIONS',
      ]);
      expect((await fetch(url, { method: 'POST' })).status, path).to.equal(405);
      expect(answer.headers.has('ratelimit'), 'is not counted').to.equal(false);
    }
  });

  it('has no A2A card, as no A2A is spoken', async () => {
    for (const path of ['/.well-known/agent-card.json', '/.well-known/oauth-protected-resource']) {
      expect((await fetch(api.service().url + path)).status).to.equal(404);
    }
  });

  it('lists pages for language models that are all there, and gives them whole', async () => {
    const text = await (await fetch(`${api.service().url}/llms.txt`)).text();
    expect(text)
      .to.match(/^# Letters\n\n> .+\n/)
      .and.not.match(/^> .*x402/m);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, link = '']) => link);
    expect(links.length).to.be.at.least(25);
    const full = await (await fetch(`${api.service().url}/llms-full.txt`)).text();
    for (const link of links) {
      expect(link).to.match(/\.md$/);
      const page = await fetch(here(link));
      expect(page.headers.get('content-type'), link).to.equal('text/markdown; charset=utf-8');
      expect(full).to.contain((await page.text()).trim());
    }
  });

  it('names the DID that the service has now, also after a rotation of its key', async () => {
    const texts = ['/.well-known/agent.json', '/llms.txt', '/llms-full.txt'];
    const didsIn = async () =>
      Promise.all(
        texts.map(async (path) => {
          const text = await (await fetch(api.service().url + path)).text();
          return /\bdid"?: "?(did:\w+:\w+)/i.exec(text)?.[1];
        }),
      );
    const before = (await record()).did;
    expect(await didsIn()).to.deep.equal(texts.map(() => before));
    await commandOf(['rotate-key', 'credential'])(api.service().service.foundation, () => {});
    const { did } = await read<{ did: string }>('/api/identity/service-did');
    expect(did).not.to.equal(before);
    expect(await didsIn()).to.deep.equal(texts.map(() => did));
  });

  it('is a page for browsers at /, and JSON for everybody else', async () => {
    const typeFor = async (accept: string | undefined) => {
      const answer = await fetch(
        `${api.service().url}/`,
        accept ? { headers: { Accept: accept } } : {},
      );
      expect(answer.status, accept).to.equal(200);
      expect(answer.headers.get('vary'), accept).to.contain('Accept');
      return answer.headers.get('content-type')?.split(';')[0];
    };
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
    const cases: [string | undefined, string][] = [
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['application/json', 'application/json'],
      ['text/html;q=0.5, application/json', 'application/json'],
      ['application/json;q=0.5, text/html', 'text/html'],
      ['text/html;q=0, */*', 'application/json'],
      ['image/png', 'application/json'],
      [browser, 'text/html'],
      ['text/html', 'text/html'],
    ];
    for (const [accept, type] of cases) expect(await typeFor(accept), accept).to.equal(type);
    const first = await fetch(`${api.service().url}/`, { headers: { Accept: browser } });
    const page = await first.text();
    expect(first.headers.get('cache-control')).to.equal('public, max-age=300');
    const etag = first.headers.get('etag') ?? '';
    const ask = (headers: Record<string, string>) =>
      fetch(`${api.service().url}/`, { headers: { Accept: browser, ...headers } });
    for (const known of [etag, `"other", W/${etag}`]) {
      const again = await ask({ 'If-None-Match': known });
      expect([again.status, await again.text(), again.headers.get('etag')], known).to.deep.equal([
        ...[304, '', etag],
      ]);
      expect(again.headers.get('vary')).to.contain('Accept');
    }
    expect((await ask({ 'If-None-Match': '"other"' })).status).to.equal(200);
    expect((await ask({ 'If-None-Match': etag, Accept: 'application/json' })).status).to.equal(200);
    expect(page).to.contain('de_einschreiben_einwurf').and.contain('/auth/register');
    for (const [, link = ''] of page.matchAll(/(?:href|src)="(\/[^"#]*)"/g)) {
      expect((await fetch(api.service().url + link)).status, link).to.equal(200);
    }
  });
});
