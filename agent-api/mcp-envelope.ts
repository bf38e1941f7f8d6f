/** Bounds what a message holds besides the arguments of a tool, which are bounded by the schema of its operation. */
import type { ProtocolAnswer } from '../contract/protocol.ts';
import { rpc, rpcError } from './rpc-error.ts';

const mostCharacters = 64 * 1024;
const mostValues = 1_000;

type Size = { characters: number; values: number };

const addSize = (value: unknown, size: Size): void => {
  size.values += 1;
  if (typeof value === 'string') size.characters += value.length;
  if (size.values > mostValues || typeof value !== 'object' || value === null) return;
  for (const name in value) {
    size.characters += name.length;
    addSize(Reflect.get(value, name), size);
  }
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The answer to a message that is too large without the arguments of its tool or prompt. */
export const tooLargeEnvelope = (body: unknown): ProtocolAnswer | undefined => {
  if (!isObject(body)) return undefined;
  const { params, ...message } = body as { params?: unknown; id?: unknown };
  const size = { characters: 0, values: 0 };
  addSize(message, size);
  if (isObject(params)) {
    const { arguments: _, ...others } = params as { arguments?: unknown };
    addSize(others, size);
  }
  if (size.characters <= mostCharacters && size.values <= mostValues) return undefined;
  const text = `Besides params.arguments, a message may hold at most ${mostCharacters} characters and ${mostValues} values.`;
  const id = typeof message.id === 'string' && message.id.length > 200 ? null : message.id;
  return rpcError(413, { code: rpc.invalidRequest, message: text }, { id });
};
