import { afterBlock, type CssToken, openedBy } from './css-tokens.ts';
import { millimetresOf, type Removal } from './page-rule.ts';

/**
 * Removes CSS that keeps a browser busy for seconds with a few bytes and is of no use on paper: filters,
 * large or many shadows, long gradients, and selectors that are tried on every pair of elements.
 */

const droppedProperties = new Set([
  'filter',
  '-webkit-filter',
  'backdrop-filter',
  '-webkit-backdrop-filter',
  '-webkit-box-reflect',
]);
const shadows = new Set(['box-shadow', '-webkit-box-shadow', 'text-shadow']);
const colourFunctions = new Set(['rgb', 'rgba', 'hsl', 'hsla']);
/** CHOICE: on paper a shadow is a few millimetres wide. */
const shadowMm = 10;
const shadowsMax = 4;
const mmPerEm = 4.2;

const gradient = /^(?:-webkit-)?(?:repeating-)?(?:linear|radial|conic)-gradient$/;
const gradientsMax = 4;
const stopsMax = 32;

/** Compounds in one selector, and `~` among them. */
const compoundsMax = 12;
const siblingsMax = 1;
const never = ':not(*)';

const other = (raw: string): CssToken => ({ kind: 'other', raw, value: raw });

const isMark = (token: CssToken | undefined, mark: string): boolean =>
  token?.kind === 'other' && token.raw === mark;

/** Splits at a mark outside of brackets. */
function splitAt(tokens: readonly CssToken[], mark: string): CssToken[][] {
  const parts: CssToken[][] = [[]];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as CssToken;
    const end = openedBy(token) === undefined ? at + 1 : afterBlock(tokens, at);
    if (isMark(token, mark)) parts.push([]);
    else parts.at(-1)?.push(...tokens.slice(at, end));
    at = end;
  }
  return parts;
}

/** The tokens outside of brackets. */
function outside(tokens: readonly CssToken[]): string {
  let text = '';
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as CssToken;
    const opens = openedBy(token) !== undefined;
    text += opens ? ' ' : token.raw;
    at = opens ? afterBlock(tokens, at) : at + 1;
  }
  return text;
}

function lengthMm(length: string): number {
  const relative = /^([\d.]+)r?em$/i.exec(length);
  return relative ? Number(relative[1]) * mmPerEm : (millimetresOf(length) ?? Infinity);
}

function isSmallShadow(value: readonly CssToken[]): boolean {
  const functions = value.filter(({ kind }) => kind === 'function');
  if (!functions.every(({ value: name }) => colourFunctions.has(name))) return false;
  if (splitAt(value, ',').length > shadowsMax) return false;
  const lengths = outside(value).match(/(?<![#\w])\.?\d[\w.+%]*/g) ?? [];
  return lengths.every((length) => lengthMm(length) <= shadowMm);
}

function hasSmallGradients(value: readonly CssToken[], name: string): boolean {
  const starts = value.flatMap((token, at) =>
    token.kind === 'function' && gradient.test(token.value) ? [at] : [],
  );
  if (starts.length === 0) return true;
  // In a variable they could be multiplied.
  if (name.startsWith('--') || starts.length > gradientsMax) return false;
  return starts.every((at) => {
    const inner = value.slice(at + 1, afterBlock(value, at) - 1);
    const isPlain = inner.every(({ value: word }) => word !== 'var');
    return isPlain && splitAt(inner, ',').length <= stopsMax;
  });
}

function cheapDeclaration(tokens: CssToken[], removed: Removal): CssToken[] {
  const property = tokens.find(({ kind }) => kind !== 'space');
  const colon = tokens.findIndex((token) => isMark(token, ':'));
  if (property?.kind !== 'name' || colon < 0) return tokens;
  const name = property.value;
  const value = tokens.slice(colon + 1);
  const isCheap =
    !droppedProperties.has(name) &&
    (!shadows.has(name) || isSmallShadow(value)) &&
    hasSmallGradients(value, name);
  if (isCheap) return tokens;
  const what = droppedProperties.has(name) || shadows.has(name) ? name : 'gradients';
  removed(`${what} in CSS that would take too long to draw`);
  return [];
}

function isCheapSelector(tokens: readonly CssToken[]): boolean {
  const isSearch = tokens.some(
    ({ kind, value }) =>
      (kind === 'function' && value === 'has') || (kind === 'name' && value === 'of'),
  );
  let compounds = 0;
  let apart = true;
  for (const token of tokens) {
    const wasApart = apart;
    apart = token.kind === 'space' || (token.kind === 'other' && /[>+~]/.test(token.raw));
    if (wasApart && !apart) compounds++;
  }
  const siblings = tokens.filter((token) => isMark(token, '~')).length;
  return !isSearch && compounds <= compoundsMax && siblings <= siblingsMax;
}

function cheapPrelude(tokens: CssToken[], removed: Removal): CssToken[] {
  if (tokens.find(({ kind }) => kind !== 'space')?.kind === 'at') return tokens;
  const selectors = splitAt(tokens, ',');
  const cheap = selectors.filter(isCheapSelector);
  if (cheap.length === selectors.length) return tokens;
  removed('selectors in CSS that would take too long to match');
  if (cheap.length === 0) return [other(never)];
  return cheap.flatMap((selector, index) => (index === 0 ? selector : [other(','), ...selector]));
}

/** The tokens of a stylesheet, or of declarations, without the costly ones. */
export function withoutCosts(tokens: CssToken[], removed: Removal): CssToken[] {
  const cheap: CssToken[] = [];
  let start = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as CssToken;
    const opens = openedBy(token);
    if (opens !== undefined && opens !== '}') {
      at = afterBlock(tokens, at) - 1;
      continue;
    }
    if (token.kind !== 'other' || !/[{};]/.test(token.raw)) continue;
    const statement = tokens.slice(start, at);
    const clean = token.raw === '{' ? cheapPrelude : cheapDeclaration;
    for (const one of clean(statement, removed)) cheap.push(one);
    cheap.push(token);
    start = at + 1;
  }
  for (const one of cheapDeclaration(tokens.slice(start), removed)) cheap.push(one);
  return cheap;
}
