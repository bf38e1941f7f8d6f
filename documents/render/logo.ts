/** The logo of a letterhead: a PNG or JPEG, read and put into a PDF. Reading a PNG takes long: see `check-logo.ts`. */
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { streamOf } from '../pdf/embedded-font.ts';
import { type LogoSize, logoRefusal, readLogoSize } from './logo-size.ts';

export type Logo = {
  width: number;
  height: number;
  /** PDF objects from number `first` on, of which the first is the image. */
  objects(first: number): Buffer[];
};

const imageDictionary = (width: number, height: number, colours: string): string =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${colours} /BitsPerComponent 8`;

/** Red, green and blue of each pixel, and apart from them how opaque it is. */
const channelsOf = (pixels: Buffer): { colour: Buffer; alpha: Buffer } => {
  const count = pixels.length / 4;
  const colour = Buffer.allocUnsafe(count * 3);
  const alpha = Buffer.allocUnsafe(count);
  for (let pixel = 0, from = 0, to = 0; pixel < count; pixel++) {
    colour[to++] = pixels[from++] as number;
    colour[to++] = pixels[from++] as number;
    colour[to++] = pixels[from++] as number;
    alpha[pixel] = pixels[from++] as number;
  }
  return { colour, alpha };
};

const decodePng = (bytes: Buffer): PNG => {
  try {
    return PNG.sync.read(bytes);
  } catch {
    throw logoRefusal('logo_unreadable', 'logo is not a readable PNG. Save it again.');
  }
};

const readPng = (bytes: Buffer): Logo => {
  const { width, height, data } = decodePng(bytes);
  const objects = (first: number): Buffer[] => {
    const { colour, alpha } = channelsOf(data);
    return [
      streamOf(
        `${imageDictionary(width, height, 'DeviceRGB')} /SMask ${first + 1} 0 R`,
        deflateSync(colour),
      ),
      streamOf(imageDictionary(width, height, 'DeviceGray'), deflateSync(alpha)),
    ];
  };
  return { width, height, objects };
};

const readJpeg = (
  bytes: Buffer,
  { width, height, colours }: Extract<LogoSize, { kind: 'jpeg' }>,
): Logo => {
  const object = Buffer.concat([
    Buffer.from(
      `<< ${imageDictionary(width, height, colours)} /Length ${bytes.length} /Filter /DCTDecode >>\nstream\n`,
    ),
    bytes,
    Buffer.from('\nendstream'),
  ]);
  return { width, height, objects: () => [object] };
};

/** @throws AppError validation_failed for what cannot be printed */
export const readLogo = (bytes: Buffer): Logo => {
  const size = readLogoSize(bytes);
  return size.kind === 'jpeg' ? readJpeg(bytes, size) : readPng(bytes);
};
