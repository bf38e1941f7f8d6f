/** A TrueType font as PDF objects: a composite font over a subset, its glyphs under their own numbers. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { create, type Font, type Glyph } from 'fontkit';
import { outlinesOf } from '../fonts/subset.ts';

export type EmbeddedFont = {
  /** The glyph's number in the subset; 0, the missing glyph, where it has none. */
  codeOf(glyph: Glyph): number;
  /** The objects from number `first` on, which is the font itself. */
  objects: Buffer[];
};

/** How many objects a font takes. */
export const fontObjects = 5;

const hex4 = (value: number): string => value.toString(16).padStart(4, '0');

/** UTF-16, as a CMap wants it. */
const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex');

const maxPerBlock = 100;

/** @param texts what glyphs say, by their number in the font that is embedded */
const toUnicode = (texts: [number, string][]): string => {
  const lines = texts.flatMap(([id, text]) =>
    text === '' ? [] : [`<${hex4(id)}> <${utf16(text)}>`],
  );
  const blocks: string[] = [];
  while (lines.length > 0) {
    const block = lines.splice(0, maxPerBlock);
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000><ffff>
endcodespacerange
${blocks.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
};

/** Six capital letters that name the subset. */
const tagOf = (glyphIds: number[]): string => {
  const digest = createHash('sha256').update(glyphIds.join());
  return [...digest.digest().subarray(0, 6)]
    .map((n) => String.fromCharCode(65 + (n % 26)))
    .join('');
};

export const streamOf = (dictionary: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} /Filter /FlateDecode >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);

const descriptorOf = (font: Font, name: string, first: number): string => {
  const scale = (units: number): number => Math.round((units * 1_000) / font.unitsPerEm);
  const { minX, minY, maxX, maxY } = font.bbox;
  const symbolic = 4;
  return `<< /Type /FontDescriptor /FontName /${name} /Flags ${symbolic} /FontBBox [${[minX, minY, maxX, maxY].map(scale).join(' ')}] /ItalicAngle ${font.italicAngle} /Ascent ${scale(font.ascent)} /Descent ${scale(font.descent)} /CapHeight ${scale(font.capHeight || font.ascent)} /StemV 0 /FontFile2 ${first + 3} 0 R >>`;
};

/** Objects of a font whose glyphs have the numbers of `file`. @param widths as the W entry has them */
const objectsOf = (
  font: Font,
  { file, widths, texts, first }: EmbeddedFile & { first: number },
): Buffer[] => {
  const name = `${tagOf(texts.map(([id]) => id))}+${font.postscriptName}`;
  return [
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${first + 1} 0 R] /ToUnicode ${first + 4} 0 R >>`,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${first + 2} 0 R /W [${widths}] /CIDToGIDMap /Identity >>`,
    descriptorOf(font, name, first),
    streamOf(`/Length1 ${file.length}`, deflateSync(file)),
    streamOf('', deflateSync(toUnicode(texts))),
  ].map((object) => (typeof object === 'string' ? Buffer.from(object) : object));
};

type EmbeddedFile = { file: Buffer; widths: string; texts: [id: number, text: string][] };

/** Embeds the glyphs, in this order. The same glyphs make the same bytes. */
export const embedFont = (font: Font, glyphs: Glyph[], first: number): EmbeddedFont => {
  const subset = font.createSubset();
  const codes = new Map(glyphs.map((glyph) => [glyph.id, subset.includeGlyph(glyph.id)]));
  const widths = glyphs.map((glyph) => Math.round((glyph.advanceWidth * 1_000) / font.unitsPerEm));
  const texts = glyphs.map(({ codePoints }, n): [number, string] => [
    n + 1,
    String.fromCodePoint(...codePoints),
  ]);
  const file = Buffer.from(subset.encode());
  return {
    codeOf: ({ id }) => codes.get(id) ?? 0,
    objects: objectsOf(font, { file, widths: `1 [${widths.join(' ')}]`, texts, first }),
  };
};

/** Width in thousandths and text of each shaped glyph. */
export type UsedGlyphs = Map<number, { advance: number; text: string }>;

/** The code of a glyph of an embedded face. */
export const faceCode = (glyphId: number): string => hex4(glyphId);

/** Embeds glyphs of another face under the numbers that they have in it. */
export const embedFace = (ttf: Buffer, used: UsedGlyphs, first: number): Buffer[] => {
  const glyphs = [...used].toSorted(([a], [b]) => a - b);
  return objectsOf(create(ttf), {
    file: outlinesOf(
      ttf,
      glyphs.map(([id]) => id),
    ),
    widths: glyphs.map(([id, { advance }]) => `${id} [${Math.round(advance)}]`).join(' '),
    texts: glyphs.map(([id, { text }]) => [id, text]),
    first,
  });
};
