import {
  breakLine,
  type FontMetrics,
  isBlank as isBlankCharacter,
  type LineCursor,
  type Shaping,
  shapedText,
  visibleText,
} from './line-breaker.ts';
import { normalizeContent } from './printable-text.ts';
import { type TabbedPart, tabbedParts } from './tabbed-line.ts';
import type { Box, PageFormat } from './types.ts';

/** The geometry of a letter's sheet. Millimetres from the top left of the page. */
export type LetterSheet = {
  format: PageFormat;
  page: { width: number; height: number };
  /** Recipient block: the address may be set from edge to edge of it. */
  window: Box;
  /** The sender: one small line where the box is low, otherwise a block of lines. */
  senderLine: Box;
  /** Where our layout starts on the first page: the date line, a blank line, then the text. */
  bodyTop: number;
  /** Top of the date line where it is not `bodyTop`: a fold is there. It ends above the text. */
  dateTop?: number;
  margins: { top: number; right: number; bottom: number; left: number };
  /** Heights at which the sheet is folded. */
  foldMarks: readonly number[];
};

type TextOptions = { fontSizePt: number; lineHeight: number };
export const bodyText: TextOptions = { fontSizePt: 11, lineHeight: 1.3 };

/**
 * A line, or a part of it between two tabs. `xMm`, `yMm` are the left end of the baseline. `rtl`: the
 * paragraph runs from right to left.
 */
type TextLine = { text: string; xMm: number; yMm: number; rtl: boolean };
type TextLayout = { pages: { lines: TextLine[] }[]; pageCount: number };

export const mmPerPt = 25.4 / 72;

/** The body as a grid of lines: how wide in font units, how many on the first and on later pages. */
type Grid = { maxUnits: number; firstPageLines: number; laterPageLines: number };

export const lineHeightMm = (options: TextOptions): number =>
  options.fontSizePt * options.lineHeight * mmPerPt;

/** The date line and the blank line under it. */
const rowsAboveText = 2;

/** Top of the text on the first page: the date line stands above it, at `bodyTop`. */
export const firstTextTopMm = (sheet: LetterSheet, options: TextOptions = bodyText): number =>
  sheet.bodyTop + rowsAboveText * lineHeightMm(options);

function gridOf(sheet: LetterSheet, metrics: FontMetrics, options: TextOptions): Grid {
  const { page, margins } = sheet;
  const widthPt = (page.width - margins.left - margins.right) / mmPerPt;
  const bottom = page.height - margins.bottom;
  const linesBelow = (top: number) =>
    Math.max(1, Math.floor((bottom - top) / lineHeightMm(options) + 1e-9));
  return {
    maxUnits: Math.floor((widthPt / options.fontSizePt) * metrics.unitsPerEm),
    firstPageLines: linesBelow(firstTextTopMm(sheet, options)),
    laterPageLines: linesBelow(margins.top),
  };
}

type Flow = { page: number; row: number; capacity: number; grid: Grid };

function turnPage(flow: Flow): void {
  flow.page++;
  flow.row = 0;
  flow.capacity = flow.grid.laterPageLines;
}

/** Blank lines at the top of a page are dropped. */
function skipBlankLines(flow: Flow, count: number): void {
  if (flow.row === 0) return;
  if (flow.row + count >= flow.capacity) turnPage(flow);
  else flow.row += count;
}

/** How many of `left` lines go on this page, so that no line of a paragraph stands alone on a page. */
function linesForThisPage(flow: Flow, left: number): number {
  const room = flow.capacity - flow.row;
  if (left <= room) return left;
  const wholePage = flow.row === 0;
  const taken = left - room === 1 && room > 1 ? room - 1 : room;
  return taken < 2 && !wholePage ? 0 : taken;
}

function placeParagraph(flow: Flow, count: number, place?: (line: number) => void): void {
  let line = 0;
  while (line < count) {
    const taken = linesForThisPage(flow, count - line);
    for (let i = 0; i < taken; i++) {
      place?.(line + i);
      flow.row++;
    }
    line += taken;
    if (line < count) turnPage(flow);
  }
}

const isBlank = (text: string, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (!isBlankCharacter(text.charCodeAt(i))) return false;
  return true;
};

type BrokenLine = { start: number; end: number; hyphen: boolean };

/**
 * Breaks and pages a normalised text; the one place where both are decided. `place` hears every
 * line with its page and its row on that page, both from 0. Returns the number of pages, at least 1;
 * a text of more than `pagesMax` pages counts as `pagesMax + 1`, and its rest is not looked at.
 */
function flowText(
  { text, metrics, prepare }: Flowable,
  grid: Grid,
  pagesMax: number,
  place?: (page: number, row: number, line: BrokenLine) => void,
): number {
  const linesMax = pagesMax * Math.max(grid.firstPageLines, grid.laterPageLines);
  const flow: Flow = { page: 0, row: 0, capacity: grid.firstPageLines, grid };
  const cursor: LineCursor = { end: 0, next: 0, hyphen: false };
  const paragraph: BrokenLine[] = [];
  const placeLine =
    place &&
    ((index: number) => {
      const line = paragraph[index];
      if (line !== undefined) place(flow.page, flow.row, line);
    });
  let lines = 0;
  let blanks = 0;
  for (let at = 0; at <= text.length; ) {
    const lineFeed = text.indexOf('\n', at);
    const limit = lineFeed < 0 ? text.length : lineFeed;
    if (isBlank(text, at, limit)) {
      placeParagraph(flow, lines, placeLine);
      paragraph.length = 0;
      lines = 0;
      blanks++;
    } else {
      if (lines === 0) skipBlankLines(flow, blanks);
      blanks = 0;
      if (flow.page >= pagesMax) return pagesMax + 1;
      prepare?.(at, limit);
      for (let start = at; start < limit; start = cursor.next) {
        breakLine(text, start, limit, grid.maxUnits, metrics, cursor);
        lines++;
        if (lines > linesMax) return pagesMax + 1;
        if (place) paragraph.push({ start, end: cursor.end, hyphen: cursor.hyphen });
      }
    }
    at = limit + 1;
  }
  placeParagraph(flow, lines, placeLine);
  return Math.min(flow.page, pagesMax) + 1;
}

