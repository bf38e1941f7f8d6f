/**
 * pdf-lib reads a file from its beginning to its end. It takes the last of several objects with the same number, and
 * searches for the end of a stream whose length is another object, beyond words that may begin another stream. Viewers
 * take the object and the length that the cross-reference table names, and otherwise the first end of a stream. Here,
 * pdf-lib is made to do so too, for the whole process.
 */
import { Buffer } from 'node:buffer';
import {
  PDFContext,
  PDFDict,
  PDFNumber,
  type PDFObject,
  PDFObjectParser,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFXRefStreamParser,
} from '@cantoo/pdf-lib';
import { name, numberIn } from './pdf-objects.ts';

/** Where the file has an object: at a byte, or in a stream of objects with this number. */
type Place = { at: number } | { stream: number };
type Places = Map<number, Place>;

type Section = { entries: [number: number, place: Place | undefined][]; trailer: PDFDict };

/** CHOICE: a table has an entry of 20 bytes for each object, so that the largest files have half as many. */
const maxEntries = 1_000_000;
/** CHOICE: every change that is saved adds one. */
const maxSections = 1_000;
const blank = /[\0\t\n\f\r ]*/y;
const entry = /[\0\t\n\f\r ]*(\d{1,10})[\0\t\n\f\r ]+(\d{1,10})(?:[\0\t\n\f\r ]+([nf]))?/y;
const trailerWord = /[\0\t\n\f\r ]*trailer/y;
const tableWord = /[\0\t\n\f\r ]*xref/y;
const header = /[\0\t\n\f\r ]*(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj/y;

const wholeNumber = /[\0\t\n\f\r ]*(\d{1,10})[\0\t\n\f\r ]*endobj/y;

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

const afterBlanks = (text: string, at: number): number =>
  at + (matchAt(blank, text, at)?.[0].length ?? 0);

/** `base`: where the file begins. Its places count from there. `context`: of the trailers that are read. */
type File = { bytes: Uint8Array; text: string; base: number; context: PDFContext };

const objectAt = ({ bytes, context }: File, at: number): PDFObject =>
  PDFObjectParser.forBytes(bytes.subarray(at), context).parseObject();

function tableAt(file: File, start: number): Section | undefined {
  const { text, base } = file;
  const entries: Section['entries'] = [];
  let number = 0;
  let at = start;
  for (let found = matchAt(entry, text, at); found; found = matchAt(entry, text, at)) {
    const [whole, first = '', , state] = found;
    at += whole.length;
    if (state === undefined) number = Number(first);
    else {
      entries.push([number, state === 'n' ? { at: base + Number(first) } : undefined]);
      number++;
    }
    if (entries.length > maxEntries) return undefined;
  }
  const word = matchAt(trailerWord, text, at);
  const trailer = word && objectAt(file, at + word[0].length);
  return trailer instanceof PDFDict ? { entries, trailer } : undefined;
}

function streamAt(file: File, start: number): Section | undefined {
  const { text, base } = file;
  const head = matchAt(header, text, start);
  const stream = head && objectAt(file, afterBlanks(text, start + head[0].length));
  if (!(stream instanceof PDFRawStream && stream.dict.get(name('Type')) === name('XRef'))) {
    return undefined;
  }
  const entries = PDFXRefStreamParser.forStream(stream)
    .parseIntoContext()
    .map(({ ref, offset, deleted, inObjectStream }): Section['entries'][number] => {
      const place = inObjectStream ? { stream: offset } : { at: base + offset };
      return [ref.objectNumber, deleted ? undefined : place];
    });
  return { entries, trailer: stream.dict };
}

function sectionAt(file: File, offset: number): Section | undefined {
  const at = file.base + offset;
  const word = matchAt(tableWord, file.text, at);
  return word ? tableAt(file, at + word[0].length) : streamAt(file, at);
}

/** The sections of the table, the newest first; undefined where one cannot be read. */
function sectionsOf(file: File): Section[] | undefined {
  const { text } = file;
  const last = /^startxref\s+(\d{1,10})/.exec(text.slice(text.lastIndexOf('startxref')))?.[1];
  if (last === undefined) return undefined;
  const sections: Section[] = [];
  const seen = new Set<number>();
  const open = [Number(last)];
  let left = maxEntries;
  for (let offset = open.pop(); offset !== undefined; offset = open.pop()) {
    if (seen.has(offset)) continue;
    seen.add(offset);
    const section = sectionAt(file, offset);
    left -= section?.entries.length ?? 0;
    if (section === undefined || left < 0 || seen.size > maxSections) return undefined;
    sections.push(section);
    // The stream of a section counts before the sections in front of it.
    for (const key of ['Prev', 'XRefStm']) {
      const next = numberIn(section.trailer, key);
      if (next !== undefined) open.push(next);
    }
  }
  return sections;
}

/** Where the newest sections have each object. */
function placesIn(sections: readonly Section[]): Places {
  const known = new Map<number, Place | undefined>();
  for (const { entries } of sections) {
    for (const [number, place] of entries) if (!known.has(number)) known.set(number, place);
  }
  return new Map([...known].flatMap(([number, place]) => (place ? [[number, place]] : [])));
}

/** A place that has another object than the table says is no place: viewers then search the whole file. */
function checked(places: Places, text: string): Places {
  const found: Places = new Map();
  for (const [number, place] of places) {
    if (!('at' in place)) continue;
    const isThere = Number(matchAt(header, text, place.at)?.[1] ?? Number.NaN) === number;
    if (isThere) found.set(number, { at: afterBlanks(text, place.at) });
  }
  for (const [number, place] of places) {
    if ('stream' in place && found.has(place.stream)) found.set(number, place);
  }
  return found;
}

type Table = { file: File; places: Places; root: PDFObject | undefined };

/** Undefined where the table is damaged: then viewers, too, search the whole file. */
function tableOf(bytes: Buffer): Table | undefined {
  const text = bytes.toString('latin1');
  const base = Math.max(0, text.indexOf('%PDF-'));
  try {
    const file = { bytes, text, base, context: PDFContext.create() };
    const sections = sectionsOf(file);
    if (sections === undefined) return undefined;
    const [root] = sections.flatMap(({ trailer }) => trailer.get(name('Root')) ?? []);
    return { file, places: checked(placesIn(sections), text), root };
  } catch {
    return undefined;
  }
}

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

/** The number that is an object of its own, by the table; undefined where there is none. */
function numberAt({ file, places }: Table, { objectNumber }: PDFRef): PDFNumber | undefined {
  const place = places.get(objectNumber);
  const head = place && 'at' in place ? matchAt(header, file.text, place.at) : null;
  const digits = head && matchAt(wholeNumber, file.text, head.index + head[0].length)?.[1];
  return digits ? PDFNumber.of(Number(digits)) : undefined;
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
