/**
 * Embeds Symbol and ZapfDingbats into a document that lacks them: PDFium's fonts have the same glyphs with the
 * same widths (documents/fonts/foxit, with their licence).
 */
import { readFileSync } from 'node:fs';
import type { PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib';
import { Encodings, Font, FontNames } from '@cantoo/pdf-lib/standard-fonts';
import { differencesIn, name, replaceProgram } from './pdf-objects.ts';

type SymbolFace = 'symbol' | 'dingbats';

const metricNames = { symbol: FontNames.Symbol, dingbats: FontNames.ZapfDingbats } as const;
const encodings = { symbol: Encodings.Symbol, dingbats: Encodings.ZapfDingbats } as const;
const baseFont = /^(?:[A-Z]{6}\+)?(?:(Symbol(?:MT)?)|(?:ITC)?ZapfDingbats)$/;

/** The face that replaces a font, by its name without spaces; undefined for any other font. */
export function symbolFaceOf(name: string): SymbolFace | undefined {
  const match = baseFont.exec(name);
  if (!match) return undefined;
  return match[1] === undefined ? 'dingbats' : 'symbol';
}

/** The glyph of each code: the font's own encoding, whatever base the document names, and its differences. */
function glyphsOf(font: PDFDict, face: SymbolFace): Map<number, string> {
  const own = encodings[face];
  const glyphs = new Map(
    own.supportedCodePoints.map((codePoint) => {
      const { code, name: glyph } = own.encodeUnicodeCodePoint(codePoint);
      return [code, glyph] as const;
    }),
  );
  for (const [code, glyph] of differencesIn(font)) glyphs.set(code, glyph);
  return glyphs;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** The text of each code: many readers do not know the meaning of a dingbat by its name. */
function textOfCodes(glyphs: Map<number, string>, face: SymbolFace): string {
  const own = encodings[face];
  const meanings = new Map(
    own.supportedCodePoints.map((at) => [own.encodeUnicodeCodePoint(at).name as string, at]),
  );
  const entries = [...glyphs].flatMap(([code, glyph]) => {
    const at = meanings.get(glyph);
    return at === undefined ? [] : [`<${hex(code, 2)}> <${hex(at, 4)}>`];
  });
  // A section has 100 entries at most.
  const sections = [0, 100, 200].map((from) => entries.slice(from, from + 100));
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CMapName /Symbols def /CMapType 2 def',
    '1 begincodespacerange <00> <ff> endcodespacerange',
    ...sections
      .filter(({ length }) => length > 0)
      .map((lines) => `${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar`),
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n');
}

export function embedSymbols(document: PDFDocument, face: SymbolFace): PDFRef {
  const { context } = document;
  const file = readFileSync(new URL(`../fonts/foxit/${face}.cff`, import.meta.url));
  const metrics = Font.load(metricNames[face]);
  const program = context.register(context.flateStream(file, { Subtype: 'Type1C' }));
  const [, bottom, , top] = metrics.FontBBox;
  return context.register(
    context.obj({
      Type: 'FontDescriptor',
      FontName: `Foxit-${face}`,
      // It has glyphs of its own, no letters.
      Flags: 4,
      FontBBox: [...metrics.FontBBox],
      ItalicAngle: 0,
      Ascent: top,
      Descent: bottom,
      CapHeight: top,
      StemV: 80,
      FontFile3: program,
    }),
  );
}

/** Embeds a symbol font instead. False if the document names a glyph that this font lacks. */
export function replaceSymbols(font: PDFDict, face: SymbolFace, descriptor: PDFRef): boolean {
  const glyphs = glyphsOf(font, face);
  const widths = new Map(
    Font.load(metricNames[face]).CharMetrics.map(({ N, WX }) => [N, WX] as const),
  );
  const missing = [...glyphs.values()].some((glyph) => glyph !== '.notdef' && !widths.has(glyph));
  if (missing) return false;
  const { context } = font;
  replaceProgram(
    font,
    { subtype: 'Type1', baseFont: `Foxit-${face}`, descriptor },
    context.obj({ Type: 'Encoding' }) as PDFDict,
    [...glyphs].toSorted(([a], [b]) => a - b),
    (code) => widths.get(glyphs.get(code) ?? '') ?? 0,
  );
  if (face === 'dingbats' && !font.has(name('ToUnicode'))) {
    const meanings = context.flateStream(textOfCodes(glyphs, face));
    font.set(name('ToUnicode'), context.register(meanings));
  }
  return true;
}
