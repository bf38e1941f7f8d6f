/** The endpoint as the OpenAPI document describes it: what an HTTP client sees of the protocol. */

type Json = Record<string, unknown>;

const json = (schema: Json, example?: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

// Some generators of clients know no lists of types.
const id = { anyOf: [{ type: 'string' }, { type: 'integer' }] };

const error = {
  type: 'object',
  properties: {
    code: { type: 'integer' },
    message: { type: 'string' },
    data: { description: 'If this service refused: its problem document' },
  },
  required: ['code', 'message'],
};

const answer: Json = {
  type: 'object',
  properties: { jsonrpc: { const: '2.0' }, id, result: { type: 'object' }, error },
  required: ['jsonrpc'],
};

const refusal: Json = {
  type: 'object',
  properties: { jsonrpc: { const: '2.0' }, id: {}, error },
  required: ['jsonrpc', 'error'],
};

const message: Json = {
  type: 'object',
  description: 'One JSON-RPC 2.0 message; without an `id` it is a notification.',
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id,
    method: { type: 'string', maxLength: 200 },
    params: { type: 'object' },
  },
  required: ['jsonrpc', 'method'],
};

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'quote_letter', arguments: { to_country: 'DE', pages: 1 } },
};

const quote = {
  quote_id: 'quote_kVhpsADb6qkV3FGgIfIv1Q',
  service: 'de_standardbrief',
  intent: 'transactional',
  content_type: null,
  sla_days: 3,
  pages: 1,
  sheets: 1,
  postage: 1.1,
  print: 0.45,
  commission: 0.08,
  total: 1.63,
  currency: 'USD',
  price: {
    postage: 1.1,
    printing: 0.45,
    handling: 0.08,
    commission: 0.08,
    total: 1.63,
    currency: 'USD',
  },
  payment: 'fiat',
  crypto: { postage: 1.1, print: 0.45, commission: 0.04, total: 1.59, currency: 'USD' },
  fiat: { postage: 1.1, print: 0.45, commission: 0.08, total: 1.63, currency: 'USD' },
  local: { currency: 'EUR', postage: 0.95, rate: '1.16' },
  pricing_version: '2026-11-01.2',
  expires_at: '2026-11-23T13:40:16.249Z',
  warnings: [],
  findings: [],
  preview_url: null,
  test: true,
};

const answered = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    content: [{ type: 'text', text: JSON.stringify(quote) }],
    structuredContent: quote,
  },
};

const refusals: Record<number, string> = {
  400: 'Not JSON, not a JSON-RPC message, a batch, an unknown version, or headers that differ from the body',
  401: 'The credential is not valid',
  403: 'The host or the origin does not belong to this service',
  404: 'The method is unknown (revision 2026-07-28)',
  406: 'The client does not accept JSON',
  408: 'The message arrived too slowly',
  413: 'The message is too large',
  415: 'The message is not JSON in UTF-8',
  422: 'The message is nested too deep, or has too many values',
  429: 'Too many messages',
  500: 'An internal error',
  503: 'The service is busy; `Retry-After` says when to retry',
};

const header = (name: string, description: string): Json => ({
  name,
  description,
  in: 'header',
  required: false,
  schema: { type: 'string' },
});

export const mcpDocument: Json = {
  operationId: 'mcp',
  tags: ['Agents'],
  summary: 'The Model Context Protocol',
  description:
    'Tools, resources and prompts for AI assistants, over streamable HTTP without sessions. Each answer is JSON. A refused tool call is a result with `isError`, whose text is a problem document.',
  security: [{}, { ucan: [] }, { apiKey: [] }],
  parameters: [
    {
      name: 'tools',
      in: 'query',
      required: false,
      schema: { type: 'string', enum: ['core'] },
      description: '`core`: only the tools for everyday use',
    },
    header('Mcp-Protocol-Version', 'Revision of the protocol; required from 2026-07-28 on'),
    header('Mcp-Method', 'As in the body; required from 2026-07-28 on'),
    header(
      'X-Min-Log-Position',
      'A reading tool answers only after its data has reached this log position, which an earlier write returned',
    ),
    header(
      'Mcp-Name',
      'Name of the tool, prompt or resource, as in the body; required with 2026-07-28',
    ),
  ],
  requestBody: { required: true, content: json(message, call) },
  responses: {
    200: {
      description: 'The answer, also to a refused call',
      headers: { 'X-Log-Position': { $ref: '#/components/headers/XLogPosition' } },
      content: json(answer, answered),
    },
    202: { description: 'A notification was accepted' },
    ...Object.fromEntries(
      Object.entries(refusals).map(([status, description]) => [
        status,
        { description, content: json(refusal) },
      ]),
    ),
  },
};