/**
 * `shaping`: where something of the text needs it. `prepare` shapes the text between two line feeds; it comes
 * before the advances of these characters are read.
 */
type Flowable = {
  text: string;
  metrics: FontMetrics;
  shaping?: Shaping;
  prepare?: (from: number, to: number) => void;
};

/** A normalised text, broken into lines, with the advances of its shaped parts. */
export function flowable(text: string, metrics: FontMetrics): Flowable {
  const { shaping } = metrics;
  if (!shaping?.needed(text)) return { text, metrics };
  const marked = shaping.withBreakMarks(text);
  const advances = new Float64Array(marked.length);
  const advance: FontMetrics['advance'] = (codePoint, index) =>
    index === undefined ? metrics.advance(codePoint) : advances[index];
  return {
    text: marked,
    metrics: { ...metrics, advance },
    shaping,
    prepare(from, to) {
      for (let start = from; start < to; ) {
        const tab = marked.indexOf('\t', start);
        const end = tab < 0 || tab > to ? to : tab;
        if (end > start) advances.set(shaping.advances(marked.slice(start, end)), start);
        start = end + 1;
      }
    },
  };
}

/**
 * Tells of the start of a line whether its paragraph runs from right to left. Lines come in order, so that
 * each paragraph is looked at once.
 */
const directionsOf = ({ text, shaping }: Flowable): ((start: number) => boolean) => {
  if (!shaping) return () => false;
  let known = { from: 0, to: -1, rtl: false };
  return (start) => {
    if (start < known.from || start > known.to) {
      const lineFeed = text.indexOf('\n', start);
      const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
      const to = lineFeed < 0 ? text.length : lineFeed;
      known = { from, to, rtl: shaping.runsRightToLeft(text.slice(from, to)) };
    }
    return known.rtl;
  };
};

type DrawnPart = Pick<TextLine, 'text' | 'xMm' | 'rtl'>;

/** A line without tabs as a single part. Its width is only measured where it runs from right to left. */
function wholeLine({ start, end }: BrokenLine, rtl: boolean, metrics: FontMetrics): TabbedPart {
  let width = 0;
  if (rtl) for (let at = start; at < end; at++) width += metrics.advance(0, at) ?? 0;
  return { start, end, offset: 0, width };
}

/** The parts of a line that are drawn between tabs, with their text and offset. */
function partsOf(
  line: BrokenLine,
  rtl: boolean,
  sheet: LetterSheet,
  { text, metrics, shaping }: Flowable,
  options: TextOptions,
): DrawnPart[] {
  const { start, end, hyphen } = line;
  const { page, margins } = sheet;
  const mmOf = (units: number) => (units / metrics.unitsPerEm) * options.fontSizePt * mmPerPt;
  const tab = text.indexOf('\t', start);
  const hasTabs = tab >= 0 && tab < end;
  const parts = hasTabs ? tabbedParts(text, line, metrics) : [wholeLine(line, rtl, metrics)];
  return parts.map(({ offset, width, ...part }) => {
    const all = text.slice(part.start, part.end);
    const visible = (shaping ? shapedText(all) : visibleText(all)).trimEnd();
    const shown = hyphen && part.end === end ? `${visible}-` : visible;
    const xMm = rtl
      ? page.width - margins.right - mmOf(offset + width)
      : margins.left + mmOf(offset);
    return { text: shown, xMm, rtl };
  });
}

/**
 * Sets a text on a sheet. Blank lines part paragraphs, a single line feed breaks the line. The first
 * page starts below the date line, later ones at the top margin. No line is wider than the body.
 */
export function layoutText(
  content: string,
  sheet: LetterSheet,
  metrics: FontMetrics,
  options: TextOptions = bodyText,
): TextLayout {
  const flowing = flowable(normalizeContent(content), metrics);
  const pages: TextLayout['pages'] = [{ lines: [] }];
  const stepMm = lineHeightMm(options);
  const firstBaselineMm = options.fontSizePt * mmPerPt;
  const grid = gridOf(sheet, metrics, options);
  const isRtl = directionsOf(flowing);
  const pageCount = flowText(flowing, grid, Number.POSITIVE_INFINITY, (page, row, line) => {
    const topMm = page === 0 ? firstTextTopMm(sheet, options) : sheet.margins.top;
    const yMm = topMm + firstBaselineMm + row * stepMm;
    while (pages.length <= page) pages.push({ lines: [] });
    for (const part of partsOf(line, isRtl(line.start), sheet, flowing, options)) {
      pages[page]?.lines.push({ ...part, yMm });
    }
  });
  return { pages, pageCount };
}

/**
 * The number of pages that `layoutText` makes of the same input, without making them. A text of more than
 * `pagesMax` pages is counted up to one page more than that.
 */
export function countPages(
  content: string,
  sheet: LetterSheet,
  metrics: FontMetrics,
  options: TextOptions & { pagesMax?: number } = bodyText,
): number {
  const { pagesMax = Number.POSITIVE_INFINITY } = options;
  const flowing = flowable(normalizeContent(content), metrics);
  return flowText(flowing, gridOf(sheet, metrics, options), pagesMax);
}
