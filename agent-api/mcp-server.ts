/**
 * The messages of the protocol. A server object lives as long as one message. Tools call operations, whose rules
 * are not repeated here.
 */
import {
  type CallToolResult,
  fromJsonSchema,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server';
import type { AnyOperation } from '../contract/operation.ts';
import type { Protocol, ProtocolAnswer, ProtocolRequest } from '../contract/protocol.ts';
import { type Answered, type Caller, createCallTool } from './call-tool.ts';
import { askingFor, roundOf } from './held-letter.ts';
import { tooLargeEnvelope } from './mcp-envelope.ts';
import { createExchange } from './mcp-exchange.ts';
import {
  createResourceReader,
  promptMessages,
  prompts,
  resources,
  resourceTemplates,
} from './mcp-extras.ts';
import { createFrames, framedOf, putInto, type ToolCall } from './mcp-frames.ts';
import { rpc, rpcError } from './rpc-error.ts';
import { type Tool, toolsOf } from './tool-catalogue.ts';

export type McpServerOptions = {
  /** Every operation that this process serves. */
  operations: readonly AnyOperation[];
  baseUrl: string;
  version: string;
  /** Whether a tool can be paid for in its call. */
  takesX402: boolean;
  onError: (error: Error) => void;
};

export type McpServer = Pick<Protocol, 'serve'>;

const instructionsFor = (takesX402: boolean): string => {
  const paying = takesX402 ? ', or pay a tool by x402 in _meta["x402/payment"]' : '';
  return `Prints and posts real letters. list_services and quote_letter cost nothing to try; send_letter spends money: quote first, show the total, get the user’s confirmation. Call as "Authorization: Bearer <API key or ucan:…>"${paying}. A refusal is a problem document: its detail says what to do, and /errors/{code} explains its code.`;
};

/** Cache hints: lists are the same for everybody, so clients may keep them. */
const hint = { ttlMs: 300_000, cacheScope: 'public' as const };
const cacheHints = {
  'tools/list': hint,
  'prompts/list': hint,
  'resources/list': hint,
  'resources/templates/list': hint,
  'server/discover': hint,
};

const text = { type: 'string' };

/** Stated here because the library would call it an error of the server when they are not so. */
const addressParams = fromJsonSchema<{ uri: string }>({
  type: 'object',
  properties: { uri: text },
  required: ['uri'],
});
const promptParams = fromJsonSchema<{ name: string; arguments?: Record<string, string> }>({
  type: 'object',
  properties: { name: text, arguments: { type: 'object', additionalProperties: text } },
  required: ['name'],
});

const methodOf = (message: unknown): unknown => (message as { method?: unknown } | null)?.method;

/** The library puts its own into `_meta`. */
const fitsFrame = (result: object | undefined): result is object =>
  result !== undefined && !('_meta' in result);

/** An elicitation has another frame. */
const toFrame = (answered: Answered | undefined): CallToolResult | undefined =>
  answered?.asking ? undefined : answered?.result;

/** Some clients send null for what they leave out. */
const withoutNulls = (body: unknown): unknown => {
  const { params } = (body ?? {}) as { params?: unknown };
  if (params === null) return { ...(body as object), params: undefined };
  if (typeof params !== 'object' || Array.isArray(params)) return body;
  if (!Object.values(params).includes(null)) return body;
  const given = Object.entries(params).filter(([, value]) => value !== null);
  return { ...(body as object), params: Object.fromEntries(given) };
};

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

/**
 * For a client that accepts only JSON, the library sees a client that also accepts a stream, as the protocol
 * demands. The client gets no stream.
 */
const acceptOf = (accept = '*/*'): string =>
  /\*\/\*|application\/(\*|json)/i.test(accept) ? 'application/json, text/event-stream' : accept;

const headersOf = (headers: ProtocolRequest['headers']): Record<string, string> => {
  const result: Record<string, string> = { accept: acceptOf(headers.accept as string | undefined) };
  for (const name in headers) {
    const isOfProtocol = name === 'content-type' || name.startsWith('mcp-');
    const value = isOfProtocol ? textOf(headers[name]) : undefined;
    if (value !== undefined) result[name] = value;
  }
  return result;
};

/** A whole list, so that no cursor leads on. @throws ProtocolError */
const onePage =
  <T>(list: T) =>
  ({ params }: { params?: { cursor?: string | undefined } | undefined }): T => {
    if (!params?.cursor) return list;
    throw new ProtocolError(rpc.invalidParams, 'There is only one page. Leave cursor out.');
  };

const noTools = { tools: [] };
const fieldsOfNoTools = '"tools":[]';

/**
 * The list of tools is the same for everybody and long, so it is written once and replaces the empty list
 * that the library answers with.
 */
const listOf = (tools: readonly Tool[]) => {
  const written = Buffer.from(`"tools":${JSON.stringify(tools.map(({ listed }) => listed))}`);
  return {
    tools,
    frames: createFrames(),
    put(answer: string): Buffer | string {
      const at = answer.indexOf(fieldsOfNoTools);
      if (at < 0) return answer; // it was refused
      const before = Buffer.from(answer.slice(0, at));
      const after = Buffer.from(answer.slice(at + fieldsOfNoTools.length));
      return Buffer.concat([before, written, after]);
    },
  };
};

export const createMcpServer = ({
  operations,
  baseUrl,
  version,
  takesX402,
  onError,
}: McpServerOptions): McpServer => {
  const instructions = instructionsFor(takesX402);
  const everyTool = toolsOf(operations);
  const every = listOf(everyTool);
  const core = listOf(everyTool.filter((tool) => tool.core));
  const readResource = createResourceReader(operations);
  const exchange = createExchange(onError);
  const callTool = createCallTool({ operations, baseUrl });

  const serverFor = (
    { call }: Caller,
    callOnce: (params: ToolCall, payment: unknown) => Promise<Answered>,
  ): Server => {
    const server = new Server(
      { name: 'letters', title: 'Letters', version, websiteUrl: baseUrl },
      {
        capabilities: {
          tools: { listChanged: false },
          resources: { listChanged: false },
          prompts: { listChanged: false },
        },
        instructions,
        cacheHints,
      },
    );
    server.setRequestHandler('tools/list', onePage(noTools));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const payment = (mcpReq._meta ?? params._meta)?.['x402/payment'];
      const { result, asking } = await callOnce(params, payment);
      return asking ? askingFor(asking.held, asking.key) : result;
    });
    server.setRequestHandler('resources/list', onePage({ resources }));
    server.setRequestHandler('resources/templates/list', onePage({ resourceTemplates }));
    server.setRequestHandler('resources/read', { params: addressParams }, ({ uri }) =>
      readResource(uri, call),
    );
    server.setRequestHandler('prompts/list', onePage({ prompts }));
    server.setRequestHandler('prompts/get', { params: promptParams }, (params) =>
      promptMessages(params.name, params.arguments),
    );
    return server;
  };

  /** Each message is limited as one request. There are no later messages, so nobody can listen. */
  const notServed = (body: unknown): ProtocolAnswer | undefined => {
    if (Array.isArray(body)) {
      const message = 'Batches are not supported. Send one message per request.';
      return rpcError(400, { code: rpc.invalidRequest, message });
    }
    if (methodOf(body) !== 'subscriptions/listen') return undefined;
    const { id } = body as { id?: unknown };
    return rpcError(404, { code: rpc.methodNotFound, message: 'Method not found' }, { id });
  };

  const unknownList = (body: unknown): ProtocolAnswer => {
    const { id = null } = (body ?? {}) as { id?: unknown };
    const message = 'The query parameter tools must be "core". Leave it out for all tools.';
    return rpcError(400, { code: rpc.invalidRequest, message }, { id });
  };

  return {
    async serve({ path, query, headers, body }, call, { requestId }) {
      const refused = notServed(body) ?? tooLargeEnvelope(body);
      if (refused) return refused;
      const chosen = query.get('tools');
      if (chosen !== null && chosen !== 'core') return unknownList(body);
      const list = chosen === 'core' ? core : every;
      const idempotencyKey = textOf(headers['idempotency-key']);
      const minLogPosition = textOf(headers['x-min-log-position']);
      const caller: Caller = {
        call,
        requestId,
        tools: list.tools,
        passedOn: {},
        round: roundOf(body),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(minLogPosition === undefined ? {} : { minLogPosition }),
      };
      const message = withoutNulls(body);
      const ofProtocol = headersOf(headers);
      let called: Promise<Answered> | undefined;
      const callOnce = (params: ToolCall, payment?: unknown): Promise<Answered> => {
        called ??= callTool(caller, params, payment);
        return called;
      };
      const finished = methodOf(message) === 'tools/list' ? list.put : (answer: string) => answer;

      const framed = framedOf(ofProtocol, message);
      const frame = framed && list.frames.of(framed);
      if (framed && frame) {
        const result = framed.call
          ? toFrame(await callOnce(framed.call).catch(() => undefined))
          : noTools;
        if (fitsFrame(result)) {
          const { status } = frame;
          const headers = { ...frame.headers, ...caller.passedOn };
          return { status, headers, body: finished(putInto(frame, framed, result)) };
        }
      }
      const request = new Request(`${baseUrl}${path}`, { method: 'POST', headers: ofProtocol });
      const response = await exchange(request, message, () => serverFor(caller, callOnce));
      // Answers are personal: nothing on the way may keep them.
      response.headers.set('Cache-Control', 'no-store, no-transform');
      const head = { status: response.status, headers: Object.fromEntries(response.headers) };
      const answer = await response.text();
      const result = framed?.call ? toFrame(await called?.catch(() => undefined)) : noTools;
      if (framed && fitsFrame(result)) list.frames.keep(framed, head, answer, result);
      return {
        status: head.status,
        headers: { ...head.headers, ...caller.passedOn },
        body: finished(answer),
      };
    },
  };
};
