import {
  BlendMode,
  clip,
  clipEvenOdd,
  endPath,
  PDFDocument,
  type PDFEmbeddedPage,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
  rectangle,
} from '@cantoo/pdf-lib';
import type { Geometry } from '../../postal/geometry.ts';
import type { Box } from '../../postal/types.ts';
import { letterFont } from './fonts.ts';
import {
  type Canvas,
  documentInfo,
  drawLetterhead,
  drawPageNumber,
  drawWatermark,
  type Letterhead,
  letterheadTexts,
  openDocument,
  pt,
} from './letterhead.ts';

type Overlay = { pdf: Buffer; watermark: boolean };

/**
 * Prints over the pages of an HTML letter: the letterhead, the watermark if there is one, and page numbers if
 * there are several pages.
 * @throws AppError `address_invalid` when an address does not fit its place
 */
export async function drawOverlay(letter: Letterhead, pages: number): Promise<Overlay> {
  const font = letterFont();
  await font.metrics.shaping?.load(letterheadTexts(letter));
  const doc = openDocument(letter, font);
  const canvas: Canvas = { doc, sheet: letter.sheet, font };
  doc.addPage();
  drawLetterhead(canvas, letter);
  if (letter.watermark !== undefined) {
    doc.addPage();
    drawWatermark(canvas, letter.watermark);
  }
  for (let page = 1; pages > 1 && page <= pages; page++) {
    doc.addPage();
    drawPageNumber(canvas, page, pages);
  }
  return { pdf: doc.end(), watermark: letter.watermark !== undefined };
}

/** The common part of two boxes; nothing when they lie apart. */
function commonPart(a: Box, b: Box): Box[] {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? [{ x, y, width, height }] : [];
}

/** Where the content may print: inside of the safe margins, on the first page below our lines. */
export function contentArea(
  { page, safeMargins }: Geometry,
  topMm: number,
  bottomMm = page.height,
): Box {
  const y = Math.max(topMm, safeMargins.top);
  return {
    x: safeMargins.left,
    y,
    width: page.width - safeMargins.left - safeMargins.right,
    height: Math.min(page.height - safeMargins.bottom, bottomMm) - y,
  };
}

const toThousandths = (mm: number): number => Math.round(pt(mm) * 1000) / 1000;

const rectangleOf = ({ x, y, width, height }: Box, pageHeightMm: number) =>
  rectangle(pt(x), pt(pageHeightMm - y - height), pt(width), pt(height));

/** No part of the content prints outside of the area or on the zones. */
function confine(page: PDFPage, area: Box, zones: Box[], pageHeightMm: number): void {
  const { context } = page.doc;
  const boxes = [area, ...zones.flatMap((zone) => commonPart(zone, area))];
  const paths = boxes.map((box) => rectangleOf(box, pageHeightMm));
  const rule = zones.length > 0 ? clipEvenOdd() : clip();
  const start = context.contentStream([pushGraphicsState(), ...paths, rule, endPath()]);
  const end = context.contentStream([popGraphicsState()]);
  page.node.wrapContentStreams(context.register(start), context.register(end));
}

function drawOver(page: PDFPage, overlay: PDFEmbeddedPage, blendMode?: BlendMode): void {
  page.drawPage(overlay, { x: 0, y: 0, blendMode });
}

function describe(pdf: PDFDocument, createdAt: Date): void {
  const info = documentInfo(createdAt);
  pdf.setTitle(info.Title);
  pdf.setCreator(info.Creator);
  pdf.setProducer(info.Producer);
  pdf.setCreationDate(info.CreationDate);
  pdf.setModificationDate(info.ModDate);
}

/**
 * Puts letterhead and watermark over the browser's pages and confines what the pages draw. The same
 * input makes the same bytes.
 */
export async function stampLetterhead(input: {
  content: PDFDocument;
  overlay: Overlay;
  sheet: Geometry;
  /** Where the content of the first page starts and ends, mm. */
  first: { topMm: number; bottomMm: number };
  createdAt: Date;
}): Promise<Buffer> {
  const { content, sheet } = input;
  const overlay = await PDFDocument.load(input.overlay.pdf, { updateMetadata: false });
  const [letterhead, ...others] = await content.embedPdf(overlay, overlay.getPageIndices());
  const watermark = input.overlay.watermark ? others.shift() : undefined;
  const width = toThousandths(sheet.page.width);
  const height = toThousandths(sheet.page.height);
  const zones = sheet.noPrint.map(({ box }) => box);
  content.getPages().forEach((page, index) => {
    const isFirst = index === 0;
    page.setMediaBox(0, 0, width, height);
    const area = contentArea(
      sheet,
      isFirst ? input.first.topMm : 0,
      isFirst ? input.first.bottomMm : sheet.page.height,
    );
    confine(page, area, isFirst ? zones : [], sheet.page.height);
    if (isFirst && letterhead) drawOver(page, letterhead);
    const number = others[index];
    if (number) drawOver(page, number);
    if (watermark) drawOver(page, watermark, BlendMode.Multiply);
  });
  describe(content, input.createdAt);
  return Buffer.from(await content.save({ useObjectStreams: false, addDefaultPage: false }));
}
