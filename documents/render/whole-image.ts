/** Whether an image has all of its data. Browsers print one that is cut off with a part missing, and say nothing. */
import { isWholeJpeg } from '../pdf/jpeg-scans.ts';

const pngSignature = '\x89PNG\r\n\x1a\n';
/** Of a PNG chunk: its length and type in front, its checksum behind. */
const chunkFrame = 12;
/** In front of the length that a WebP file counts. */
const riffHeader = 8;

function isWholePng(bytes: Buffer): boolean {
  let at = pngSignature.length;
  while (at + chunkFrame <= bytes.length) {
    const end = at + chunkFrame + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return end <= bytes.length;
    at = end;
  }
  return false;
}

/** False for a PNG, JPEG or WebP that ends too early, and for data of a format other than these and GIF. */
export function isWholeImage(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\xff\xd8')) return isWholeJpeg(bytes);
  if (start.startsWith(pngSignature)) return isWholePng(bytes);
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) {
    return riffHeader + bytes.readUInt32LE(4) <= bytes.length;
  }
  return start.startsWith('GIF8');
}
