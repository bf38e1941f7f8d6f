/** The text in the drawing of a form field. */
import { Buffer } from 'node:buffer';
import { PDFHexString, type PDFRawStream, PDFString } from '@cantoo/pdf-lib';
import { plainContent } from './content-streams.ts';

/** CHOICE: the drawing of a field that fills a page takes some kB. */
const maxDrawingBytes = 256 * 1024;
const strings = /\(((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*)\)|<([\da-fA-F\s]*)>/g;

/** All strings of a drawing, one after the other. */
const drawnBytes = (content: Uint8Array): Buffer =>
  Buffer.concat(
    [...Buffer.from(content).toString('latin1').matchAll(strings)].map(([, text, hex = '']) =>
      (text === undefined ? PDFHexString.of(hex.replace(/\s/g, '')) : PDFString.of(text)).asBytes(),
    ),
  );

/** The visible characters to which every encoding of Latin letters gives the same code. */
const commonLetters = (text: string): string => text.replace(/[^!-~\xa1-\xff]/g, '');

/** The text of a value, without decoding it at once: it may be long. */
function textOf(value: Uint8Array): string {
  const bytes = Buffer.from(value);
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return bytes.toString('latin1');
  return bytes
    .subarray(2, bytes.length - (bytes.length % 2))
    .swap16()
    .toString('utf16le');
}

/**
 * Whether a drawing shows a text, as far as that can be read, or any text if none is given. The codes of fonts with
 * two bytes for each character are counted and not read.
 */
export function drawsText(drawing: PDFRawStream, text: Uint8Array | undefined): boolean {
  try {
    const drawn = drawnBytes(plainContent(drawing, maxDrawingBytes));
    if (text === undefined) return drawn.length > 0;
    const wanted = textOf(text);
    const pairs = drawn.length / 2;
    return (
      commonLetters(drawn.toString('latin1')).includes(commonLetters(wanted)) ||
      (pairs >= wanted.replace(/\s/g, '').length && pairs <= wanted.length)
    );
  } catch {
    return false;
  }
}
