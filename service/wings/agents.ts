/** The operations as tools over MCP, for programs that act for people. */
import { mcpProtocol } from '../../agent-api/mcp.ts';
import { serviceVersion } from '../../read-api/general.ts';
import type { Wing } from '../foundation/wing.ts';

export const agents: Wing = {
  name: 'agents',
  open: ({ baseUrl, config, log }) => ({
    protocols: (operations) => [
      mcpProtocol({
        operations,
        baseUrl,
        version: serviceVersion,
        takesX402: config.x402 !== undefined,
        onError: (error) => log.debug({ err: error.message }, 'an MCP message was refused'),
      }),
    ],
  }),
};
