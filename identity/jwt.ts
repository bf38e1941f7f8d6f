/**
 * Compact JWS, read strictly: a signed text has only one form, and no member occurs twice. Source: RFC 7515
 * §7.1; RFC 8725 (JWT best current practices).
 */
import { EncodingError, fromBase64Url, toBase64Url } from './encoding.ts';

export class JwtError extends Error {
  readonly code = 'malformed';
  constructor(message: string) {
    super(message);
    this.name = 'JwtError';
  }
}

export type Jwt = {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  headerText: string;
  payloadText: string;
  /** The signed part of the token. */
  signingInput: string;
  signature: Buffer;
};

const segment = (text: string): Buffer => {
  try {
    return fromBase64Url(text);
  } catch (error) {
    if (error instanceof EncodingError) throw new JwtError(error.message);
    throw error;
  }
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const readText = (bytes: Buffer, what: string): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JwtError(`the ${what} is not UTF-8`);
  }
};

const readObject = (text: string, what: string, canonical: boolean): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JwtError(`the ${what} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new JwtError(`the ${what} is not a JSON object`);
  }
  if (canonical) {
    // Written in one way only, it has no key twice either.
    if (isWrittenAs(text, value)) return value as Record<string, unknown>;
    throw new JwtError(
      `the ${what} is not written as JSON.stringify writes it: without spaces, and with letters such as ü as themselves, not as \\u00fc`,
    );
  }
  if (hasDuplicateKeys(text)) throw new JwtError(`the ${what} says the same key twice`);
  return value as Record<string, unknown>;
};

/** Strings, and the punctuation that opens, closes and separates; the rest of valid JSON is skipped. */
const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Whether an object in the valid JSON `text` has a key twice; `JSON.parse` would take the last. */
export const hasDuplicateKeys = (text: string): boolean => {
  /** Keys of the objects that are open; null stands for an open array. */
  const open: (Set<string> | null)[] = [];
  let last = '';
  for (const [token] of text.matchAll(jsonToken)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const keys = open.at(-1);
      const key = JSON.parse(last) as string;
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
    last = token;
  }
  return false;
};

const isWrittenAs = (text: string, value: unknown): boolean => {
  try {
    return JSON.stringify(value) === text;
  } catch {
    return false; // nested too deeply
  }
};

/**
 * Takes a compact JWS apart. Nothing is verified but its form. `canonical`: its JSON must be written as
 * `JSON.stringify` writes it.
 * @throws JwtError when it is too long, not three canonical segments, not JSON objects, or a key is there twice
 */
export const parseJwt = (
  token: string,
  { maxBytes, canonical = false }: { maxBytes: number; canonical?: boolean },
): Jwt => {
  if (token.length > maxBytes) throw new JwtError(`the token has more than ${maxBytes} bytes`);
  const segments = token.split('.', 4);
  const [head = '', body = '', tail = ''] = segments;
  if (segments.length !== 3 || head === '' || body === '' || tail === '') {
    throw new JwtError('a token has three parts with full stops between them');
  }
  const headerText = readText(segment(head), 'header');
  const payloadText = readText(segment(body), 'payload');
  return {
    header: readObject(headerText, 'header', canonical),
    payload: readObject(payloadText, 'payload', canonical),
    headerText,
    payloadText,
    signingInput: `${head}.${body}`,
    signature: segment(tail),
  };
};

/** Writes a compact JWS; header and payload as `JSON.stringify` writes them, in the order of their keys. */
export const signJwt = (
  header: object,
  payload: object,
  sign: (signingInput: string) => Uint8Array,
): string => {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const signingInput = `${encode(header)}.${encode(payload)}`;
  return `${signingInput}.${toBase64Url(sign(signingInput))}`;
};
