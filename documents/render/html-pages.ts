/** The work on an HTML letter before and after a browser prints it. It takes long, so threads do it. */

import { PDFDocument } from '@cantoo/pdf-lib';
import { htmlRefused } from '../../commands/preparation/check-html.ts';
import { numberOf } from '../../ground/plural.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Edges, Geometry } from '../../postal/geometry.ts';
import { findUnprintable, normalizeText } from '../../postal/printable-text.ts';
import { fitFooter, footerTop } from '../../postal/stationery.ts';
import { bodyText, firstTextTopMm } from '../../postal/text-layout.ts';
import type { InkAreas } from '../preflight/page-ink.ts';
import type { Inspection, PrintJob } from './chromium.ts';
import { letterFont } from './fonts.ts';
import { sanitizeLetterHtml } from './html-sanitizer.ts';
import {
  assertPrintable,
  type Letterhead,
  letterheadTexts,
  preparedLetterhead,
} from './letterhead.ts';
import { readLogo } from './logo.ts';
import { contentArea, drawOverlay, stampLetterhead } from './stamp-letterhead.ts';

/** A letterhead as it goes to a thread. `logo` is the image itself. */
export type HtmlHead = Omit<Letterhead, 'sheet' | 'logo'> & {
  sheet: Geometry;
  logo?: Uint8Array | undefined;
};

const margins = (edges: Edges): string =>
  `${edges.top}mm ${edges.right}mm ${edges.bottom}mm ${edges.left}mm`;

/** The style of a letter that brings none: it looks like a text letter. */
const defaultStyle = (sheet: Geometry): string => `
@page{margin:${margins(sheet.margins)}}
html{font:${bodyText.fontSizePt}pt/${bodyText.lineHeight} "Noto Sans",sans-serif;overflow-wrap:break-word}
body{margin:0}
body>:first-child{margin-top:0}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,table,blockquote,pre,figure{margin:0 0 1em}
table{border-spacing:0;font-size:inherit}
td,th{padding:0 .4em;vertical-align:top}
tr,img{break-inside:avoid}
img{max-width:100%}
pre{white-space:pre-wrap}
p,li{orphans:2;widows:2}
[data-wide]{overflow-wrap:anywhere}`;

const upperMarginBoxes = ['top-left', 'top-center', 'top-right'];
const sideMarginBoxes = ['left-top', 'left-middle', 'right-top', 'right-middle'];

const lowerMarginBoxes = ['bottom-left', 'bottom-center', 'bottom-right'];

/** The first page ends above our footer, which stands where the letter's own would. */
const footerStyle = (sheet: Geometry, lines: number): string => {
  const bottom = Math.max(sheet.margins.bottom, sheet.page.height - footerTop(lines, sheet));
  const boxes = lowerMarginBoxes.map((box) => `@${box}{content:none!important}`).join('');
  return `margin-bottom:${bottom}mm!important;${boxes}`;
};

/**
 * Rules that no style of the letter can change. On the first page the content stays below our lines. Nothing
 * moves, so that the print does not depend on its moment.
 */
const forcedStyle = (sheet: Geometry, footerLines: number): string => {
  const boxes = [...upperMarginBoxes, ...sideMarginBoxes]
    .map((box) => `@${box}{content:none!important}`)
    .join('');
  const footer = footerLines === 0 ? '' : footerStyle(sheet, footerLines);
  const still = '*,::before,::after{animation:none!important;transition:none!important}';
  return `${still}@page :first{margin-top:${firstTextTopMm(sheet)}mm!important;${boxes}${footer}}`;
};

/** The parser puts the letter's own `style` elements and the attributes of its `body` in their places. */
const documentOf = (html: string, sheet: Geometry, footerLines: number): string =>
  `<!DOCTYPE html><html><head><meta charset="utf-8"><style>${defaultStyle(sheet)}</style><style>${forcedStyle(sheet, footerLines)}</style></head>${html}`;

/** A letter that lays out its pages numbers them itself. */
const ownPages = /<style[^>]*>[^<]*@page\b/i;

/** Marks of the enclosing machine at the lower edge stay clear, on every page for simplicity's sake. */
function leastMargins({ page, safeMargins, noPrint }: Geometry): Edges {
  const lower = noPrint.filter(({ box }) => box.y + box.height >= page.height);
  const bottom = Math.max(safeMargins.bottom, ...lower.map(({ box }) => page.height - box.y));
  return { ...safeMargins, bottom };
}

const imageAdvice = 'Send images as data URIs of PNG, JPEG, GIF or WebP files.';

function assertWholeImages(cutOff: number): void {
  if (cutOff === 0) return;
  const count = cutOff === 1 ? '1 image of the HTML is' : `${cutOff} images of the HTML are`;
  throw htmlRefused('image_unreadable', `${count} cut off or damaged. ${imageAdvice}`);
}

