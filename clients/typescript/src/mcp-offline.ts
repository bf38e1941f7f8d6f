/** MCP without the service: enough for an assistant to start and to report the fault. */
import type { ErrorData } from './errors.ts';
import { tools } from './execute.ts';
import { catalogue } from './generated/catalogue.ts';

export type Id = string | number;
export type Params = {
  name?: unknown;
  uri?: unknown;
  arguments?: unknown;
  protocolVersion?: unknown;
  requestId?: unknown;
  _meta?: Record<string, unknown>;
};
export type Message = {
  jsonrpc: '2.0';
  id?: Id | null;
  method?: string;
  params?: Params;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
};

export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const failure = (id: Id | null, code: number, message: string, data?: unknown): Message => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/** The revisions with `initialize`, and those without. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const modernVersions = ['2026-07-28'];

const versionFor = (asked: unknown): unknown =>
  versions.includes(asked as string) ? asked : versions[0];

const capabilities = { tools: { listChanged: false } };
const serverInfo = { name: 'letters', title: 'Letters', version: catalogue.catalog_version };

/** Additional members of results in the later version of the protocol. */
const modernResult = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
};

const besidesOf = (params: Params) =>
  params._meta?.[versionKey] === undefined ? {} : modernResult;

/** The tools, as listed while the service is away. */
const knownTools = () =>
  tools.map(({ name, title, description, parameters, read_only, destructive, idempotent }) => ({
    name,
    title,
    description,
    inputSchema: parameters,
    annotations: {
      readOnlyHint: read_only,
      destructiveHint: destructive,
      idempotentHint: read_only && !idempotent,
      openWorldHint: destructive,
    },
  }));

/** A call of a tool that failed; `data` says how. */
export const failedCall = (id: Id, params: Params, data: unknown): Message => {
  const content = [{ type: 'text', text: JSON.stringify(data) }];
  return { jsonrpc: '2.0', id, result: { content, isError: true, ...besidesOf(params) } };
};

/** An answer without the service: enough for an assistant to start and to report the fault. */
export const withoutService = (
  id: Id,
  method: string,
  params: Params,
  error: ErrorData,
): Message => {
  const answer = (result: Record<string, unknown>): Message => ({ jsonrpc: '2.0', id, result });
  const modern = besidesOf(params);
  switch (method) {
    case 'initialize':
      return answer({
        protocolVersion: versionFor(params.protocolVersion),
        capabilities,
        serverInfo,
      });
    case 'server/discover':
      return answer({ supportedVersions: modernVersions, capabilities, ...modern });
    case 'ping':
      return answer({});
    case 'tools/list':
      return answer({ tools: knownTools(), ...modern });
    case 'tools/call':
      return failedCall(id, params, { error });
    default:
      return failure(id, -32000, error.detail, error);
  }
};
