/**
 * The protocol: stateless, both eras at one address. A server object lives as long as one message; tools
 * are calls of operations, whose rules are not repeated here.
 */
import { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { CallOperation, Door, DoorAnswer, DoorRequest } from '../contract/door.ts';
import { isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { problemOf } from '../contract/problem.ts';
import {
  createResourceReader,
  promptMessages,
  prompts,
  resources,
  resourceTemplates,
} from './mcp-extras.ts';
import { rpc, rpcError } from './rpc-error.ts';
import { type Tool, toolsOf } from './tool-catalogue.ts';
import { paymentHeader, toolResult } from './tool-result.ts';

export type McpServerOptions = {
  /** Every operation that this process serves. */
  operations: readonly AnyOperation[];
  baseUrl: string;
  version: string;
  onError: (error: Error) => void;
};

export type McpServer = Pick<Door, 'serve'>;

const instructions =
  'Prints and posts real letters. list_services and quote_letter cost nothing to try; send_letter spends money: quote first, show the total, get the user’s confirmation. Call as "Authorization: Bearer <API key or ucan:…>", or pay a tool by x402 in _meta["x402/payment"].';

/** What clients may keep of lists, which are the same for everybody. */
const hint = { ttlMs: 300_000, cacheScope: 'public' as const };
const cacheHints = {
  'tools/list': hint,
  'prompts/list': hint,
  'resources/list': hint,
  'resources/templates/list': hint,
  'server/discover': hint,
};

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

const headersOf = (headers: DoorRequest['headers']): Headers => {
  const result = new Headers();
  for (const name in headers) {
    const text = textOf(headers[name]);
    const isOfProtocol = name === 'accept' || name === 'content-type' || name.startsWith('mcp-');
    if (isOfProtocol && text !== undefined) result.set(name, text);
  }
  return result;
};

type Caller = {
  call: CallOperation;
  requestId: string;
  tools: readonly Tool[];
  idempotencyKey?: string;
};

export const createMcpServer = ({
  operations,
  baseUrl,
  version,
  onError,
}: McpServerOptions): McpServer => {
  const everyTool = toolsOf(operations);
  const coreTools = everyTool.filter(({ core }) => core);
  const readResource = createResourceReader(operations);
  const callers = new WeakMap<Request, Caller>();

  const callTool = async (
    { call, requestId, tools, idempotencyKey }: Caller,
    {
      name,
      arguments: args = {},
    }: { name: string; arguments?: Record<string, unknown> | undefined },
    payment: unknown,
  ) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) {
      const known = tools.map((one) => one.name).join(', ');
      throw new ProtocolError(rpc.invalidParams, `Unknown tool; those that there are: ${known}.`);
    }
    try {
      const { operation, input } = tool.requestOf(args);
      const headers = { ...input.headers, ...paymentHeader(payment) };
      if (operation.idempotent && idempotencyKey !== undefined) {
        headers['idempotency-key'] ??= idempotencyKey;
      }
      return toolResult(name, await call(operation, { ...input, headers }));
    } catch (error) {
      if (!isAppError(error)) throw error;
      const problem = problemOf(error, { baseUrl, instance: '/mcp', requestId });
      return { content: [{ type: 'text' as const, text: JSON.stringify(problem) }], isError: true };
    }
  };

  const serverFor = (caller: Caller): Server => {
    const server = new Server(
      { name: 'letters', title: 'Letters', version, websiteUrl: baseUrl },
      {
        capabilities: {
          tools: { listChanged: false },
          resources: { listChanged: false },
          prompts: { listChanged: false },
        },
        ...{ instructions, cacheHints },
      },
    );
    const listed = { tools: caller.tools.map((tool) => tool.listed) };
    server.setRequestHandler('tools/list', () => listed as never);
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
      callTool(caller, params, (mcpReq._meta ?? params._meta)?.['x402/payment']),
    );
    server.setRequestHandler('resources/list', () => ({ resources }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
    server.setRequestHandler('resources/read', ({ params }) =>
      readResource(params.uri, caller.call),
    );
    server.setRequestHandler('prompts/list', () => ({ prompts }));
    server.setRequestHandler('prompts/get', ({ params }) =>
      promptMessages(params.name, params.arguments),
    );
    return server;
  };

  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) throw new Error('a message without its sender');
      return serverFor(caller);
    },
    { onerror: onError, keepAliveMs: 0 },
  );

  /** One message at a time is limited as one request; nothing is told later, so nobody can listen. */
  const notServed = (body: unknown): DoorAnswer | undefined => {
    if (Array.isArray(body)) {
      const message = 'Batches are not taken; send one message per request.';
      return rpcError(400, { code: rpc.invalidRequest, message });
    }
    const { method } = (body ?? {}) as { method?: unknown };
    if (method !== 'subscriptions/listen') return undefined;
    return rpcError(404, { code: rpc.methodNotFound, message: 'Method not found' });
  };

  return {
    async serve({ path, query, headers, body }, call, { requestId }) {
      const refused = notServed(body);
      if (refused) return refused;
      const request = new Request(`${baseUrl}${path}`, {
        method: 'POST',
        headers: headersOf(headers),
      });
      const tools = query.get('tools') === 'core' ? coreTools : everyTool;
      const idempotencyKey = textOf(headers['idempotency-key']);
      callers.set(request, {
        ...{ call, requestId, tools },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      const response = await handler.fetch(request, { parsedBody: body });
      // Answers are personal: nothing on the way may keep them.
      response.headers.set('Cache-Control', 'no-store, no-transform');
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
  };
};
