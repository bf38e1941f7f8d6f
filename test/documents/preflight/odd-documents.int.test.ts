/** Documents that are legal, or accepted by viewers, and unlike those that programs usually write. */
import { execFileSync } from 'node:child_process';
import { deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { expect } from 'chai';
import fc from 'fast-check';
import { isAppError } from '../../../contract/errors.ts';
import { openPdf, type PdfDocument } from '../../../documents/pdf/pdf-document.ts';
import { compilePdfium, type Pdfium, startPdfium } from '../../../documents/pdf/pdfium-module.ts';
import { type FinalLetter, finalLetter } from '../../../documents/render/final-letter.ts';
import { hasErrors } from '../../../postal/preflight-findings.ts';
import { requirePoppler } from '../../support/poppler.ts';
import {
  americanSheet,
  germanSheet,
  onePage,
  type Preflight,
  rawPdf,
  request,
  startPreflight,
  streamObject,
} from './samples.ts';

const letter = (more: Partial<FinalLetter> = {}): FinalLetter => ({
  sheet: germanSheet,
  coverPage: false,
  from: ['Max Muller', 'Weg 1', '12345 Berlin'],
  to: ['Erika Muster', 'Strasse 5', '80331 Munchen'],
  date: '1. Mai 2026',
  createdAt: new Date('2026-05-01T00:00:00Z'),
  ...more,
});

const a4 = '/MediaBox [0 0 595.28 841.89]';
/** In the address window, to the left of our own block. */
const inWindow = '58 640 8 8 re f';
const body = '100 300 200 20 re f';

const contents = {
  'as it is': body,
  'behind a scale and an open state': `0.5 0 0 0.5 0 0 cm q ${body}`,
  'behind a clip and an open state': `0 0 600 400 re W n q ${body}`,
  'with a state closed too often': `Q 0.5 0 0 0.5 0 0 cm ${body}`,
  'within a text that does not end': `BT 1 0 0 1 300 300 Tm ${body}`,
  'in a layer': `/OC /L BDC ${inWindow} EMC ${body}`,
  'in an ink of the press': `${body} /C cs 1 scn ${inWindow}`,
  'under a white that presses leave out': `${inWindow} /G gs 0 0 0 0 k ${inWindow} 0 g ${body}`,
};
const frames = {
  A4: a4,
  'no frame': '',
  'a larger media box': '/MediaBox [0 0 695.28 941.89] /CropBox [50 50 645.28 891.89]',
  'a smaller trim box': `${a4} /TrimBox [100 100 495.28 741.89]`,
  'an angle of 45 degrees': `${a4} /Rotate 45`,
  'an angle that is a string': `${a4} /Rotate (0)`,
  'an angle of 180 degrees': `${a4} /Rotate -180`,
  'an angle of 90 degrees': '/MediaBox [0 0 841.89 595.28] /Rotate 450',
};
const layers = {
  none: '<< /Type /OCG /Name (x) >>',
  'off for print by a string':
    '<< /Type /OCG /Name (x) /Usage << /Print << /PrintState (OFF) >> >> >>',
  'off by an expression': '<< /Type /X /OCGs [9 0 R] /VE [/Not 9 0 R] >>',
};
const catalogues = {
  plain: '',
  'layers that are off by a string': '/OCProperties << /OCGs [9 0 R] /D << /BaseState (OFF) >> >>',
};
const annotations = {
  none: '',
  'a popup with a drawing': '/Subtype /Popup /F 4',
  'a stamp that is not printed': '/Subtype /Stamp',
  'a stamp that is printed': '/Subtype /Stamp /F 4',
};
const streams = {
  one: '7 0 R',
  'one and a missing one': '[19 0 R 7 0 R]',
  'one three times': '[7 0 R 7 0 R 7 0 R]',
};
const trees = { one: '3 0 R', twice: '3 0 R 3 0 R', 'two that share their parts': '3 0 R 4 0 R' };
const inks = { missing: '', odd: '/XObject []' };

const keysOf = <T extends object>(record: T) =>
  fc.constantFrom(...(Object.keys(record) as (keyof T)[]));
/** Mostly the usual: a document with an oddity in every part is refused. */
const mostly = <T extends object>(record: T, value: keyof T) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: keysOf(record) });
const oddDocument = fc.record({
  content: keysOf(contents),
  frame: mostly(frames, 'A4'),
  layer: mostly(layers, 'none'),
  catalogue: mostly(catalogues, 'plain'),
  annotation: mostly(annotations, 'none'),
  stream: keysOf(streams),
  tree: keysOf(trees),
  objects: keysOf(inks),
});
type OddDocument = typeof oddDocument extends fc.Arbitrary<infer T> ? T : never;
const usual: OddDocument = {
  content: 'as it is',
  frame: 'A4',
  layer: 'none',
  catalogue: 'plain',
  annotation: 'none',
  stream: 'one',
  tree: 'one',
  objects: 'missing',
};

