import { textWidthMm } from '../../postal/address-block.ts';
import { pageSizes } from '../../postal/geometry.ts';
import { linesWithin } from '../../postal/lines-within.ts';
import { mmPerPt } from '../../postal/text-layout.ts';
import type { Certificate, CertificateRow } from '../../presenters/certificate.ts';
import { type LetterFont, letterFont } from '../render/fonts.ts';
import { drawWatermark, write } from '../render/letterhead.ts';
import { createPageWriter, type PageWriter } from '../render/page-writer.ts';
import { drawQrCode } from './qr-code.ts';

/** CHOICE: a quiet page, one face, hairlines; millimetres and points. */
const margin = { top: 20, side: 22, bottom: 20 };
const labelWidth = 36;
const qrSize = 30;
/** More than four modules of it. */
const qrMargin = 8;
const size = { title: 19, body: 9.5, small: 8, footer: 7.5 };
const leading = 1.42;
const ink = { black: '#000000', grey: '#5c5c5c', line: '#b5b5b5' };

type Page = { doc: PageWriter; font: LetterFont; width: number; height: number };

/** A part that stays on one page. */
type Piece = { heightMm: number; draw(yMm: number): void };

const lineMm = (sizePt: number): number => sizePt * leading * mmPerPt;

const columnOf = ({ width }: Page): number => width - 2 * margin.side;

/** Draws lines from their top downwards. */
const drawLines = (
  page: Page,
  lines: string[],
  place: { xMm: number; yMm: number; sizePt: number; color?: string },
): void => {
  page.doc.color(place.color ?? ink.black);
  for (const [n, line] of lines.entries()) {
    const baseline = place.yMm + place.sizePt * mmPerPt + n * lineMm(place.sizePt);
    write(page, line, place.xMm, baseline, place.sizePt);
  }
};

const rule = ({ doc, width }: Page, yMm: number): void => {
  doc.color(ink.line);
  doc.line([margin.side, yMm], [width - margin.side, yMm], 0.5);
};

const wrap = (page: Page, texts: string[], widthMm: number, sizePt: number): string[] =>
  texts.flatMap((text) => linesWithin(text, widthMm, sizePt, page.font.metrics));

/** Title and statement, with the code next to them. */
const headPiece = (page: Page, { title, statement, verifyUrl }: Certificate): Piece => {
  const width = columnOf(page) - qrSize - qrMargin;
  const titleLines = wrap(page, [title], width, size.title);
  const lines = wrap(page, [statement], width, size.body);
  const titleMm = titleLines.length * lineMm(size.title) + 2;
  return {
    heightMm: Math.max(qrSize, titleMm + lines.length * lineMm(size.body)) + 6,
    draw(yMm) {
      drawLines(page, titleLines, { xMm: margin.side, yMm, sizePt: size.title });
      drawLines(page, lines, { xMm: margin.side, yMm: yMm + titleMm, sizePt: size.body });
      const xMm = page.width - margin.side - qrSize;
      drawQrCode(page.doc, verifyUrl, { xMm, yMm: yMm + 2, sizeMm: qrSize });
    },
  };
};

const headingPiece = (page: Page, text: string): Piece => ({
  heightMm: 8.5,
  draw(yMm) {
    rule(page, yMm + 1.5);
    drawLines(page, [text], {
      xMm: margin.side,
      yMm: yMm + 3.2,
      sizePt: size.small,
      color: ink.grey,
    });
  },
});

const rowPiece = (page: Page, { label, lines }: CertificateRow): Piece => {
  const wrapped = wrap(page, lines, columnOf(page) - labelWidth, size.body);
  return {
    heightMm: wrapped.length * lineMm(size.body) + 0.6,
    draw(yMm) {
      const at = { yMm, sizePt: size.body };
      drawLines(page, [label], { ...at, xMm: margin.side, color: ink.grey });
      drawLines(page, wrapped, { ...at, xMm: margin.side + labelWidth });
    },
  };
};

