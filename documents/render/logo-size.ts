/** Reads the format (PNG or JPEG) and the size of a logo from its header. Its pixels are not read. */
import { logoPixelsMax } from '../../commands/preparation/stationery.ts';
import { AppError } from '../../contract/errors.ts';

export type LogoSize = {
  width: number;
  height: number;
} & ({ kind: 'png' } | { kind: 'jpeg'; colours: 'DeviceGray' | 'DeviceRGB' });

export const logoRefusal = (code: string, detail: string): AppError =>
  new AppError('validation_failed', detail, { errors: [{ pointer: '/logo', code, detail }] });

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

const sizeOfJpeg = (bytes: Buffer): LogoSize => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (!frames.has(marker)) {
      at += 2 + bytes.readUInt16BE(at + 2);
      continue;
    }
    const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
    assertPixels(width, height);
    const colours = colourSpaces[bytes[at + 9] ?? 0];
    if (!colours) throw logoRefusal('logo_unreadable', 'logo is a CMYK JPEG. Save it in RGB.');
    return { kind: 'jpeg', width, height, colours };
  }
  throw logoRefusal('logo_unreadable', 'logo is not a readable JPEG. Save it again.');
};

/** @throws AppError validation_failed for what cannot be printed */
export const readLogoSize = (bytes: Buffer): LogoSize => {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return sizeOfJpeg(bytes);
  if (isPng(bytes)) return sizeOfPng(bytes);
  throw logoRefusal('logo_unreadable', 'logo is neither a PNG nor a JPEG. Save it as one of them.');
};
