import { nextTabStop } from './tab-stops.ts';

/**
 * Sets text that is not set glyph by glyph: scripts that join, reorder or run from right to left, and emoji.
 */
export type Shaping = {
  needed(text: string): boolean;
  /** Opens the faces of texts. The rest of these functions is for texts that it was called with. */
  load(texts: string[]): Promise<void>;
  /** Whether the faces of a text are open. */
  isLoaded(text: string): boolean;
  /** The text with zero-width spaces wherever its script lets a line end without a space. */
  withBreakMarks(text: string): string;
  /** The width that each character adds to its line, by UTF-16 index, in font units. */
  advances(line: string): ArrayLike<number>;
  /** The direction of a paragraph. */
  runsRightToLeft(paragraph: string): boolean;
};

/** Facts about a font that the layout needs. Advances are in font units. */
export type FontMetrics = {
  unitsPerEm: number;
  /**
   * The advance of a printable character, undefined when no face has a glyph for it. `index` is its place in
   * the text, for advances that depend on the characters around it.
   */
  advance(codePoint: number, index?: number): number | undefined;
  /** Absent: the font has only advances of text that is set glyph by glyph. */
  shaping?: Shaping;
};

/** Where a line ends. One cursor is reused for a whole text, so that breaking allocates nothing. */
export type LineCursor = {
  /** Index behind the last character that is shown. */
  end: number;
  /** Index at which the next line starts. */
  next: number;
  /** The line was broken at a soft hyphen and shows a hyphen at its end. */
  hyphen: boolean;
};

const tab = 0x09;
const space = 0x20;
const softHyphen = 0xad;
const zeroWidthSpace = 0x200b;

/** Characters that steer line breaks or joining and are never drawn: SHY, ZWSP, ZWNJ, ZWJ, WJ, BOM, VS15, VS16. */
const invisible = /[\u{ad}\u{200b}-\u{200d}\u{2060}\u{feff}]|\u{fe0e}|\u{fe0f}/u;
const allInvisible = new RegExp(invisible.source, 'gu');

export const isInvisible = (code: number): boolean =>
  code === softHyphen ||
  (code >= zeroWidthSpace && code <= 0x200d) ||
  code === 0x2060 ||
  code === 0xfeff ||
  code === 0xfe0e ||
  code === 0xfe0f;

const breakMarks = /[\u{ad}\u{200b}\u{2060}\u{feff}]/gu;

/**
 * A line to be shaped, without the characters that steer breaks. Joiners stay, since they change the drawing.
 */
export const shapedText = (text: string): string => text.replace(breakMarks, '');

/** The characters of a line that are drawn. */
export const visibleText = (text: string): string =>
  invisible.test(text) ? text.replace(allInvisible, '') : text;

/** En quad to hair space without the figure space, which does not break. */
const isBreakingUnicodeSpace = (code: number): boolean =>
  code >= 0x2000 && code <= 0x200a && code !== 0x2007;

const letterOrDigit = /[\p{L}\p{N}]/u;
const letter = /\p{L}/u;

/**
 * A line may end behind an en or em dash, and behind a hyphen or slash that has two letters on both
 * sides: not behind "-5", "--flag", "E-", "c/" or "113-".
 */
function breaksAfter(text: string, index: number, code: number): boolean {
  const before = text[index - 1];
  const after = text[index + 1];
  if (before === undefined || after === undefined) return false;
  if (isBlank(before.charCodeAt(0)) || isBlank(after.charCodeAt(0))) return false;
  if (code === 0x2013 || code === 0x2014) return true;
  return (
    letterOrDigit.test(before) &&
    letterOrDigit.test(text.charAt(index - 2)) &&
    letter.test(after) &&
    letter.test(text.charAt(index + 2))
  );
}

/** The code units of ! % : ; ? $ £ » ‰ €. */
const neverFirst = new Set([...'!%:;?$£»‰€'].map((character) => character.charCodeAt(0)));
const openingGuillemet = 0xab;
const mayFollowNeverFirst = /[\s.,;:!?)»]/;

/**
 * True for signs that may follow a typed space but must not start a line: "Non !", "« oui »", "50 %", "12 €".
 */
