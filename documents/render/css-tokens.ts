/**
 * A token of CSS as far as cleaning needs it told apart. `raw` is the source, except that comments
 * are a space; `value` has escapes resolved (names also in lower case).
 */
export type CssToken = {
  kind: 'space' | 'string' | 'at' | 'function' | 'url' | 'name' | 'bad' | 'other';
  raw: string;
  value: string;
};

const comment = /\/\*[\s\S]*?(?:\*\/|$)/y;
const space = /[ \t\n]+/y;
const string = /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*("?)|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*('?)/y;
const name = /(?:[-\w\u0080-\u{10ffff}]|\\[0-9a-f]{1,6}[ \t\n]?|\\[^\n0-9a-f])+/iuy;
const bareUrl = /[ \t\n]*([^"'()\\ \t\n]*(?:\\[^\n][^"'()\\ \t\n]*)*)[ \t\n]*\)/y;
const quotedUrlAhead = /[ \t\n]*["']/y;

const escapeSequence = /\\(?:([0-9a-f]{1,6})[ \t\n]?|(\n)|([\s\S]))/giu;

function characterOf(hex: string): string {
  const codePoint = Number.parseInt(hex, 16);
  const isScalar = codePoint > 0 && codePoint <= 0x10ffff && (codePoint & 0x1ff800) !== 0xd800;
  return isScalar ? String.fromCodePoint(codePoint) : '\ufffd';
}

const resolved = (text: string): string =>
  text.replace(escapeSequence, (_, hex?: string, lineFeed?: string, other?: string) =>
    hex === undefined ? (lineFeed === undefined ? (other ?? '') : '') : characterOf(hex),
  );

const matchAt = (pattern: RegExp, css: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(css);
};

function stringToken(match: RegExpExecArray): CssToken {
  const [raw, double, single] = match;
  if (!(double || single)) return { kind: 'bad', raw, value: '' };
  return { kind: 'string', raw, value: resolved(raw.slice(1, -1)) };
}

/** A name and what follows it at once: a function, or the whole of an unquoted `url(…)`. */
function nameToken(css: string, at: number, raw: string): CssToken {
  const value = resolved(raw).toLowerCase();
  const end = at + raw.length;
  if (css[end] !== '(') return { kind: 'name', raw, value };
  if (value !== 'url' || matchAt(quotedUrlAhead, css, end + 1)) {
    return { kind: 'function', raw: `${raw}(`, value };
  }
  const url = matchAt(bareUrl, css, end + 1);
  if (url) return { kind: 'url', raw: `${raw}(${url[0]}`, value: resolved(url[1] ?? '') };
  const close = css.indexOf(')', end);
  const bad = close < 0 ? css.slice(at) : css.slice(at, close + 1);
  return { kind: 'bad', raw: bad, value: '' };
}

function tokenAt(css: string, at: number): CssToken {
  const blank = matchAt(comment, css, at) ?? matchAt(space, css, at);
  if (blank) return { kind: 'space', raw: blank[0], value: ' ' };
  const quoted = matchAt(string, css, at);
  if (quoted) return stringToken(quoted);
  const isAt = css[at] === '@';
  const named = matchAt(name, css, isAt ? at + 1 : at);
  if (named && isAt) {
    return { kind: 'at', raw: `@${named[0]}`, value: resolved(named[0]).toLowerCase() };
  }
  if (named) return nameToken(css, at, named[0]);
  return { kind: 'other', raw: css[at] ?? '', value: css[at] ?? '' };
}

/** Splits CSS by the rules of CSS Syntax Level 3, §4. Never throws; takes linear time. */
export function tokenizeCss(source: string): CssToken[] {
  const css = source.replace(/\r\n?|\f/g, '\n').replaceAll('\0', '\ufffd');
  const tokens: CssToken[] = [];
  for (let at = 0; at < css.length; ) {
    const token = tokenAt(css, at);
    at += token.raw.length;
    tokens.push(token.kind === 'space' ? { ...token, raw: ' ' } : token);
  }
  return tokens;
}

const openers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The bracket that closes what this token opens, if it opens anything. */
export const openedBy = (token: CssToken): string | undefined =>
  token.kind === 'function' ? ')' : token.kind === 'other' ? openers[token.raw] : undefined;

/** The index after the closing bracket of what opens at `at`. */
export function afterBlock(tokens: readonly CssToken[], at: number): number {
  const expected: string[] = [];
  for (let i = at; i < tokens.length; i++) {
    const token = tokens[i] as CssToken;
    const closer = openedBy(token);
    if (closer !== undefined) expected.push(closer);
    else if (token.kind === 'other' && token.raw === expected.at(-1)) expected.pop();
    if (expected.length === 0) return i + 1;
  }
  return tokens.length;
}
