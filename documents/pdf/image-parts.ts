/** Checks that images have all bytes that their headers announce. Pixels are not decoded. */

/** Start of a JPEG 2000 codestream, and of its size header (ISO 15444-1, A.4.1 and A.5.1). */
const startOfCodestream = Buffer.from([0xff, 0x4f, 0xff, 0x51]);
const endOfCodestream = Buffer.from([0xff, 0xd9]);
const startOfTilePart = 0xff90;
const sizeHeaderBytes = 40;

/** The number of tiles in an image, by its size header. Tiles may be larger than the image. */
function tilesOf(bytes: Buffer, header: number): number {
  // The marker, the length and the capabilities come first, with two bytes each.
  const field = (index: number) => bytes.readUInt32BE(header + 6 + 4 * index);
  const along = (side: 0 | 1) => Math.ceil((field(side) - field(6 + side)) / field(4 + side));
  return along(0) * along(1);
}

/** Whether all tiles of a JPEG 2000 image are there and whole. Readers need no end mark. */
export function isWholeJpeg2000(bytes: Buffer): boolean {
  const start = bytes.indexOf(startOfCodestream);
  if (start < 0 || start + sizeHeaderBytes > bytes.length) return false;
  const tiles = new Set<number>();
  let at = start + 2;
  while (at + 12 <= bytes.length) {
    const marker = bytes.readUInt16BE(at);
    if (marker === startOfTilePart) {
      tiles.add(bytes.readUInt16BE(at + 4));
      const length = bytes.readUInt32BE(at + 6);
      // The last part may have no length and reach to the end. Its data never contains the end mark.
      const isOpen = length === 0;
      if (isOpen && !bytes.includes(endOfCodestream, at)) return false;
      at = isOpen ? bytes.length : at + Math.max(12, length);
    } else if (tiles.size > 0) break;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return at <= bytes.length && tiles.size >= tilesOf(bytes, start + 2);
}

const segmentHeaderBytes = 11;
/** The segments that end a page and a file. Readers need nothing after them. */
const [endOfPage, endOfFile] = [49, 51];
/** CHOICE: two missing bytes cannot be seen on paper. */
const missingBytesMost = 2;
/** The length of a segment whose data shows where it ends. */
const openLength = 0xffffffff;

/** Bytes of each reference to another segment in a segment header (ITU-T T.88, 7.2.5). */
const referenceBytes = (number: number): number => (number <= 256 ? 1 : number <= 65_536 ? 2 : 4);

/** Whether all segments of a JBIG2 image are whole. */
export function isWholeJbig2(bytes: Buffer): boolean {
  let at = 0;
  while (at + segmentHeaderBytes <= bytes.length) {
    const number = bytes.readUInt32BE(at);
    const flags = bytes[at + 4] ?? 0;
    const type = flags & 0x3f;
    if (type === endOfPage || type === endOfFile) return true;
    const pageBytes = (flags & 0x40) === 0 ? 1 : 4;
    const short = (bytes[at + 5] ?? 0) >> 5;
    const references = short === 7 ? bytes.readUInt32BE(at + 5) & 0x1fffffff : short;
    const retention = short === 7 ? 4 + Math.ceil((references + 1) / 8) : 1;
    const lengthAt = at + 5 + retention + references * referenceBytes(number) + pageBytes;
    if (lengthAt + 4 > bytes.length) return false;
    const length = bytes.readUInt32BE(lengthAt);
    if (length === openLength) return true;
    at = lengthAt + 4 + length;
  }
  return at <= bytes.length + missingBytesMost;
}
