/**
 * One message and its answer, in both eras of the protocol: 2026-07-28, whose messages are self-contained, and
 * the revisions before it, without sessions. The answer is JSON: it has no intermediate messages that would need
 * a stream.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { rpc, rpcError } from './rpc-error.ts';

/** Answers a message whose body was read, with a server that is made for it alone. */
type Exchange = (request: Request, body: unknown, server: () => Server) => Promise<Response>;

/** The answer to a handshake whose params are not valid. The library would call it an error of the server. */
const refusedHandshake = (message: unknown): Response | undefined => {
  const { method, id } = message as { method?: unknown; id?: unknown };
  const isAsked = method === 'initialize' && id !== undefined;
  if (!isAsked || isInitializeRequest(message)) return undefined;
  const error = {
    code: rpc.invalidParams,
    message:
      'Invalid initialize request: params must have protocolVersion (a text), capabilities (an object) and clientInfo (an object with name and version).',
  };
  const headers = { 'Content-Type': 'application/json' };
  const { status, body } = rpcError(200, error, { id });
  return new Response(body, { status, headers });
};

export const createExchange = (onError: (error: Error) => void): Exchange => {
  const servers = new WeakMap<Request, () => Server>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const server = requestInfo && servers.get(requestInfo);
      if (server === undefined) throw new Error('a message without its server');
      return server();
    },
    { legacy: 'reject', onerror: onError, keepAliveMs: 0 },
  );

  const former = async (request: Request, body: unknown, server: Server): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    transport.onerror = onError;
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      await server.close();
    }
  };

  return async (request, body, server) => {
    if (await isLegacyRequest(request, body)) {
      return refusedHandshake(body) ?? former(request, body, server());
    }
    servers.set(request, server);
    return modern.fetch(request, { parsedBody: body });
  };
};
