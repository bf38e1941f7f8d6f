/**
 * pdf-lib reads a file from its beginning to its end. It takes the last of several objects with the same number, and
 * searches for the end of a stream whose length is another object, beyond words that may begin another stream. Viewers
 * take the object and the length that the cross-reference table names, and otherwise the first end of a stream. Here,
 * pdf-lib is made to do so too, for the whole process.
 */
import { Buffer } from 'node:buffer';
import { type PDFContext, PDFDict, type PDFObject, PDFParser, PDFRef } from '@cantoo/pdf-lib';
import { numberAt, type Places, type Table, tableOf } from './cross-reference-table.ts';
import { name } from './pdf-objects.ts';

/** The private parts of a parser of pdf-lib that are changed here. */
type Parser = {
  context: PDFContext;
  bytes: { offset(): number; moveTo(offset: number): void };
  parseIndirectObjectHeader(): PDFRef;
  parseDict(ref?: PDFRef): PDFDict;
  findEndOfStreamFallback(start: unknown): number;
  parseDocument(): Promise<PDFContext>;
};

/** `from`: where the object that contains it begins in the file: itself, or a stream of objects. */
type Version = { object: PDFObject; from: { number: number; at: number } };

/** Whether the table names this version of the object with the number. */
function isLive({ from }: Version, number: number, places: Places): boolean {
  const place = places.get(number);
  const container = places.get(from.number);
  const isContained = place !== undefined && 'stream' in place && place.stream === from.number;
  const isNamed = number === from.number ? place !== undefined : isContained;
  return isNamed && container !== undefined && 'at' in container && container.at === from.at;
}

/** Tells of every object that a parser reads. */
function observe(parser: Parser, see: (ref: PDFRef, version: Version) => void): void {
  const { context } = parser;
  const assign = context.assign.bind(context);
  const readHeader = parser.parseIndirectObjectHeader.bind(parser);
  let from = { number: 0, at: 0 };
  parser.parseIndirectObjectHeader = () => {
    const at = parser.bytes.offset();
    const ref = readHeader();
    from = { number: ref.objectNumber, at };
    return ref;
  };
  context.assign = (ref, object) => {
    see(ref, { object, from });
    assign(ref, object);
  };
}

/** Streams end where their length says, also where it stands elsewhere in the file. */
function resolveLengths(parser: Parser, table: () => Table | undefined): void {
  const parseDict = parser.parseDict.bind(parser);
  parser.parseDict = (ref) => {
    const dict = parseDict(ref);
    const length = dict.get(name('Length'));
    if (!(length instanceof PDFRef)) return dict;
    const known = table();
    const number = known && numberAt(known, length);
    if (number) dict.set(name('Length'), number);
    return dict;
  };
}

const endOfStream = 'endstream';

/** A stream without a right length ends at the next word that ends one, whatever its content is. */
function endStreams(parser: Parser, file: Buffer): void {
  const { bytes } = parser;
  const search = parser.findEndOfStreamFallback.bind(parser);
  parser.findEndOfStreamFallback = (position) => {
    const start = bytes.offset();
    const end = file.indexOf(endOfStream, start);
    if (end < 0) return search(position);
    bytes.moveTo(end + endOfStream.length);
    const lineEnd = /(?:\r\n|\n|\r)?$/.exec(file.toString('latin1', Math.max(start, end - 2), end));
    return end - (lineEnd?.[0].length ?? 0);
  };
}

/** The table is read only for files with several roots, several objects with one number, or lengths elsewhere. */
function keepLive(parser: Parser, table: () => Table | undefined, file: Buffer): void {
  const { context } = parser;
  const parse = parser.parseDocument.bind(parser);
  const last = new Map<PDFRef, Version>();
  const earlier: [PDFRef, Version][] = [];
  const { assign } = context;
  observe(parser, (ref, version) => {
    const before = last.get(ref);
    if (before) earlier.push([ref, before]);
    last.set(ref, version);
  });
  parser.parseDocument = async () => {
    await parse();
    context.assign = assign;
    const hasRoots = file.indexOf('/Root') !== file.lastIndexOf('/Root');
    const known = earlier.length > 0 || hasRoots ? table() : undefined;
    if (known === undefined) return context;
    const { places, root } = known;
    for (const [ref, version] of earlier) {
      const newest = last.get(ref);
      const isNewestLive = newest !== undefined && isLive(newest, ref.objectNumber, places);
      if (!isNewestLive && isLive(version, ref.objectNumber, places)) {
        context.assign(ref, version.object);
      }
    }
    if (root instanceof PDFRef && context.lookup(root) instanceof PDFDict) {
      context.trailerInfo.Root = root;
    }
    return context;
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const parserFor = PDFParser.forBytesWithOptions;
PDFParser.forBytesWithOptions = (bytes, ...options) => {
  const parser = parserFor(bytes, ...options);
  const inside = parser as unknown as Parser;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const table = once(() => tableOf(file));
  resolveLengths(inside, table);
  endStreams(inside, file);
  keepLive(inside, table, file);
  return parser;
};
