import PDFDocument from 'pdfkit';
import { AppError } from '../../contract/errors.ts';
import {
  type FittedBlock,
  fitRecipient,
  fitSender,
  textWidthMm,
} from '../../postal/address-block.ts';
import { visibleText } from '../../postal/line-breaker.ts';
import { findUnprintable, normalizeText } from '../../postal/printable-text.ts';
import {
  bodyText,
  countPages,
  type LetterSheet,
  layoutText,
  mmPerPt,
} from '../../postal/text-layout.ts';
import { type LetterFont, letterFont } from './fonts.ts';

export type TextLetter = {
  content: string;
  /** The lines of the sender and of the recipient, as they are printed. */
  from: string[];
  to: string[];
  /** The date line in the words of the letter's language. */
  date: string;
  /** The instant in the PDF's metadata. The same input makes the same bytes. */
  createdAt: Date;
  sheet: LetterSheet;
  /** Printed at the left of the date line. */
  reference?: string;
  /** Draws marks at the left edge where the sheet is folded, as is customary in Germany. */
  foldMarks?: boolean;
  /** Drawn large and light across every page. */
  watermark?: string;
};

type Canvas = { doc: PDFKit.PDFDocument; sheet: LetterSheet; font: LetterFont };

const pt = (mm: number): number => mm / mmPerPt;
const black = '#000000';
const grey = '#595959';
const hairline = '#999999';
const watermarkGrey = '#ececec';

/** `textWidth` and `wordCount` spare pdfkit from measuring what is placed already. */
const asPlaced = {
  lineBreak: false,
  baseline: 'alphabetic',
  features: [],
  textWidth: 0,
  wordCount: 1,
} satisfies PDFKit.Mixins.TextOptions & { textWidth: number; wordCount: number };

const write = ({ doc }: Canvas, text: string, xMm: number, yMm: number, sizePt: number): void => {
  if (text !== '') doc.fontSize(sizePt).text(text, pt(xMm), pt(yMm), asPlaced);
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
    `The ${who} address does not fit ${where} at the smallest size; shorten or drop a line.`,
  );

function drawSender(canvas: Canvas, from: string[]): void {
  const block = fitSender(from, canvas.sheet, canvas.font.metrics);
  if (block === undefined) throw doesNotFit('from', 'the return address');
  canvas.doc.fillColor(grey);
  drawBlock(canvas, block);
  canvas.doc.fillColor(black);
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
function drawDateLine(canvas: Canvas, letter: TextLetter): void {
  const { sheet, font } = canvas;
  const sizePt = bodyText.fontSizePt;
  const y = sheet.bodyTop + sizePt * mmPerPt;
  writeRight(canvas, letter.date, y, sizePt);
  if (letter.reference === undefined) return;
  const body = sheet.page.width - sheet.margins.left - sheet.margins.right;
  const free = body - textWidthMm(letter.date, sizePt, font.metrics) - 8;
  write(canvas, shortened(letter.reference, free, sizePt, font), sheet.margins.left, y, sizePt);
}

function drawFoldMarks({ doc, sheet }: Canvas): void {
  for (const y of sheet.foldMarks) {
    doc.moveTo(pt(5), pt(y)).lineTo(pt(9), pt(y)).lineWidth(0.4).strokeColor(hairline).stroke();
  }
}

/** Set so wide that it spans nearly half of the page's diagonal, behind everything else. */
function drawWatermark({ doc, sheet, font }: Canvas, text: string): void {
  const { width, height } = sheet.page;
  const sizePt = (0.45 * Math.hypot(width, height)) / textWidthMm(text, 1, font.metrics);
  const widthMm = textWidthMm(text, sizePt, font.metrics);
  const angle = -(Math.atan2(height, width) * 180) / Math.PI;
  doc
    .save()
    .rotate(angle, { origin: [pt(width / 2), pt(height / 2)] })
    .fillColor(watermarkGrey);
  write(
    { doc, sheet, font },
    text,
    (width - widthMm) / 2,
    height / 2 + 0.357 * sizePt * mmPerPt,
    sizePt,
  );
  doc.restore().fillColor(black);
}

function drawPageNumber(canvas: Canvas, page: number, pageCount: number): void {
  const { doc, sheet } = canvas;
  doc.fillColor(grey);
  writeRight(canvas, `${page} / ${pageCount}`, sheet.page.height - sheet.margins.bottom / 2, 9);
  doc.fillColor(black);
}

/** A text as it is drawn in the letterhead: composed and without invisible characters. */
const drawn = (text: string): string => visibleText(normalizeText(text)).trim();

function prepared(letter: TextLetter): TextLetter {
  return {
    ...letter,
    content: normalizeText(letter.content),
    from: letter.from.map(drawn),
    to: letter.to.map(drawn),
    date: drawn(letter.date),
    reference: letter.reference === undefined ? undefined : drawn(letter.reference),
  };
}

function assertPrintable(letter: TextLetter, font: LetterFont): void {
  const { content, from, to, date, reference = '' } = letter;
  const texts = [content, ...from, ...to, date, reference];
  const found = texts.flatMap((text) => findUnprintable(text, font.metrics))[0];
  if (found === undefined) return;
  const name = `U+${found.codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  throw new AppError(
    'content_not_printable',
    `The character ${name} cannot be printed (${found.reason}); remove or replace it.`,
  );
}

function openDocument(letter: TextLetter, font: LetterFont): PDFKit.PDFDocument {
  const { page } = letter.sheet;
  return new PDFDocument({
    size: [pt(page.width), pt(page.height)],
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.4',
    font: font.source as unknown as string,
    info: {
      Title: 'Letter',
      Creator: 'letters',
      Producer: 'letters',
      CreationDate: letter.createdAt,
      ModDate: letter.createdAt,
    },
  });
}

/** The document is whole once `end` returned: pdfkit compresses synchronously. */
function bytesOf(doc: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
    doc.end();
  });
}

/**
 * Sets a text letter as a PDF with embedded subset fonts: sender, recipient in the window, date,
 * paragraphs, page numbers. Throws `address_invalid` when an address does not fit its place,
 * `content_not_printable` for a character that `findUnprintable` names, and an Error when the pages
 * printed are not the pages that were counted for the price.
 */
export async function renderTextLetter(input: TextLetter): Promise<Buffer> {
  const font = letterFont();
  const letter = prepared(input);
  assertPrintable(letter, font);
  const doc = openDocument(letter, font);
  const canvas: Canvas = { doc, sheet: letter.sheet, font };
  const { pages, pageCount } = layoutText(letter.content, letter.sheet, font.metrics);
  pages.forEach(({ lines }, index) => {
    doc.addPage();
    if (letter.watermark !== undefined) drawWatermark(canvas, letter.watermark);
    if (index === 0) {
      if (letter.foldMarks === true) drawFoldMarks(canvas);
      drawSender(canvas, letter.from);
      drawRecipient(canvas, letter.to);
      drawDateLine(canvas, letter);
    }
    for (const line of lines) write(canvas, line.text, line.xMm, line.yMm, bodyText.fontSizePt);
    if (pageCount > 1) drawPageNumber(canvas, index + 1, pageCount);
  });
  const printed = doc.bufferedPageRange().start + doc.bufferedPageRange().count;
  const counted = countPages(letter.content, letter.sheet, font.metrics);
  if (printed !== counted) throw new Error(`${printed} pages printed, ${counted} pages counted`);
  return bytesOf(doc);
}
