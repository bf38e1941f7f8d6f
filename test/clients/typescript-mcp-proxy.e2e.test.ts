/** The MCP proxy of the package, and how often it calls a tool. */
import { expect } from 'chai';
import { createProxy } from '../../clients/typescript/src/mcp-proxy.ts';
import { settingsOf } from '../../clients/typescript/src/options.ts';
import { letterTo, useService } from '../support/client.ts';

type Answer = {
  result?: { isError?: boolean; content: { text: string }[]; structuredContent?: object };
};

const callOf = (name: string, args: object = {}, meta: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
  });

describe('the MCP proxy', function () {
  this.timeout(180_000);
  const api = useService();

  /** A proxy, with the idempotency keys of its requests. `answer`: what it gets instead of that of the service. */
  const proxyFor = (apiKey: string, answer: (real: Response) => Promise<Response>) => {
    const sentKeys: (string | null)[] = [];
    const settings = settingsOf({
      baseUrl: api.service().url,
      apiKey,
      fetch: async (input, init) => {
        sentKeys.push(new Headers(init?.headers).get('idempotency-key'));
        return answer(await fetch(input, init));
      },
    });
    const proxy = createProxy(settings, { core: false, log: () => {} });
    const call = async (name: string, args: object = {}, meta: object = {}) =>
      (await proxy(callOf(name, args, meta)))[0] as Answer;
    return { call, sentKeys };
  };

  it('sends one letter for one call, whatever words the letter has', async () => {
    const ada = await api.register();
    const { call, sentKeys } = proxyFor(ada.key, async (real) => real);
    const letter = letterTo('DE', { reference: 'ticket position_beyond_log' });
    const { result } = await call('send_letter', letter);
    expect(result?.structuredContent).to.include({ status: 'queued' });
    const listed = await ada.get<{ data: unknown[] }>('/api/letters');
    expect([listed.body.data.length, sentKeys.length]).to.deep.equal([1, 1]);
  });

  it('repeats a call once, under its key, when the log was restored from a backup', async () => {
    const ada = await api.register();
    const text = JSON.stringify({ code: 'position_beyond_log', status: 422 });
    const refused = {
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text }], isError: true },
    };
    const { call, sentKeys } = proxyFor(ada.key, async ({ headers }) => {
      const position = { 'x-log-position': headers.get('x-log-position') ?? '1' };
      return Response.json(refused, { headers: position });
    });
    const { result } = await call('get_balance');
    expect(result).to.deep.equal(refused.result);
    expect([sentKeys.length, new Set(sentKeys).size]).to.deep.equal([2, 1]);
  });

  const textsOf = ({ result }: Answer) => result?.content.map(({ text }) => text) ?? [];

  it('names the key for repeating a call whose answer was lost', async () => {
    const ada = await api.register();
    const losing = proxyFor(ada.key, async () => {
      throw new TypeError('fetch failed');
    });
    const letter = letterTo('DE');
    const [lost = ''] = textsOf(await losing.call('send_letter', letter));
    const { error } = JSON.parse(lost);
    expect(error).to.include({ code: 'server_unreachable', idempotency_key: losing.sentKeys[0] });
    expect(error.hint).to.contain(`only with the same idempotency key, ${error.idempotency_key}`);
    const { call } = proxyFor(ada.key, async (real) => real);
    const { idempotency_key } = error;
    expect(await call('send_letter', { ...letter, idempotency_key })).to.have.property('result');
    expect((await ada.get<{ data: unknown[] }>('/api/letters')).body.data).to.have.length(1);
    const [own = ''] = textsOf(await losing.call('send_letter', { idempotency_key: 'my own' }));
    expect(JSON.parse(own).error).to.include({ idempotency_key: 'my own' });
    // The service takes a number as text.
    const [order = ''] = textsOf(await losing.call('send_letter', { idempotency_key: 17 }));
    expect(JSON.parse(order).error).to.include({ idempotency_key: '17' });
    const [read = ''] = textsOf(await losing.call('get_balance'));
    expect(JSON.parse(read).error).to.not.have.property('idempotency_key');
  });

  it('adds no key to a call that x402 pays for, because the same payment is the same call', async () => {
    const losing = proxyFor('', async () => {
      throw new TypeError('fetch failed');
    });
    const letter = letterTo('DE');
    const [lost = ''] = textsOf(
      await losing.call('send_letter', letter, { 'x402/payment': { x402Version: 2 } }),
    );
    expect(JSON.parse(lost).error).to.include({ code: 'server_unreachable' });
    expect(JSON.parse(lost).error).to.not.have.property('idempotency_key');
    await losing.call('send_letter', letter, { 'x402/payment': null });
    expect(losing.sentKeys).to.have.length(2);
    expect(losing.sentKeys[0]).to.equal(null);
    expect(losing.sentKeys[1]).to.be.a('string');
  });

  it('names the key for repeating a call that failed in the service', async () => {
    const failing = async (status: number) => {
      const text = JSON.stringify({ code: 'a_code', status });
      const result = { content: [{ type: 'text', text }], isError: true };
      const { call, sentKeys } = proxyFor('', async () =>
        Response.json({ jsonrpc: '2.0', id: 1, result }),
      );
      const texts = textsOf(await call('send_letter', letterTo('DE')));
      return texts.some((one) => one.includes(String(sentKeys[0])));
    };
    expect([await failing(503), await failing(422)]).to.deep.equal([true, false]);
  });

  it('says what the service says while it starts', async () => {
    const problem = { code: 'store_unavailable', status: 503, detail: 'The service is starting.' };
    const { call, sentKeys } = proxyFor('', async () =>
      Response.json(problem, {
        status: 503,
        headers: { 'content-type': 'application/problem+json', 'retry-after': '7' },
      }),
    );
    const [text = ''] = textsOf(await call('send_letter', letterTo('DE')));
    const { error } = JSON.parse(text);
    expect(error).to.include({ ...problem, retryable: true, retry_after: 7 });
    expect(error.idempotency_key).to.equal(sentKeys[0]);
    expect(error.hint).to.contain(`only with the same idempotency key, ${sentKeys[0]}`);
  });
});
