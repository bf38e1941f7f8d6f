import { normalizeContent } from '../../postal/printable-text.ts';
import { bodyText, countPages, layoutText } from '../../postal/text-layout.ts';
import { letterFont } from './fonts.ts';
import {
  assertPrintable,
  type Canvas,
  drawLetterhead,
  drawPageNumber,
  drawWatermark,
  type Letterhead,
  letterheadTexts,
  openDocument,
  preparedLetterhead,
  write,
} from './letterhead.ts';

export type TextLetter = Letterhead & { content: string };

/**
 * Sets a text letter as a PDF with embedded subset fonts: sender, recipient in the window, date,
 * paragraphs, page numbers. Throws `address_invalid` when an address does not fit its place,
 * `content_not_printable` for a character that `findUnprintable` names, and an Error when the pages
 * printed are not the pages that were counted for the price.
 */
export async function renderTextLetter(input: TextLetter): Promise<Buffer> {
  const font = letterFont();
  const letter = { ...preparedLetterhead(input), content: normalizeContent(input.content) };
  assertPrintable([letter.content, ...letterheadTexts(letter)], font);
  await font.metrics.shaping?.load([letter.content, ...letterheadTexts(letter)]);
  const doc = openDocument(letter, font);
  const canvas: Canvas = { doc, sheet: letter.sheet, font };
  const { pages, pageCount } = layoutText(letter.content, letter.sheet, font.metrics);
  pages.forEach(({ lines }, index) => {
    doc.addPage();
    if (letter.watermark !== undefined) drawWatermark(canvas, letter.watermark);
    if (index === 0) drawLetterhead(canvas, letter);
    for (const line of lines) {
      write(canvas, line.text, line.xMm, line.yMm, bodyText.fontSizePt, line.rtl);
    }
    if (pageCount > 1) drawPageNumber(canvas, index + 1, pageCount);
  });
  const printed = doc.pageCount();
  const counted = countPages(letter.content, letter.sheet, font.metrics);
  if (printed !== counted) throw new Error(`${printed} pages printed, ${counted} pages counted`);
  return doc.end();
}
