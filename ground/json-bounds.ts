/** Bounds on a JSON text, checked over its bytes before anything is parsed. */

/** How deep objects and arrays may be nested. */
export const maxJsonDepth = 20;
/** Values in one text: far above any request of ours, far below what would keep the process busy. */
export const maxJsonValues = 20_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
/** Space, tab, line feed, carriage return. */
const isWhite = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The index of the quote that closes the string whose opening quote is at `start`. */
const endOfString = (json: Uint8Array, start: number): number => {
  // Long strings without escapes (documents in base64) are skipped by a search of the runtime.
  const next = json.indexOf(quote, start + 1);
  const end = next < 0 ? json.length : next;
  if (end - start < 2 || json[end - 1] !== backslash) return end;
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === backslash) at += 1;
    else if (json[at] === quote) return at;
  }
  return json.length;
};

/**
 * Which bound a JSON text exceeds. One pass over its bytes, without memory of its own. Texts that are not
 * JSON are left to the parser.
 * @param json in UTF-8
 */
export const exceededBound = (
  json: Uint8Array,
  maxValues = maxJsonValues,
): 'values' | 'depth' | undefined => {
  let values = 1;
  let depth = 0;
  /** Whether the last byte that is not white opened an object or array: it may be empty. */
  let opened = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (isWhite(byte)) continue;
    if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (opened) values -= 1;
    } else if (byte === quote) at = endOfString(json, at);
    else if (byte === comma) values += 1;
    opened = byte === openBrace || byte === openBracket;
    if (opened) {
      values += 1; // its first member
      depth += 1;
      if (depth > maxJsonDepth) return 'depth';
    }
    if (values > maxValues + (opened ? 1 : 0)) return 'values';
  }
  return undefined;
};
