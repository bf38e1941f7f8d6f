const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Where the text whose opening quote stands at `start` ends: the place of its closing quote. */
const endOfText = (json: string, start: number): number => {
  for (let at = start + 1; ; at += 1) {
    const next = json.indexOf('"', at);
    if (next < 0) return json.length;
    let backslashes = 0;
    while (json.charCodeAt(next - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return next;
    at = next;
  }
};

const isWhite = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** A name as it is meant: `"\u0061"` and `"a"` are one. */
const nameIn = (json: string, start: number, end: number): string => {
  const raw = json.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
};

/**
 * The first name that an object of `json` gives to two of its members. Parsers differ in which of the two
 * they take, so that what was checked or signed may not be what is obeyed (RFC 8259, 4).
 * @param json valid JSON
 */
export const duplicateNameIn = (json: string): string | undefined => {
  /** The names of each object that is open at this place; an array has none. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === openBrace) open.push(new Set());
    else if (code === openBracket) open.push(undefined);
    else if (code === closeBrace || code === closeBracket) open.pop();
    if (code !== quote) continue;
    const start = at;
    at = endOfText(json, start);
    const names = open.at(-1);
    if (names === undefined) continue;
    let after = at + 1;
    while (isWhite(json.charCodeAt(after))) after += 1;
    if (json.charCodeAt(after) !== colon) continue;
    const name = nameIn(json, start, at);
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
};
