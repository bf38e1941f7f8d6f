/** Finds images whose data ends too early or cannot be decoded. Readers show the rest of such an image in one colour. */
import { constants, inflateSync } from 'node:zlib';
import { PDFArray, type PDFDict, type PDFDocument, PDFName, PDFRawStream } from '@cantoo/pdf-lib';
import { plainContent } from './content-streams.ts';
import { isWholeJbig2, isWholeJpeg2000 } from './image-parts.ts';
import { isWholeJpeg } from './jpeg-scans.ts';
import { name, numberIn } from './pdf-objects.ts';

/** CHOICE: of all images of a document; two pages in colour at 600 dpi have 210 MB. Further images are not read. */
const maxBytes = 256 * 1024 * 1024;
/** CHOICE: of one image, because decompressing takes up to twice its bytes in memory. Larger ones are not read. */
const maxBytesOfImage = 128 * 1024 * 1024;
/** CHOICE: of an image before its last filter. */
const maxBytesEncoded = 64 * 1024 * 1024;

const filtersOf = ({ dict }: PDFRawStream): PDFName[] => {
  const filter = dict.lookup(name('Filter'));
  if (filter instanceof PDFName) return [filter];
  if (!(filter instanceof PDFArray)) return [];
  const all = filter.asArray().map((_, at) => filter.lookup(at));
  return all.every((one) => one instanceof PDFName) ? all : [];
};

/** The stream without its last filter; undefined where it cannot be decoded. */
function encodedBefore(
  image: PDFRawStream,
  filters: PDFName[],
  left: number,
): Uint8Array | undefined {
  const others = filters.slice(0, -1);
  if (others.length === 0) return image.contents;
  const dict = image.dict.clone();
  dict.set(name('Filter'), dict.context.obj(others));
  dict.delete(name('DecodeParms'));
  try {
    return plainContent(PDFRawStream.of(dict, image.contents), left);
  } catch {
    return undefined;
  }
}

/** zlib is stricter than readers only about the checksum at the end. */
const isBroken = (error: unknown): boolean => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'Z_DATA_ERROR' && message !== 'incorrect data check';
};

const componentsOf: Readonly<Record<string, number>> = {
  '/DeviceGray': 1,
  '/DeviceRGB': 3,
  '/DeviceCMYK': 4,
  '/CalGray': 1,
  '/CalRGB': 3,
  '/Lab': 3,
  '/Indexed': 1,
  '/Separation': 1,
};

function colours(dict: PDFDict): number | undefined {
  if (String(dict.lookup(name('ImageMask'))) === 'true') return 1;
  const space = dict.lookup(name('ColorSpace'));
  if (space instanceof PDFName) return componentsOf[space.asString()];
  if (!(space instanceof PDFArray)) return undefined;
  const kind = space.lookup(0);
  if (!(kind instanceof PDFName)) return undefined;
  const second = space.size() > 1 ? space.lookup(1) : undefined;
  if (kind === name('ICCBased')) {
    return second instanceof PDFRawStream ? numberIn(second.dict, 'N') : undefined;
  }
  if (kind === name('DeviceN')) return second instanceof PDFArray ? second.size() : undefined;
  return componentsOf[kind.asString()];
}

/** The bytes of all of its rows except one without compression; undefined where they are not known. */
function neededBytes({ dict }: PDFRawStream): number | undefined {
  const [width, height] = [numberIn(dict, 'Width'), numberIn(dict, 'Height')];
  const components = colours(dict);
  if (!(width && height && components)) return undefined;
  // Readers know the bits of a mask, whatever its dictionary says.
  const isMask = String(dict.lookup(name('ImageMask'))) === 'true';
  const bits = isMask ? 1 : (numberIn(dict, 'BitsPerComponent') ?? 1);
  return Math.ceil((width * components * bits) / 8) * (height - 1);
}

/** With a predictor there is a byte more in each row, so that a few missing rows pass. */
function isFlateDamaged(data: Uint8Array, needed: number): boolean {
  try {
    const finishFlush = constants.Z_SYNC_FLUSH;
    return inflateSync(data, { maxOutputLength: needed, finishFlush }).length < needed;
  } catch (error) {
    return isBroken(error);
  }
}

/** Formats that name the lengths of their parts. Fax images (CCITT) do not. */
const wholeBy: ReadonlyMap<string, (data: Buffer) => boolean> = new Map([
  ['/DCTDecode', isWholeJpeg],
  ['/JPXDecode', isWholeJpeg2000],
  ['/JBIG2Decode', isWholeJbig2],
]);

/** How much of it was read, and whether it is damaged. */
function judged(image: PDFRawStream, left: number): { bytes: number; isDamaged: boolean } {
  const filters = filtersOf(image);
  const last = String(filters.at(-1));
  const isWhole = wholeBy.get(last);
  if (!isWhole && last !== '/FlateDecode') return { bytes: 0, isDamaged: false };
  const most = Math.min(left, maxBytesEncoded);
  const data = encodedBefore(image, filters, most);
  if (data === undefined) return { bytes: most, isDamaged: false };
  if (isWhole) {
    const encoded = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    return { bytes: data.length, isDamaged: !isWhole(encoded) };
  }
  const needed = neededBytes(image) ?? 0;
  if (needed === 0 || needed > Math.min(left, maxBytesOfImage))
    return { bytes: 0, isDamaged: false };
  return { bytes: needed, isDamaged: isFlateDamaged(data, needed) };
}

/** Whether an image of a document, drawn or not, would be printed with a part missing. */
export function hasDamagedImage({ context }: PDFDocument): boolean {
  let left = maxBytes;
  for (const [, object] of context.enumerateIndirectObjects()) {
    const isImage =
      object instanceof PDFRawStream && object.dict.lookup(name('Subtype')) === name('Image');
    if (!isImage) continue;
    const { bytes, isDamaged } = judged(object, left);
    if (isDamaged) return true;
    left -= bytes;
  }
  return false;
}
