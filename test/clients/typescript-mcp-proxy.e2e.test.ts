/** The MCP proxy of the package, and how often it calls a tool. */
import { expect } from 'chai';
import { createProxy } from '../../clients/typescript/src/mcp-proxy.ts';
import { settingsOf } from '../../clients/typescript/src/options.ts';
import { letterTo, useService } from '../support/client.ts';

type Answer = {
  result?: { isError?: boolean; content: { text: string }[]; structuredContent?: object };
};

const callOf = (name: string, args: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
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
    const call = async (name: string, args: object = {}) =>
      (await proxy(callOf(name, args)))[0] as Answer;
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

  it('repeats a call once, under its key, when the log is that of a backup', async () => {
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
});
