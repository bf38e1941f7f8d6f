/**
 * Writes the pages that we draw ourselves: lines of text in one face, rules and filled boxes. Places are
 * in millimetres from the upper left corner of the page. The same calls make the same bytes.
 */
import { hash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Glyph, GlyphRun } from 'fontkit';
import { mmPerPt } from '../../postal/text-layout.ts';
import type { Face } from '../fonts/faces.ts';
import type { Cluster } from '../fonts/shaper.ts';
import {
  embedFace,
  faceCode,
  fontObjects,
  streamOf,
  type UsedGlyphs,
} from '../pdf/embedded-font.ts';
import { loadedShaper } from './font-metrics.ts';
import { type EmbeddedText, firstFontObject, type LetterFont } from './fonts.ts';
import type { Logo } from './logo.ts';

type DocumentInfo = { title: string; createdAt: Date };

export type PageWriter = {
  addPage(): void;
  pageCount(): number;
  /** Colour of everything drawn from here on, as `#rrggbb`; black on a new page. */
  color(color: string): void;
  /** One line; the place is the left end of its baseline, `rtl` the direction of its paragraph. */
  text(text: string, xMm: number, yMm: number, sizePt: number, rtl?: boolean): void;
  line(from: [xMm: number, yMm: number], to: [xMm: number, yMm: number], widthPt: number): void;
  boxes(boxes: { xMm: number; yMm: number; widthMm: number; heightMm: number }[]): void;
  image(logo: Logo, box: { xMm: number; yMm: number; widthMm: number; heightMm: number }): void;
  /** Turns the drawing of `draw` about a point, counter-clockwise. */
  turned(degrees: number, about: [xMm: number, yMm: number], draw: () => void): void;
  end(): Buffer;
};

/** Of a page: operators, and texts that get their codes when everything is set. */
type Operation = string | { text: string } | { glyphs: Glyph[] };

const number = (value: number): string => String(Math.round(value * 1_000) / 1_000);
const numbers = (...values: number[]): string => values.map(number).join(' ');

const colorOperator = (color: string, operator: 'rg' | 'RG'): string => {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  return `${numbers(...parts)} ${operator}\n`;
};

const isPlain = ({ glyphs, positions }: GlyphRun): boolean =>
  positions.every(
    ({ xOffset, yOffset, xAdvance }, n) =>
      xOffset === 0 && yOffset === 0 && xAdvance === glyphs[n]?.advanceWidth,
  );

const digits = Buffer.from('0123456789abcdef');

/** Writes four hexadecimal digits. */
const writeCode = (bytes: Buffer, at: number, code: number): void => {
  bytes[at] = digits[code >> 12] as number;
  bytes[at + 1] = digits[(code >> 8) & 15] as number;
  bytes[at + 2] = digits[(code >> 4) & 15] as number;
  bytes[at + 3] = digits[code & 15] as number;
};

/** The most bytes that an operation takes. */
const bytesOf = (operation: Operation): number => {
  if (typeof operation === 'string') return operation.length;
  return 4 * ('text' in operation ? operation.text : operation.glyphs).length;
};

/** The content of a page as a stream. A document has hundreds of lines: each is written once, in place. */
const contentOf = (operations: Operation[], font: EmbeddedText): Buffer => {
  const bytes = Buffer.allocUnsafe(operations.reduce((sum, one) => sum + bytesOf(one), 0));
  let at = 0;
  const write = (code: number): void => {
    writeCode(bytes, at, code);
    at += 4;
  };
  for (const operation of operations) {
    if (typeof operation === 'string') at += bytes.write(operation, at, 'latin1');
    else if ('glyphs' in operation) for (const glyph of operation.glyphs) write(font.codeOf(glyph));
    else {
      const { text } = operation;
      for (let n = 0; n < text.length; n++) {
        const codePoint = text.codePointAt(n) ?? 0;
        if (codePoint > 0xffff) n++;
        write(font.codeOfCharacter(codePoint));
      }
    }
  }
  return streamOf('', deflateSync(bytes.subarray(0, at), fastest));
};

const header = Buffer.from('%PDF-1.4\n%\xff\xff\xff\xff\n', 'latin1');
const fastest = { level: 1 };

