/** The sentences of a TypeScript file: its string literals and its comments, with their lines. */
export type Prose = { line: number; text: string };

type Token = { kind: 'text' | 'comment' | 'code'; line: number; text: string; end: number };

const escapes = /\\(u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[\s\S])/gi;
const readEscapes = (text: string): string =>
  text.replace(escapes, (_, code: string) => (/^[nrt\n]/.test(code) ? ' ' : code.slice(0, 1)));

/** Where a literal that opens at `start` ends, and its text; a `${…}` becomes `…`. */
const readLiteral = (source: string, start: number): { text: string; end: number } => {
  const quote = source[start] ?? '';
  let text = '';
  let at = start + 1;
  while (at < source.length && source[at] !== quote) {
    if (source[at] === '\\') {
      text += readEscapes(source.slice(at, at + 2));
      at += 2;
    } else if (quote === '`' && source.startsWith('${', at)) {
      text += '…';
      at = endOfSubstitution(source, at + 2);
    } else {
      text += source[at];
      at += 1;
    }
  }
  return { text, end: at + 1 };
};

const endOfSubstitution = (source: string, start: number): number => {
  let depth = 1;
  let at = start;
  while (at < source.length && depth > 0) {
    const char = source[at] ?? '';
    if (/['"`]/.test(char)) at = readLiteral(source, at).end;
    else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      at += 1;
    }
  }
  return at;
};

/** A slash opens a regular expression where no value stands before it. */
const opensPattern = (before: string): boolean =>
  /(^|[=(,:;!&|?{}[+\-*%<>~^]|\breturn|\bcase|\btypeof|=>)\s*$/.test(before.slice(-40));

const endOfPattern = (source: string, start: number): number => {
  let inClass = false;
  let at = start + 1;
  while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true;
    if (source[at] === ']') inClass = false;
    at += source[at] === '\\' ? 2 : 1;
  }
  return at + 1;
};

const tokenAt = (source: string, at: number, code: string): Omit<Token, 'line'> | undefined => {
  const until = (end: string, from: number): number => {
    const found = source.indexOf(end, from);
    return found < 0 ? source.length : found + (end === '\n' ? 0 : end.length);
  };
  if (source.startsWith('//', at)) {
    const end = until('\n', at);
    return { kind: 'comment', text: source.slice(at + 2, end), end };
  }
  if (source.startsWith('/*', at)) {
    const end = until('*/', at + 2);
    return { kind: 'comment', text: source.slice(at + 2, end - 2), end };
  }
  if (/['"`]/.test(source[at] ?? '')) return { kind: 'text', ...readLiteral(source, at) };
  if (source[at] === '/' && opensPattern(code)) {
    return { kind: 'code', text: 'pattern', end: endOfPattern(source, at) };
  }
  return undefined;
};

const readTokens = (source: string): Token[] => {
  const tokens: Token[] = [];
  let code = '';
  let line = 1;
  let at = 0;
  const endCode = () => {
    if (code.trim()) tokens.push({ kind: 'code', line, text: code.trim(), end: at });
    code = '';
  };
  while (at < source.length) {
    const token = tokenAt(source, at, code);
    if (!token) {
      if (source[at] === '\n') line += 1;
      code += source[at];
      at += 1;
      continue;
    }
    const before = code;
    if (token.kind === 'code') code = `${before}${token.text}`;
    else {
      endCode();
      tokens.push({ ...token, line });
    }
    line += source.slice(at, token.end).split('\n').length - 1;
    at = token.end;
  }
  endCode();
  return tokens;
};

const flat = (text: string): string =>
  text
    .replace(/^\s*\*\s?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Literals that `+` joins are one text; neighbouring comments are one comment. */
const joined = (tokens: Token[], kind: 'text' | 'comment'): Prose[] => {
  const found: Prose[] = [];
  let open = false;
  for (const token of tokens) {
    const last = found.at(-1);
    if (token.kind === kind) {
      if (open && last) last.text = `${last.text}${kind === 'comment' ? ' ' : ''}${token.text}`;
      else found.push({ line: token.line, text: token.text });
      open = true;
    } else if (kind === 'comment' || token.text !== '+') open = false;
  }
  return found.map(({ line, text }) => ({ line, text: flat(text) })).filter(({ text }) => text);
};

export const literalsOf = (source: string): Prose[] => joined(readTokens(source), 'text');
export const commentsOf = (source: string): Prose[] => joined(readTokens(source), 'comment');
