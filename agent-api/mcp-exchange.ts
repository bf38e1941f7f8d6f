/**
 * One message and its answer, in both eras of the protocol: 2026-07-28, whose messages are self-contained, and
 * the revisions before it, without sessions. The answer is JSON: it has no intermediate messages that would need
 * a stream.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** Answers a message whose body was read, with a server that is made for it alone. */
type Exchange = (request: Request, body: unknown, server: () => Server) => Promise<Response>;

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
    if (await isLegacyRequest(request, body)) return former(request, body, server());
    servers.set(request, server);
    return modern.fetch(request, { parsedBody: body });
  };
};
