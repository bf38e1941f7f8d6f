/**
 * Frames of MCP answers. The protocol's library treats a message, and wraps its answer, independently of the
 * id and of the arguments of a call. The library causes most of the cost of a message, so it runs once for
 * each form of message, and the frame of its answer is kept. Messages that may be refused or have an unusual
 * form always go to the library.
 */

type Fields = Record<string, unknown>;

/** The text between the fields of the result and the id. */
type Frame = Head & { between: string };
type Head = { status: number; headers: Record<string, string> };

export type ToolCall = { name: string; arguments?: Fields | undefined };

/** A message whose frame may be kept; without a call it asks for the list of tools. */
type Framed = { key: string; id: string | number; call: ToolCall | undefined };

const most = 1_000;
const mostKeyChars = 2_000;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasOnly = (value: Fields, names: ReadonlySet<string>): boolean => {
  for (const name in value) if (!names.has(name)) return false;
  return true;
};

const prefix = 'io.modelcontextprotocol/';
const envelope = ['protocolVersion', 'clientCapabilities', 'clientInfo'].map(
  (name) => prefix + name,
);
const ofMessage = new Set(['jsonrpc', 'id', 'method', 'params']);
const ofMethod = new Map<unknown, ReadonlySet<string>>([
  ['tools/call', new Set(['name', 'arguments', '_meta'])],
  ['tools/list', new Set(['_meta'])],
]);
const ofMeta = new Set([...envelope, 'progressToken']);

const isToken = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isSafeInteger(value);

/** Of a message that may be framed without the library once it took one like it. */
export const framedOf = (headers: object, message: unknown): Framed | undefined => {
  if (!isFields(message) || !hasOnly(message, ofMessage)) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  const names = ofMethod.get(method);
  if (names === undefined || !isToken(id)) return undefined;
  if (!isFields(params) || !hasOnly(params, names)) return undefined;
  const { name, arguments: args = {}, _meta = {} } = params;
  if (!isFields(args) || !isFields(_meta) || !hasOnly(_meta, ofMeta)) return undefined;
  const { progressToken = 0, ...said } = _meta;
  if (!isToken(progressToken)) return undefined;
  const key = JSON.stringify([jsonrpc, method, name, '_meta' in params && said, headers]);
  if (key.length > mostKeyChars) return undefined;
  return { key, id, call: method === 'tools/call' ? (params as ToolCall) : undefined };
};

const opening = '{"result":';
const ending = (id: string | number): string => `${JSON.stringify(id)}}`;
const fieldsOf = (result: object): string => JSON.stringify(result).slice(0, -1);

/** The frames of answers to the messages of one list of tools. */
export const createFrames = () => {
  const frames = new Map<string, Frame>();
  return {
    of: ({ key }: Framed): Frame | undefined => frames.get(key),
    /** Of an answer of the library, unless it is another than `result`, which it was given for it. */
    keep({ key, id }: Framed, head: Head, answer: string, result: object): void {
      const before = opening + fieldsOf(result);
      const after = ending(id);
      if (!answer.startsWith(before) || !answer.endsWith(after)) return;
      const [oldest] = frames.size < most ? [] : frames.keys();
      if (oldest !== undefined) frames.delete(oldest);
      frames.set(key, { ...head, between: answer.slice(before.length, -after.length) });
    },
  };
};

/** The answer as the library would write it. */
export const putInto = ({ between }: Frame, { id }: Framed, result: object): string =>
  opening + fieldsOf(result) + between + ending(id);
