import { type FontMetrics, isInvisible } from './line-breaker.ts';

type Unprintable = {
  /** UTF-16 index in the text that was checked. */
  index: number;
  codePoint: number;
  reason: 'control' | 'bidi' | 'no_glyph' | 'surrogate';
};

const maxFindings = 10;
const otherLineEnd = /[\r\u2028\u2029]/;
/** Characters below U+0300 neither compose nor decompose. */
const mayCompose = /[\u0300-\uffff]/;

/**
 * The text of a letter as it is printed, counted and stored: NFC, `\n` for every kind of line end. Tabs
 * stay: the layout sets them (`nextTabStop`). Idempotent.
 */
export function normalizeContent(content: string): string {
  const composed = mayCompose.test(content) ? content.normalize('NFC') : content;
  if (!otherLineEnd.test(composed)) return composed;
  return composed.replace(/\r\n?|\u2028/g, '\n').replaceAll('\u2029', '\n\n');
}

/** As `normalizeContent`, for texts without tab stops: four spaces for a tab. Idempotent. */
export const normalizeText = (text: string): string =>
  normalizeContent(text).replaceAll('\t', '    ');

const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) ||
  (code >= 0x7f && code <= 0x9f);

/** Arabic letter mark, LRM, RLM, embeddings, overrides and isolates (UAX #9 §2). */
const isBidiControl = (code: number): boolean =>
  code === 0x061c ||
  code === 0x200e ||
  code === 0x200f ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069);

const isLineSeparator = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x09 || code === 0x2028 || code === 0x2029;

function reasonAgainst(
  code: number,
  codePoint: number,
  metrics: FontMetrics,
): Unprintable['reason'] | undefined {
  if (isControl(code)) return 'control';
  if (isLineSeparator(code)) return undefined;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 'surrogate';
  if (isBidiControl(code)) return 'bidi';
  if (isInvisible(code) || metrics.advance(codePoint) !== undefined) return undefined;
  return 'no_glyph';
}

/**
 * The first ten characters that cannot be printed as written: emoji, CJK and other scripts the font
 * lacks, control characters, marks that turn the direction of writing, halves of surrogate pairs.
 * Hand in the text that `normalizeContent` or `normalizeText` returned.
 */
export function findUnprintable(content: string, metrics: FontMetrics): Unprintable[] {
  const findings: Unprintable[] = [];
  for (let index = 0; index < content.length; index++) {
    const code = content.charCodeAt(index);
    if (code >= 0x20 && code < 0x7f) continue;
    const codePoint = content.codePointAt(index) ?? code;
    const reason = reasonAgainst(code, codePoint, metrics);
    if (reason !== undefined) {
      findings.push({ index, codePoint, reason });
      if (findings.length === maxFindings) break;
    }
    if (codePoint > 0xffff) index++;
  }
  return findings;
}
