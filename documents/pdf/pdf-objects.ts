/** The objects of a PDF as pdf-lib knows them. */
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';

export const name = (text: string): PDFName => PDFName.of(text);

/** The text of a name. Viewers accept strings as names. */
export const wordOf = (value: PDFObject | undefined): string | undefined =>
  value instanceof PDFName || value instanceof PDFString || value instanceof PDFHexString
    ? value.decodeText()
    : undefined;

export function numberIn(dict: PDFDict, key: string): number | undefined {
  const value = dict.lookup(name(key));
  return value instanceof PDFNumber ? value.asNumber() : undefined;
}

/** All objects of a file. The parts of an object are read when the next object is requested, so changes to it count. */
export function* objectsIn(context: PDFContext): Generator<PDFObject> {
  const open: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object);
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    yield object;
    if (object instanceof PDFStream) open.push(object.dict);
    else if (object instanceof PDFArray) for (const item of object.asArray()) open.push(item);
    else if (object instanceof PDFDict) for (const value of object.values()) open.push(value);
  }
}

/** The codes whose glyphs differ from the base encoding of a font, with the names of these glyphs. */
export function differencesIn(font: PDFDict): [code: number, glyph: string][] {
  const encoding = font.lookup(name('Encoding'));
  const list = encoding instanceof PDFDict ? encoding.lookup(name('Differences')) : undefined;
  const found: [number, string][] = [];
  let code = 0;
  for (const item of list instanceof PDFArray ? list.asArray() : []) {
    if (item instanceof PDFNumber) code = item.asNumber();
    if (item instanceof PDFName) found.push([code++, item.decodeText()]);
  }
  return found;
}

/**
 * Gives a font another program, and an encoding that lists every code, so that readers need not know the old encoding.
 * The font keeps its own widths.
 * @param glyphs their names, in ascending order of their codes
 */
export function replaceProgram(
  font: PDFDict,
  by: { subtype: 'Type1' | 'TrueType'; baseFont: string; descriptor: PDFObject },
  encoding: PDFDict,
  glyphs: readonly (readonly [code: number, glyph: string])[],
  widthOf: (code: number) => number,
): void {
  const { context } = font;
  const differences = glyphs.flatMap(([code, glyph]) => [PDFNumber.of(code), name(glyph)]);
  encoding.set(name('Differences'), context.obj(differences));
  font.set(name('Subtype'), name(by.subtype));
  font.set(name('BaseFont'), name(by.baseFont));
  font.set(name('Encoding'), encoding);
  font.set(name('FontDescriptor'), by.descriptor);
  if (font.has(name('Widths'))) return;
  font.set(name('FirstChar'), PDFNumber.of(0));
  font.set(name('LastChar'), PDFNumber.of(255));
  const widths = Array.from({ length: 256 }, (_, code) => widthOf(code));
  font.set(name('Widths'), context.obj(widths));
}

/** An entry of a page or a form field, which may take it over from the nodes above it. */
export function inherited(of: PDFDict, key: string): PDFObject | undefined {
  const seen = new Set<PDFObject>();
  let node: PDFObject | undefined = of;
  while (node instanceof PDFDict && !seen.has(node)) {
    const value = node.lookup(name(key));
    if (value !== undefined) return value;
    seen.add(node);
    node = node.lookup(name('Parent'));
  }
  return undefined;
}
