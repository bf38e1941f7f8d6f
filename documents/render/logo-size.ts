/** Reads the format (PNG or JPEG) and the size of a logo, as it is shown, from its header. Its pixels are not read. */
import { logoPixelsMax } from '../../commands/preparation/stationery.ts';
import type { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import { isWholeJpeg, type Segment, segmentsFrom } from '../pdf/jpeg-scans.ts';

export type LogoSize = {
  width: number;
  height: number;
} & ({ kind: 'png' } | { kind: 'jpeg'; colours: 'DeviceGray' | 'DeviceRGB'; orientation: number });

export const logoRefusal = (code: string, detail: string): AppError =>
  invalidField('/logo', code, detail);

const assertPixels = (width: number, height: number): void => {
  if (width * height <= logoPixelsMax && width > 0 && height > 0) return;
  const detail = `logo has ${width} × ${height} pixels, but the limit is ${logoPixelsMax}. Make it smaller.`;
  throw logoRefusal('logo_too_large', detail);
};

const isPng = (bytes: Buffer): boolean =>
  bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n';

const sizeOfPng = (bytes: Buffer): LogoSize => {
  if (bytes.length < 33) {
    throw logoRefusal('logo_unreadable', 'logo is cut off. Send the whole PNG.');
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  assertPixels(width, height);
  return { kind: 'png', width, height };
};

/** Start of frame: baseline, extended and progressive (ITU-T T.81, table B.1). */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
const colourSpaces: Record<number, 'DeviceGray' | 'DeviceRGB'> = {
  1: 'DeviceGray',
  3: 'DeviceRGB',
};

const application1 = 0xe1;
const exifHeader = 'Exif\0\0';
const orientationTag = 0x0112;

/** From 1 (upright) to 8 (Exif 2.3, tag Orientation); undefined for a segment that does not tell it. */
const orientationIn = ({ marker, contents }: Segment): number | undefined => {
  const isExif = contents.subarray(0, exifHeader.length).toString('latin1') === exifHeader;
  if (marker !== application1 || !isExif) return undefined;
  const tiff = contents.subarray(exifHeader.length);
  const isLittleEndian = tiff.subarray(0, 2).toString('latin1') === 'II';
  const numberAt = (at: number, bytes: 2 | 4): number => {
    if (at + bytes > tiff.length) return 0;
    return isLittleEndian ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes);
  };
  const directory = numberAt(4, 4);
  const last = Math.min(directory + 12 * numberAt(directory, 2), tiff.length);
  for (let at = directory + 2; at < last; at += 12) {
    const value = numberAt(at + 8, 2);
    if (numberAt(at, 2) === orientationTag && value >= 1 && value <= 8) return value;
  }
  return undefined;
};

/** Whether an orientation turns the picture by a quarter. */
export const isTurned = (orientation: number): boolean => orientation >= 5;

const sizeOfJpeg = (bytes: Buffer): LogoSize => {
  let orientation: number | undefined;
  for (const segment of segmentsFrom(bytes, 2)) {
    orientation ??= orientationIn(segment);
    const { marker, contents } = segment;
    if (!frames.has(marker) || contents.length < 6) continue;
    const [height, width] = [contents.readUInt16BE(1), contents.readUInt16BE(3)];
    assertPixels(width, height);
    const colours = colourSpaces[contents[5] ?? 0];
    if (!colours) throw logoRefusal('logo_unreadable', 'logo is a CMYK JPEG. Save it in RGB.');
    const shown = isTurned(orientation ?? 1) ? { width: height, height: width } : { width, height };
    return { kind: 'jpeg', ...shown, colours, orientation: orientation ?? 1 };
  }
  throw logoRefusal('logo_unreadable', 'logo is not a readable JPEG. Save it again.');
};

/**
 * Refuses a JPEG that is cut off or damaged, which every reader would show with a part missing.
 * @throws AppError validation_failed
 */
export const assertWholeJpeg = (bytes: Buffer): void => {
  if (isWholeJpeg(bytes)) return;
  throw logoRefusal('logo_unreadable', 'logo is cut off or damaged. Send the whole JPEG.');
};

/** @throws AppError validation_failed for what cannot be printed */
export const readLogoSize = (bytes: Buffer): LogoSize => {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return sizeOfJpeg(bytes);
  if (isPng(bytes)) return sizeOfPng(bytes);
  throw logoRefusal('logo_unreadable', 'logo is neither a PNG nor a JPEG. Save it as one of them.');
};
