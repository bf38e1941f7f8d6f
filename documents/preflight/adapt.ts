/** Changes to a document before its pages are placed. Nothing moves on paper. */
import { degrees, PDFName, PDFNumber, type PDFPage } from '@cantoo/pdf-lib';
import type { Geometry } from '../../postal/geometry.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import { embedStandardFonts } from '../pdf/standard-fonts.ts';
import { parsePdf } from '../pdf/structure.ts';
import { scaleOfScan } from '../pdf/unscaled-scans.ts';
import { savePdf } from './fix.ts';
import { enlargePage } from './place-pages.ts';

type Adapted = {
  pdf: Buffer;
  /** In words for the sender. */
  changes: string[];
  /** An address would be printed across the content of the first page. */
  firstPageTurned: boolean;
};

const userUnit = PDFName.of('UserUnit');

/** A page that counts in a unit of its own is drawn in points, at the same size. */
function inPoints(page: PDFPage): boolean {
  const unit = page.node.lookup(userUnit);
  const scale = unit instanceof PDFNumber ? unit.asNumber() : 1;
  page.node.delete(userUnit);
  if (scale === 1 || !(scale > 0)) return false;
  enlargePage(page, scale);
  return true;
}

/** A page of a scan without a resolution is drawn in the size of a sheet. */
function inSheetSize(page: PDFPage, sheet: Geometry): boolean {
  const scale = scaleOfScan(page, sheet);
  if (scale !== undefined) enlargePage(page, scale);
  return scale !== undefined;
}

/** A page that lies across, and is too wide for the sheet, is turned: its top comes to the left. */
function turned(page: PDFPage, sheet: Geometry): boolean {
  const { width, height } = page.getSize();
  const tooWide = width * mmPerPt > sheet.page.width + 2;
  if (width <= height || !tooWide) return false;
  page.setRotation(degrees(270));
  return true;
}

const listed = (what: string, pages: number[]): string[] =>
  pages.length === 0
    ? []
    : [`${pages.length === 1 ? 'page' : 'pages'} ${pages.join(', ')}: ${what}`];

/**
 * Embeds standard fonts, turns pages that lie across, writes pages in points, and draws scans in the size of a sheet.
 * Undefined where nothing of it is to be done.
 * @param pdf in print form
 * @param missingFonts the names of the fonts that its pages use and that are not in it
 * @throws Error when pdf-lib cannot write the document
 */
export async function adaptPdf(
  pdf: Uint8Array,
  sheet: Geometry,
  missingFonts: readonly string[],
): Promise<Adapted | undefined> {
  const document = await parsePdf(pdf);
  const pages = document.getPages();
  const numbersWhere = (change: (page: PDFPage) => boolean): number[] =>
    pages.flatMap((page, index) => (change(page) ? [index + 1] : []));
  const scaled = numbersWhere(inPoints);
  const scans = numbersWhere((page) => inSheetSize(page, sheet));
  const across = numbersWhere((page) => turned(page, sheet));
  const fonts = embedStandardFonts(document, missingFonts);
  const changes = [
    ...listed('turned by a quarter', across),
    ...listed('written in points', scaled),
    ...listed('a scan without a resolution, brought to the size of a sheet', scans),
    ...(fonts.length === 0
      ? []
      : [`${fonts.join(', ')}: missing fonts, replaced by fonts with the same widths`]),
  ];
  if (changes.length === 0) return undefined;
  return { pdf: await savePdf(document), changes, firstPageTurned: across[0] === 1 };
}
