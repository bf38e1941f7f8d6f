import { PDFDocument } from '@cantoo/pdf-lib';
import { AppError } from '../../contract/errors.ts';
import { defaultLimits } from '../../contract/limits.ts';
import type { Log } from '../../contract/log.ts';
import { numberOf } from '../../contract/plural.ts';
import type { Budget } from '../../limits/budgets.ts';
import type { Turn } from '../../limits/turn.ts';
import type { Edges, Geometry } from '../../postal/geometry.ts';
import { findUnprintable, normalizeText } from '../../postal/printable-text.ts';
import { fitFooter, footerTop } from '../../postal/stationery.ts';
import { bodyText, firstTextTopMm } from '../../postal/text-layout.ts';
import type { InkAreas } from '../preflight/page-ink.ts';
import type { Chromium, Inspection } from './chromium.ts';
import { prepareChromium } from './chromium-binary.ts';
import { letterFont } from './fonts.ts';
import { sanitizeLetterHtml } from './html-sanitizer.ts';
import {
  assertPrintable,
  type Letterhead,
  letterheadTexts,
  preparedLetterhead,
} from './letterhead.ts';
import type { Measured } from './measure-html.ts';
import { createPrintPool, type PrintPoolStats } from './print-pool.ts';
import { contentArea, drawOverlay, stampLetterhead } from './stamp-letterhead.ts';
import { startSandboxed } from './start-sandboxed.ts';

export type HtmlLetter = Omit<Letterhead, 'sheet'> & {
  html: string;
  sheet: Geometry;
  /** Say where all of its text stands, also what cannot be seen. */
  reveal?: boolean;
  /** Absent: work of the service itself. */
  turn?: Turn | undefined;
};

export type RenderedHtml = {
  pdf: Buffer;
  pages: number;
  /** What the sanitiser took out of the HTML, for warnings. */
  removed: string[];
  measured: Measured;
  /** The pages without what we print on them, and where the content may stand. */
  content: Buffer;
  /** The same with all of its text in sight, where that is another document. */
  revealed: Buffer;
  images: number;
  areas: InkAreas;
};

export type HtmlRendererOptions = {
  /** A Chromium of yours (`CHROMIUM_PATH`); by default the one that `@sparticuz/chromium` ships. */
  executablePath?: string;
  /** A folder of ours for the unpacked browser (200 MB) and its font cache. */
  cacheDir?: string;
  /** Browsers, each of which prints one letter at a time. */
  pool?: number;
  /** Letters that may wait for a browser. */
  queue?: number;
  timeoutMs?: number;
  /** Of one browser with all of its processes. */
  memoryBytesMax?: number;
  pagesMax?: number;
  /** The time in browsers is charged to it. */
  budget?: Budget;
  /** Told of each start of a browser, with what went wrong. */
  onLaunch?: (error?: unknown) => void;
  log: Log;
};

export type HtmlRenderer = {
  render(letter: HtmlLetter): Promise<RenderedHtml>;
  /** Starts the browsers; false, with a warning in the log, when they do not start. */
  warmUp(): Promise<boolean>;
  stats(): PrintPoolStats;
  close(): Promise<void>;
};

const margins = (edges: Edges): string =>
  `${edges.top}mm ${edges.right}mm ${edges.bottom}mm ${edges.left}mm`;

/** What a letter looks like that says nothing about its looks: like a text letter. */
const defaultStyle = (sheet: Geometry): string => `
@page{margin:${margins(sheet.margins)}}
html{font:${bodyText.fontSizePt}pt/${bodyText.lineHeight} "Noto Sans",sans-serif;overflow-wrap:break-word}
body{margin:0}
body>:first-child{margin-top:0}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,table,blockquote,pre,figure{margin:0 0 1em}
table{border-spacing:0;font-size:inherit}
td,th{padding:0 .4em;vertical-align:top}
thead{display:table-header-group}
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

/** What no style of the letter can change: on the first page the content stays below our lines. */
const forcedStyle = (sheet: Geometry, footerLines: number): string => {
  const boxes = [...upperMarginBoxes, ...sideMarginBoxes]
    .map((box) => `@${box}{content:none!important}`)
    .join('');
  const footer = footerLines === 0 ? '' : footerStyle(sheet, footerLines);
  return `@page :first{margin-top:${firstTextTopMm(sheet)}mm!important;${boxes}${footer}}`;
};

/** The parser puts the letter's own `style` elements and the attributes of its `body` in their places. */
const documentOf = (html: string, sheet: Geometry, footerLines: number): string =>
  `<!DOCTYPE html><html><head><meta charset="utf-8"><style>${defaultStyle(sheet)}</style><style>${forcedStyle(sheet, footerLines)}</style></head>${html}`;

/** Who lays out pages numbers them. */
const ownPages = /<style[^>]*>[^<]*@page\b/i;

/** Marks of the enclosing machine at the lower edge stay clear, on every page for simplicity's sake. */
function leastMargins({ page, safeMargins, noPrint }: Geometry): Edges {
  const lower = noPrint.filter(({ box }) => box.y + box.height >= page.height);
  const bottom = Math.max(safeMargins.bottom, ...lower.map(({ box }) => page.height - box.y));
  return { ...safeMargins, bottom };
}

const refuse = (code: string, detail: string): never => {
  throw new AppError('content_not_printable', detail, {
    errors: [{ pointer: '/content', code, detail }],
  });
};

function assertShown(shown: Inspection): void {
  if (shown.unreadableImages > 0) {
    refuse(
      'image_unreadable',
      `${numberOf(shown.unreadableImages, 'image')} of the HTML cannot be read.`,
    );
  }
  if (shown.text.trim() === '' && shown.images === 0) {
    refuse('content_empty', 'The HTML shows neither text nor an image when it is printed.');
  }
  // A letter that brings fonts knows what they can print.
  if (shown.ownFonts) return;
  const [found] = findUnprintable(printableIn(shown.text), letterFont().metrics);
  if (!found) return;
  const name = `U+${found.codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  const detail = `The character ${name} of the HTML cannot be printed; remove or replace it, or bring a font for it.`;
  refuse(`character_${found.reason}`, detail);
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
  throw new AppError(
    'too_many_pages',
    `The HTML makes more than ${numberOf(pagesMax, 'page')}; shorten it or send it as several letters.`,
  );
}

