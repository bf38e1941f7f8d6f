import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { createQuotes } from '../../commands/preparation/quote.ts';
import { createQuoteStore } from '../../infra/postgres/quotes.ts';
import {
  expectProblem,
  letterTo,
  type NewKeyJson,
  type PageOf,
  type Sent,
  until,
  useService,
} from '../support/client.ts';

type FormLimits = Record<
  | 'pairs'
  | 'keyChars'
  | 'valueChars'
  | 'referenceChars'
  | 'pageSize'
  | 'idempotencyKeyChars'
  | 'pages'
  | 'sendDateDays'
  | 'ucanLifetimeSeconds'
  | 'ucanProofs'
  | 'quoteMinutes',
  number
>;

type OpenApi = {
  components: {
    schemas: Record<string, { properties?: Record<string, object> }>;
    parameters: { IdempotencyKey: { schema: { maxLength: number } } };
  };
  paths: Record<
    string,
    {
      get?: { parameters?: { name?: string; schema: object }[] };
      post?: { description?: string };
    }
  >;
};

const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('limits over HTTP', () => {
  describe('of the rate', () => {
    const limits = { LIMIT_RATE_PER_CREDENTIAL: '6', LIMIT_RATE_PER_ADDRESS: '4' };
    const brief = useService({ ...limits, LIMIT_RATE_WINDOW_SECONDS: '1' });
    /** Its window is not over before a test is. */
    const api = useService({ ...limits, LIMIT_RATE_WINDOW_SECONDS: '600' });
    let one: Awaited<ReturnType<typeof api.register>>;
    let other: typeof one;
    before(async () => {
      [one, other] = [await api.register(), await api.register()];
    });

    /** Asks until it is refused; the answers before all went through. */
    const exhaust = async (ask: () => ReturnType<typeof api.call>, limit: number) => {
      for (let count = 0; count <= 2 * limit; count++) {
        const answer = await ask();
        expect(answer.headers.get('ratelimit')).to.match(/^"(?:account|address)";r=\d+;t=\d+$/);
        if (answer.status === 429) return answer;
        expect(count).to.be.below(2 * limit);
      }
      throw new Error('no limit was met');
    };

    it('are told in headers, and refuse with the time to wait', async () => {
      const client = await brief.register();
      const refused = await exhaust(() => client.get('/api/balance'), 6);
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers.get('ratelimit-policy')).to.equal('"account";q=6;w=1');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 2);
      await until(async () => (await client.get('/api/balance')).status === 200);
    });

    it('count one account apart from another, whatever its keys, and both apart from the address', async () => {
      const refused = await exhaust(() => api.call('GET', '/x402'), 4);
      expect(refused.headers.get('ratelimit-policy')).to.equal('"address";q=4;w=600');
      expect((await one.get('/api/balance')).status).to.equal(200);
    });

    it('are one for all keys of an account', async () => {
      const { body } = await other.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'read' });
      await exhaust(() => other.get('/api/balance'), 6);
      expectProblem(await api.as(body.api_key).get('/api/balance'), 429, 'rate_limited');
    });

    it('are not for those who watch the service', async () => {
      for (let count = 0; count < 10; count++) {
        for (const path of ['/health', '/ready', '/metrics']) {
          expect((await api.call('GET', path)).status).to.equal(200);
        }
      }
    });
  });

  describe('of addresses behind trusted proxies', () => {
    const api = useService({
      LIMIT_RATE_PER_ADDRESS: '2',
      LIMIT_RATE_WINDOW_SECONDS: '600',
      TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8',
    });
    const from = async (forwarded: string): Promise<number> => {
      const headers = { 'X-Forwarded-For': forwarded };
      return (await api.call('GET', '/x402', undefined, { headers })).status;
    };

    it('count each client by itself, whatever it says of itself', async () => {
      for (const client of ['203.0.113.1', '203.0.113.2', '2001:db8:1:2::1']) {
        expect(await from(client)).to.equal(200);
        expect(await from(`198.51.100.7, ${client}, 10.1.1.1`)).to.equal(200);
        expect(await from(`198.51.100.8, ${client}`)).to.equal(429);
      }
      expect(await from('2001:db8:1:2:ffff::2')).to.equal(429);
    });
  });

  describe('of bodies that never end', () => {
    const api = useService();
    const sockets: Socket[] = [];
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy();
    });

    const begin = async (headers: string, bytes: number, path = '/verify-vc'): Promise<void> => {
      const socket = connect(Number(new URL(api.service().url).port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}`;
      socket.write(`${head}Content-Length: 2000000\r\n\r\n{"a":"${'x'.repeat(bytes)}`);
    };

    for (const [count, bytes] of [
      [27, 1_900_000],
      [500, 20_000],
    ] as const) {
      it(`stop nobody who has a key: ${count} of them, with ${bytes} bytes each`, async () => {
        const client = await api.register();
        for (let n = 0; n < count; n++) await begin('', bytes);
        for (let n = 0; n < 5; n++) await begin('Authorization: Bearer svc_live_wrong\r\n', bytes);
        expect((await client.post<Sent>('/api/send', letterTo('DE'))).status).to.equal(201);
        expect((await client.get('/api/balance')).status).to.equal(200);
        expect((await api.call('GET', '/health')).status).to.equal(200);
      });
    }

    it('stop no other account when they are of one that has a key', async () => {
      const [bad, good] = [await api.register(), await api.register()];
      const authorization = `Authorization: Bearer ${bad.key}\r\n`;
      for (let n = 0; n < 40; n++) await begin(authorization, 1_900_000, '/api/send');
      for (let n = 0; n < 500; n++) await begin(authorization, 10, '/api/send');
      expect((await good.post<Sent>('/api/send', letterTo('DE'))).status).to.equal(201);
    });
  });

  describe('of everything else', () => {
    const api = useService({
      LIMIT_API_KEYS_PER_ACCOUNT: '3',
      LIMIT_BODY_BYTES: '2000',
      LIMIT_CONTENT_BYTES: '500',
      LIMIT_EXCHANGE_RATE_DAYS: '1',
    });

    it('lets an account have so many active keys', async () => {
      const client = await api.register();
      const make = () => client.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'read' });
      const second = await make();
      expect((await make()).status).to.equal(201);
      const problem = expectProblem(await make(), 409, 'key_limit_reached');
      expect(problem.detail).to.contain('3');
      await client.delete(`/auth/keys/${second.body.id}`);
      expect((await make()).status).to.equal(201);
    });

    it('neither lists nor counts keys that ended with the UCAN that made them', async () => {
      const client = await api.register();
      const wanted = { label: 'x', scope: 'read' };
      const issued = await client.post<{ token: string; cid: string }>('/api/identity/ucan', {
        scope: 'full',
      });
      const bearer = api.as(`ucan:${issued.body.token}`);
      for (let n = 0; n < 2; n++) {
        expect((await bearer.post('/auth/keys', wanted)).status).to.equal(201);
      }
      const listed = async () =>
        (await client.get<{ data: { id: string }[] }>('/auth/keys')).body.data.length;
      expect(await listed()).to.equal(3);
      expectProblem(await client.post('/auth/keys', wanted), 409, 'key_limit_reached');
      await client.post('/api/identity/ucan/revoke', { cid: issued.body.cid });
      expect(await listed()).to.equal(1);
      expect((await client.post('/auth/keys', wanted)).status).to.equal(201);
      expect(await listed()).to.equal(2);
    });

    it('lets a body be so large, and content', async () => {
      const client = await api.register();
      const body = letterTo('US', { content: 'x'.repeat(2000) });
      expectProblem(await client.post('/api/send', body), 413, 'body_too_large');
      for (const content of ['é'.repeat(300), 'e'.repeat(501)]) {
        const answer = await client.post('/api/send', letterTo('US', { content }));
        expectProblem(answer, 413, 'body_too_large', '/content');
      }
      const fitting = letterTo('US', { content: 'é'.repeat(250) });
      expect((await client.post('/api/send', fitting)).status).to.equal(201);
    });

    it('lets a quote expire', async () => {
      const client = await api.register();
      const body = { to_country: 'US', pages: 1 };
      const { quote_id } = (await client.post<{ quote_id: string }>('/api/quote', body)).body;
      const { readDb } = api.service().service.foundation.storage;
      const quotes = createQuotes(createQuoteStore(readDb));
      const now = new Date().toISOString();
      const quote = await quotes.read(quote_id, client.account.account_id, now);
      const expired = quotes.newId();
      await quotes.hold(expired, { ...quote, expiresAt: now });
      const answer = await client.post('/api/send', letterTo('US', { quote_id: expired }));
      expectProblem(answer, 422, 'quote_expired', '/quote_id');
    });

    it('prices nothing with an exchange rate that is too old', async () => {
      const client = await api.register();
      const stale = await client.post('/api/quote', { to_country: 'DE', pages: 1 });
      expectProblem(stale, 503, 'exchange_rate_stale');
      expect(stale.headers.get('retry-after')).to.match(/^\d+$/);
      expectProblem(await client.post('/api/send', letterTo('DE')), 503, 'exchange_rate_stale');
      expect(await client.balance()).to.include({ available: 100, held: 0 });
    });
  });

  describe('of records and tokens', () => {
    const api = useService({
      LIMIT_EVENT_BYTES: '9000',
      LIMIT_UCAN_CAVEATS: '3',
    });

    it('lets an event be so large', async () => {
      const client = await api.register();
      const metadata = Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`k${index}`, 'v'.repeat(500)]),
      );
      const answer = await client.post('/api/send', letterTo('US', { metadata }));
      expectProblem(answer, 413, 'event_too_large');
      expect(await client.balance()).to.include({ available: 100 });
    });

    it('lets a UCAN have so many caveats', async () => {
      const client = await api.register();
      const audience = 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf';
      const delegate = (caveats: object[]) => {
        const resource = `letters://${client.account.account_id}/`;
        const capabilities = { [resource]: { 'letters/send': caveats } };
        return client.post('/api/identity/delegate', { audience, capabilities });
      };
      const caveat = (n: number) => ({ max_total_minor: n, currency: 'USD' });
      expect((await delegate([1, 2, 3].map(caveat))).status).to.equal(201);
      expectProblem(await delegate([1, 2, 3, 4].map(caveat)), 422, 'delegation_invalid');
    });
  });

  /** Tests each limit of the form of requests, by its configured number. */
  const describeForm = (name: string, limits: FormLimits) => {
    describe(`of the form of requests, ${name}`, () => {
      const api = useService({
        LIMIT_METADATA_PAIRS: String(limits.pairs),
        LIMIT_METADATA_KEY_CHARS: String(limits.keyChars),
        LIMIT_METADATA_VALUE_CHARS: String(limits.valueChars),
        LIMIT_REFERENCE_CHARS: String(limits.referenceChars),
        LIMIT_PAGE_SIZE: String(limits.pageSize),
        LIMIT_IDEMPOTENCY_KEY_CHARS: String(limits.idempotencyKeyChars),
        LIMIT_PAGES: String(limits.pages),
        LIMIT_SEND_DATE_DAYS: String(limits.sendDateDays),
        LIMIT_UCAN_LIFETIME_SECONDS: String(limits.ucanLifetimeSeconds),
        LIMIT_UCAN_PROOFS: String(limits.ucanProofs),
        LIMIT_QUOTE_MINUTES: String(limits.quoteMinutes),
      });
      let client: Awaited<ReturnType<typeof api.register>>;
      before(async () => {
        client = await api.register();
      });

      const pairs = (count: number, keyChars = 3, valueChars = 1) =>
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [
            String(index).padStart(keyChars, 'k'),
            'v'.repeat(valueChars),
          ]),
        );
      const tooMuch: [string, object, string][] = [
        ['pairs of metadata', { metadata: pairs(limits.pairs + 1) }, '/metadata'],
        ['characters of a key', { metadata: pairs(1, limits.keyChars + 1) }, '/metadata'],
        [
          'characters of a value',
          { metadata: pairs(1, 3, limits.valueChars + 1) },
          '/metadata/kk0',
        ],
        [
          'characters of a reference',
          { reference: 'r'.repeat(limits.referenceChars + 1) },
          '/reference',
        ],
        ['days until it is sent', { send_date: inDays(limits.sendDateDays + 2) }, '/send_date'],
      ];
      for (const [what, body, pointer] of tooMuch) {
        it(`refuses one more of ${what}`, async () => {
          for (const path of ['/api/send', '/api/quote']) {
            const answer = await client.post(path, letterTo('DE', body));
            expectProblem(answer, 422, 'validation_failed', pointer);
          }
        });
      }

      it('takes a letter that is at the limit in everything, changes it and finds it again', async () => {
        const reference = 'r'.repeat(limits.referenceChars);
        const metadata = pairs(limits.pairs, limits.keyChars, limits.valueChars);
        const headers = { 'Idempotency-Key': 'k'.repeat(limits.idempotencyKeyChars) };
        const body = letterTo('US', {
          reference,
          metadata,
          send_date: inDays(limits.sendDateDays - 1),
        });
        const sent = await client.post<Sent>('/api/send', body, headers);
        expect(sent.status, sent.text).to.equal(201);
        const id = sent.body.letter_id;
        const other = { reference: 'x'.repeat(limits.referenceChars) };
        expect((await client.patch(`/api/letters/${id}`, other)).status).to.equal(200);
        expectProblem(
          await client.patch(`/api/letters/${id}`, { reference: `${other.reference}x` }),
          422,
          'validation_failed',
          '/reference',
        );
        const key = String(limits.pairs - 1).padStart(limits.keyChars, 'k');
        const query = new URLSearchParams({
          [`metadata[${key}]`]: 'v'.repeat(limits.valueChars),
          ...other,
        });
        const found = await client.get<PageOf<{ letter_id: string }>>(`/api/letters?${query}`);
        expect(found.status, found.text).to.equal(200);
        expect(found.body.data.map(({ letter_id }) => letter_id)).to.deep.equal([id]);
      });

      it('refuses a filter that fits no letter', async () => {
        for (const [name, value] of [
          ['reference', 'r'.repeat(limits.referenceChars + 1)],
          [`metadata[${'k'.repeat(limits.keyChars + 1)}]`, 'v'],
          ['metadata[k]', 'v'.repeat(limits.valueChars + 1)],
        ] as const) {
          const query = new URLSearchParams({ [name]: value });
          expectProblem(await client.get(`/api/letters?${query}`), 422, 'validation_failed');
        }
      });

      it('refuses a longer Idempotency-Key', async () => {
        const headers = { 'Idempotency-Key': 'k'.repeat(limits.idempotencyKeyChars + 1) };
        const answer = await client.post('/api/send', letterTo('DE'), headers);
        expect(expectProblem(answer, 400, 'invalid_header').detail).to.contain(
          String(limits.idempotencyKeyChars),
        );
      });

      it('lists so many rows of each list, and as many unasked where that is less than 20', async () => {
        const rows = Math.min(limits.pageSize, 20);
        for (let count = 0; count <= rows; count++) await client.send({ draft: true });
        for (const path of ['letters', 'notifications', 'identity/credentials']) {
          const all = await client.get(`/api/${path}?limit=${limits.pageSize}`);
          expect(all.status, all.text).to.equal(200);
          const more = await client.get(`/api/${path}?limit=${limits.pageSize + 1}`);
          expectProblem(more, 422, 'validation_failed', '/query/limit');
        }
        const usual = await client.get<PageOf<object>>('/api/letters');
        expect(usual.body.data).to.have.length(rows);
        expect(usual.body.has_more).to.equal(true);
      });

      it('counts pages', async () => {
        const quote = (pages: number) => client.post('/api/quote', { to_country: 'US', pages });
        expect((await quote(limits.pages)).status).to.equal(200);
        expectProblem(await quote(limits.pages + 1), 422, 'validation_failed', '/pages');
        const content = 'page\n'.repeat(70 * limits.pages);
        const long = await client.post('/api/quote', letterTo('US', { content }));
        expectProblem(long, 422, 'too_many_pages');
      });

      it('lets a UCAN live so long, and a quote', async () => {
        const issue = (expires_in: number) =>
          client.post('/api/identity/ucan', { scope: 'read', expires_in });
        expect((await issue(limits.ucanLifetimeSeconds)).status).to.equal(201);
        expectProblem(
          await issue(limits.ucanLifetimeSeconds + 1),
          422,
          'validation_failed',
          '/expires_in',
        );
        const before = Date.now();
        const quoted = await client.post<{ expires_at: string }>('/api/quote', {
          to_country: 'US',
          pages: 1,
        });
        const quotedAt = Date.parse(quoted.body.expires_at) - limits.quoteMinutes * 60_000;
        expect(quotedAt).to.be.within(before, Date.now());
      });

      it('says the same in the API reference', async () => {
        const { body } = await api.call<OpenApi>('GET', '/openapi.json');
        const { schemas, parameters } = body.components;
        for (const title of ['SendLetter', 'QuoteRequest']) {
          const properties = schemas[title]?.properties ?? {};
          expect(properties.metadata).to.deep.include({ maxProperties: limits.pairs });
          expect(JSON.stringify(properties.metadata))
            .to.contain(`"maxLength":${limits.keyChars}`)
            .and.to.contain(`"maxLength":${limits.valueChars}`);
          expect(properties.reference).to.deep.include({ maxLength: limits.referenceChars });
        }
        expect(schemas.QuoteRequest?.properties?.pages).to.include({ maximum: limits.pages });
        expect(JSON.stringify(schemas.UpdateLetter)).to.contain(
          `"maxLength":${limits.referenceChars}`,
        );
        expect(parameters.IdempotencyKey.schema.maxLength).to.equal(limits.idempotencyKeyChars);
        for (const path of ['/api/letters', '/api/notifications', '/api/identity/credentials']) {
          const limit = body.paths[path]?.get?.parameters?.find(({ name }) => name === 'limit');
          expect(limit?.schema, path).to.include({
            maximum: limits.pageSize,
            default: Math.min(20, limits.pageSize),
          });
        }
        expect(schemas.IssueUcan?.properties?.expires_in).to.include({
          maximum: limits.ucanLifetimeSeconds,
        });
        expect(schemas.VerifyUcan?.properties?.proofs).to.include({
          maxItems: 2 * limits.ucanProofs,
        });
        expect(body.paths['/api/quote']?.post?.description).to.contain(
          `${limits.quoteMinutes} minutes`,
        );
      });
    });
  };

  describeForm('lowered', {
    pairs: 2,
    keyChars: 5,
    valueChars: 6,
    referenceChars: 7,
    pageSize: 3,
    idempotencyKeyChars: 9,
    pages: 2,
    sendDateDays: 10,
    ucanLifetimeSeconds: 60,
    ucanProofs: 3,
    quoteMinutes: 2,
  });
  describeForm('raised as far as it goes', {
    pairs: 50,
    keyChars: 100,
    valueChars: 700,
    referenceChars: 500,
    pageSize: 1_000,
    idempotencyKeyChars: 1_000,
    pages: 100,
    sendDateDays: 3_650,
    ucanLifetimeSeconds: 10 * 365 * 86_400,
    ucanProofs: 64,
    quoteMinutes: 60,
  });
});