function holdsTogether(text: string, spaceAt: number, wordAt: number): boolean {
  if (text.charCodeAt(spaceAt) === tab || text.charCodeAt(wordAt - 1) === tab) return false;
  const before = text.charCodeAt(spaceAt - 1);
  if (before === openingGuillemet) return true;
  const after = text.charCodeAt(wordAt);
  if (isAsciiLetter(after) || !neverFirst.has(after)) return false;
  if (wordAt + 1 < text.length && !mayFollowNeverFirst.test(text.charAt(wordAt + 1))) return false;
  return !'%‰€£$'.includes(text.charAt(wordAt)) || (before >= 0x30 && before <= 0x39);
}

const isAsciiLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);

/** A space or a tab. */
export const isBlank = (code: number): boolean => code === space || code === tab;

const endOfBlanks = (text: string, from: number, limit: number): number => {
  let i = from;
  while (i < limit && isBlank(text.charCodeAt(i))) i++;
  return i;
};

const withoutTrailingBlanks = (text: string, start: number, end: number): number => {
  let i = end;
  while (i > start && isBlank(text.charCodeAt(i - 1))) i--;
  return i;
};

/** The width of a line behind spaces and tabs from `from` to `to`, when it was `width` before them. */
function widthBehindBlanks(
  text: string,
  { from, to, width }: { from: number; to: number; width: number },
  metrics: FontMetrics,
): number {
  let behind = width;
  const spaceAdvance = metrics.advance(space) ?? 0;
  for (let i = from; i < to; i++) {
    behind = text.charCodeAt(i) === tab ? nextTabStop(behind, metrics) : behind + spaceAdvance;
  }
  return behind;
}

const isDashOrSlash = (code: number): boolean =>
  code === 0x2d || code === 0x2f || code === 0x2010 || code === 0x2013 || code === 0x2014;

/**
 * Finds the end of the line that starts at `start` of normalised `text`. `limit` is the index of the
 * next line feed or the end of the text, `maxUnits` the width of the line in font units.
 * A word that is wider than the line is cut between two characters; a line holds at least one.
 * Trailing spaces and tabs are never shown and never count; combining marks stay with their letter.
 */
export function breakLine(
  text: string,
  start: number,
  limit: number,
  maxUnits: number,
  metrics: FontMetrics,
  cursor: LineCursor,
): void {
  let width = 0;
  let breakEnd = -1;
  let breakNext = -1;
  let breakHyphen = false;
  const spaceAdvance = metrics.advance(space) ?? 0;
  let i = start;
  while (i < limit) {
    const code = text.charCodeAt(i);
    if (code === space || code === tab) {
      const wordAt = endOfBlanks(text, i, limit);
      if (wordAt === limit) break;
      if (width > 0 && !holdsTogether(text, i, wordAt)) {
        breakEnd = i;
        breakNext = wordAt;
        breakHyphen = false;
      }
      width =
        wordAt === i + 1 && code === space
          ? width + spaceAdvance
          : widthBehindBlanks(text, { from: i, to: wordAt, width }, metrics);
      i = wordAt;
      continue;
    }
    if (code >= softHyphen && isInvisible(code)) {
      const hyphen = code === softHyphen;
      const fits = !hyphen || width + (metrics.advance(0x2d) ?? 0) <= maxUnits;
      if ((hyphen || code === zeroWidthSpace) && fits && i > start) {
        breakEnd = i;
        breakNext = i + 1;
        breakHyphen = hyphen;
      }
      i++;
      continue;
    }
    const codePoint = code >= 0xd800 && code <= 0xdbff ? (text.codePointAt(i) ?? code) : code;
    const advance = metrics.advance(codePoint, i) ?? metrics.unitsPerEm;
    const mayCut = advance > 0 || isBlank(text.charCodeAt(i - 1));
    if (width + advance > maxUnits && mayCut && i > start) {
      const atWord = breakEnd > start;
      cursor.end = atWord ? breakEnd : withoutTrailingBlanks(text, start, i);
      cursor.next = atWord ? breakNext : i;
      cursor.hyphen = atWord && breakHyphen;
      return;
    }
    width += advance;
    i += codePoint > 0xffff ? 2 : 1;
    if (isAsciiLetter(code)) continue;
    const unicodeSpace = isBreakingUnicodeSpace(code);
    if (unicodeSpace || (isDashOrSlash(code) && breaksAfter(text, i - 1, code))) {
      breakEnd = unicodeSpace ? i - 1 : i;
      breakNext = i;
      breakHyphen = false;
    }
  }
  cursor.end = i;
  cursor.next = limit;
  cursor.hyphen = false;
}
