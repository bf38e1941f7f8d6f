import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font, type Glyph, type GlyphPosition, type GlyphRun } from 'fontkit';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import { runsRightToLeft } from '../fonts/scripts.ts';
import type { ShapedRun } from '../fonts/shaper.ts';
import { type EmbeddedFont, embedFont } from '../pdf/embedded-font.ts';
import { baseMetrics, fontMetrics, loadedShaper, needsShaping } from './font-metrics.ts';

/** The face of what we print ourselves. */
export type LetterFont = {
  metrics: FontMetrics;
  /** The glyphs of a line and where they stand. */
  layout(text: string): GlyphRun;
  /**
   * A line of other scripts from left to right; undefined for text that `layout` sets. `rtl` is the
   * direction of its paragraph, by default its own. Its faces were opened by `metrics.shaping.load`.
   */
  shaped(text: string, rtl?: boolean): ShapedRun[] | undefined;
  /** A subset with these glyphs, as objects of a PDF from `firstFontObject` on. */
  embedded(glyphs: Glyph[]): EmbeddedFont;
};

/** The catalog and the page tree come before. */
export const firstFontObject = 3;

const regularFile = '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf';

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

/** What most letters are written with: one subset of it serves all of them. */
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

/** Advances of what can be printed, by code point, in units of the font. */
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

type Placed = { glyph: Glyph; position: GlyphPosition };

const placedOf = (glyph: Glyph): Placed => ({
  glyph,
  position: { xAdvance: glyph.advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 },
});

/**
 * Sets one glyph per character at its plain advance, which is what the page count was made with;
 * without kerning and ligatures this is also ten times faster than full shaping.
 */
function layoutPlainly(font: Font, known: Map<number, Placed>, text: string): GlyphRun {
  if (text.length <= shapedCharsMax && combiningMark.test(text)) {
    return font.layout(text, markFeatures);
  }
  const run: GlyphRun = { glyphs: [], positions: [], advanceWidth: 0 };
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    let placed = known.get(codePoint);
    if (placed === undefined) {
      placed = placedOf(font.glyphForCodePoint(codePoint));
      known.set(codePoint, placed);
    }
    run.glyphs.push(placed.glyph);
    run.positions.push(placed.position);
    run.advanceWidth += placed.glyph.advanceWidth;
  }
  return run;
}

/** Each glyph once, in the order of their numbers in the font; the missing glyph is in every subset. */
const distinct = (glyphs: Glyph[]): Glyph[] =>
  [...new Map(glyphs.map((glyph) => [glyph.id, glyph])).values()]
    .filter(({ id }) => id !== 0)
    .toSorted((a, b) => a.id - b.id);

function createEmbedding(font: Font): LetterFont['embedded'] {
  const embed = (glyphs: Glyph[]) => embedFont(font, distinct(glyphs), firstFontObject);
  const isCommon = (codePoint: number): boolean =>
    commonRanges.some(([first, last]) => codePoint >= first && codePoint <= last);
  let common: EmbeddedFont | undefined;
  return (glyphs) => {
    common ??= embed(
      font.characterSet.filter(isCommon).map((codePoint) => font.glyphForCodePoint(codePoint)),
    );
    return glyphs.every(common.has) ? common : embed(glyphs);
  };
}

function load(): LetterFont {
  const font = openFont();
  const known = new Map<number, Placed>();
  return {
    metrics: fontMetrics(),
    layout: (text) => layoutPlainly(font, known, text),
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
