/** Refusals of JSON-RPC 2.0 that answer no call: the message was not read, or may not come. */
import type { ProtocolAnswer } from '../contract/protocol.ts';

/** Codes of JSON-RPC; `refused` is of the range that it leaves to servers. */
export const rpc = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  refused: -32000,
};

const isId = (value: unknown): boolean => typeof value === 'string' || Number.isSafeInteger(value);

/** `id`: of the message, where it was read. */
export const rpcError = (
  status: number,
  error: { code: number; message: string; data?: unknown },
  { headers = {}, id }: { headers?: Record<string, string>; id?: unknown } = {},
): ProtocolAnswer => ({
  status,
  headers,
  body: JSON.stringify({ jsonrpc: '2.0', id: isId(id) ? id : null, error }),
});
