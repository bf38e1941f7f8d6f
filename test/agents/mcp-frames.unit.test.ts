import { expect } from 'chai';
import fc from 'fast-check';
import { createFrames, framedOf } from '../../agent-api/mcp-frames.ts';
import { createMcpServer } from '../../agent-api/mcp-server.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { ProtocolAnswer } from '../../contract/protocol.ts';

const revision = '2026-07-28';
const body = {
  type: 'object',
  properties: { to_country: { type: 'string' }, pages: { type: 'integer' } },
};
const quote = {
  name: 'quoteLetter',
  method: 'POST',
  path: '/api/quote',
  access: 'read',
  errors: [],
  input: { body },
  responses: { 200: { schema: { type: 'object', properties: {} } } },
} as unknown as AnyOperation;

type Sent = { headers: Record<string, string>; body: unknown; search?: string };

const createServer = () => {
  const server = createMcpServer({
    operations: [quote],
    baseUrl: 'http://localhost:3000',
    version: '1',
    takesX402: false,
    onError: () => {},
  });
  let calls = 0;
  const ask = ({ headers, body, search = '' }: Sent): Promise<ProtocolAnswer> =>
    server.serve(
      { path: '/mcp', query: new URLSearchParams(search), headers, body },
      async (_operation, input) => {
        calls += 1;
        const { to_country } = input.body as { to_country?: unknown };
        return to_country === 'XX'
          ? { status: 422, headers: {}, body: '{"code":"validation_failed","detail":"“no”"}' }
          : { status: 200, headers: {}, body: JSON.stringify({ for: to_country, total: 1.5 }) };
      },
      { requestId: 'one' },
    );
  return { ask, calls: () => calls };
};

const text = ({ body: said, ...answer }: ProtocolAnswer) => ({ ...answer, body: String(said) });

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);

const envelope = fc
  .record(
    {
      'io.modelcontextprotocol/protocolVersion': oneOf<unknown>(revision, '2025-11-25', '1', 5),
      'io.modelcontextprotocol/clientCapabilities': oneOf<unknown>({}, { sampling: {} }, 5, null),
      'io.modelcontextprotocol/clientInfo': oneOf<unknown>({ name: 'a', version: '1' }, {}, 'a'),
      progressToken: oneOf<unknown>(1, 'p', {}, 1.5, null),
      traceparent: fc.string(),
    },
    { requiredKeys: [] },
  )
  .map((meta) => JSON.parse(JSON.stringify(meta)) as unknown);

const right = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
};

const method = oneOf('tools/call', 'tools/list');
const toolName = oneOf('quote_letter', 'no_such_tool');
const given = fc.record({ to_country: oneOf<unknown>('DE', 'XX', null, '“Ü\ud800') });

/** Mostly messages that are right, so that the same is often asked again. */
const message = fc
  .record({
    method,
    name: toolName,
    meta: fc.oneof(
      { weight: 4, arbitrary: oneOf<unknown>(right, undefined) },
      { weight: 1, arbitrary: envelope },
    ),
    args: fc.oneof(
      { weight: 4, arbitrary: given as fc.Arbitrary<unknown> },
      { weight: 1, arbitrary: oneOf<unknown>(undefined, null, [], 'x') },
    ),
    id: fc.oneof(fc.integer(), fc.string(), oneOf<unknown>(1.5, null, {})),
    version: oneOf('2.0', '2.0', '2.0', '1.0'),
    more: oneOf<object>({}, {}, {}, { cursor: 'x' }, { cursor: null }, { inputResponses: {} }),
    headers: fc.record(
      {
        'mcp-protocol-version': oneOf(revision, '2025-11-25', '1'),
        'mcp-method': method,
        'mcp-name': toolName,
        accept: oneOf('application/json', 'text/html', '*/*'),
        'content-type': oneOf('application/json', 'application/json; charset=utf-8', 'text/plain'),
      },
      { requiredKeys: ['content-type'] },
    ),
    agrees: fc.boolean(),
    search: oneOf('', 'tools=core'),
  })
  .map(({ method, name, meta, args, id, version, more, headers, agrees, search }): Sent => {
    const isCall = method === 'tools/call';
    const ofCall = isCall ? { name, ...(args === undefined ? {} : { arguments: args }) } : {};
    const params = { ...ofCall, ...more, ...(meta === undefined ? {} : { _meta: meta }) };
    const agreeing = {
      ...(meta === right ? { 'mcp-protocol-version': revision, 'mcp-method': method } : {}),
      ...(meta === right && isCall ? { 'mcp-name': name } : {}),
      'content-type': 'application/json',
    };
    return {
      search,
      headers: agrees ? agreeing : headers,
      body: { jsonrpc: version, id, method, params },
    };
  });

describe('the frame of an answer over MCP', () => {
  it('is the same whether it was remembered or is made by the library', async () => {
    const remembering = createServer();
    const property = fc.asyncProperty(message, async (sent) => {
      const made = text(await createServer().ask(structuredClone(sent)));
      for (const _ of ['made or remembered', 'remembered']) {
        expect(text(await remembering.ask(structuredClone(sent)))).to.deep.equal(made);
      }
    });
    await fc.assert(property, { numRuns: 500 });
  });

  const call = (args: object, { id = 1, meta }: { id?: number; meta?: object } = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'quote_letter', arguments: args, ...(meta && { _meta: meta }) },
  });
  const keyOf = (message: unknown, headers: object = {}) => framedOf(headers, message)?.key;

  it('is one for every id and whatever a tool is called with', async () => {
    const { ask, calls } = createServer();
    const headers = { 'content-type': 'application/json' };
    const asked = [call({ to_country: 'DE' }), call({ to_country: 'FR' }, { id: 2 })];
    expect(keyOf(asked[0])).to.be.a('string').that.equals(keyOf(asked[1]));
    for (const body of asked) {
      const { id, result } = JSON.parse(String((await ask({ headers, body })).body));
      const { to_country } = body.params.arguments as { to_country: string };
      expect({ id, told: result.structuredContent.for }).to.deep.equal({
        id: body.id,
        told: to_country,
      });
    }
    expect(calls()).to.equal(2);
  });

  it('is another for other headers, and none where a payment or a cursor comes with it', () => {
    const plain = call({});
    expect(keyOf(plain, { 'mcp-protocol-version': revision })).not.to.equal(keyOf(plain));
    expect(keyOf(call({}, { meta: right }))).not.to.equal(keyOf(plain));
    expect(keyOf(call({}, { meta: { 'x402/payment': {} } }))).to.equal(undefined);
    expect(keyOf({ ...plain, method: 'tools/list', params: { cursor: 'x' } })).to.equal(undefined);
    expect(keyOf({ ...plain, params: { ...plain.params, arguments: [] } })).to.equal(undefined);
  });

  it('is forgotten for newer ones', () => {
    const { of, keep } = createFrames();
    const head = { status: 200, headers: {} };
    const named = (name: number) => ({ key: `${name}`, id: 1, call: undefined });
    for (let n = 0; n <= 1_000; n++) {
      keep(named(n), head, '{"result":{"tools":[],"more":1},"id":1}', { tools: [] });
    }
    expect(of(named(0))).to.equal(undefined);
    expect(of(named(1_000))).to.deep.include({ between: ',"more":1},"id":' });
  });
});
