/** The predictors of compressed streams (ISO 32000-1, 7.4.4.4), which pdf-lib does not know. */
import { PDFArray, PDFDict, type PDFRawStream } from '@cantoo/pdf-lib';
import { name, numberIn } from './pdf-objects.ts';

type Row = { bytes: number; pixelBytes: number };

/** The PNG filter that predicts by the nearest of the bytes to the left, above, and above to the left. */
function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 4) return paeth(left, above, corner);
  throw new Error('a row with an unknown filter');
}

/** Every row begins with the number of its filter. The last row may be cut. */
function withoutPng(data: Uint8Array, { bytes, pixelBytes }: Row): Uint8Array {
  const rows = Math.ceil(data.length / (bytes + 1));
  const plain = new Uint8Array(Math.max(0, data.length - rows));
  for (let row = 0; row < rows; row++) {
    const [from, to] = [row * (bytes + 1) + 1, row * bytes];
    const filter = data[from - 1] ?? 0;
    for (let at = 0; at < bytes && from + at < data.length; at++) {
      const isFirst = at < pixelBytes;
      const left = isFirst ? 0 : (plain[to + at - pixelBytes] ?? 0);
      const above = row === 0 ? 0 : (plain[to + at - bytes] ?? 0);
      const corner = isFirst || row === 0 ? 0 : (plain[to + at - bytes - pixelBytes] ?? 0);
      plain[to + at] = (data[from + at] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return plain;
}

function withoutTiff(data: Uint8Array, { bytes, pixelBytes }: Row): Uint8Array {
  const plain = Uint8Array.from(data);
  for (let at = 0; at < plain.length; at++) {
    if (at % bytes >= pixelBytes) plain[at] = (plain[at] ?? 0) + (plain[at - pixelBytes] ?? 0);
  }
  return plain;
}

const maxRowBytes = 1024 * 1024;

function unpredicted(data: Uint8Array, parameters: PDFDict): Uint8Array {
  const predictor = numberIn(parameters, 'Predictor') ?? 1;
  if (predictor <= 1) return data;
  const bits = numberIn(parameters, 'BitsPerComponent') ?? 8;
  const pixelBits = bits * (numberIn(parameters, 'Colors') ?? 1);
  const bytes = Math.ceil((pixelBits * (numberIn(parameters, 'Columns') ?? 1)) / 8);
  const isKnown = predictor >= 10 || (predictor === 2 && bits === 8);
  if (!(isKnown && bytes > 0 && bytes <= maxRowBytes)) throw new Error('an unusual predictor');
  const row = { bytes, pixelBytes: Math.max(1, pixelBits >> 3) };
  return predictor === 2 ? withoutTiff(data, row) : withoutPng(data, row);
}

/**
 * The data of a stream that was decompressed, as it was before its predictor.
 * @throws Error for an unusual predictor, or one that does not belong to the last filter
 */
export function withoutPredictor({ dict }: PDFRawStream, data: Uint8Array): Uint8Array {
  const given = dict.lookup(name('DecodeParms'));
  const all =
    given instanceof PDFArray ? given.asArray().map((_, at) => given.lookup(at)) : [given];
  const predicting = all.flatMap((parameters, at) =>
    parameters instanceof PDFDict && (numberIn(parameters, 'Predictor') ?? 1) > 1
      ? [{ parameters, at }]
      : [],
  );
  const [only, ...more] = predicting;
  if (only === undefined) return data;
  const filters = dict.lookup(name('Filter'));
  const last = filters instanceof PDFArray ? filters.size() - 1 : 0;
  if (more.length > 0 || only.at !== last) throw new Error('an unusual predictor');
  return unpredicted(data, only.parameters);
}
