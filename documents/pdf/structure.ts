import { inflateSync, constants as zlib } from 'node:zlib';
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFDocument,
  PDFInvalidObject,
  PDFName,
  PDFNumber,
  PDFObjectStreamParser,
  PDFRawStream,
  PDFXRefStreamParser,
} from '@cantoo/pdf-lib';
import type { DocumentFlaw } from '../../postal/preflight-rules.ts';
import './live-objects.ts';
import { name, objectsIn, wordOf } from './pdf-objects.ts';
import { withoutPredictor } from './predictors.ts';

/** CHOICE: lists of objects of real letters inflate to some MB. */
const maxInflatedBytes = 64 * 1024 * 1024;

/** The only filter of a stream; undefined where it has several or one that is looked up elsewhere. */
function onlyFilter(dict: PDFDict): PDFName | 'none' | undefined {
  const filter = dict.get(name('Filter'));
  if (filter === undefined) return 'none';
  const single = filter instanceof PDFArray && filter.size() === 1 ? filter.get(0) : filter;
  return single instanceof PDFName ? single : undefined;
}

/** Inflates what pdf-lib would inflate without bound. Acrobat Reader leaves out the checksum at the end. */
function inflated(stream: PDFRawStream, maxOutputLength: number): PDFRawStream {
  const filter = onlyFilter(stream.dict);
  if (filter === 'none') return stream;
  if (filter !== name('FlateDecode')) throw new Error('an object stream with an unusual filter');
  const dict = stream.dict.clone();
  dict.delete(name('Filter'));
  dict.delete(name('DecodeParms'));
  const finishFlush = zlib.Z_SYNC_FLUSH;
  const data = inflateSync(stream.contents, { maxOutputLength, finishFlush });
  return PDFRawStream.of(dict, withoutPredictor(stream, data));
}

/** Bytes to which the object streams of a document may still inflate; `exhausted` stays. */
const budgets = new WeakMap<PDFContext, number>();
const exhausted = -1;

function withinBudget(stream: PDFRawStream): PDFRawStream {
  const { context } = stream.dict;
  const left = budgets.get(context) ?? maxInflatedBytes;
  budgets.set(context, exhausted);
  // pdf-lib takes this error for a damaged object and continues.
  if (left <= 0) throw new Error('object streams that inflate to too much');
  const plain = inflated(stream, left);
  budgets.set(context, left - plain.contents.byteLength);
  return plain;
}

/**
 * pdf-lib inflates object and cross-reference streams while it parses, with no limit. Its two
 * parsers of them are replaced by bounded ones, for the whole process.
 */
const parseObjectStream = PDFObjectStreamParser.forStream;
PDFObjectStreamParser.forStream = (stream, shouldWaitForTick) =>
  parseObjectStream(withinBudget(stream), shouldWaitForTick);
const parseXRefStream = PDFXRefStreamParser.forStream;
PDFXRefStreamParser.forStream = (stream) => parseXRefStream(withinBudget(stream));

/**
 * Parses a document with pdf-lib, in bounded memory.
 * @throws Error when it cannot be parsed or its object streams cannot be inflated within 64 MiB
 */
export async function parsePdf(pdf: Uint8Array): Promise<PDFDocument> {
  const document = await PDFDocument.load(pdf, {
    updateMetadata: false,
    parseSpeed: Number.POSITIVE_INFINITY,
  });
  if ((budgets.get(document.context) ?? 0) < 0) {
    throw new Error('object streams cannot be inflated within bounds');
  }
  return document;
}

const javascriptKeys = ['JS', 'JavaScript'].map(name);
const embeddedKeys = ['EF', 'EmbeddedFile', 'EmbeddedFiles'].map(name);
const embeddedTypes = ['EmbeddedFile', 'FileAttachment'].map(name);

const has = (dict: PDFDict, keys: PDFName[]): boolean => keys.some((key) => dict.has(key));
const valueIn = (dict: PDFDict, key: string, values: PDFName[]): boolean =>
  values.some((value) => dict.get(name(key)) === value);

const wordIn = (dict: PDFDict, key: string): string | undefined => wordOf(dict.lookup(name(key)));

const layerStates = ['ViewState', 'PrintState', 'ExportState'];

/**
 * Whether a dictionary of optional content lets something be hidden: a configuration that turns groups off
 * or leaves it to the reader, a group that says when it is hidden, or an expression over groups.
 */
function hidesLayers(dict: PDFDict): boolean {
  const off = dict.lookup(name('OFF'));
  const base = wordIn(dict, 'BaseState');
  const isMembership = wordIn(dict, 'Type') === 'OCMD' || dict.has(name('OCGs'));
  return (
    (off instanceof PDFArray && off.size() > 0) ||
    (base !== undefined && base !== 'ON') ||
    layerStates.some((state) => wordIn(dict, state) === 'OFF') ||
    (isMembership &&
      (dict.has(name('VE')) || ['AllOff', 'AnyOff'].includes(wordIn(dict, 'P') ?? '')))
  );
}

function inspectDict(dict: PDFDict, found: Set<DocumentFlaw>): void {
  if (has(dict, javascriptKeys) || valueIn(dict, 'S', [name('JavaScript')])) {
    found.add('pdf_javascript');
  }
  if (
    has(dict, embeddedKeys) ||
    valueIn(dict, 'Type', embeddedTypes) ||
    valueIn(dict, 'Subtype', embeddedTypes)
  ) {
    found.add('pdf_embedded_files');
  }
  if (valueIn(dict, 'S', [name('Launch')])) found.add('pdf_launch_action');
  if (dict.has(name('XFA'))) found.add('pdf_xfa');
  const unit = dict.lookup(name('UserUnit'));
  if (unit !== undefined && !(unit instanceof PDFNumber && unit.asNumber() === 1)) {
    found.add('pdf_user_unit');
  }
  if (hidesLayers(dict)) found.add('pdf_hidden_layers');
}

const signs: [RegExp, DocumentFlaw][] = [
  [/\/(JS|JavaScript)\b/, 'pdf_javascript'],
  [/\/(EmbeddedFiles?|FileAttachment|EF)\b/, 'pdf_embedded_files'],
  [/\/Launch\b/, 'pdf_launch_action'],
  [/\/XFA\b/, 'pdf_xfa'],
  [/\/(OFF|OCMD)\b/, 'pdf_hidden_layers'],
  [/\/UserUnit\b/, 'pdf_user_unit'],
];

/** An object that pdf-lib could not parse is searched as text. */
function inspectInvalid(object: PDFInvalidObject, found: Set<DocumentFlaw>): void {
  const bytes = new Uint8Array(object.sizeInBytes());
  object.copyBytesInto(bytes, 0);
  const text = Buffer.from(bytes).toString('latin1');
  for (const [sign, flaw] of signs) if (sign.test(text)) found.add(flaw);
}

/**
 * Looks through every object of the file, those that nothing refers to included: hiding an action
 * is not made easier by what a reader happens to follow.
 */
export function inspectStructure({ context }: PDFDocument): Set<DocumentFlaw> {
  const found = new Set<DocumentFlaw>();
  for (const object of objectsIn(context)) {
    if (object instanceof PDFInvalidObject) inspectInvalid(object, found);
    if (object instanceof PDFDict) inspectDict(object, found);
  }
  return found;
}
