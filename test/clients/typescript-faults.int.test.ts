/** Faults between a program and the service, on a server that causes them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type * as Core from '../../clients/typescript/src/index.ts';
import { encoded } from '../support/evm/x402.ts';
import { freePort } from '../support/free-port.ts';
import { loadCore } from './installed.ts';

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
type Step = (response: ServerResponse, seen: Seen) => void;

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  answer(
    status,
    { code, status, title: code, detail: `It is ${code}.`, request_id: 'req_1' },
    { 'content-type': 'application/problem+json', ...headers },
  );

const cut: Step = (response) => response.destroy();
const never: Step = () => {};

/** Answers request after request as the steps say; the last one stays. */
const startServer = async (...first: Step[]) => {
  let steps = first;
  let taken = 0;
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    const step = steps[Math.min(taken, steps.length - 1)];
    taken += 1;
    seen.push(one);
    step?.(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    next(...following: Step[]) {
      [steps, taken] = [following, 0];
    },
    keys: () => new Set(seen.map(({ headers }) => headers['idempotency-key'])),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const sent = answer(201, { letter_id: 'l1', status: 'queued' });
const letter = { to_name: 'Ann', content: 'Hello.' };

const usdcOnBaseSepolia = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

const offer = (amount: string) => ({
  scheme: 'exact',
  network: 'eip155:84532',
  amount,
  asset: usdcOnBaseSepolia,
  payTo: '0xb',
});
const required = { x402Version: 2, accepts: [offer('1600000')] };
const demand = (code = 'payment_required') =>
  problem(402, code, { 'payment-required': encoded(required) });

describe('a program that uses the client library', function () {
  this.timeout(180_000);
  let core: typeof Core;
  before(async () => {
    core = await loadCore();
  });

  const sendTo = async (baseUrl: string, options: Core.ClientOptions = {}, args: object = letter) =>
    (await core.execute('send_letter', args as Record<string, unknown>, {
      baseUrl,
      apiKey: 'svc_test_key',
      maxWaitMs: 5_000,
      ...options,
    })) as { letter_id?: string; error: Core.ErrorData };

  it('is told that the server is down, after a few attempts', async () => {
    const { error } = await sendTo(`http://127.0.0.1:${await freePort()}`, { retries: 1 });
    expect(error).to.include({ code: 'server_unreachable', status: null, retryable: true });
    expect(error.detail).to.contain('ECONNREFUSED');
    expect(error.idempotency_key).to.be.a('string');
    expect(JSON.stringify(error)).to.not.contain('svc_test_key');
  });

  it('repeats what was cut off or refused for a while, always under one key', async () => {
    await using server = await startServer(
      ...[cut, problem(503, 'overloaded', { 'retry-after': '0' })],
      ...[problem(409, 'idempotency_in_progress'), sent],
    );
    expect((await sendTo(server.url)).letter_id).to.equal('l1');
    expect(server.seen).to.have.length(4);
    expect(server.keys()).to.have.length(1);
    expect(new Set(server.seen.map(({ body }) => body))).to.have.length(1);
  });

  it('waits as long as it is told, and no longer than it may', async () => {
    const limited = (after: string) => problem(429, 'rate_limited', { 'retry-after': after });
    await using server = await startServer(limited('1'), sent);
    const before = performance.now();
    expect((await sendTo(server.url)).letter_id).to.equal('l1');
    expect(performance.now() - before).to.be.at.least(990);

    await using busy = await startServer(limited('3600'));
    const { error } = await sendTo(busy.url);
    expect(error).to.include({ code: 'rate_limited', status: 429, retry_after: 3600 });
    expect(busy.seen).to.have.length(1);
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    await using dated = await startServer(limited(date));
    expect((await sendTo(dated.url)).error.retry_after).to.be.within(3_500, 3_600);
    await using odd = await startServer(limited('soon'), sent);
    expect((await sendTo(odd.url)).letter_id).to.equal('l1');
  });

  it('takes nonsense in Retry-After for no time, so that it pauses as usual', async () => {
    for (const nonsense of ['-1', '1.5', '5,5', 'soon', '']) {
      await using server = await startServer(
        problem(503, 'overloaded', { 'retry-after': nonsense }),
      );
      const { error } = await sendTo(server.url, { retries: 0 });
      expect(error, nonsense).to.not.have.property('retry_after');
    }
    const past = problem(429, 'rate_limited', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' });
    await using server = await startServer(past, sent);
    expect((await sendTo(server.url)).letter_id).to.equal('l1');
  });

  it('is refused a time to wait for a letter that is no number', async () => {
    await using server = await startServer(answer(200, { letter_id: 'l1', status: 'queued' }));
    const client = core.createClient({ baseUrl: server.url, apiKey: 'svc_test_key' });
    const signal = AbortSignal.timeout(2_000);
    for (const times of [
      { timeoutMs: Number.NaN },
      { intervalMs: Number.NaN },
      { intervalMs: -1 },
    ]) {
      const waited = client.waitFor('l1', 'posted', { ...times, signal });
      const error = await waited.then(
        () => undefined,
        ({ code }) => code,
      );
      expect(error, JSON.stringify(times)).to.equal('invalid_arguments');
    }
    expect(server.seen).to.deep.equal([]);
  });

  it('says what a policy denies, what is frozen and what needs an approval, each as a type of its own', async () => {
    const denial = {
      policy: 'key_1',
      rule: 'daily',
      limit: { amount: 20, per: 'day' },
      used: 19.5,
      resets_at: '2026-03-02T00:00:00.000Z',
      time_zone: 'UTC',
    };
    const refuse = (code: string, more: object = {}) =>
      startServer(answer(403, { code, status: 403, detail: `It is ${code}.`, ...more }));
    const refused = async (url: string) => {
      const letters = core.createClient({ baseUrl: url, apiKey: 'k' });
      return letters.get_letter({ path: { id: 'l1' } }).catch((error: unknown) => error);
    };
    await using denying = await refuse('policy_denied', denial);
    const denied = await refused(denying.url);
    expect(denied).to.be.instanceOf(core.PolicyDeniedError).and.instanceOf(core.ServiceError);
    expect((denied as Core.PolicyDeniedError).denial).to.deep.equal(denial);
    expect((denied as Core.PolicyDeniedError).name).to.equal('PolicyDeniedError');
    expect((await sendTo(denying.url)).error).to.deep.include({ policy_denied: denial });
    expect(denying.seen).to.have.length(2);
    await using freezing = await refuse('frozen', { frozen: 'account' });
    const frozen = await refused(freezing.url);
    expect(frozen).to.be.instanceOf(core.FrozenError);
    expect((frozen as Core.FrozenError).frozen).to.equal('account');
    // A repetition of a letter that was sent before the freeze is refused as well.
    const { hint } = (await sendTo(freezing.url)).error;
    expect(hint).to.match(/^This call sent nothing; an earlier one/);
    for (const code of ['approval_required', 'approval_pending']) {
      await using holding = await refuse(code);
      expect(await refused(holding.url)).to.be.instanceOf(core.ApprovalError);
    }
  });

  it('says what the mech refuses, which has a form of its own', async () => {
    const errors = [{ pointer: '/tool', code: 'unknown', detail: 'tool is unknown.' }];
    const error = {
      code: 'mech_disabled',
      message: 'There is no mech',
      detail: 'Use REST.',
      errors,
    };
    const envelope = { success: false, data: null, error, request_id: 'mech_1', price_paid_wei: 0 };
    await using server = await startServer(answer(404, envelope, { 'x-request-id': 'req_1' }));
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const refused = await letters
      .mech_execute({ body: {} as never })
      .catch(({ data }: Core.ServiceError) => data);
    expect(refused).to.deep.include({ code: 'mech_disabled', status: 404, detail: 'Use REST.' });
    expect(refused).to.deep.include({ errors, request_id: 'req_1' });
  });

  it('does not repeat what has no key and may have been done', async () => {
    await using server = await startServer(cut);
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const failed = await letters
      .update_letter({ path: { id: 'l1' }, body: { reference: 'r' } as never })
      .catch(({ data }: Core.ServiceError) => data);
    expect(failed)
      .to.include({ code: 'server_unreachable' })
      .and.not.have.property('idempotency_key');
    expect(server.seen).to.have.length(1);
  });

  it('ends in time when nothing is answered, or its caller ends it', async () => {
    await using server = await startServer(never);
    // Long enough for a busy machine to bring each attempt to the server.
    const late = await sendTo(server.url, { timeoutMs: 500, retries: 1 });
    expect(late.error).to.include({ code: 'timed_out', retryable: true });
    expect(server.seen).to.have.length(2);
    const signal = AbortSignal.timeout(50);
    const ended = await core.createExecutor({ baseUrl: server.url })('get_balance', {}, { signal });
    expect((ended as Core.ToolFailure).error.code).to.equal('aborted');
    const before = server.seen.length;
    const aborted = AbortSignal.abort();
    await core.createExecutor({ baseUrl: server.url })('get_balance', {}, { signal: aborted });
    expect(server.seen).to.have.length(before);
  });

  it('follows no redirect, so that the key goes nowhere else', async () => {
    await using elsewhere = await startServer(sent);
    for (const status of [301, 302, 303, 307, 308]) {
      await using server = await startServer(answer(status, '', { location: elsewhere.url }));
      const { error } = await sendTo(server.url);
      expect(error).to.include({ code: 'redirect_refused', status });
      expect(server.seen).to.have.length(1);
    }
    expect(elsewhere.seen).to.deep.equal([]);
  });

  const bodies: [string, Step][] = [
    ['a page', answer(200, '<html>Welcome</html>', { 'content-type': 'text/html' })],
    ['text that says it is JSON', answer(201, '{"letter_id":')],
    ['an error page of a proxy', answer(404, '<h1>no</h1>', { 'content-type': 'text/html' })],
    ['nothing', (response) => response.writeHead(200).end()],
    ['a status without a body', (response) => response.writeHead(204).end()],
    ['null', answer(200, 'null')],
    ['a list', answer(200, '[]')],
  ];
  for (const [what, step] of bodies) {
    it(`is told of ${what} in place of JSON`, async () => {
      await using server = await startServer(step);
      const { error } = await sendTo(server.url);
      expect(error).to.include({ code: 'not_json', retryable: false });
      expect(error.hint).to.contain('SERVICE_URL');
      expect(error.hint).to.contain(error.idempotency_key);
      expect(server.seen).to.have.length(1);
    });
  }

  it('repeats what a gateway could not bring or limits', async () => {
    const page = (status: number, headers = {}) =>
      answer(status, '<h1>Later</h1>', { 'content-type': 'text/html', ...headers });
    await using server = await startServer(page(502), page(429, { 'retry-after': '0' }), sent);
    expect((await sendTo(server.url)).letter_id).to.equal('l1');
    expect(server.keys()).to.have.length(1);
  });

  it('does not start with an address or a key that are none', async () => {
    for (const options of [
      { baseUrl: 'letters.example' },
      { baseUrl: 'file:///etc' },
      { baseUrl: 'https://user:secret@letters.example' },
      { baseUrl: 'https://letters.example', apiKey: 'two\nlines' },
      { baseUrl: 'https://letters.example', timeoutMs: Number.POSITIVE_INFINITY },
      { baseUrl: 'https://letters.example', retries: -1 },
    ]) {
      const { error } = await sendTo('', options);
      expect(error, JSON.stringify(options)).to.include({ code: 'invalid_options' });
      expect(JSON.stringify(error)).to.not.contain('secret').and.not.contain('lines');
    }
  });

  it('is told of what cannot be sent, and nothing is', async () => {
    await using server = await startServer(sent);
    const { error } = await sendTo(server.url, {}, { ...letter, idempotency_key: 'two\nlines' });
    expect(error).to.include({ code: 'invalid_arguments', retryable: false });
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const told = await letters
      .send_letter({ body: cyclic as never })
      .catch(({ code }: Core.ServiceError) => code);
    expect(told).to.equal('invalid_arguments');
    const half = await letters
      .list_letters({ query: { reference: '\ud83d' } })
      .catch(({ code }: Core.ServiceError) => code);
    expect(half).to.equal('invalid_arguments');
    await letters.get_letter({ path: { id: '../keys' } });
    expect(server.seen.map(({ url }) => url)).to.deep.equal(['/api/letters/..%2Fkeys']);
  });

  it('finds the service below a path', async () => {
    await using server = await startServer(sent);
    await sendTo(`${server.url}/letters/`);
    expect(server.seen[0]?.url).to.equal('/letters/api/send');
  });

  it('is told of a list that never ends', async () => {
    const page = { data: [{ letter_id: 'l1' }], has_more: true, next_cursor: 'same' };
    await using server = await startServer(answer(200, page));
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const seen: unknown[] = [];
    const walk = async () => {
      for await (const row of letters.all('list_letters')) seen.push(row);
    };
    expect(await walk().catch(({ code }: Core.ServiceError) => code)).to.equal('endless_list');
    expect(seen).to.have.length(2);
  });

  it('is refused an option that does not exist, so that its key goes nowhere', async () => {
    const options = { url: 'https://letters.example', apiKey: 'k' } as Core.ClientOptions;
    expect(() => core.createClient(options)).to.throw('url is not an option of the client');
    const { error } = (await core.execute('get_balance', {}, options)) as Core.ToolFailure;
    expect(error).to.include({ code: 'invalid_options' });
    expect(() => core.letterTools({ readonly: true } as Core.ToolOptions)).to.throw('readonly');
  });

  it('is refused a filter or field outside of path, query and body, and nothing is sent', async () => {
    await using server = await startServer(sent);
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const calls = [
      () => letters.list_letters({ status: ['queued'] } as never),
      () => letters.send_letter(letter as never),
      () => letters.all('list_letters', { status: ['queued'] } as never).next(),
    ];
    for (const call of calls) {
      const error: Core.ServiceError = await call().catch((thrown) => thrown);
      expect(error).to.include({ code: 'invalid_arguments' });
      expect(error.message).to.match(
        /^invalid_arguments: (status|to_name) is not a part of a call/,
      );
    }
    expect(server.seen.length).to.equal(0);
  });

  it('repeats under the key that its caller gave among the headers, and refuses one that is empty', async () => {
    await using server = await startServer(cut, sent);
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const body = letter as never;
    const headers = { 'idempotency-Key': 'order-17' };
    await letters.send_letter({ body, headers });
    await letters.send_letter({ body, headers, idempotencyKey: 'order-17' });
    expect(server.seen).to.have.length(3);
    expect(server.keys()).to.deep.equal(new Set(['order-17']));
    for (const wrong of [
      { headers, idempotencyKey: 'order-18' },
      { headers: { ...headers, 'Idempotency-Key': 'order-18' } },
      { idempotencyKey: '' },
      { headers: { 'Idempotency-Key': '' } },
    ]) {
      const refused = letters.send_letter({ body, ...wrong }).catch((error) => error.code);
      expect(await refused, JSON.stringify(wrong)).to.equal('invalid_arguments');
    }
    const { error } = await sendTo(server.url, {}, { ...letter, idempotency_key: '' });
    expect(error.code).to.equal('invalid_arguments');
    expect(server.seen).to.have.length(3);
  });

  it('is told the idempotency key of a call that may have been done', async () => {
    for (const step of [problem(500, 'internal_error'), problem(503, 'overloaded'), cut]) {
      await using server = await startServer(step);
      const { error } = await sendTo(server.url, { retries: 0 });
      expect(error.hint).to.contain(`the same idempotency key, ${error.idempotency_key}`);
    }
    await using refusing = await startServer(problem(422, 'validation_failed'));
    expect((await sendTo(refusing.url)).error.hint).to.not.contain('idempotency');
  });

  it('reads what was written with the same key, through whichever process', async () => {
    const written = answer(201, { letter_id: 'l1' }, { 'x-log-position': '41' });
    const balance = answer(200, { balance: 1 });
    const beyond = problem(422, 'position_beyond_log');
    await using server = await startServer(written, balance, balance, beyond, balance, balance);
    const options = { baseUrl: server.url, apiKey: 'k' };
    await core.execute('send_letter', letter, options);
    await core.execute('get_balance', {}, options);
    await core.execute('get_balance', {}, { ...options, apiKey: 'other' });
    expect(await core.createClient(options).get_balance()).to.deep.equal({ balance: 1 });
    await core.execute('get_balance', {}, options);
    expect(server.seen.map(({ headers }) => headers['x-min-log-position'])).to.deep.equal([
      ...[undefined, '41', undefined, '41', undefined, undefined],
    ]);
  });

  it('reads its own writes also by operations that are no GET', async () => {
    const written = answer(201, { letter_id: 'l1' }, { 'x-log-position': '41' });
    await using server = await startServer(written);
    const options = { baseUrl: server.url, apiKey: 'k2' };
    const letters = core.createClient(options);
    const body = {} as never;
    await letters.send_letter({ body });
    await letters.search_letters({ body });
    await letters.negotiate_pricing({ body });
    await letters.accept_offer({ body });
    await letters.create_contract({ body });
    await letters.close_account({ body });
    await core.execute('accept_offer', { tier: 'standard' }, options);
    await letters.quote_letter({ body });
    await core.execute('send_letter', letter, options);
    expect(server.seen.map(({ headers }) => headers['x-min-log-position'])).to.deep.equal([
      ...[undefined, '41', '41', '41', '41', '41', '41', undefined, undefined],
    ]);
  });

  it('repeats what changes nothing', async () => {
    await using server = await startServer(
      ...[problem(503, 'overloaded', { 'retry-after': '0' }), answer(200, {})],
      ...[problem(503, 'overloaded', { 'retry-after': '0' }), answer(200, {})],
    );
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    await letters.search_letters({ body: {} as never });
    await letters.quote_letter({ body: {} as never });
    expect(server.seen).to.have.length(4);
  });

  it('filters by the members of an object', async () => {
    await using server = await startServer(answer(200, { data: [] }));
    const letters = core.createClient({ baseUrl: server.url, apiKey: 'k' });
    const metadata = { order: '42', 'a&b': 'c=d', none: undefined };
    const query = { status: ['queued', 'posted'], metadata } as never;
    await letters.list_letters({ query });
    const { searchParams } = new URL(server.seen[0]?.url ?? '', server.url);
    expect([...searchParams].map((pair) => pair.join('='))).to.deep.equal([
      ...['status=queued', 'status=posted', 'metadata[order]=42', 'metadata[a&b]=c=d'],
    ]);
    const half = letters.list_letters({ query: { metadata: { '\ud83d': 'x' } } as never });
    expect(await half.catch(({ code }) => code)).to.equal('invalid_arguments');
    expect(server.seen).to.have.length(1);
  });

  describe('and is asked for a payment', () => {
    const payerOf = (changes: Partial<Core.Payer> = {}) => {
      const asked: Core.PaymentRequired[] = [];
      const payer: Core.Payer = {
        maxUsd: 2,
        pay: async (what) => {
          asked.push(what);
          return { x402Version: 2, accepted: what.accepts[0], payload: { signed: asked.length } };
        },
        ...changes,
      };
      return { payer, asked };
    };
    const payments = (server: { seen: Seen[] }) =>
      server.seen.map(({ headers }) => headers['payment-signature']);

    it('is told what it costs, without a payer', async () => {
      await using server = await startServer(demand());
      const { error } = await sendTo(server.url, { apiKey: '' });
      expect(error).to.include({ code: 'payment_required', status: 402, retryable: false });
      expect(error.payment_required).to.deep.equal(required);
      expect(error.hint).to.contain('SERVICE_API_KEY');
      expect(server.seen).to.have.length(1);
      expect(server.seen[0]?.headers).to.not.have.property('authorization');
    });

    it('pays once and repeats under the same key', async () => {
      await using server = await startServer(demand(), sent);
      const { payer, asked } = payerOf();
      expect((await sendTo(server.url, { payer })).letter_id).to.equal('l1');
      expect(asked).to.have.length(1);
      expect(server.keys()).to.have.length(1);
      const [before, header] = payments(server);
      expect(before).to.equal(undefined);
      const payment = JSON.parse(Buffer.from(header as string, 'base64').toString());
      expect(payment).to.deep.include({ accepted: offer('1600000') });
    });

    it('repeats the same payment, and never signs another', async () => {
      await using server = await startServer(
        ...[demand(), cut, problem(503, 'payment_unavailable', { 'retry-after': '0' })],
        ...[problem(409, 'payment_pending'), sent],
      );
      const { payer, asked } = payerOf();
      expect((await sendTo(server.url, { payer, retries: 5 })).letter_id).to.equal('l1');
      expect(asked).to.have.length(1);
      expect(new Set(payments(server).slice(1))).to.have.length(1);
      expect(server.keys()).to.have.length(1);
    });

    it('shows the same payment in a later call with the same key, also after it was answered', async () => {
      const { payer, asked } = payerOf();
      await using server = await startServer(demand(), cut);
      const { error } = await sendTo(server.url, { payer, retries: 0 });
      const again = { ...letter, idempotency_key: error.idempotency_key };
      for (const step of [problem(500, 'internal_error'), sent, sent]) {
        const before = server.seen.length;
        server.next(step);
        await sendTo(server.url, { payer, retries: 0 }, again);
        expect(payments(server).slice(before)).to.deep.equal(payments(server).slice(1, 2));
      }
      await using moved = await startServer(sent);
      await sendTo(moved.url, { payer, retries: 0 }, again);
      expect(payments(moved)).to.deep.equal(payments(server).slice(1, 2));
      expect(asked).to.have.length(1);
      const client = core.createClient({ baseUrl: server.url, apiKey: '', payer });
      server.next(demand(), sent);
      const offered = { offer_id: 'o1', tier: 'economy' } as const;
      const { idempotency_key: key = '' } = error;
      await client.accept_offer({ body: offered, idempotencyKey: key });
      expect(asked, 'another operation').to.have.length(2);
    });

    it('makes one payment for two calls with one key at once, and another after a plain refusal', async () => {
      const { payer, asked } = payerOf();
      await using server = await startServer(demand(), demand(), cut);
      const keyed = { ...letter, idempotency_key: 'k1' };
      const send = () => sendTo(server.url, { payer, retries: 0 }, keyed);
      await Promise.all([send(), send()]);
      expect(asked).to.have.length(1);
      expect(new Set(payments(server).slice(2))).to.have.length(1);

      await using refusing = await startServer(demand(), problem(422, 'validation_failed'));
      const other = { ...letter, idempotency_key: 'k2' };
      await sendTo(refusing.url, { payer }, other);
      refusing.next(demand(), sent);
      expect(await sendTo(refusing.url, { payer }, other)).to.have.property('letter_id');
      expect(asked).to.have.length(3);
    });

    it('says when a payment is refused, and signs no second one', async () => {
      await using server = await startServer(demand(), demand('payment_invalid'));
      const { payer, asked } = payerOf();
      const { error } = await sendTo(server.url, { payer });
      expect(error).to.include({ code: 'payment_invalid', status: 402 });
      expect([asked.length, server.seen.length]).to.deep.equal([1, 2]);
    });

    it('says what to do when it is not known what became of a payment', async () => {
      await using server = await startServer(demand(), cut);
      const { payer, asked } = payerOf();
      const { error } = await sendTo(server.url, { payer, retries: 1 });
      expect(error.code).to.equal('server_unreachable');
      expect(error.hint).to.contain('Do not sign another');
      expect(error.idempotency_key).to.be.a('string');
      expect(asked).to.have.length(1);
    });

    it('says what to do when something else answers the payment', async () => {
      const page = answer(200, '<html>Welcome</html>', { 'content-type': 'text/html' });
      const redirect = answer(302, '', { location: 'https://elsewhere.example' });
      for (const [step, code] of [
        [page, 'not_json'],
        [redirect, 'redirect_refused'],
      ] as const) {
        await using server = await startServer(demand(), step);
        const { payer, asked } = payerOf();
        const { error } = await sendTo(server.url, { payer });
        expect(error.code).to.equal(code);
        expect(error.hint).to.contain('Do not sign another');
        expect(asked).to.have.length(1);
      }
    });

    it('does not take a refusal of the repetition for one of the payment', async () => {
      await using server = await startServer(demand(), cut, demand('payment_invalid'));
      const { payer, asked } = payerOf({ maxTotalUsd: 3 });
      const execute = core.createExecutor({ baseUrl: server.url, payer });
      const { error } = (await execute('send_letter', letter)) as Core.ToolFailure;
      expect(error).to.include({ code: 'payment_invalid' });
      expect(error.hint).to.contain('Do not sign another');
      const next = (await execute('send_letter', letter)) as Core.ToolFailure;
      expect(next.error.code).to.equal('payment_above_cap');
      expect(asked).to.have.length(1);
    });

    it('does not repeat a paid read, which has no key', async () => {
      await using server = await startServer(demand(), cut);
      const { payer, asked } = payerOf();
      const read = await core.execute('get_balance', {}, { baseUrl: server.url, payer });
      expect((read as Core.ToolFailure).error.hint).to.contain('Do not sign another');
      expect([asked.length, server.seen.length]).to.deep.equal([1, 2]);
    });

    it('signs nothing above its caps, for one call or for all', async () => {
      await using server = await startServer(demand());
      const { payer, asked } = payerOf({ maxUsd: 1.59 });
      const { error } = await sendTo(server.url, { payer });
      expect(error).to.include({ code: 'payment_above_cap', status: 402 });
      expect(error.detail).to.contain('1.6 USD');
      expect(asked).to.deep.equal([]);
      expect(server.seen).to.have.length(1);

      await using twice = await startServer(demand(), sent, demand(), sent);
      const wallet = payerOf({ maxTotalUsd: 3 });
      const execute = core.createExecutor({ baseUrl: twice.url, payer: wallet.payer });
      expect(await execute('send_letter', letter)).to.have.property('letter_id');
      const second = await execute('send_letter', letter);
      expect((second as Core.ToolFailure).error.code).to.equal('payment_above_cap');
      expect(wallet.asked).to.have.length(1);
    });

    it('stays within its cap for all, also with calls at the same moment', async () => {
      await using server = await startServer((response, seen) =>
        (seen.headers['payment-signature'] ? sent : demand())(response, seen),
      );
      const { payer, asked } = payerOf({ maxTotalUsd: 5 });
      const execute = core.createExecutor({ baseUrl: server.url, payer });
      const results = await Promise.all(
        Array.from({ length: 8 }, () => execute('send_letter', letter)),
      );
      expect(results.filter((one) => 'letter_id' in one)).to.have.length(3);
      expect(asked).to.have.length(3);
    });

    it('stays within its cap for all in calls of execute, each of which has its own client', async () => {
      await using server = await startServer(demand(), sent);
      const { payer, asked } = payerOf({ maxTotalUsd: 3 });
      expect(await sendTo(server.url, { payer })).to.have.property('letter_id');
      await using second = await startServer(demand(), sent);
      const { error } = await sendTo(second.url, { payer });
      expect(error.code).to.equal('payment_above_cap');
      expect(asked).to.have.length(1);
    });

    it('needs a cap for one call, whatever else the payer says', async () => {
      await using server = await startServer(demand());
      const { pay } = payerOf().payer;
      const payers = [
        { pay },
        { pay, maxUsd: undefined },
        { pay, maxUsd: Number.NaN },
        { pay, maxUsd: '5' },
        { pay, maxUsd: 5, maxTotalUsd: Number.NaN },
        { pay, maxUSD: 5 },
        { pay, maxUsd: 5, maxTotalUSD: 5 },
      ];
      for (const payer of payers) {
        const { error } = await sendTo(server.url, { payer: payer as unknown as Core.Payer });
        expect(error.code, JSON.stringify(payer)).to.equal('invalid_options');
      }
      expect(server.seen).to.have.length(0);
    });

    it('pays with no other token than USDC on Base, unless its assets name one', async () => {
      const wbtc = {
        ...offer('1000000'),
        network: 'eip155:1',
        asset: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
      };
      const foreign = { ...offer('1000000'), network: 'eip155:1' };
      const permit = { ...offer('1000000'), scheme: 'upto' };
      for (const strange of [wbtc, foreign, permit]) {
        const asking = { x402Version: 2, accepts: [strange] };
        const headers = { 'payment-required': encoded(asking) };
        const demanding = problem(402, 'payment_required', headers);
        await using server = await startServer(demanding, demanding, sent);
        const { payer, asked } = payerOf();
        const { error } = await sendTo(server.url, { payer });
        expect(error).to.include({ code: 'asset_not_allowed', status: 402 });
        expect(asked).to.deep.equal([]);
        const assets = [`${strange.network}/${strange.asset.toUpperCase()}`];
        const allowing = payerOf({ assets });
        const result = await sendTo(server.url, { payer: allowing.payer });
        expect(allowing.asked).to.have.length(strange.scheme === 'exact' ? 1 : 0);
        if (strange.scheme === 'exact') expect(result.error).to.equal(undefined);
      }
    });

    it('sends no payment that is above what was asked for, or that was not signed', async () => {
      await using server = await startServer(demand());
      const dear = payerOf({
        pay: async () => ({ x402Version: 2, payload: { authorization: { value: '1600001' } } }),
      });
      expect((await sendTo(server.url, { payer: dear.payer })).error.code).to.equal(
        'payment_above_cap',
      );
      const broken = payerOf({ pay: () => Promise.reject(new Error('no wallet')) });
      const { error } = await sendTo(server.url, { payer: broken.payer });
      expect(error).to.include({ code: 'payment_not_signed' });
      for (const text of ['', 'e30\n', 'e3\n0=', 'é']) {
        const { payer } = payerOf({ pay: async () => text, maxTotalUsd: 2 });
        const result = await sendTo(server.url, { payer });
        expect(result.error.code, JSON.stringify(text)).to.equal('payment_not_signed');
        const next = await sendTo(server.url, { payer });
        expect(next.error.code, 'it does not count').to.equal('payment_not_signed');
      }
      expect(payments(server).filter(Boolean)).to.deep.equal([]);
    });
  });
});
