/** The part of fontkit 2 that is used here; it ships no types. */
declare module 'fontkit' {
  export type Glyph = { id: number; name: string; advanceWidth: number; codePoints: number[] };
  export type GlyphPosition = {
    xAdvance: number;
    yAdvance: number;
    xOffset: number;
    yOffset: number;
  };
  export type GlyphRun = { glyphs: Glyph[]; positions: GlyphPosition[]; advanceWidth: number };
  export type Subset = { includeGlyph(glyphId: number): number; encode(): Uint8Array };
  export type Font = {
    postscriptName: string;
    unitsPerEm: number;
    ascent: number;
    descent: number;
    lineGap: number;
    capHeight: number;
    xHeight: number;
    italicAngle: number;
    bbox: { minX: number; minY: number; maxX: number; maxY: number };
    characterSet: number[];
    head: { macStyle: { italic: boolean } };
    post: { isFixedPitch: number };
    'OS/2': { sFamilyClass: number };
    glyphForCodePoint(codePoint: number): Glyph;
    getGlyph(glyphId: number): Glyph;
    layout(text: string, features?: Record<string, boolean>): GlyphRun;
    createSubset(): Subset;
  };
  export function create(data: Uint8Array): Font;
}
