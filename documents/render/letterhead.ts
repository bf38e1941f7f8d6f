import { AppError } from '../../contract/errors.ts';
import {
  type FittedBlock,
  fitRecipient,
  fitSender,
  textWidthMm,
} from '../../postal/address-block.ts';
import type { Geometry } from '../../postal/geometry.ts';
import { shapedText, visibleText } from '../../postal/line-breaker.ts';
import { findUnprintable, normalizeText } from '../../postal/printable-text.ts';
import {
  fitFooter,
  footerBaselines,
  footerText,
  logoBox,
  referenceRoomMm,
} from '../../postal/stationery.ts';
import { bodyText, type LetterSheet, mmPerPt } from '../../postal/text-layout.ts';
import { needsShaping } from './font-metrics.ts';
import { type LetterFont, letterFont } from './fonts.ts';
import type { Logo } from './logo.ts';
import { createPageWriter, type PageWriter } from './page-writer.ts';

/** A sheet, with what must stay free of a logo. */
type Sheet = LetterSheet & Partial<Pick<Geometry, 'noPrint'>>;

/** The letterhead that we print on every letter, independent of its content. */
export type Letterhead = {
  /** The lines of the sender and of the recipient, as they are printed. */
  from: string[];
  to: string[];
  /** The date line in the words of the letter's language. */
  date: string;
  /** The instant in the PDF's metadata. The same input makes the same bytes. */
  createdAt: Date;
  sheet: Sheet;
  /** Printed at the left of the date line. */
  reference?: string;
  /** At the foot of the first page; it fits (`fitFooter`). */
  footer?: string | undefined;
  /** At the top right of the first page. */
  logo?: Logo | undefined;
  /** Draws marks at the left edge where the sheet is folded, as is customary in Germany. */
  foldMarks?: boolean;
  /** Drawn large and light across every page. */
  watermark?: string;
};

export type Canvas = { doc: PageWriter; sheet: Sheet; font: LetterFont };

export const pt = (mm: number): number => mm / mmPerPt;
const black = '#000000';
const grey = '#595959';
const hairline = '#999999';
const watermarkGrey = '#ececec';

/** Writes one line; `xMm`, `yMm` are the start of its baseline. */
export const write = (
  { doc }: Pick<Canvas, 'doc'>,
  text: string,
  xMm: number,
  yMm: number,
  sizePt: number,
  rtl?: boolean,
): void => {
  if (text !== '') doc.text(text, xMm, yMm, sizePt, rtl);
};

function writeRight(canvas: Canvas, text: string, yMm: number, sizePt: number): void {
  const { sheet, font } = canvas;
  const right = sheet.page.width - sheet.margins.right;
  write(canvas, text, right - textWidthMm(text, sizePt, font.metrics), yMm, sizePt);
}

function drawBlock(canvas: Canvas, block: FittedBlock): void {
  block.lines.forEach((line, row) => {
    write(
      canvas,
      line,
      block.xMm,
      block.yMm + row * block.lineHeightPt * mmPerPt,
      block.fontSizePt,
    );
  });
}

const doesNotFit = (who: 'to' | 'from', where: string): AppError =>
  new AppError(
    'address_invalid',
    `The ${who} address does not fit ${where} at the smallest size. Shorten or remove a line.`,
  );

function drawSender(canvas: Canvas, from: string[]): void {
  const block = fitSender(from, canvas.sheet, canvas.font.metrics);
  if (block === undefined) throw doesNotFit('from', 'the return address');
  canvas.doc.color(grey);
  drawBlock(canvas, block);
  canvas.doc.color(black);
}

function drawRecipient(canvas: Canvas, to: string[]): void {
  const block = fitRecipient(to, canvas.sheet, canvas.font.metrics);
  if (block === undefined) throw doesNotFit('to', "the envelope's window");
  drawBlock(canvas, block);
}

