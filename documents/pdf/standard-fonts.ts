/**
 * Puts the fonts that every PDF reader is said to have (Helvetica, Times, Courier and their names on Windows)
 * into a document that lacks them: Arimo, Tinos and Cousine have the same widths. Symbol and ZapfDingbats:
 * symbol-fonts.ts.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PDFDict, type PDFDocument, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import { create, type Font } from 'fontkit';
import { differencesIn, name, objectsIn, replaceProgram } from './pdf-objects.ts';
import { embedSymbols, replaceSymbols, symbolFaceOf } from './symbol-fonts.ts';

const families = {
  Helvetica: 'arimo',
  Arial: 'arimo',
  Times: 'tinos',
  Courier: 'cousine',
} as const;
type Family = (typeof families)[keyof typeof families];
const styles = {
  regular: '400Regular',
  italic: '400Regular_Italic',
  bold: '700Bold',
  boldItalic: '700Bold_Italic',
} as const;

const baseFont =
  /^(?:[A-Z]{6}\+)?(Helvetica|Arial|Times|Courier)(?:New(?:Roman)?)?(?:PS)?(?:MT)?(?:[-,](?:Roman|Regular)?(Bold)?(Italic|Oblique)?(?:MT)?)?$/;

type Face = { family: Family; style: keyof typeof styles };

/** The face that replaces a font, by its name without spaces; undefined for any other font. */
function faceOf(name: string): Face | undefined {
  const match = baseFont.exec(name.replaceAll(' ', ''));
  if (!match) return undefined;
  const [, family = '', bold, italic] = match;
  const style = bold ? (italic ? 'boldItalic' : 'bold') : italic ? 'italic' : 'regular';
  return { family: families[family as keyof typeof families], style };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The letters of Adobe's StandardEncoding that differ from Windows, from 0xa1 on; a space marks a gap. */
const standardUpper =
  "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß";

type Encoding = (code: number) => number | undefined;

const decodedAs = (label: string): Encoding => {
  const characters = new TextDecoder(label).decode(Uint8Array.from({ length: 256 }, (_, i) => i));
  return (code) => (code < 32 || code === 127 ? undefined : characters.codePointAt(code));
};

const encodings: Readonly<Record<string, Encoding>> = {
  WinAnsiEncoding: decodedAs('windows-1252'),
  MacRomanEncoding: decodedAs('macintosh'),
  StandardEncoding(code) {
    if (code === 0x27) return 0x2019;
    if (code === 0x60) return 0x2018;
    if (code >= 32 && code < 127) return code;
    const letter = standardUpper[code - 0xa1];
    return letter === undefined || letter === ' ' ? undefined : letter.codePointAt(0);
  },
};

const facesRead = new Map<string, { font: Font; file: Buffer; names: Map<string, number> }>();

function readFace({ family, style }: Face) {
  const folder = styles[style];
  const path = `@expo-google-fonts/${family}/${folder}/${capital(family)}_${folder}.ttf`;
  const known = facesRead.get(path);
  if (known) return known;
  const file = readFileSync(fileURLToPath(import.meta.resolve(path)));
  const font = create(file);
  const names = new Map(font.characterSet.map((at) => [font.glyphForCodePoint(at).name, at]));
  const face = { font, file, names };
  facesRead.set(path, face);
  return face;
}

const codes = Array.from({ length: 256 }, (_, code) => code);

/** The character of each code; undefined if it is unknown. */
function charactersOf(font: PDFDict, names: Map<string, number>): Map<number, number> | undefined {
  const encoding = font.lookup(name('Encoding'));
  const dict = encoding instanceof PDFDict ? encoding : undefined;
  const base = dict === undefined ? encoding : dict.lookup(name('BaseEncoding'));
  const named = base instanceof PDFName ? base.decodeText() : 'StandardEncoding';
  const table = Object.hasOwn(encodings, named) ? encodings[named] : undefined;
  if (table === undefined) return undefined;
  const found = new Map<number, number>();
  for (const code of codes) {
    const character = table(code);
    if (character !== undefined) found.set(code, character);
  }
  for (const [code, glyph] of differencesIn(font)) {
    const unicode = /^uni([0-9A-F]{4})$/.exec(glyph)?.[1];
    const character = unicode === undefined ? names.get(glyph) : Number.parseInt(unicode, 16);
    if (character !== undefined) found.set(code, character);
    else if (glyph === '.notdef') found.delete(code);
    else return undefined;
  }
  return found;
}

const isEmbedded = (font: PDFDict): boolean => {
  const descriptor = font.lookup(name('FontDescriptor'));
  return (
    descriptor instanceof PDFDict &&
    ['FontFile', 'FontFile2', 'FontFile3'].some((key) => descriptor.has(name(key)))
  );
};

/** Bits of `Flags`: every letter has the same width, serifs, no symbols, slanted. */
const flagsOf = ({ family, style }: Face): number =>
  (family === 'cousine' ? 1 : 0) +
  (family === 'tinos' ? 2 : 0) +
  32 +
  (style === 'italic' || style === 'boldItalic' ? 64 : 0);

function embedFace(document: PDFDocument, face: Face): PDFRef {
  const { font, file } = readFace(face);
  const { context } = document;
  const scale = (units: number): number => Math.round((units * 1_000) / font.unitsPerEm);
  const { minX, minY, maxX, maxY } = font.bbox;
  const program = context.register(context.flateStream(file, { Length1: file.byteLength }));
  return context.register(
    context.obj({
      Type: 'FontDescriptor',
      FontName: font.postscriptName,
      Flags: flagsOf(face),
      FontBBox: [minX, minY, maxX, maxY].map(scale),
      ItalicAngle: font.italicAngle,
      Ascent: scale(font.ascent),
      Descent: scale(font.descent),
      CapHeight: scale(font.capHeight),
      StemV: 80,
      FontFile2: program,
    }),
  );
}

/** Embeds a TrueType font instead. False if the font names an unknown glyph. */
function replaceFont(font: PDFDict, face: Face, descriptor: PDFRef): boolean {
  const { font: program, names } = readFace(face);
  const characters = charactersOf(font, names);
  if (characters === undefined) return false;
  const encoding = font.context.obj({ Type: 'Encoding', BaseEncoding: 'WinAnsiEncoding' });
  const scale = 1_000 / program.unitsPerEm;
  const glyphOf = (code: number) => program.glyphForCodePoint(characters.get(code) ?? 0);
  replaceProgram(
    font,
    { subtype: 'TrueType', baseFont: program.postscriptName, descriptor },
    encoding as PDFDict,
    codes.filter((code) => characters.has(code)).map((code) => [code, glyphOf(code).name]),
    (code) => (characters.has(code) ? Math.round(glyphOf(code).advanceWidth * scale) : 0),
  );
  return true;
}

const isSimpleFont = (dict: PDFDict): boolean => {
  const subtype = dict.lookup(name('Subtype'));
  const isFont = dict.lookup(name('Type')) === name('Font');
  return isFont && (subtype === name('Type1') || subtype === name('TrueType'));
};

/** The face of a font in one word; undefined for a font that is not a standard one. */
function faceKeyOf(given: string): string | undefined {
  const symbols = symbolFaceOf(given.replaceAll(' ', ''));
  if (symbols) return symbols;
  const face = faceOf(given);
  return face && `${face.family} ${face.style}`;
}

/**
 * Puts the standard fonts that a document uses into it. Programs also list fonts that they do not use.
 * @param used the names of the missing fonts, as PDFium knows them: it may call Arial Helvetica
 * @returns the names of those that were replaced
 */
export function embedStandardFonts(document: PDFDocument, used: readonly string[]): string[] {
  const faces = new Set(used.map(faceKeyOf));
  const replaced = new Set<string>();
  const descriptors = new Map<string, PDFRef>();
  for (const dict of [...objectsIn(document.context)]) {
    if (!(dict instanceof PDFDict) || !isSimpleFont(dict) || isEmbedded(dict)) continue;
    const base = dict.lookup(name('BaseFont'));
    const given = base instanceof PDFName ? base.decodeText() : '';
    const key = faceKeyOf(given);
    if (key === undefined || !faces.has(key)) continue;
    const descriptorOf = (embed: () => PDFRef): PDFRef => {
      const descriptor = descriptors.get(key) ?? embed();
      descriptors.set(key, descriptor);
      return descriptor;
    };
    const symbols = symbolFaceOf(given.replaceAll(' ', ''));
    if (symbols) {
      const descriptor = descriptorOf(() => embedSymbols(document, symbols));
      if (replaceSymbols(dict, symbols, descriptor)) replaced.add(given);
    }
    const face = faceOf(given);
    if (face === undefined) continue;
    const descriptor = descriptorOf(() => embedFace(document, face));
    if (replaceFont(dict, face, descriptor)) replaced.add(given);
  }
  return [...replaced].sort();
}
