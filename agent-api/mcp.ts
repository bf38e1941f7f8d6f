/**
 * MCP over HTTP: the checks of a message's head and sender, before the protocol's library reads it. The library
 * is loaded with the first message, so services without MCP save its memory.
 */

import type { AppError } from '../contract/errors.ts';
import { problemOf } from '../contract/problem.ts';
import type { Protocol, ProtocolAnswer } from '../contract/protocol.ts';
import { mcpDocument } from './mcp-document.ts';
import type { McpServer, McpServerOptions } from './mcp-server.ts';
import { rpc, rpcError } from './rpc-error.ts';
import { toolDefinitions } from './tools.ts';

const codeOf = ({ code }: AppError): number =>
  code === 'invalid_json' || code === 'invalid_encoding' ? rpc.parseError : rpc.refused;

/**
 * The name in an address; undefined if the text is not an address, such as `null`, the origin of a page without
 * one.
 */
const hostnameOf = (address: string): string | undefined => URL.parse(address)?.hostname;

export const mcpProtocol = (options: McpServerOptions): Protocol => {
  const { baseUrl, operations } = options;
  const endpoints = new Set(toolDefinitions.flatMap((definition) => definition.endpoints));
  const ownNames = new Set<string | undefined>([
    new URL(baseUrl).hostname,
    'localhost',
    '127.0.0.1',
    '[::1]',
  ]);
  let server: Promise<McpServer> | undefined;
  const open = async (): Promise<McpServer> =>
    (await import('./mcp-server.ts')).createMcpServer(options);

  return {
    path: '/mcp',
    document: mcpDocument,
    calls: operations.filter(({ method, path }) => endpoints.has(`${method} ${path}`)),
    allowedHeaders: ['Mcp-Method', 'Mcp-Name', 'Mcp-Protocol-Version'],

    turnAway({ method, headers }) {
      const refuse = (message: string): ProtocolAnswer =>
        rpcError(403, { code: rpc.refused, message });
      const { host, origin } = headers;
      // Otherwise a page could give its own name the address of this machine and read the answers.
      if (!ownNames.has(hostnameOf(`http://${host}`))) {
        return refuse(`Invalid Host: this endpoint answers to ${new URL(baseUrl).host}.`);
      }
      if (origin && !ownNames.has(hostnameOf(`${origin}`))) {
        return refuse('Invalid Origin: pages of other hosts may not call this endpoint.');
      }
      if (method === 'POST' || method === 'OPTIONS') return undefined;
      const message =
        'Method not allowed: send MCP messages by POST; there are no sessions and no streams.';
      return rpcError(405, { code: rpc.refused, message }, { headers: { Allow: 'OPTIONS, POST' } });
    },

    async serve(request, call, about) {
      server ??= open();
      return (await server).serve(request, call, about);
    },

    refuse(error, { requestId }) {
      const data = problemOf(error, { baseUrl, instance: '/mcp', requestId });
      const { status, headers = {}, message } = error;
      return rpcError(status, { code: codeOf(error), message, data }, { headers });
    },
  };
};