const footerLinesOf = async ({ footer, sheet }: Letterhead): Promise<number> => {
  if (footer === undefined) return 0;
  const { metrics } = letterFont();
  await metrics.shaping?.load([footer]);
  return fitFooter(footer, sheet, metrics)?.length ?? 0;
};

/** Prepares the browser once; a failure is tried again with the next letter. */
function launcher(options: HtmlRendererOptions): () => Promise<Chromium> {
  let binary: ReturnType<typeof prepareChromium> | undefined;
  return async () => {
    binary ??= prepareChromium(options);
    try {
      const chromium = await startSandboxed(await binary, options.log);
      options.onLaunch?.();
      return chromium;
    } catch (error) {
      options.onLaunch?.(error);
      binary = undefined;
      throw error;
    }
  };
}

/**
 * Prints HTML letters with a real Chromium that has neither network nor scripts nor files. Browsers
 * start with the first letter. `render` throws
 * - `address_invalid` when an address does not fit its place,
 * - `content_not_printable` for HTML that shows nothing, has characters that the font lacks or
 *   images that cannot be read, or takes too much time or memory (see `errors[].code`),
 * - `too_many_pages` above `pagesMax`,
 * - `overloaded` (503, `Retry-After`) when too many letters wait,
 * - `html_unavailable` (503, `Retry-After`) when the browser does not start,
 * - `rate_limited` (429, `Retry-After`) for an account whose letters took too long lately.
 */
export function createHtmlRenderer(options: HtmlRendererOptions): HtmlRenderer {
  const pagesMax = options.pagesMax ?? defaultLimits.pages;
  const pool = createPrintPool({
    launch: launcher(options),
    size: options.pool ?? 2,
    queueMax: options.queue ?? 32,
    timeoutMs: options.timeoutMs ?? 10_000,
    memoryBytesMax: options.memoryBytesMax ?? 1024 ** 3,
    lettersPerBrowser: 1000,
    log: options.log,
    ...(options.budget ? { budget: options.budget } : {}),
  });

  async function render(input: HtmlLetter): Promise<RenderedHtml> {
    const letter = preparedLetterhead(input);
    const { sheet, createdAt } = letter;
    assertPrintable(letterheadTexts(letter), letterFont());
    const footerLines = await footerLinesOf(letter);
    const { html, removed } = sanitizeLetterHtml(letter.html, leastMargins(sheet));
    const job = {
      html: documentOf(html, sheet, footerLines),
      page: sheet.page,
      margins: sheet.margins,
      safe: sheet.safeMargins,
      pagesMax,
      reveal: input.reveal ?? false,
    };
    const printed = await pool.print(job, letter.turn);
    assertShown(printed);
    const content = await PDFDocument.load(printed.pdf, { updateMetadata: false });
    const pages = content.getPageCount();
    assertPageCount(pages, pagesMax);
    const overlay = await drawOverlay(letter, ownPages.test(letter.html) ? 1 : pages);
    const first = {
      topMm: firstTextTopMm(sheet),
      bottomMm: footerLines === 0 ? sheet.page.height : footerTop(footerLines, sheet),
    };
    const pdf = await stampLetterhead({ content, overlay, sheet, first, createdAt });
    const areas = {
      first: contentArea(sheet, first.topMm, first.bottomMm),
      others: contentArea(sheet, 0),
    };
    const { measured, images, pdf: shown, revealed = shown } = printed;
    return { pdf, pages, removed, measured, content: shown, revealed, images, areas };
  }

  async function warmUp(): Promise<boolean> {
    try {
      await pool.start();
      return true;
    } catch {
      options.log.warn(
        {},
        'HTML letters cannot be printed: set CHROMIUM_PATH to a Chromium that starts here (its libraries: libnss3, libnspr4, libexpat1)',
      );
      return false;
    }
  }

  return { render, warmUp, stats: pool.stats, close: pool.close };
}
