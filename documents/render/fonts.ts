import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font, type Glyph, type GlyphRun } from 'fontkit';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import { runsRightToLeft } from '../fonts/scripts.ts';
import type { ShapedRun } from '../fonts/shaper.ts';
import { type EmbeddedFont, embedFont } from '../pdf/embedded-font.ts';
import {
  baseMetrics,
  fontMetrics,
  loadedShaper,
  needsShaping,
  regularFile,
} from './font-metrics.ts';

/** The face of what we print ourselves. */
export type LetterFont = {
  metrics: FontMetrics;
  /** The glyphs of a line and where they stand; undefined: one for each character, side by side. */
  placed(text: string): GlyphRun | undefined;
  /**
   * A line of other scripts from left to right; undefined for text of this face alone. `rtl` is the
   * direction of its paragraph, by default its own. Its faces were opened by `metrics.shaping.load`.
   */
  shaped(text: string, rtl?: boolean): ShapedRun[] | undefined;
  /** A subset with all of these, as objects of a PDF from `firstFontObject` on. */
  embedded(texts: string[], glyphs: Glyph[]): EmbeddedText;
};

export type EmbeddedText = EmbeddedFont & {
  /** As `codeOf`, of the glyph that stands for a character. */
  codeOfCharacter(codePoint: number): number;
};

/** The catalog and the page tree come before. */
export const firstFontObject = 3;

/**
 * Scripts that need no shaping and symbols: Latin, Greek, Cyrillic with their supplements, marks,
 * punctuation, currencies. Noto Sans has Devanagari too, which cannot be set glyph by glyph.
 */
const printableRanges: readonly [number, number][] = [
  [0x20, 0x7e],
  [0xa0, 0x052f],
  [0x1ab0, 0x1aff],
  [0x1c80, 0x1c8f],
  [0x1d00, 0x1fff],
  [0x2000, 0x200a],
  [0x2010, 0x2027],
  [0x202f, 0x205f],
  [0x2070, 0x2bff],
  [0x2c60, 0x2c7f],
  [0x2de0, 0x2e7f],
  [0xa640, 0xa69f],
  [0xa700, 0xa7ff],
  [0xab30, 0xab6f],
  [0xfb00, 0xfb06],
  [0xfe20, 0xfe2f],
  [0x10780, 0x107bf],
  [0x1df00, 0x1dfff],
];

/** The characters of most letters: one subset serves all of them. */
const commonRanges: readonly [number, number][] = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x2010, 0x2027],
  [0x2030, 0x2030],
  [0x2039, 0x203a],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
];

const isPrintable = (codePoint: number): boolean =>
  printableRanges.some(([first, last]) => codePoint >= first && codePoint <= last);

const openFont = (): Font => create(readFileSync(fileURLToPath(import.meta.resolve(regularFile))));

/** Advances of the printable characters, by code point, in units of the font. */
export const fontAdvances = (): { unitsPerEm: number; advances: Map<number, number> } => {
  const font = openFont();
  const printable = font.characterSet.filter(isPrintable);
  return {
    unitsPerEm: font.unitsPerEm,
    advances: new Map(
      printable.map((codePoint) => [codePoint, font.glyphForCodePoint(codePoint).advanceWidth]),
    ),
  };
};

/** Marks that composed with nothing stand over or under their letter where GPOS puts them. */
const combiningMark = /\p{M}/u;
/** Longer than any real line: a pile of marks is not worth the time that placing each of them takes. */
const shapedCharsMax = 400;
const markFeatures = { ccmp: true, mark: true, mkmk: true, kern: false, liga: false };

/**
 * The page count assumes one glyph per character at its plain advance. Setting without kerning and ligatures
 * is also ten times faster than full shaping.
 */
const placedMarks = (font: Font, text: string): GlyphRun | undefined =>
  text.length <= shapedCharsMax && combiningMark.test(text)
    ? font.layout(text, markFeatures)
    : undefined;

/** Each glyph once, in the order of their numbers in the font; the missing glyph is in every subset. */
const distinct = (glyphs: Glyph[]): Glyph[] =>
  [...new Map(glyphs.map((glyph) => [glyph.id, glyph])).values()]
    .filter(({ id }) => id !== 0)
    .toSorted((a, b) => a.id - b.id);

/** Remembers the codes of characters in a font, most of which come again and again. */
const rememberedCodes = (font: Font, embedded: EmbeddedFont): EmbeddedText => {
  const unknown = 0xffff;
  const known = new Uint16Array(0x2200).fill(unknown);
  return {
    ...embedded,
    codeOfCharacter(codePoint) {
      const code = known[codePoint] ?? unknown;
      if (code !== unknown) return code;
      const found = embedded.codeOf(font.glyphForCodePoint(codePoint));
      if (codePoint < known.length) known[codePoint] = found;
      return found;
    },
  };
};

const holds = ({ codeOfCharacter }: EmbeddedText, text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    // Nothing beyond the basic plane is in it, and no half of it.
    if (codeOfCharacter(text.charCodeAt(at)) === 0) return false;
  }
  return true;
};

function createEmbedding(font: Font): LetterFont['embedded'] {
  const glyphsOf = (characters: Iterable<number>): Glyph[] =>
    Array.from(characters, (codePoint) => font.glyphForCodePoint(codePoint));
  const embed = (glyphs: Glyph[]): EmbeddedText =>
    rememberedCodes(font, embedFont(font, distinct(glyphs), firstFontObject));
  const isCommon = (codePoint: number): boolean =>
    commonRanges.some(([first, last]) => codePoint >= first && codePoint <= last);
  let common: EmbeddedText | undefined;
  return (texts, glyphs) => {
    common ??= embed(glyphsOf(font.characterSet.filter(isCommon)));
    const usual = common;
    const isUsual =
      texts.every((text) => holds(usual, text)) &&
      glyphs.every((glyph) => usual.codeOf(glyph) !== 0);
    if (isUsual) return usual;
    const characters = new Set(
      texts.flatMap((text) => Array.from(text, (one) => one.codePointAt(0) ?? 0)),
    );
    return embed([...glyphsOf(characters), ...glyphs]);
  };
}

function load(): LetterFont {
  const font = openFont();
  return {
    metrics: fontMetrics(),
    placed: (text) => placedMarks(font, text),
    shaped: (text, rtl = runsRightToLeft(text)) =>
      needsShaping(text) ? loadedShaper().shapeLine(text, rtl, baseMetrics()) : undefined,
    embedded: createEmbedding(font),
  };
}

let loaded: LetterFont | undefined;

/** The font is parsed once per process and shared by all documents. */
export function letterFont(): LetterFont {
  loaded ??= load();
  return loaded;
}