const annotationAt = (entries: string): string =>
  entries === ''
    ? 'null'
    : `<< /Type /Annot ${entries} /Rect [58 640 66 648] /AP << /N 11 0 R >> >>`;

const build = (odd: OddDocument): Buffer => {
  const kids = trees[odd.tree];
  const page = `<< /Type /Page /Parent 2 0 R ${frames[odd.frame]} /Contents 5 0 R /Resources 6 0 R /Annots [10 0 R] >>`;
  return rawPdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalogues[odd.catalogue]} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${kids.match(/R/g)?.length} >>`,
    page,
    page,
    streams[odd.stream].startsWith('[') ? streams[odd.stream] : `[${streams[odd.stream]}]`,
    `<< ${inks[odd.objects]} /Properties << /L 8 0 R >> /ColorSpace << /C [/Separation /Black /DeviceGray 12 0 R] >> /ExtGState << /G << /OP true /op true /OPM 1 >> >> >>`,
    streamObject('', Buffer.from(contents[odd.content])),
    layers[odd.layer],
    '<< /Type /OCG /Name (y) >>',
    annotationAt(annotations[odd.annotation]),
    streamObject('/Type /XObject /Subtype /Form /BBox [0 0 8 8]', Buffer.from('0 0 8 8 re f')),
    '<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [1] /N 1 >>',
  ]);
};

/** An A4 page at 72 dpi. `red`: the offset of the red byte in each pixel. */
type Picture = { bytes: Buffer; bytesPerPixel: number; red: number };
const [width, height] = [595, 842];
const a4Pixels = ['-scale-to-x', `${width}`, '-scale-to-y', `${height}`];

/** The page as a program other than PDFium draws it. */
const byPoppler = (pdf: Buffer, page: number): Picture => {
  const ppm = execFileSync('pdftoppm', [...a4Pixels, '-f', `${page}`, '-l', `${page}`, '-'], {
    input: pdf,
    maxBuffer: 2 ** 26,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const header = `P6\n${width} ${height}\n255\n`;
  expect(ppm.toString('latin1', 0, header.length)).to.equal(header);
  return { bytes: ppm.subarray(header.length), bytesPerPixel: 3, red: 0 };
};

const wordsOf = (pdf: Buffer, page: number): string =>
  execFileSync('pdftotext', ['-f', `${page}`, '-l', `${page}`, '-bbox', '-', '-'], {
    input: pdf,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString();

const mm = (points: number): number => (points * 25.4) / 72;

/** Where the name of the recipient stands on a page, mm. */
function recipientOn(pdf: Buffer, page: number): { x: number; y: number } | undefined {
  const found = /<word xMin="([\d.-]+)" yMin="([\d.-]+)"[^>]*>Erika/.exec(wordsOf(pdf, page));
  return found ? { x: mm(Number(found[1])), y: mm(Number(found[2])) } : undefined;
}

const darkDots = ({ bytes, bytesPerPixel, red }: Picture): Uint8Array => {
  const dark = new Uint8Array(width * height);
  for (let at = 0; at < dark.length; at++)
    if ((bytes[at * bytesPerPixel + red] ?? 255) < 128) dark[at] = 1;
  return dark;
};

/** Dots that are dark in one picture and light in the other, apart from edges. */
function differences(a: Picture, b: Picture): number {
  const [one, other] = [darkDots(a), darkDots(b)];
  const around = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => dy * width + dx));
  let count = 0;
  for (let at = 0; at < one.length; at++) {
    const dark = one[at];
    if (dark !== other[at] && !around.some((step) => other[at + step] === dark)) count++;
  }
  return count;
}

describe('an odd document that preflight takes', () => {
  let preflight: Preflight;
  let pdfium: Pdfium;
  before(async function () {
    requirePoppler(this);
    preflight = startPreflight();
    pdfium = await startPdfium(await compilePdfium(64 * 1024 * 1024));
  });
  after(() => preflight?.close());

  const byPdfium = (pdf: Buffer, page: number): Picture => {
    const document = openPdf(pdfium, pdf) as PdfDocument;
    const drawn = document.withPage(page - 1, (one) => one.render(width, height, 'colour'));
    document.close();
    if (!drawn) throw new Error(`page ${page} cannot be read`);
    return { bytes: Buffer.from(drawn), bytesPerPixel: 4, red: 2 };
  };

  /** Answers whether the document was taken. */
  async function assertPrinted(parts: OddDocument): Promise<boolean> {
    const odd = build(parts);
    const { findings, pages } = await preflight.check(odd, request());
    if (hasErrors(findings)) return false;
    const printed = await finalLetter(odd, letter());
    const blank = await finalLetter(odd, letter({ addressInDocument: true }));
    expect((await PDFDocument.load(printed)).getPageCount()).to.equal(pages);
    const at = recipientOn(printed, 1);
    const { window } = germanSheet;
    expect(at?.x, 'x').to.be.within(window.x - 0.5, window.x + window.width);
    expect(at?.y, 'y').to.be.within(window.y - 0.5, window.y + window.height);
    for (let page = 1; page <= pages; page++) {
      const shown = byPdfium(printed, page);
      expect(differences(shown, byPoppler(printed, page)), `page ${page}`).to.be.lessThan(20);
      if (page === 1) {
        expect(differences(shown, byPdfium(blank, 1)), 'address').to.be.greaterThan(50);
      } else {
        expect(shown.bytes.equals(byPdfium(blank, page).bytes), `page ${page}`).to.equal(true);
        expect(recipientOn(printed, page), `page ${page}`).to.equal(undefined);
      }
    }
    return true;
  }

  it('has the recipient in the window of page 1 only, whatever else is odd', async function () {
    this.timeout(180_000);
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(oddDocument, async (odd) => {
        if (await assertPrinted(odd)) taken++;
      }),
      { numRuns: 40, seed: 20_260_501 },
    );
    expect(taken).to.be.greaterThan(10);
  });

  for (const [part, values] of Object.entries({
    content: Object.keys(contents).slice(0, 5),
    frame: Object.keys(frames).filter((frame) => frame !== 'no frame'),
    stream: Object.keys(streams),
    tree: Object.keys(trees),
    objects: Object.keys(inks),
  })) {
    for (const value of values) {
      it(`is taken and printed with its ${part} ${value}`, async () => {
        expect(await assertPrinted({ ...usual, [part]: value })).to.equal(true);
      });
    }
  }

  const codesOf = async (pdf: Buffer): Promise<string[]> =>
    (await preflight.check(pdf, request())).findings
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);

  for (const odd of [
    { content: 'in a layer' },
    { content: 'under a white that presses leave out' },
    { annotation: 'a stamp that is printed' },
  ] as const) {
    it(`is judged by its ink in print: ${Object.values(odd)}`, async () => {
      expect(await codesOf(build({ ...usual, ...odd }))).to.deep.equal(
        odd.content === 'under a white that presses leave out' ? [] : ['ink_in_address_window'],
      );
    });
  }

  it('is refused where strings hide its layers as names would', async () => {
    const hidden = [
      { layer: 'off for print by a string' },
      { layer: 'off by an expression' },
      { catalogue: 'layers that are off by a string' },
    ] as const;
    for (const odd of hidden) {
      expect(await codesOf(build({ ...usual, ...odd }))).to.deep.equal(['pdf_hidden_layers']);
    }
  });

  const numbered = (number: number, object: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]);
  const content = (operators: string): Buffer => streamObject('', Buffer.from(operators));
  /** A file with more bytes in front of its table of objects, which does not name them. */
  const withMore = (whole: Buffer, more: Buffer): Buffer => {
    const at = whole.indexOf('xref\n');
    const moved = Buffer.concat([whole.subarray(0, at), more, whole.subarray(at)]);
    const start = `startxref\n${at + more.length}`;
    return Buffer.from(moved.toString('latin1').replace(/startxref\n\d+/, start), 'latin1');
  };
  const pageOf = (contents: number): string =>
    `<< /Type /Page /Parent 2 0 R ${a4} /Contents ${contents} 0 R >>`;
  /** A file whose table and whose pages are in streams, with more bytes that its table does not name. */
  const inStreams = (more: Buffer): Buffer => {
    const pages = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    ];
    const starts = [0, pages[0]?.length ?? 0, pages.join('').length];
    const list = `1 ${starts[0]} 2 ${starts[1]} 3 ${starts[2]} `;
    const stream = Buffer.from(list + [...pages, pageOf(4)].join(''));
    const parts = [
      Buffer.from('%PDF-1.7\n'),
      numbered(4, content(body)),
      numbered(5, streamObject(`/Type /ObjStm /N 3 /First ${list.length}`, stream)),
      more,
    ];
    const at = parts.map((_, index) => Buffer.concat(parts.slice(0, index)).length);
    const end = Buffer.concat(parts).length;
    const rows = [
      [0, 0],
      [2, 5],
      [2, 5],
      [2, 5],
      [1, at[1]],
      [1, at[2]],
      [1, end],
    ] as const;
    const bytes = rows.flatMap(([type, where = 0], row) => [
      type,
      where >> 8,
      where & 255,
      type === 2 ? row - 1 : 0,
    ]);
    const entries = '/Type /XRef /Size 7 /Root 1 0 R /W [1 2 1]';
    const table = numbered(6, streamObject(entries, Buffer.from(bytes)));
    return Buffer.concat([...parts, table, Buffer.from(`startxref\n${end}\n%%EOF\n`)]);
  };

  it('is judged and printed by the objects that viewers show where one stands in the file twice', async () => {
    const otherRoot = Buffer.concat([
      numbered(7, '<< /Type /Catalog /Pages 8 0 R >>'),
      numbered(8, '<< /Type /Pages /Kids [9 0 R] /Count 1 >>'),
      numbered(9, `<< /Type /Page /Parent 8 0 R ${a4} /Contents 10 0 R >>`),
      numbered(10, content(inWindow)),
      Buffer.from('trailer\n<< /Root 7 0 R >>\n'),
    ]);
    const otherPage = Buffer.from(`3 0 ${pageOf(10)}`);
    const otherList = Buffer.concat([
      numbered(9, streamObject('/Type /ObjStm /N 1 /First 4', otherPage)),
      numbered(10, content(inWindow)),
    ]);
    const shown = onePage({ content: content(body) });
    for (const odd of [
      withMore(shown, numbered(4, content(inWindow))),
      withMore(shown, otherRoot),
      inStreams(numbered(4, content(inWindow))),
      inStreams(otherList),
    ]) {
      expect(await codesOf(odd)).to.deep.equal([]);
      const printed = await finalLetter(odd, letter({ addressInDocument: true }));
      expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
    }
    const covered = onePage({ content: content(inWindow) });
    const odd = withMore(covered, numbered(4, content(body)));
    expect(await codesOf(odd)).to.deep.equal(['ink_in_address_window']);
  });

  it('is judged and printed by its last objects where its table is damaged', async () => {
    const whole = onePage({ content: content(inWindow) });
    const text = withMore(whole, numbered(4, content(body))).toString('latin1');
    for (const damaged of [
      text.replace(/startxref\n\d+/, 'startxref\n5'),
      text.replaceAll(/\d{10}(?= 00000 n)/g, '0000000001'),
    ]) {
      const odd = Buffer.from(damaged, 'latin1');
      expect(await codesOf(odd)).to.deep.equal([]);
      const printed = await finalLetter(odd, letter({ addressInDocument: true }));
      expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
    }
  });

  it('is drawn as it was where the length of its content is another object', async () => {
    for (const [word, known] of [
      ['plain', true],
      ['upstream', true],
      ['endstream', true],
      ['endstream endobj', true],
      ['plain', false],
    ] as const) {
      const operators = `100 300 200 20 re f % ${word}\n/Part Do 100 500 200 20 re f`;
      const odd = rawPdf([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        `<< /Type /Page /Parent 2 0 R ${a4} /Contents 4 0 R /Resources << /XObject << /Part 6 0 R >> >> >>`,
        `<< /Length 5 0 R >>\nstream\n${operators}\nendstream`,
        known ? `${operators.length}` : '(unknown)',
        streamObject('/Subtype /Form /BBox [0 0 600 900]', Buffer.from('100 400 200 20 re f')),
      ]);
      expect(await codesOf(odd), word).to.deep.equal([]);
      const printed = await finalLetter(odd, letter({ addressInDocument: true }));
      expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes), word).to.equal(true);
    }
  });

  it('is drawn as it was where the length of its content is wrong', async () => {
    const part = streamObject(
      '/Subtype /Form /BBox [0 0 600 900]',
      Buffer.from('100 400 200 20 re f'),
    );
    const operators = '100 300 200 20 re f % upstream\n/Part Do 100 500 200 20 re f';
    for (const length of [5, operators.length + 2, 100_000]) {
      for (const end of ['\n', '\r\n', '\r', ' ']) {
        const odd = onePage({
          content: Buffer.from(`<< /Length ${length} >>\nstream\n${operators}${end}endstream`),
          page: '/Resources << /XObject << /Part 5 0 R >> >>',
          more: [part],
        });
        expect(await codesOf(odd), `${length}`).to.deep.equal([]);
        const printed = await finalLetter(odd, letter({ addressInDocument: true }));
        expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
      }
    }
  });

  it('is moved by auto_fix once where it has one page twice', async () => {
    const atEdge = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 >>',
      `<< /Type /Page /Parent 2 0 R ${a4} /Contents 4 0 R >>`,
      streamObject('', Buffer.from('6 300 200 20 re f')),
    ]);
    const { fixed } = await preflight.check(atEdge, request({ autoFix: true }));
    const pages = (await PDFDocument.load(fixed?.pdf ?? '')).getPages();
    const shifts = pages.map((page) => mm(-page.getMediaBox().x));
    expect(fixed?.changes).to.have.lengthOf(2);
    fixed?.changes.forEach((change, index) => {
      expect(change).to.match(new RegExp(`^page ${index + 1}: moved [2-4]\\.\\d mm right$`));
      expect(shifts[index]).to.be.closeTo(Number(/[\d.]+(?= mm)/.exec(change)?.[0]), 0.1);
    });
  });

  it('is drawn as it was where a drawing in it uses resources of the page', async () => {
    const form = (resources: string, content: string): Buffer =>
      streamObject(
        `/Type /XObject /Subtype /Form /BBox [0 0 600 900] ${resources}`,
        Buffer.from(content),
      );
    for (const resources of ['', '/Resources << >>']) {
      const odd = onePage({
        content: streamObject('', Buffer.from('/Outer Do')),
        page: '/Resources << /XObject << /Outer 5 0 R /Inner 6 0 R >> >>',
        more: [form(resources, '/Inner Do'), form('', body)],
      });
      const printed = await finalLetter(odd, letter({ addressInDocument: true }));
      const drawn = byPdfium(printed, 1);
      expect(drawn.bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
      expect(darkDots(drawn).filter((dark) => dark === 1).length).to.be.greaterThan(3_000);
    }
  });

  it('is drawn as it was where its streams name a predictor that predicts nothing', async () => {
    const flate = streamObject(
      '/Filter /FlateDecode /DecodeParms << /Predictor 1 >>',
      deflateSync(Buffer.from(body)),
    );
    const odd = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R ${a4} /Contents [4 0 R 5 0 R] >>`,
      flate,
      flate,
    ]);
    expect(await codesOf(odd)).to.deep.equal([]);
    const printed = await finalLetter(odd, letter({ addressInDocument: true }));
    expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
  });

  /** With a PNG filter in front of each row, all five in turn. */
  const predicted = (bytes: Buffer, columns: number): Buffer => {
    const rows: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += columns) {
      const row = bytes.subarray(at, at + columns);
      const filter = (at / columns) % 5;
      const byte = (index: number, back: number): number =>
        index < 0 || at - back < 0 ? 0 : (bytes[at + index - back] ?? 0);
      const guess = (index: number): number => {
        const [left, above, corner] = [
          byte(index - 1, 0),
          byte(index, columns),
          byte(index - 1, columns),
        ];
        const known = index === 0 ? [0, above, 0] : [left, above, corner];
        const [a = 0, b = 0, c = 0] = known;
        const distances = [a, b, c].map((one) => Math.abs(a + b - c - one));
        const nearest = known[distances.indexOf(Math.min(...distances))] ?? 0;
        return [0, a, b, (a + b) >> 1, nearest][filter] ?? 0;
      };
      rows.push(Buffer.from([filter, ...row.map((value, index) => (value - guess(index)) & 255)]));
    }
    return Buffer.concat(rows);
  };

  it('is drawn as it was where its content has a predictor', async () => {
    const content = Buffer.from(`${body} 100 400 50 50 re f 300 500 40 40 re f\n`.padEnd(140, ' '));
    const tiff = Buffer.from(
      content.map((value, at) => value - (at % 7 > 0 ? (content[at - 1] ?? 0) : 0)),
    );
    for (const [predictor, bytes] of [
      ['12 /Columns 7', predicted(content, 7)],
      ['2 /Columns 7', tiff],
    ] as const) {
      const flate = streamObject(
        `/Filter [/FlateDecode] /DecodeParms [<< /Predictor ${predictor} >>]`,
        deflateSync(bytes),
      );
      const pageOf = (contents: string, stream: Buffer): Buffer =>
        rawPdf([
          '<< /Type /Catalog /Pages 2 0 R >>',
          '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
          `<< /Type /Page /Parent 2 0 R ${a4} /Contents ${contents} >>`,
          stream,
        ]);
      const plain = pageOf('4 0 R', streamObject('', content));
      for (const contents of ['4 0 R', '[4 0 R 4 0 R]']) {
        const odd = pageOf(contents, flate);
        expect(await codesOf(odd), contents).to.deep.equal([]);
        const printed = await finalLetter(odd, letter({ addressInDocument: true }));
        expect(byPdfium(printed, 1).bytes.equals(byPdfium(plain, 1).bytes)).to.equal(true);
      }
    }
  });

  it('is taken where the lists of its objects have a predictor', async () => {
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R ${a4} /Contents 4 0 R >>`,
    ];
    const index = objects.map(
      (_, at) => `${at + 1} ${objects.slice(0, at).join(' ').length + (at > 0 ? 1 : 0)}`,
    );
    const header = `${index.join(' ')} `;
    const list = Buffer.from(header + objects.join(' '));
    const compressed = (bytes: Buffer, columns: number, entries: string): Buffer =>
      streamObject(
        `${entries} /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns ${columns} >>`,
        deflateSync(predicted(bytes, columns)),
      );
    const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
    const at: number[] = [];
    const lengthOf = () => parts.reduce((sum, part) => sum + part.length, 0);
    const push = (number: number, object: Buffer): void => {
      at[number] = lengthOf();
      parts.push(Buffer.from(`${number} 0 obj\n`), object, Buffer.from('\nendobj\n'));
    };
    push(4, streamObject('', Buffer.from(body)));
    push(5, compressed(list, 9, `/Type /ObjStm /N 3 /First ${header.length}`));
    const start = lengthOf();
    const row = (type: number, where: number, more: number) => [
      type,
      where >> 8,
      where & 255,
      more,
    ];
    const rows = [
      ...[row(0, 0, 0), row(2, 5, 0), row(2, 5, 1), row(2, 5, 2)],
      ...[row(1, at[4] ?? 0, 0), row(1, at[5] ?? 0, 0), row(1, start, 0)],
    ];
    push(6, compressed(Buffer.from(rows.flat()), 4, '/Type /XRef /Size 7 /Root 1 0 R /W [1 2 1]'));
    parts.push(Buffer.from(`startxref\n${start}\n%%EOF\n`));
    const odd = Buffer.concat(parts);
    expect(await codesOf(odd)).to.deep.equal([]);
    const printed = await finalLetter(odd, letter({ addressInDocument: true }));
    expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
  });

  it('is drawn as it was where a check box has no state, or one that is a string', async () => {
    const drawing = (content: string): Buffer =>
      streamObject('/Type /XObject /Subtype /Form /BBox [0 0 20 20]', Buffer.from(content));
    for (const [state, dots] of [
      ['', 200],
      ['/V /On', 200],
      ['/AS /Off', 200],
      ['/AS /On', 400],
      ['/AS (On)', 400],
      ['/AS /Other', 0],
    ] as const) {
      const odd = onePage({
        content: streamObject('', Buffer.from('')),
        page: `/Annots [<< /Type /Annot /Subtype /Widget /FT /Btn /F 4 ${state} /Rect [100 400 120 420] /AP << /N << /On 5 0 R /Off 6 0 R >> >> >>]`,
        more: [drawing('0 0 20 20 re f'), drawing('0 0 10 20 re f')],
      });
      const printed = await finalLetter(odd, letter({ addressInDocument: true }));
      const drawn = byPdfium(printed, 1);
      expect(drawn.bytes.equals(byPdfium(odd, 1).bytes), state).to.equal(true);
      expect(darkDots(drawn).filter((dark) => dark === 1).length, state).to.be.within(
        dots * 0.8,
        dots * 1.2,
      );
    }
  });

  it('is drawn as it was where a part of its content ends in a comment', async () => {
    const part = (content: string): Buffer => streamObject('', Buffer.from(content));
    const odd = onePage({
      page: '/Contents [5 0 R 6 0 R]',
      more: [part(`${body} % of this part`), part('300 600 30 30 re f')],
    });
    const printed = await finalLetter(odd, letter({ addressInDocument: true }));
    expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
  });

  it('is taken where a list of its objects has no checksum, as Acrobat Reader writes it', async () => {
    const list = deflateSync(Buffer.from('9 0 << >>')).subarray(0, -4);
    const more = [streamObject('/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', list)];
    expect(await codesOf(onePage({ more }))).to.deep.equal([]);
  });

  it('does not print what it draws in the ink None', async () => {
    const none = '/ColorSpace << /C [/Separation /None /DeviceGray 5 0 R] >>';
    const odd = onePage({
      content: streamObject('', Buffer.from(`/C cs 1 scn ${inWindow} 0 g ${body}`)),
      page: `/Resources << ${none} >>`,
      more: [Buffer.from('<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>')],
    });
    expect(await codesOf(odd)).to.deep.equal([]);
    const printed = await finalLetter(odd, letter({ addressInDocument: true }));
    expect(byPdfium(printed, 1).bytes.equals(byPdfium(odd, 1).bytes)).to.equal(true);
  });

  it('has no other frame than its sheet', async () => {
    for (const frame of ['a larger media box', 'a smaller trim box'] as const) {
      const printed = await PDFDocument.load(
        await finalLetter(build({ ...usual, frame }), letter()),
      );
      const page = printed.getPage(0);
      for (const box of [
        page.getMediaBox(),
        page.getCropBox(),
        page.getTrimBox(),
        page.getBleedBox(),
      ]) {
        expect(box).to.deep.equal({ x: 0, y: 0, width: 595.28, height: 841.89 });
      }
    }
  });

  it('has pages of US Letter where it says no size', async () => {
    const pdf = build({ ...usual, frame: 'no frame' });
    const { findings } = await preflight.check(
      pdf,
      request({ sheet: americanSheet, country: 'US' }),
    );
    expect(findings).to.deep.equal([]);
    const printed = await finalLetter(pdf, letter({ sheet: americanSheet }));
    expect((await PDFDocument.load(printed)).getPage(0).getSize()).to.deep.equal({
      width: 612,
      height: 792,
    });
  });

  it('can never be printed where it cannot be read, which is not a fault of the service', async () => {
    const error = await finalLetter(Buffer.from('%PDF-1.7 startxref'), letter()).catch(
      (cause: unknown) => cause,
    );
    expect(isAppError(error) && error.code).to.equal('content_not_printable');
  });
});
