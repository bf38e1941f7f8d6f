/** Messages over MCP that cost the most to read, of at most `maxBytes` bytes. */
import type { BodyBounds } from './costly-bodies.ts';

const slack = 500;
const head = { jsonrpc: '2.0', id: 1 };

const valuesOf = ({ maxValues }: BodyBounds): Record<string, number> =>
  Object.fromEntries(Array.from({ length: maxValues - 100 }, (_, n) => [`k${n}`, 1]));

const textOf = ({ maxBytes }: BodyBounds, piece = 'x'): string =>
  piece.repeat((maxBytes - slack) / Buffer.byteLength(piece));

const toolCall = (name: unknown, args: unknown, meta?: unknown): object => ({
  ...head,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

const clientInfo = { name: 'a', version: '1' };

const messages: Record<string, (bounds: BodyBounds) => object> = {
  'a message of names': (bounds) => ({ ...head, method: 'tools/list', ...valuesOf(bounds) }),
  'params of names': (bounds) => ({ ...head, method: 'tools/list', params: valuesOf(bounds) }),
  'a long method': (bounds) => ({ ...head, method: textOf(bounds) }),
  'a long id': (bounds) => ({ ...head, id: textOf(bounds), method: 'tools/list' }),
  'a long name of a tool': (bounds) => toolCall(textOf(bounds), {}),
  'arguments of names': (bounds) => toolCall('send_letter', valuesOf(bounds)),
  'metadata of names': (bounds) =>
    toolCall('quote_letter', { to_country: 'DE', pages: 1, metadata: valuesOf(bounds) }),
  'a long content': (bounds) => toolCall('send_letter', { content: textOf(bounds) }),
  'a long letter_id': (bounds) => toolCall('get_letter', { letter_id: textOf(bounds) }),
  'a long letter_id of wide characters': (bounds) =>
    toolCall('track_letter', { letter_id: textOf(bounds, '漢') }),
  'a long filter': (bounds) => toolCall('list_letters', { reference: textOf(bounds, '漢') }),
  'many filters': (bounds) => toolCall('list_letters', { status: Object.keys(valuesOf(bounds)) }),
  'a long idempotency_key': (bounds) =>
    toolCall('cancel_letter', { letter_id: 'a', idempotency_key: textOf(bounds) }),
  'a _meta of names': (bounds) => toolCall('get_balance', {}, valuesOf(bounds)),
  'a long _meta': (bounds) => toolCall('get_balance', {}, { a: textOf(bounds) }),
  'a payment of names': (bounds) =>
    toolCall('send_letter', {}, { 'x402/payment': valuesOf(bounds) }),
  'a long payment': (bounds) =>
    toolCall('send_letter', {}, { 'x402/payment': { x402Version: 2, payload: textOf(bounds) } }),
  'capabilities of names': (bounds) => ({
    ...head,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: valuesOf(bounds) },
      clientInfo,
    },
  }),
  'a long protocolVersion': (bounds) => ({
    ...head,
    method: 'initialize',
    params: { protocolVersion: textOf(bounds), capabilities: {}, clientInfo },
  }),
  'a long address': (bounds) => ({
    ...head,
    method: 'resources/read',
    params: { uri: textOf(bounds) },
  }),
  'a long address of a letter': (bounds) => ({
    ...head,
    method: 'resources/read',
    params: { uri: `letters://letters/${textOf(bounds, '/')}` },
  }),
  'a prompt with names': (bounds) => ({
    ...head,
    method: 'prompts/get',
    params: { name: 'mail_a_letter', arguments: valuesOf(bounds) },
  }),
  'a prompt with a long message': (bounds) => ({
    ...head,
    method: 'prompts/get',
    params: {
      name: 'mail_a_letter',
      arguments: { recipient: 'a', message: textOf(bounds, '"\n') },
    },
  }),
};

export const costlyMessages: Record<string, (bounds: BodyBounds) => string> = Object.fromEntries(
  Object.entries(messages).map(([kind, make]) => [kind, (bounds) => JSON.stringify(make(bounds))]),
);
