import { fileURLToPath } from 'node:url';
import { constants, deflateRawSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { createPreflight } from '../../../documents/preflight/index.ts';
import { createLogger } from '../../../infra/log.ts';
import { defaultLimits } from '../../../limits/table.ts';
import { createWorkerPool } from '../../../limits/worker-pool.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import type { Box, CountryCode } from '../../../postal/types.ts';

/** A preflight with threads of its own. */
export const startPreflight = ({ pool: threads = 1, timeoutMs = 10_000 } = {}) => {
  const pool = createWorkerPool({ threads });
  const preflight = createPreflight({
    pool,
    timeoutMs,
    maxBytes: defaultLimits.documentBytes,
    maxPages: defaultLimits.pages,
    log: createLogger({ level: 'silent' }),
  });
  return { ...preflight, stats: pool.stats, close: pool.close };
};

export type Preflight = ReturnType<typeof startPreflight>;

export const germanSheet = geometryOf('DE', 'de_standardbrief');
export const frenchSheet = geometryOf('FR', 'fr_lettre_verte');
export const americanSheet = geometryOf('US', 'us_first_class');

export const request = (
  more: Partial<Parameters<Preflight['check']>[1]> = {},
): Parameters<Preflight['check']>[1] => ({
  sheet: germanSheet,
  country: 'DE' as CountryCode,
  maxPages: 60,
  autoFix: false,
  ...more,
});

/** Points of millimetres. */
export const pt = (mm: number): number => (mm * 72) / 25.4;

export type Doc = PDFKit.PDFDocument;
type Options = {
  size?: [number, number];
  font?: 'embedded' | 'builtin';
} & PDFKit.PDFDocumentOptions;

const embedded = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
);

/** A PDF drawn by pdfkit; `size` in mm, A4 by default, fonts embedded by default. */
export function drawPdf(draw: (doc: Doc) => void, options: Options = {}): Promise<Buffer> {
  const { size = [210, 297], font = 'embedded', ...rest } = options;
  const doc = new PDFDocument({
    size: [pt(size[0]), pt(size[1])],
    margin: 0,
    font: font === 'embedded' ? embedded : 'Helvetica',
    ...rest,
  });
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
    draw(doc);
    doc.end();
  });
}

/** A black rectangle, mm from the top left. */
export const black = (doc: Doc, { x, y, width, height }: Box): Doc =>
  doc.rect(pt(x), pt(y), pt(width), pt(height)).fill('#000000');

export const textAt = (doc: Doc, text: string, x: number, y: number, sizePt = 11): Doc =>
  doc.fontSize(sizePt).text(text, pt(x), pt(y), { width: pt(160) });

/** Content that fits every sheet and every zone. */
export const body = (doc: Doc): Doc => textAt(doc, 'Guten Tag. '.repeat(60), 25, 110);
export const goodLetter = (): Promise<Buffer> => drawPdf(body);
/** A letter with these lines in its window, the first at `x` and `y` mm. */
export const addressedLetter = (lines: string[], x: number, y: number): Promise<Buffer> =>
  drawPdf((doc) => {
    for (const [row, line] of lines.entries()) textAt(doc, line, x, y + 5 * row, 10);
    body(doc);
  });
/** A letter to France with `12 bis rue`, which becomes `12 B rue` when the letter is accepted. */
export const bisLetter = async () => {
  const to_line1 = '12 bis rue de la Paix';
  const pdf = await addressedLetter(['Anne Martin', to_line1, '75002 Paris'], 110, 45);
  return { pdf, fields: { to_line1, address_placement: 'in_document' } };
};

let copies = 0;
/** The same document in other bytes, so that no verdict on it is remembered. */
export const anotherCopy = (pdf: Buffer): Buffer =>
  Buffer.concat([pdf, Buffer.from(`\n% copy ${++copies}\n`)]);

/** A PDF from its objects, numbered from 1; the first is the catalogue. */
export function rawPdf(objects: (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const push = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  objects.forEach((object, index) => {
    offsets.push(length);
    push(Buffer.from(`${index + 1} 0 obj\n`));
    push(typeof object === 'string' ? Buffer.from(object, 'latin1') : object);
    push(Buffer.from('\nendobj\n'));
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const start = length;
  const size = objects.length + 1;
  push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`));
  push(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

export const streamObject = (dictionary: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`, 'latin1'),
    bytes,
    Buffer.from('\nendstream'),
  ]);

/** One page of A4; `page` and `catalogue` are more entries, `more` objects from number 5 on. */
export const onePage = (
  parts: { content?: Buffer; page?: string; catalogue?: string; more?: (string | Buffer)[] } = {},
): Buffer =>
  rawPdf([
    `<< /Type /Catalog /Pages 2 0 R ${parts.catalogue ?? ''} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.28 841.89] /Contents 4 0 R ${parts.page ?? ''} >>`,
    parts.content ?? streamObject('', Buffer.from('100 300 200 20 re f')),
    ...(parts.more ?? []),
  ]);

const mebibyte = 1024 * 1024;

/** A zlib stream of about a kilobyte for each MiB of `letter` that it inflates to. */
export function bomb(mebibytes: number, letter: string): Buffer {
  const block = deflateRawSync(Buffer.alloc(mebibyte, letter), {
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const end = deflateRawSync(Buffer.alloc(0));
  const blocks = Array.from({ length: mebibytes }, () => block);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, end, Buffer.alloc(4)]);
}
