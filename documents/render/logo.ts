/** The logo of a letterhead: a PNG or JPEG, read and put into a PDF. Reading a PNG takes long: see `check-logo.ts`. */
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { streamOf } from '../pdf/embedded-font.ts';
import { isTurned, type LogoSize, logoRefusal, readLogoSize } from './logo-size.ts';

export type Logo = {
  width: number;
  height: number;
  /** PDF objects from number `first` on, of which the first is the image as it is shown. */
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

/** Matrices that bring the unit square of a picture upright, by the Exif orientation that it is stored in. */
const uprightMatrices: Record<number, string> = {
  2: '-1 0 0 1 1 0',
  3: '-1 0 0 -1 1 1',
  4: '1 0 0 -1 0 1',
  5: '0 -1 -1 0 1 1',
  6: '0 -1 1 0 0 1',
  7: '0 1 1 0 0 0',
  8: '0 1 -1 0 1 0',
};

/** Shows the picture of another object upright, in a unit square of its own. PDF readers ignore Exif. */
const uprightOf = (matrix: string, picture: number): Buffer =>
  streamOf(
    `/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /P ${picture} 0 R >> >>`,
    deflateSync(`${matrix} cm /P Do`),
  );

const readJpeg = (
  bytes: Buffer,
  { width, height, colours, orientation }: Extract<LogoSize, { kind: 'jpeg' }>,
): Logo => {
  const [storedWidth, storedHeight] = isTurned(orientation) ? [height, width] : [width, height];
  const picture = Buffer.concat([
    Buffer.from(
      `<< ${imageDictionary(storedWidth, storedHeight, colours)} /Length ${bytes.length} /Filter /DCTDecode >>\nstream\n`,
    ),
    bytes,
    Buffer.from('\nendstream'),
  ]);
  const matrix = uprightMatrices[orientation];
  if (matrix === undefined) return { width, height, objects: () => [picture] };
  return { width, height, objects: (first) => [uprightOf(matrix, first + 1), picture] };
};

/** @throws AppError validation_failed for what cannot be printed */
export const readLogo = (bytes: Buffer): Logo => {
  const size = readLogoSize(bytes);
  return size.kind === 'jpeg' ? readJpeg(bytes, size) : readPng(bytes);
};
