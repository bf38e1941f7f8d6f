import { BlendMode, type PDFDocument, type PDFPage } from '@cantoo/pdf-lib';
import { AppError } from '../../contract/errors.ts';
import { type Geometry, onDocument } from '../../postal/geometry.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import { printForm } from '../pdf/print-form.ts';
import { parsePdf } from '../pdf/structure.ts';
import { savePdf } from '../preflight/fix.ts';
import { letterFont } from './fonts.ts';
import {
  assertPrintable,
  drawLetterhead,
  drawWatermark,
  type Letterhead,
  letterheadTexts,
  openDocument,
  preparedLetterhead,
} from './letterhead.ts';

export type FinalLetter = Omit<Letterhead, 'sheet'> & {
  sheet: Geometry;
  /** The first page is the empty address page that preflight put in front. */
  coverPage: boolean;
  /** The document brings its address along: nothing is printed onto it. */
  addressInDocument?: boolean;
};

/**
 * The letterhead for the first page. An address page gets all of it. A page of the document gets only the
 * recipient and the sender, both in windows: elsewhere the sender could cover the letterhead that the
 * document brings along.
 */
function overlayOf(letter: FinalLetter): Letterhead {
  if (letter.coverPage) return letter;
  return {
    ...letter,
    sheet: onDocument(letter.sheet),
    date: '',
    reference: undefined,
    footer: undefined,
    logo: undefined,
    foldMarks: false,
  };
}

/** Two pages drawn by us: the first page's letterhead, empty where there is none, and the watermark. */
async function drawOverlays(letter: FinalLetter): Promise<Buffer> {
  const font = letterFont();
  const overlay = preparedLetterhead(overlayOf(letter));
  if (!letter.addressInDocument) assertPrintable(letterheadTexts(overlay), font);
  await font.metrics.shaping?.load(letterheadTexts(overlay));
  const doc = openDocument(overlay, font);
  const canvas = { doc, sheet: overlay.sheet, font };
  doc.addPage();
  if (!letter.addressInDocument) drawLetterhead(canvas, overlay);
  if (letter.watermark !== undefined) {
    doc.addPage();
    drawWatermark(canvas, letter.watermark);
  }
  return doc.end();
}

type Overlay = Awaited<ReturnType<PDFDocument['embedPdf']>>[number];

/** Lays one of our pages over a page, from its top left. */
function lay(overlay: Overlay, page: PDFPage, sheet: Geometry, blendMode?: BlendMode): void {
  const [width, height] = [sheet.page.width / mmPerPt, sheet.page.height / mmPerPt];
  page.drawPage(overlay, { x: 0, y: page.getHeight() - height, width, height, blendMode });
}

async function printed(pdf: Buffer, overlays: Buffer, letter: FinalLetter): Promise<Buffer> {
  const document = await printForm(await parsePdf(pdf));
  const indices = letter.watermark === undefined ? [0] : [0, 1];
  const [letterhead, watermark] = await document.embedPdf(overlays, indices);
  document.getPages().forEach((page, index) => {
    if (index === 0 && letterhead && !letter.addressInDocument) {
      lay(letterhead, page, letter.sheet);
    }
    if (watermark !== undefined) lay(watermark, page, letter.sheet, BlendMode.Multiply);
  });
  return savePdf(document);
}

/**
 * The document as it is printed: in the form that was checked, with the address on its first page, nothing on
 * the others but the watermark of a test letter, which darkens and never covers. Hand in what preflight passed
 * or fixed. The same input gives the same bytes.
 * @throws AppError `address_invalid` when an address does not fit, `content_not_printable` for a
 * character or a document that cannot be printed
 */
export async function finalLetter(pdf: Buffer, letter: FinalLetter): Promise<Buffer> {
  const overlays = await drawOverlays(letter);
  try {
    return await printed(pdf, overlays, letter);
  } catch (cause) {
    const detail = 'The PDF cannot be printed. Print it to a new PDF and send that.';
    throw new AppError('content_not_printable', detail, { cause });
  }
}
