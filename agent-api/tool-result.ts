/** The answer of an operation as the result of a tool. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Called } from '../contract/protocol.ts';

type Fields = Record<string, unknown>;

const parsed = (text: string): Fields => JSON.parse(text);

/** The JSON in a header of x402, in base64. */
const inHeader = (value: unknown): Fields | undefined =>
  typeof value === 'string'
    ? (JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as Fields)
    : undefined;

/** The REST header for a member of `_meta`. Some clients send null for no payment. */
export const paymentHeader = (payment: unknown): Record<string, string> =>
  payment === undefined || payment === null
    ? {}
    : { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') };

const withText = (text: string, more: Fields = {}): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: parsed(text),
  ...more,
});

/** Said to the model itself, since no client shows it a header. */
const catchingUp =
  'Lists and the balance may not show the latest change yet. Read again in a few seconds; do not repeat the call that made the change.';

/**
 * Success with its content; what is to be paid as x402 tells it over MCP; any other refusal as its problem
 * document. Of that a demand for payment keeps what no answer of a tool has: some clients validate it as one.
 * Source: coinbase/x402, specs/transports-v2/mcp.md.
 */
export const toolResult = (tool: string, { status, headers, body }: Called): CallToolResult => {
  if (status < 300) {
    const receipt = inHeader(headers['payment-response']);
    const result = withText(
      body || '{}',
      receipt && { _meta: { 'x402/payment-response': receipt } },
    );
    if (headers['x-read-model'] === 'catching-up') {
      result.content.push({ type: 'text', text: catchingUp });
    }
    return result;
  }
  const required = inHeader(headers['payment-required']);
  if (required === undefined) return { content: [{ type: 'text', text: body }], isError: true };
  const resource = { ...(required.resource as Fields), url: `mcp://tool/${tool}` };
  const { code, detail } = parsed(body);
  return withText(JSON.stringify({ ...required, resource, code, detail }), { isError: true });
};