/** Sender and recipient side by side. */
const partiesPiece = (page: Page, { sender, recipient, words }: Certificate): Piece => {
  const gap = 8;
  const width = (columnOf(page) - gap) / 2;
  const sides = [sender, recipient].map((lines) => wrap(page, lines, width, size.body));
  const longest = Math.max(...sides.map((lines) => lines.length));
  return {
    heightMm: lineMm(size.small) + 1 + longest * lineMm(size.body) + 3,
    draw(yMm) {
      for (const [n, lines] of sides.entries()) {
        const xMm = margin.side + n * (width + gap);
        const label = n === 0 ? words.parties.sender : words.parties.recipient;
        drawLines(page, [label], { xMm, yMm, sizePt: size.small, color: ink.grey });
        const below = yMm + lineMm(size.small) + 1;
        drawLines(page, lines, { xMm, yMm: below, sizePt: size.body });
      }
    },
  };
};

const verifyPiece = (page: Page, { howToVerify, verifyUrl }: Certificate): Piece => {
  const lines = wrap(page, [...howToVerify, verifyUrl], columnOf(page), size.small);
  return {
    heightMm: lines.length * lineMm(size.small) + 2,
    draw: (yMm) => drawLines(page, lines, { xMm: margin.side, yMm, sizePt: size.small }),
  };
};

/** Headings go with what follows them. */
const together = (first: Piece, second: Piece): Piece => ({
  heightMm: first.heightMm + second.heightMm,
  draw(yMm) {
    first.draw(yMm);
    second.draw(yMm + first.heightMm);
  },
});

const piecesOf = (page: Page, certificate: Certificate): Piece[] => {
  const pieces = [headPiece(page, certificate), partiesPiece(page, certificate)];
  for (const { heading, rows } of certificate.sections) {
    const [first, ...others] = rows.map((row) => rowPiece(page, row));
    if (first) pieces.push(together(headingPiece(page, heading), first), ...others);
  }
  const verify = verifyPiece(page, certificate);
  return [...pieces, together(headingPiece(page, certificate.words.sections.verify), verify)];
};

/** Fills pages from the top. A piece is never higher than a page: its texts are bounded. */
const paginate = (pieces: Piece[], roomMm: number): Piece[][] => {
  const pages: Piece[][] = [[]];
  let free = roomMm;
  for (const piece of pieces) {
    if (piece.heightMm > free && pages.at(-1)?.length !== 0) {
      pages.push([]);
      free = roomMm;
    }
    pages.at(-1)?.push(piece);
    free -= piece.heightMm;
  }
  return pages;
};

/** On every page, so that none of them is taken for a proof. */
const drawTestMark = (page: Page, text: string): void => {
  const { doc, font, width, height } = page;
  drawWatermark({ doc, font, sheet: { page: { width, height } } }, 'TEST');
  const xMm = width - margin.side - textWidthMm(text, size.small, font.metrics);
  drawLines(page, [text], { xMm, yMm: 10, sizePt: size.small });
};

const drawFooter = (page: Page, certificate: Certificate, place: string): void => {
  const { font, width, height } = page;
  const yMm = height - 13;
  rule(page, yMm - 2);
  const at = { yMm, sizePt: size.footer, color: ink.grey };
  drawLines(page, [certificate.footer], { ...at, xMm: margin.side });
  const right = width - margin.side - textWidthMm(place, size.footer, font.metrics);
  drawLines(page, [place], { ...at, xMm: right });
};

/** Sets a certificate as a PDF. The same facts make the same bytes: it knows no other time than theirs. */
export async function renderCertificate(certificate: Certificate): Promise<Buffer> {
  const font = letterFont();
  await font.metrics.shaping?.load([...certificate.sender, ...certificate.recipient]);
  const { width, height } = pageSizes[certificate.pageFormat];
  const asOf = new Date(certificate.stateAsOf);
  const doc = createPageWriter({
    page: { width, height },
    font,
    info: { title: `${certificate.title}, letter ${certificate.letterId}`, createdAt: asOf },
  });
  const page: Page = { doc, font, width, height };
  const pages = paginate(piecesOf(page, certificate), height - margin.top - margin.bottom);
  for (const [n, pieces] of pages.entries()) {
    doc.addPage();
    if (certificate.test) drawTestMark(page, certificate.words.testMark);
    let yMm = margin.top;
    for (const piece of pieces) {
      piece.draw(yMm);
      yMm += piece.heightMm;
    }
    drawFooter(page, certificate, `${n + 1} / ${pages.length}`);
  }
  return doc.end();
}