function shortened(text: string, widthMm: number, sizePt: number, font: LetterFont): string {
  const fits = (candidate: string) => textWidthMm(candidate, sizePt, font.metrics) <= widthMm;
  if (fits(text)) return text;
  const characters = [...text];
  while (characters.length > 0 && !fits(`${characters.join('')}…`)) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** Reference at the left, date at the right, one blank line above the body. */
function drawDateLine(canvas: Canvas, letter: Letterhead): void {
  const { sheet, font } = canvas;
  const sizePt = bodyText.fontSizePt;
  const y = (sheet.dateTop ?? sheet.bodyTop) + sizePt * mmPerPt;
  writeRight(canvas, letter.date, y, sizePt);
  if (letter.reference === undefined) return;
  const free = referenceRoomMm(letter.date, sheet, font.metrics);
  write(canvas, shortened(letter.reference, free, sizePt, font), sheet.margins.left, y, sizePt);
}

function drawFoldMarks({ doc, sheet }: Canvas): void {
  for (const y of sheet.foldMarks) {
    doc.color(hairline);
    doc.line([5, y], [9, y], 0.4);
  }
  doc.color(black);
}

/**
 * Draws fold marks, sender, recipient and date line on the first page.
 * @throws AppError `address_invalid` when an address does not fit its place, `content_not_printable` when the footer
 * does not
 */
export function drawLetterhead(canvas: Canvas, letter: Letterhead): void {
  if (letter.foldMarks === true) drawFoldMarks(canvas);
  drawSender(canvas, letter.from);
  drawRecipient(canvas, letter.to);
  drawDateLine(canvas, letter);
  if (letter.footer !== undefined) drawFooter(canvas, letter.footer);
  if (letter.logo !== undefined) drawLogo(canvas, letter.logo);
}

function drawFooter(canvas: Canvas, footer: string): void {
  const { doc, sheet, font } = canvas;
  const lines = fitFooter(footer, sheet, font.metrics);
  if (lines === undefined) {
    throw new AppError('content_not_printable', 'The footer does not fit the page. Shorten it.');
  }
  const baselines = footerBaselines(lines.length, sheet);
  doc.color(grey);
  for (const [row, line] of lines.entries()) {
    write(canvas, line, sheet.margins.left, baselines[row] ?? 0, footerText.sizePt);
  }
  doc.color(black);
}

/** As large as its box allows, at the right of it. */
function drawLogo({ doc, sheet }: Canvas, logo: Logo): void {
  const box = logoBox(sheet);
  const scale = Math.min(box.width / logo.width, box.height / logo.height);
  const [widthMm, heightMm] = [logo.width * scale, logo.height * scale];
  doc.image(logo, { xMm: box.x + box.width - widthMm, yMm: box.y, widthMm, heightMm });
}

/** Set so wide that it spans nearly half of the page's diagonal. */
export function drawWatermark(
  { doc, sheet, font }: Omit<Canvas, 'sheet'> & { sheet: Pick<LetterSheet, 'page'> },
  text: string,
): void {
  const { width, height } = sheet.page;
  const sizePt = (0.45 * Math.hypot(width, height)) / textWidthMm(text, 1, font.metrics);
  const widthMm = textWidthMm(text, sizePt, font.metrics);
  const angle = (Math.atan2(height, width) * 180) / Math.PI;
  doc.turned(angle, [width / 2, height / 2], () => {
    doc.color(watermarkGrey);
    write({ doc }, text, (width - widthMm) / 2, height / 2 + 0.357 * sizePt * mmPerPt, sizePt);
  });
}

export function drawPageNumber(canvas: Canvas, page: number, pageCount: number): void {
  const { doc, sheet } = canvas;
  doc.color(grey);
  writeRight(canvas, `${page} / ${pageCount}`, sheet.page.height - sheet.margins.bottom / 2, 9);
  doc.color(black);
}

/** A text as it is drawn in the letterhead: composed and without invisible characters. */
const drawn = (text: string): string => {
  const normal = normalizeText(text);
  return (needsShaping(normal) ? shapedText(normal) : visibleText(normal)).trim();
};

/** A reference is the sender's own label: one that cannot be printed is left out. */
function printableReference(reference: string | undefined): string | undefined {
  const text = drawn(reference ?? '');
  return text === '' || findUnprintable(text, letterFont().metrics).length > 0 ? undefined : text;
}

/** The letterhead's texts as they are drawn; the rest of the letter as it was. */
export const preparedLetterhead = <L extends Letterhead>(letter: L): L => ({
  ...letter,
  from: letter.from.map(drawn),
  to: letter.to.map(drawn),
  date: drawn(letter.date),
  reference: printableReference(letter.reference),
});

/** @throws AppError `content_not_printable` for the first character that the font cannot print */
export function assertPrintable(texts: string[], font: LetterFont): void {
  for (const text of texts) {
    const [found] = findUnprintable(text, font.metrics);
    if (found === undefined) continue;
    const name = `U+${found.codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
    throw new AppError(
      'content_not_printable',
      `The character ${name} cannot be printed (${found.reason}). Remove or replace it.`,
    );
  }
}

/** Every text that `drawLetterhead` draws. */
export const letterheadTexts = ({
  from,
  to,
  date,
  reference = '',
  footer = '',
}: Letterhead): string[] => [...from, ...to, date, reference, footer];

/** The Info dictionary of every letter, without names of people. */
export const documentInfo = (createdAt: Date) => ({
  Title: 'Letter',
  Creator: 'letters',
  Producer: 'letters',
  CreationDate: createdAt,
  ModDate: createdAt,
});

export const openDocument = (letter: Letterhead, font: LetterFont): PageWriter =>
  createPageWriter({
    page: letter.sheet.page,
    font,
    info: { title: documentInfo(letter.createdAt).Title, createdAt: letter.createdAt },
  });
