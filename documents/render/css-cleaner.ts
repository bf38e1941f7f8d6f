import { withoutCosts } from './css-costs.ts';
import { afterBlock, type CssToken, openedBy, tokenizeCss } from './css-tokens.ts';
import { type CssRules, cleanPageBlock, isPageSelector } from './page-rule.ts';
import { isWholeImage } from './whole-image.ts';

/** At-rules that cannot name anything outside; all others go with all that is in them. */
const keptAtRules = new Set([
  'media',
  'supports',
  'layer',
  'container',
  'property',
  'font-face',
  'counter-style',
  'page',
]);

/** Functions that can make an address out of a string or variable, or run something. */
const droppedFunctions = new Set([
  'src',
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
  '-webkit-cross-fade',
  'element',
  '-moz-element',
  'paint',
  'expression',
]);

/** Browsers read `image/jpg`, which many programs write, as JPEG. */
const dataImage = /^data:image\/(?:png|jpe?g|gif|webp);base64,[\w+/=\s]*$/i;
const dataFont =
  /^data:(?:font\/(?:ttf|otf|woff2?|sfnt)|application\/(?:x-)?font-(?:ttf|otf|woff2?|sfnt|opentype|truetype))(?:;charset=[-\w]+)?;base64,[\w+/=\s]*$/i;

/** Whether an address is an image of a kind that is printed, carried in the letter itself. */
export function isDataImage(url: string, { cutOff }: Pick<CssRules, 'cutOff'>): boolean {
  if (!dataImage.test(url)) return false;
  if (cutOff && !isWholeImage(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))) cutOff();
  return true;
}

/** The index of the `{` or `;` that ends an at-rule's prelude, of the `}` before it, or the end. */
function endOfPrelude(tokens: CssToken[], at: number): number {
  for (let i = at; i < tokens.length; i++) {
    const token = tokens[i] as CssToken;
    if (token.kind === 'other' && /[{};]/.test(token.raw)) return i;
    if (openedBy(token) !== undefined) i = afterBlock(tokens, i) - 1;
  }
  return tokens.length;
}

function afterAtRule(tokens: CssToken[], at: number): number {
  const end = endOfPrelude(tokens, at);
  const closing = tokens[end]?.raw;
  if (closing === '{') return afterBlock(tokens, end);
  return closing === ';' ? end + 1 : end;
}

const cleanUrl = (url: string, rules: CssRules): string => {
  const plain = url.replace(/\s+/g, '');
  if (isDataImage(plain, rules) || dataFont.test(plain)) return `url("${plain}")`;
  rules.removed('external address in CSS');
  return ' none ';
};

function cleanFunction(tokens: CssToken[], at: number, rules: CssRules): [string, number] {
  const token = tokens[at] as CssToken;
  if (token.value === 'url') {
    const end = afterBlock(tokens, at);
    const [address, ...more] = tokens.slice(at + 1, end - 1).filter(({ kind }) => kind !== 'space');
    const isPlain = address?.kind === 'string' && more.length === 0;
    return [cleanUrl(isPlain ? address.value : '', rules), end];
  }
  if (!droppedFunctions.has(token.value)) return [token.raw, at + 1];
  rules.removed(`${token.value}() in CSS`);
  return [' none ', afterBlock(tokens, at)];
}

function cleanAtRule(tokens: CssToken[], at: number, rules: CssRules): [string, number] {
  const token = tokens[at] as CssToken;
  const drop = (): [string, number] => {
    rules.removed(`@${token.value.slice(0, 40)} in CSS`);
    return [' ', afterAtRule(tokens, at + 1)];
  };
  if (!keptAtRules.has(token.value)) return drop();
  if (token.value !== 'page') return [token.raw, at + 1];
  const open = endOfPrelude(tokens, at + 1);
  const selector = tokens.slice(at + 1, open);
  if (tokens[open]?.raw !== '{' || !isPageSelector(selector)) return drop();
  const end = afterBlock(tokens, open);
  const clean = (inner: CssToken[]) => cleanTokens(inner, rules);
  const written = selector.map(({ raw }) => raw).join('');
  const block = cleanPageBlock(tokens.slice(open + 1, end - 1), { ...rules, written }, clean);
  return [`@page ${written}{${block}}`, end];
}

/** Tokens as clean CSS text. */
function cleanTokens(tokens: CssToken[], rules: CssRules): string {
  let css = '';
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as CssToken;
    let piece = token.raw;
    let next = at + 1;
    if (token.kind === 'at') [piece, next] = cleanAtRule(tokens, at, rules);
    else if (token.kind === 'function') [piece, next] = cleanFunction(tokens, at, rules);
    else if (token.kind === 'url') piece = cleanUrl(token.value, rules);
    else if (token.kind === 'bad') piece = ' none ';
    css += piece;
    at = next;
  }
  return css;
}

/** In a string or name an escaped `<` is the same; elsewhere it has no business before `/` or `!`. */
const withoutMarkup = (css: string): string => css.replace(/<(?=[/!])/g, '\\3c ');

/** A stylesheet without imports, addresses other than data of images and fonts, and page sizes. */
export const cleanStylesheet = (css: string, rules: CssRules): string =>
  withoutMarkup(cleanTokens(withoutCosts(tokenizeCss(css), rules.removed), rules));

/** The declarations of a `style` attribute, cleaned likewise; rules in it are dropped. */
export function cleanDeclarations(css: string, rules: CssRules): string {
  const tokens = tokenizeCss(css).filter(
    ({ kind, raw }) => kind !== 'at' && !(kind === 'other' && /[{}]/.test(raw)),
  );
  return cleanTokens(withoutCosts(tokens, rules.removed), rules);
}
