/** The cross-reference table of a PDF: where the file has each object, as viewers find it. */
import type { Buffer } from 'node:buffer';
import {
  PDFContext,
  PDFDict,
  PDFNumber,
  type PDFObject,
  PDFObjectParser,
  PDFRawStream,
  type PDFRef,
  PDFXRefStreamParser,
} from '@cantoo/pdf-lib';
import { name, numberIn } from './pdf-objects.ts';

/** Where the file has an object: at a byte, or in a stream of objects with this number. */
type Place = { at: number } | { stream: number };
export type Places = Map<number, Place>;

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

export type Table = { file: File; places: Places; root: PDFObject | undefined };

/** Undefined where the table is damaged: then viewers, too, search the whole file. */
export function tableOf(bytes: Buffer): Table | undefined {
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

/** Looks up a number that the file stores as an object of its own. Undefined if the table names no such object. */
export function numberAt({ file, places }: Table, { objectNumber }: PDFRef): PDFNumber | undefined {
  const place = places.get(objectNumber);
  const head = place && 'at' in place ? matchAt(header, file.text, place.at) : null;
  const digits = head && matchAt(wholeNumber, file.text, head.index + head[0].length)?.[1];
  return digits ? PDFNumber.of(Number(digits)) : undefined;
}