/** The bytes of a document whose objects are numbered from 1: 1 is its catalog. */
const fileOf = (objects: Buffer[], infoNumber: number): Buffer => {
  const parts: Buffer[] = [header];
  const offsets: number[] = [];
  let at = header.length;
  for (const [n, object] of objects.entries()) {
    const opening = Buffer.from(`${n + 1} 0 obj\n`);
    const closing = Buffer.from('\nendobj\n');
    offsets.push(at);
    parts.push(opening, object, closing);
    at += opening.length + object.length + closing.length;
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const own = Buffer.concat(objects.slice(firstFontObject - 1 + fontObjects));
  const name = hash('sha256', own, 'hex').slice(0, 32);
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${infoNumber} 0 R /ID [<${name}> <${name}>] >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
};

/** ASCII as it is, anything else as UTF-16 (PDF 32000-1 §7.9.2.2). */
const textString = (text: string): string =>
  /^[ -~]*$/.test(text)
    ? `(${text.replaceAll(/[\\()]/g, '\\$&')})`
    : `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;

const dateOf = (at: Date): string =>
  `(D:${at.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z)`;

/** Everything that was drawn. */
type Drawn = {
  page: { width: number; height: number };
  font: LetterFont;
  info: DocumentInfo;
  pages: Operation[][];
  images: Logo[];
  /** The other faces of the document; the first of them is F2. */
  otherFaces: Map<Face, UsedGlyphs>;
};

const pt = (mm: number): number => mm / mmPerPt;

/** The bytes of a document, once everything on it is known. */
const finish = ({ page, font, info, pages, images, otherFaces }: Drawn): Buffer => {
  const drawn = pages.flat().filter((operation) => typeof operation !== 'string');
  const embedded = font.embedded(
    drawn.flatMap((one) => ('text' in one ? one.text : [])),
    drawn.flatMap((one) => ('glyphs' in one ? one.glyphs : [])),
  );
  const firstPage = firstFontObject + fontObjects;
  const infoNumber = firstPage + 2 * pages.length;
  const box = numbers(pt(page.width), pt(page.height));
  const firstOther = infoNumber + 1;
  const others = [...otherFaces].flatMap(([face, used], n) =>
    embedFace(loadedShaper().fileOf(face), used, firstOther + n * fontObjects),
  );
  const fonts = [firstFontObject, ...[...otherFaces].map((_, n) => firstOther + n * fontObjects)]
    .map((object, n) => `/F${n + 1} ${object} 0 R`)
    .join(' ');
  const pictures: Buffer[] = [];
  const firstPicture = firstOther + others.length;
  const pictureNames = images.map((logo, n) => {
    const first = firstPicture + pictures.length;
    pictures.push(...logo.objects(first));
    return `/I${n + 1} ${first} 0 R`;
  });
  const xObjects = pictureNames.length > 0 ? ` /XObject << ${pictureNames.join(' ')} >>` : '';
  const kids = pages.map((_, n) => `${firstPage + 2 * n} 0 R`).join(' ');
  const pageObjects = pages.flatMap((operations, n) => [
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box}] /Contents ${firstPage + 2 * n + 1} 0 R /Resources << /ProcSet [/PDF /Text] /Font << ${fonts} >>${xObjects} >> >>`,
    ),
    contentOf(operations, embedded),
  ]);
  const date = dateOf(info.createdAt);
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`),
    ...embedded.objects,
    ...pageObjects,
    Buffer.from(
      `<< /Title ${textString(info.title)} /Creator (letters) /Producer (letters) /CreationDate ${date} /ModDate ${date} >>`,
    ),
    ...others,
    ...pictures,
  ];
  return fileOf(objects, infoNumber);
};

export const createPageWriter = (options: {
  page: { width: number; height: number };
  font: LetterFont;
  info: DocumentInfo;
}): PageWriter => {
  const { page, font } = options;
  const pages: Operation[][] = [];
  const images: Logo[] = [];
  const otherFaces = new Map<Face, UsedGlyphs>();
  const x = pt;
  const y = (mm: number): number => (page.height - mm) / mmPerPt;
  const put = (...operations: Operation[]): void => void pages.at(-1)?.push(...operations);

  const set = (text: string, left: number, baseline: number, sizePt: number): void => {
    const run = font.placed(text);
    if (run === undefined || isPlain(run)) {
      const characters = run === undefined ? { text } : { glyphs: run.glyphs };
      put(`BT /F1 ${number(sizePt)} Tf ${numbers(left, baseline)} Td <`, characters, '> Tj ET\n');
      return;
    }
    const { glyphs, positions } = run;
    const scale = sizePt / font.metrics.unitsPerEm;
    let advance = 0;
    put(`BT /F1 ${number(sizePt)} Tf\n`);
    for (const [n, glyph] of glyphs.entries()) {
      const { xOffset = 0, yOffset = 0, xAdvance = 0 } = positions[n] ?? {};
      const place = [left + (advance + xOffset) * scale, baseline + yOffset * scale] as const;
      put(`1 0 0 1 ${numbers(...place)} Tm <`, { glyphs: [glyph] }, '> Tj\n');
      advance += xAdvance;
    }
    put('ET\n');
  };

  const setShaped = (
    face: Face,
    clusters: Cluster[],
    left: number,
    baseline: number,
    sizePt: number,
  ): void => {
    const used: UsedGlyphs = otherFaces.get(face) ?? new Map();
    otherFaces.set(face, used);
    const scale = sizePt / font.metrics.unitsPerEm;
    put(`BT /F${[...otherFaces.keys()].indexOf(face) + 2} ${number(sizePt)} Tf\n`);
    for (const { text, glyphs } of clusters) {
      // A text of several glyphs cannot be assigned to any one of them.
      const alone = glyphs.length === 1;
      if (!alone) put(`/Span << /ActualText ${textString(text)} >> BDC\n`);
      for (const { id, x: right, y: up, advance } of glyphs) {
        if (alone || !used.has(id)) used.set(id, { advance, text: alone ? text : '' });
        const place = [left + right * scale, baseline + up * scale] as const;
        put(`1 0 0 1 ${numbers(...place)} Tm <${faceCode(id)}> Tj\n`);
      }
      if (!alone) put('EMC\n');
    }
    put('ET\n');
  };

  return {
    addPage: () => void pages.push([]),
    pageCount: () => pages.length,
    color: (color) => put(colorOperator(color, 'rg'), colorOperator(color, 'RG')),
    text(text, xMm, yMm, sizePt, rtl) {
      const runs = font.shaped(text, rtl);
      const baseline = y(yMm);
      let left = x(xMm);
      if (runs === undefined) return set(text, left, baseline, sizePt);
      for (const run of runs) {
        if (run.face === undefined) set(run.text, left, baseline, sizePt);
        else setShaped(run.face, run.clusters, left, baseline, sizePt);
        left += (run.width * sizePt) / font.metrics.unitsPerEm;
      }
    },
    line([fromX, fromY], [toX, toY], widthPt) {
      const path = `${numbers(x(fromX), y(fromY))} m ${numbers(x(toX), y(toY))} l`;
      put(`${number(widthPt)} w ${path} S\n`);
    },
    boxes(boxes) {
      const paths = boxes.map(
        ({ xMm, yMm, widthMm, heightMm }) =>
          `${numbers(x(xMm), y(yMm + heightMm), x(widthMm), x(heightMm))} re`,
      );
      put(`${paths.join('\n')}\nf\n`);
    },
    image(logo, { xMm, yMm, widthMm, heightMm }) {
      const n = images.indexOf(logo) < 0 ? images.push(logo) : images.indexOf(logo) + 1;
      const place = numbers(x(widthMm), 0, 0, x(heightMm), x(xMm), y(yMm + heightMm));
      put(`q ${place} cm /I${n} Do Q\n`);
    },
    turned(degrees, [xMm, yMm], draw) {
      const angle = (degrees * Math.PI) / 180;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const [left, up] = [x(xMm), y(yMm)];
      const shift = numbers(left - left * cos + up * sin, up - left * sin - up * cos);
      const turn = [cos, sin, -sin, cos].map((value) => value.toFixed(6)).join(' ');
      put(`q ${turn} ${shift} cm\n`);
      draw();
      put('Q\n');
    },
    end: () => finish({ ...options, pages, images, otherFaces }),
  };
};