/** @param isPaid it was accepted before, maybe by a version that trusted fonts which are not used */
function assertShown(shown: Inspection, removed: readonly string[], isPaid: boolean): void {
  if (shown.unreadableImages > 0) {
    throw htmlRefused(
      'image_unreadable',
      `${numberOf(shown.unreadableImages, 'image')} of the HTML cannot be read. ${imageAdvice}`,
    );
  }
  if (shown.text.trim() === '' && shown.images === 0) {
    const without = removed.length === 0 ? '' : ` This was removed from it: ${removed.join('; ')}.`;
    const detail = 'The HTML shows neither text nor an image when printed.';
    throw htmlRefused('content_empty', `${detail}${without} Write some text. ${imageAdvice}`);
  }
  // A letter that brings fonts knows what they can print.
  if (shown.usesOwnFonts || (isPaid && shown.bringsFonts)) return;
  const [found] = findUnprintable(printableIn(shown.text), letterFont().metrics);
  if (!found) return;
  const name = `U+${found.codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  const detail = `The character ${name} of the HTML cannot be printed. Remove or replace it, or embed a font that has it.`;
  throw htmlRefused(`character_${found.reason}`, detail);
}

/** Without the marks that turn the direction of writing, which HTML may have. */
const printableIn = (text: string): string => {
  const normal = normalizeText(text);
  const findings = findUnprintable(normal, letterFont().metrics);
  return findings.some(({ reason }) => reason === 'bidi')
    ? normal.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    : normal;
};

function assertPageCount(pages: number, pagesMax: number): void {
  if (pages <= pagesMax) return;
  throw limitError(
    'pages',
    `The HTML has more than ${numberOf(pagesMax, 'page')}. Shorten it, or send it as several letters.`,
  );
}

const footerLinesOf = async ({ footer, sheet }: Letterhead): Promise<number> => {
  if (footer === undefined) return 0;
  const { metrics } = letterFont();
  await metrics.shaping?.load([footer]);
  return fitFooter(footer, sheet, metrics)?.length ?? 0;
};

const letterheadOf = ({ logo, ...head }: HtmlHead): Letterhead & { sheet: Geometry } => ({
  ...preparedLetterhead({
    ...head,
    logo: logo && readLogo(Buffer.from(logo.buffer, logo.byteOffset, logo.byteLength)),
  }),
  sheet: head.sheet,
});

type HtmlToPrint = Pick<PrintJob, 'html'> & {
  /** The parts that the sanitiser removed, for warnings. */
  removed: string[];
  footerLines: number;
  /** It lays out pages itself, and so numbers them. */
  hasOwnPages: boolean;
};

/**
 * Makes the page that a browser prints.
 * @throws AppError address_invalid, content_not_printable
 */
export const prepareHtml = async ({
  html: given,
  head,
  isPaid,
}: {
  html: string;
  head: HtmlHead;
  isPaid: boolean;
}): Promise<HtmlToPrint> => {
  const letter = letterheadOf(head);
  assertPrintable(letterheadTexts(letter), letterFont());
  const footerLines = await footerLinesOf(letter);
  const { html, removed, cutOffImages } = sanitizeLetterHtml(given, leastMargins(letter.sheet));
  if (!isPaid) assertWholeImages(cutOffImages);
  return {
    html: documentOf(html, letter.sheet, footerLines),
    removed,
    footerLines,
    hasOwnPages: ownPages.test(given),
  };
};

type FinishedHtml = { pdf: Uint8Array; pages: number; areas: InkAreas };

/**
 * Puts the letterhead onto what a browser printed.
 * @throws AppError address_invalid, content_not_printable, too_many_pages
 */
export const finishHtml = async ({
  printed,
  shown,
  head,
  removed,
  footerLines,
  hasOwnPages,
  pagesMax,
  isPaid,
}: {
  printed: Uint8Array;
  shown: Inspection;
  head: HtmlHead;
  pagesMax: number;
  isPaid: boolean;
} & Pick<HtmlToPrint, 'removed' | 'footerLines' | 'hasOwnPages'>): Promise<FinishedHtml> => {
  assertShown(shown, removed, isPaid);
  const letter = letterheadOf(head);
  const { sheet, createdAt } = letter;
  const content = await PDFDocument.load(printed, { updateMetadata: false });
  const pages = content.getPageCount();
  assertPageCount(pages, pagesMax);
  const overlay = await drawOverlay(letter, hasOwnPages ? 1 : pages);
  const first = {
    topMm: firstTextTopMm(sheet),
    bottomMm: footerLines === 0 ? sheet.page.height : footerTop(footerLines, sheet),
  };
  const pdf = await stampLetterhead({ content, overlay, sheet, first, createdAt });
  const areas = {
    first: contentArea(sheet, first.topMm, first.bottomMm),
    others: contentArea(sheet, 0),
  };
  return { pdf, pages, areas };
};
