import type { Edges } from '../../postal/geometry.ts';
import { afterBlock, type CssToken } from './css-tokens.ts';

/** The removed parts, in words for the letter's owner; without any text of the letter. */
export type Removal = (what: string) => void;

export type CssRules = {
  /** The least margins that the letter's own `@page` rules may set, mm. */
  pageMarginsMinMm: Edges;
  removed: Removal;
  /** Told of each image whose data is cut off. */
  cutOff?: () => void;
};

const pageSelector =
  /^\s*(?:[-\w]*(?::(?:first|left|right|blank))*\s*(?:,\s*[-\w]*(?::(?:first|left|right|blank))*\s*)*)$/i;

export const isPageSelector = (tokens: CssToken[]): boolean =>
  pageSelector.test(tokens.map(({ raw }) => raw).join(''));

const sides = ['top', 'right', 'bottom', 'left'] as const;
type Side = (typeof sides)[number];

/** Which side a `margin` shorthand's value is for, by how many values it has. */
const shorthand: Readonly<Record<number, readonly number[]>> = {
  1: [0, 0, 0, 0],
  2: [0, 1, 0, 1],
  3: [0, 1, 2, 1],
  4: [0, 1, 2, 3],
};

const mmPerUnit: Readonly<Record<string, number>> = {
  mm: 1,
  cm: 10,
  q: 0.25,
  in: 25.4,
  pt: 25.4 / 72,
  pc: 25.4 / 6,
  px: 25.4 / 96,
};

/** Wider margins would leave no room on a page that has an address field too. */
const marginMaxMm = 80;

/** The margin boxes that lie between the corners: running headers and footers. */
const marginBox = /^(?:top|bottom|left|right)-(?:left|center|right|top|middle|bottom)$/;

/** On the first page their place is that of sender, recipient and date (html-pages.ts). */
const takenOnFirstPage = /^(?:top-|(?:left|right)-(?:top|middle)$)/;
const otherPages = /:(?:left|blank)\b/i;
const hasContent = /\bcontent\s*:\s*(?!none|normal|""|'')/i;

/** A margin box of a rule with that selector, of which text that is not printed is reported. */
function cleanMarginBox(name: string, css: string, selector: string, removed: Removal): string {
  const hasText = hasContent.test(css);
  if (!marginBox.test(name)) {
    if (hasText) removed(`@${name.slice(0, 40)} in @page`);
    return '';
  }
  if (hasText && takenOnFirstPage.test(name) && !otherPages.test(selector)) {
    removed(`@${name} on the first page`);
  }
  return `@${name}{${css}}`;
}

/** Of an absolute length; undefined for another value. */
export function millimetresOf(value: string): number | undefined {
  const match = /^\+?(\d*\.?\d+)([a-z]*)$/i.exec(value);
  if (!match) return undefined;
  const [, number = '', unit = ''] = match;
  if (unit === '') return Number(number) === 0 ? 0 : undefined;
  const name = unit.toLowerCase();
  const factor = Object.hasOwn(mmPerUnit, name) ? mmPerUnit[name] : undefined;
  return factor === undefined ? undefined : Number(number) * factor;
}

const rounded = (mm: number): number => Math.round(mm * 100) / 100;

function marginDeclarations(property: string, value: string, rules: CssRules): string | undefined {
  const lengths = value.split(/\s+/).map(millimetresOf);
  const [, side] = property.split('-');
  const order = side === undefined ? shorthand[lengths.length] : [0];
  const targets = side === undefined ? sides : sides.filter((candidate) => candidate === side);
  if (order === undefined || targets.length === 0) return undefined;
  if (side !== undefined && lengths.length !== 1) return undefined;
  const declarations = targets.map((target: Side, i) => {
    const asked = lengths[order[i] ?? 0];
    if (asked === undefined) return undefined;
    const least = rules.pageMarginsMinMm[target];
    if (asked < least) rules.removed('page margin below the least margin');
    return `margin-${target}:${rounded(Math.min(Math.max(asked, least), marginMaxMm))}mm;`;
  });
  return declarations.includes(undefined) ? undefined : declarations.join('');
}

function cleanPageDeclaration(tokens: CssToken[], rules: CssRules): string {
  const text = tokens.map(({ raw }) => raw).join('');
  const colon = text.indexOf(':');
  if (colon < 0) return '';
  const property = text.slice(0, colon).trim().toLowerCase();
  const value = text
    .slice(colon + 1)
    .replace(/!\s*important/i, '')
    .trim();
  const kept = marginDeclarations(property, value, rules);
  if (kept === undefined) {
    const name = /^[-a-z]{1,40}$/.test(property) ? property : 'declaration';
    rules.removed(`${name} in @page`);
  }
  return kept ?? '';
}

/** The importance of ours decides on the first page, so theirs has none. */
const unimportant = ({ kind, raw, value }: CssToken): boolean =>
  kind !== 'at' && !/^[{}!]$/.test(raw) && !(kind === 'name' && value === 'important');

/**
 * The block of an `@page` rule with nothing but margins, as lengths no less than the least ones, and
 * margin boxes. The format of the page is the sheet's.
 * @param rules with the selector as it is `written`
 * @param clean how the declarations of a margin box become CSS
 */
export function cleanPageBlock(
  tokens: CssToken[],
  rules: CssRules & { written: string },
  clean: (tokens: CssToken[]) => string,
): string {
  let css = '';
  let declaration: CssToken[] = [];
  const flush = () => {
    css += cleanPageDeclaration(declaration, rules);
    declaration = [];
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as CssToken;
    if (token.kind === 'at') {
      const open = tokens.findIndex(
        ({ kind, raw }, i) => i > at && kind === 'other' && raw === '{',
      );
      if (open < 0) break;
      const end = afterBlock(tokens, open);
      const box = tokens.slice(open + 1, end - 1).filter(unimportant);
      css += cleanMarginBox(token.value, clean(box), rules.written, rules.removed);
      at = end - 1;
    } else if (token.kind === 'other' && token.raw === ';') flush();
    else declaration.push(token);
  }
  flush();
  return css;
}
