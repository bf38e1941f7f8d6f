import { inflateSync, constants as zlib } from 'node:zlib';
import { decodePDFRawStream, PDFArray, PDFName, type PDFRawStream } from '@cantoo/pdf-lib';
import { name } from './pdf-objects.ts';
import { withoutPredictor } from './predictors.ts';
import { unmatchedRestores } from './unmatched-restores.ts';

const chunkBytes = 65_536;
const expanding: ReadonlySet<PDFName | undefined> = new Set(
  ['FlateDecode', 'LZWDecode', 'RunLengthDecode'].map(name),
);

function filtersOf({ dict }: PDFRawStream): (PDFName | undefined)[] {
  const filter = dict.lookup(name('Filter'));
  if (filter instanceof PDFName) return [filter];
  if (!(filter instanceof PDFArray)) return [];
  return filter.asArray().map((_, index) => filter.lookupMaybe(index, PDFName));
}

/** Undefined where zlib is stricter than the readers of PDF are. */
function inflated(bytes: Uint8Array, maxOutputLength: number): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush: zlib.Z_SYNC_FLUSH });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

function decoded(stream: PDFRawStream, maxBytes: number): Uint8Array {
  const source = decodePDFRawStream(stream);
  const chunks: Uint8Array[] = [];
  for (let left = maxBytes; ; ) {
    const chunk = source.getBytes(chunkBytes);
    if (chunk.length === 0) return Buffer.concat(chunks);
    left -= chunk.length;
    if (left < 0) throw new RangeError('content that inflates to too much');
    chunks.push(Uint8Array.from(chunk));
  }
}

/**
 * The operators of a stream without its compression.
 * @throws Error when they are more than `maxBytes`, or compressed in an unusual way
 */
export function plainContent(stream: PDFRawStream, maxBytes: number): Uint8Array {
  const filters = filtersOf(stream);
  if (filters.length === 0) return stream.contents;
  if (filters.filter((filter) => expanding.has(filter)).length > 1) {
    throw new Error('content that is compressed in an unusual way');
  }
  const isFlate = filters.length === 1 && filters[0] === name('FlateDecode');
  const data = isFlate ? inflated(stream.contents, maxBytes) : undefined;
  return withoutPredictor(stream, data ?? decoded(stream, maxBytes));
}

/** @throws Error as `plainContent` */
function joined(streams: readonly PDFRawStream[], maxBytes: number): Buffer {
  // As viewers do: a comment at the end of one part goes on in the next.
  const between = Buffer.from(' ');
  let left = maxBytes;
  const parts = streams.flatMap((stream) => {
    const plain = plainContent(stream, left);
    left -= plain.byteLength;
    return [plain, between];
  });
  return Buffer.concat(parts);
}

function unlessUnreadable(read: () => Buffer): Buffer | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const space = 0x20;

/**
 * The content of a page as one stream: its parts joined, since an operator may be split between them, without
 * operators that restore a state which was not saved. Undefined for one stream that can stay as it is.
 * @throws Error when several streams inflate to more than `maxBytes`, or are compressed in an unusual way
 */
export function rewrittenContent(
  streams: readonly PDFRawStream[],
  maxBytes: number,
): Buffer | undefined {
  const content =
    streams.length === 1
      ? unlessUnreadable(() => joined(streams, maxBytes))
      : joined(streams, maxBytes);
  const unmatched = content ? unmatchedRestores(content) : [];
  for (const at of unmatched) content?.fill(space, at, at + 1);
  return streams.length === 1 && unmatched.length === 0 ? undefined : content;
}
