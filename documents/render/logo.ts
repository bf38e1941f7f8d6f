/** The logo of a letterhead: a PNG or JPEG, read and put into a PDF. */
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { logoPixelsMax } from '../../commands/preparation/stationery.ts';
import { AppError } from '../../contract/errors.ts';
import { streamOf } from '../pdf/embedded-font.ts';

export type Logo = {
  width: number;
  height: number;
  /** PDF objects from number `first` on, of which the first is the image. */
  objects(first: number): Buffer[];
};

const refuse = (code: string, detail: string): AppError =>
  new AppError('validation_failed', detail, { errors: [{ pointer: '/logo', code, detail }] });

const assertPixels = (width: number, height: number): void => {
  if (width * height <= logoPixelsMax && width > 0 && height > 0) return;
  const detail = `logo has ${width} × ${height} pixels, and ${logoPixelsMax} are allowed; make it smaller.`;
  throw refuse('logo_too_large', detail);
};

const isPng = (bytes: Buffer): boolean =>
  bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n';

const imageDictionary = (width: number, height: number, colours: string): string =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${colours} /BitsPerComponent 8`;

const readPng = (bytes: Buffer): Logo => {
  if (bytes.length < 33) throw refuse('logo_unreadable', 'logo is cut off; send the whole PNG.');
  assertPixels(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  const { width, height, data } = PNG.sync.read(bytes);
  const colour = Buffer.alloc(width * height * 3);
  const alpha = Buffer.alloc(width * height);
  for (let at = 0; at < width * height; at++) {
    data.copy(colour, at * 3, at * 4, at * 4 + 3);
    alpha[at] = data[at * 4 + 3] ?? 255;
  }
  const objects = (first: number): Buffer[] => [
    streamOf(
      `${imageDictionary(width, height, 'DeviceRGB')} /SMask ${first + 1} 0 R`,
      deflateSync(colour),
    ),
    streamOf(imageDictionary(width, height, 'DeviceGray'), deflateSync(alpha)),
  ];
  return { width, height, objects };
};

/** Start of frame: baseline, extended and progressive (ITU-T T.81, table B.1). */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
const colourSpaces: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB' };

const readJpeg = (bytes: Buffer): Logo => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (!frames.has(marker)) {
      at += 2 + bytes.readUInt16BE(at + 2);
      continue;
    }
    const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
    assertPixels(width, height);
    const colours = colourSpaces[bytes[at + 9] ?? 0];
    if (!colours) throw refuse('logo_unreadable', 'logo is a CMYK JPEG; save it in RGB.');
    const object = Buffer.concat([
      Buffer.from(
        `<< ${imageDictionary(width, height, colours)} /Length ${bytes.length} /Filter /DCTDecode >>\nstream\n`,
      ),
      bytes,
      Buffer.from('\nendstream'),
    ]);
    return { width, height, objects: () => [object] };
  }
  throw refuse('logo_unreadable', 'logo is not a JPEG that can be read; save it again.');
};

/** @throws AppError validation_failed for what cannot be printed */
export const readLogo = (bytes: Buffer): Logo => {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return readJpeg(bytes);
  if (!isPng(bytes)) {
    throw refuse('logo_unreadable', 'logo is neither a PNG nor a JPEG; save it as one of them.');
  }
  try {
    return readPng(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refuse('logo_unreadable', 'logo is a PNG that cannot be read; save it again.');
  }
};
