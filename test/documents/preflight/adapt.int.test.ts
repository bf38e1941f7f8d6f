import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import type { PreflightResult } from '../../../documents/preflight/index.ts';
import { finalLetter } from '../../../documents/render/final-letter.ts';
import { type FindingCode, hasErrors } from '../../../postal/preflight-findings.ts';
import { requirePoppler } from '../../support/poppler.ts';
import {
  americanSheet,
  black,
  body,
  drawPdf,
  germanSheet,
  onePage,
  type Preflight,
  pt,
  request,
  startPreflight,
  streamObject,
} from './samples.ts';

/** The same in every standard font: letters, accents, signs. */
const sample = 'Grüße à Łódź? “Zoë” – 12.345,67 € ½ fi';

/** A letter that is set in every font of the standard that has letters. */
async function standardLetter(): Promise<Buffer> {
  const document = await PDFDocument.create();
  const page = document.addPage([pt(210), pt(297)]);
  const faces = Object.values(StandardFonts).filter((name) => !/Symbol|Zapf/.test(name));
  for (const [row, face] of faces.entries()) {
    const font = await document.embedFont(face);
    const text = `${face}: ${sample.replaceAll(/[Łźó]/g, 'o')}`;
    page.drawText(text, { font, x: pt(25), y: pt(170 - 8 * row), size: 12 });
  }
  return Buffer.from(await document.save({ useObjectStreams: false }));
}

const picture = (pdf: Buffer, page = 1): PNG =>
  PNG.sync.read(
    execFileSync('pdftoppm', ['-r', '72', '-f', `${page}`, '-l', `${page}`, '-png', '-'], {
      input: pdf,
      maxBuffer: 2 ** 26,
    }),
  );

/** Of all glyphs at 72 dpi, from pictures that were looked at: most machines have neither font to compare with. */
const inkOfSymbols = { Symbol: 4_638, ZapfDingbats: 8_136 };

const inkIn = ({ data }: PNG): number =>
  data.filter((value, index) => index % 4 === 0 && value < 128).length;

describe('auto_fix before pages are placed', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const codesOf = ({ findings }: PreflightResult): FindingCode[] =>
    findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);

  async function fixed(
    pdf: Buffer,
    codes: FindingCode[],
    more = {},
  ): Promise<NonNullable<PreflightResult['fixed']>> {
    const without = await preflight.check(pdf, request(more));
    expect(without).not.to.have.property('fixed');
    const result = await preflight.check(pdf, request({ autoFix: true, ...more }));
    expect([...new Set(codesOf(result))]).to.have.members(codes);
    if (result.fixed === undefined) throw new Error(`not fixed: ${JSON.stringify(result)}`);
    const again = await preflight.check(result.fixed.pdf, request({ ...more, autoFix: false }));
    expect(hasErrors(again.findings), JSON.stringify(again.findings)).to.equal(false);
    return result.fixed;
  }

  it('embeds fonts of the same widths for Helvetica, Times and Courier', async () => {
    const pdf = await standardLetter();
    const { changes, pages, coverPage } = await fixed(pdf, ['font_not_embedded']);
    expect({ pages, coverPage }).to.deep.equal({ pages: 1, coverPage: false });
    expect(changes.join()).to.include('Helvetica-BoldOblique').and.include('Times-Roman');
  });

  it('embeds no fonts that the document lists and does not use, as jsPDF does', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([pt(210), pt(297)]);
    for (const face of [StandardFonts.Courier, StandardFonts.ZapfDingbats]) {
      const unused = await document.embedFont(face);
      await unused.embed();
      page.node.newFontDictionary(face, unused.ref);
    }
    const font = await document.embedFont(StandardFonts.Helvetica);
    page.drawText('Guten Tag', { font, x: pt(25), y: pt(170), size: 12 });
    const { changes } = await fixed(Buffer.from(await document.save()), ['font_not_embedded']);
    expect(changes).to.deep.equal([
      'Helvetica: missing fonts, replaced by fonts with the same widths',
    ]);
  });

  it('prints every letter in them at the place where it stood', async function () {
    requirePoppler(this);
    const pdf = await standardLetter();
    const { pdf: embedded } = await fixed(pdf, ['font_not_embedded']);
    const wordsOf = (file: Buffer): string[] =>
      execFileSync('pdftotext', ['-bbox', '-', '-'], { input: file })
        .toString()
        .split('\n')
        .filter((line) => line.includes('<word'))
        .map((line) => line.replace(/y(Min|Max)="[\d.]+"/g, '').replace(/(\.\d)\d+/g, '$1'));
    expect(wordsOf(embedded)).to.deep.equal(wordsOf(pdf));
    const fonts = execFileSync('pdffonts', ['-'], { input: embedded }).toString();
    expect(fonts).to.match(/Arimo-BoldItalic.*TrueType.*yes/);
    expect(fonts).to.not.match(/Helvetica|Times-|Courier/);
    expect(inkIn(picture(embedded))).to.be.closeTo(inkIn(picture(pdf)), 1_500);
  });

  it('embeds what Windows calls them, in the encoding of Mac OS and with differences', async function () {
    requirePoppler(this);
    const differences = '[65 /adieresis /Euro 97 /uni00DF]';
    const pdf = onePage({
      content: streamObject(
        '',
        Buffer.from('BT /F 20 Tf 100 300 Td (ABC abc \x8a) Tj ET', 'latin1'),
      ),
      page: `/Resources << /Font << /F << /Type /Font /Subtype /TrueType /BaseFont /TimesNewRomanPS-BoldMT /Encoding << /BaseEncoding /MacRomanEncoding /Differences ${differences} >> >> >> >>`,
    });
    const { pdf: embedded } = await fixed(pdf, ['font_not_embedded']);
    const text = execFileSync('pdftotext', ['-', '-'], { input: embedded }).toString('utf8');
    expect(text.trim()).to.equal('ä€C ßbc ä');
  });

  it('embeds Symbol and ZapfDingbats, every glyph of them', async function () {
    requirePoppler(this);
    const symbols = ['Symbol', 'ZapfDingbats'] as const;
    const rows = Array.from({ length: 14 }, (_, row) =>
      Buffer.from(Array.from({ length: 16 }, (_, column) => 32 + 16 * row + column)).toString(
        'hex',
      ),
    );
    for (const face of symbols) {
      const content = rows
        .map((codes, row) => `BT /F 16 Tf 80 ${460 - 24 * row} Td <${codes}> Tj ET`)
        .join(' ');
      const pdf = onePage({
        content: streamObject('', Buffer.from(content)),
        page: `/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /${face} >> >> >>`,
      });
      const { pdf: embedded, changes } = await fixed(pdf, ['font_not_embedded']);
      expect(changes.join()).to.include(face);
      const fonts = execFileSync('pdffonts', ['-'], { input: embedded }).toString('utf8');
      expect(fonts).to.match(/Foxit-\w+ +Type 1C +Custom +yes/);
      // Codes that the fonts have no glyph for, and the euro, which not every reader knows of Symbol.
      const textOf = (input: Buffer) =>
        execFileSync('pdftotext', ['-', '-'], { input })
          .toString('utf8')
          .replaceAll(/[\s€ðÿ\p{Co}\p{Cc}❨-❵]+/gu, '');
      expect(textOf(embedded)).to.equal(textOf(pdf));
      if (process.env.KEEP_PICTURES) {
        writeFileSync(`${process.env.KEEP_PICTURES}/${face}.pdf`, embedded);
      }
      const ink = inkIn(picture(embedded));
      expect(ink, face).to.be.within(inkOfSymbols[face] * 0.97, inkOfSymbols[face] * 1.03);
    }
  });

  it('leaves other fonts refused', async () => {
    for (const name of ['Wingdings', 'ArialNarrow', 'Calibri', 'Arial-Black']) {
      const pdf = onePage({
        content: streamObject('', Buffer.from('BT /F 20 Tf 100 300 Td (ABC) Tj ET')),
        page: `/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /${name} >> >> >>`,
      });
      const result = await preflight.check(pdf, request({ autoFix: true }));
      expect(codesOf(result), name).to.deep.equal(['font_not_embedded']);
      expect(result).not.to.have.property('fixed');
    }
  });

  it('turns pages that lie across', async () => {
    const pdf = await drawPdf((doc) => {
      body(doc);
      doc.addPage({ size: [pt(297), pt(210)], margin: 0 });
      black(doc, { x: 20, y: 20, width: 250, height: 30 });
    });
    const { changes, pages, coverPage } = await fixed(pdf, ['page_landscape', 'mixed_page_sizes']);
    expect(changes).to.deep.equal(['page 2: turned by a quarter']);
    expect({ pages, coverPage }).to.deep.equal({ pages: 2, coverPage: false });
  });

  it('turns the first page too, always behind an address page', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 20, y: 150, width: 50, height: 20 }), {
      size: [297, 210],
    });
    const { pages, coverPage } = await fixed(pdf, ['page_landscape']);
    expect({ pages, coverPage }).to.deep.equal({ pages: 2, coverPage: true });
  });

  for (const [name, size, more] of [
    ['A5', [148, 210], {}],
    ['A5 lying across', [210, 148], {}],
    ['A5 to the US', [148, 210], { sheet: americanSheet, country: 'US' }],
    ['Legal', [215.9, 355.6], {}],
    ['Legal to the US', [215.9, 355.6], { sheet: americanSheet, country: 'US' }],
    ['A3', [297, 420], {}],
    ['Legal lying across to the US', [355.6, 215.9], { sheet: americanSheet, country: 'US' }],
  ] as const) {
    it(`fits ${name} on the sheet`, async () => {
      const [width, height] = size;
      const frame = { x: 20, y: 20, width: width - 40, height: height - 40 };
      const pdf = await drawPdf((doc) => black(doc, frame), { size: [width, height] });
      const code = width > height ? 'page_landscape' : 'page_size';
      const { pages, coverPage, pdf: fitted } = await fixed(pdf, [code], more);
      expect(pages).to.equal(coverPage ? 2 : 1);
      const sheet = 'sheet' in more ? more.sheet : germanSheet;
      const last = (await PDFDocument.load(fitted)).getPage(pages - 1);
      const turned = last.getRotation().angle % 180 !== 0;
      const box = last.getMediaBox();
      const shown = turned ? [box.height, box.width] : [box.width, box.height];
      expect(shown[0]).to.be.closeTo(pt(sheet.page.width), 0.1);
      expect(shown[1]).to.be.closeTo(pt(sheet.page.height), 0.1);
    });
  }

  /** A picture of a page with one grey value for each of its pixels, which are as large as points or 1/96 in. */
  const scan = (width: number, height: number, pointsPerPixel = 1): Buffer => {
    const frame = `0 0 ${width * pointsPerPixel} ${height * pointsPerPixel}`;
    const drawing = `q ${width * pointsPerPixel} 0 0 ${height * pointsPerPixel} 0 0 cm /Im Do Q`;
    const rows = Buffer.alloc(width * height, 255);
    rows.fill(0, Math.floor(0.5 * height) * width, Math.floor(0.6 * height) * width);
    const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode`;
    return onePage({
      page: `/MediaBox [${frame}] /Resources << /XObject << /Im 5 0 R >> >>`,
      content: streamObject('', Buffer.from(drawing)),
      more: [streamObject(image, deflateSync(rows))],
    });
  };

  for (const [what, pdf, code, more] of [
    ['A4 at 300 dpi', scan(2480, 3508), 'page_size', {}],
    ['A4 at 200 dpi, counted at 96 dpi', scan(1654, 2339, 0.75), 'page_size', {}],
    ['A4 lying across', scan(2339, 1654), 'page_landscape', {}],
    ['US Letter to the US', scan(1700, 2200), 'page_size', { sheet: americanSheet, country: 'US' }],
  ] as const) {
    it(`brings a scan without a resolution to the size of a sheet: ${what}`, async () => {
      const [refused] = (await preflight.check(pdf, request(more))).findings;
      expect(refused?.hint).to.match(/send with auto_fix: true/i);
      const { changes } = await fixed(pdf, [code], more);
      expect(changes).to.include(
        'page 1: a scan without a resolution, brought to the size of a sheet',
      );
    });
  }

  it('leaves a large page refused that is no scan, or has no shape of a sheet', async () => {
    const poster = await drawPdf(body, { size: [594, 841] });
    for (const pdf of [poster, scan(1800, 2400), scan(1000, 3000)]) {
      const result = await preflight.check(pdf, request({ autoFix: true }));
      expect(codesOf(result)).to.deep.equal(['page_size']);
      expect(result).not.to.have.property('fixed');
    }
  });

  it('writes a page in points whose unit is another one', async () => {
    const pdf = onePage({
      page: '/UserUnit 2 /MediaBox [0 0 297.64 420.945]',
      content: streamObject('', Buffer.from('50 150 100 10 re f')),
    });
    const { changes, pdf: inPoints } = await fixed(pdf, ['pdf_user_unit', 'page_size']);
    expect(changes).to.deep.equal(['page 1: written in points']);
    const page = (await PDFDocument.load(inPoints)).getPage(0);
    expect(page.getWidth()).to.be.closeTo(595.28, 0.01);
    expect(page.node.toString()).to.not.include('UserUnit');
  });

  for (const [what, code, parts] of [
    ['an XFA form', 'pdf_xfa', { catalogue: '/AcroForm << /Fields [] /XFA [(a) 4 0 R] >>' }],
    [
      'a layer that is off',
      'pdf_hidden_layers',
      {
        catalogue: '/OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >>',
        more: ['<< /Type /OCG /Name (a) >>'],
      },
    ],
    [
      'a layer that is not printed',
      'pdf_hidden_layers',
      {
        catalogue: '/OCProperties << /OCGs [5 0 R] /D << /AS [] >> >>',
        more: ['<< /Type /OCG /Name (a) /Usage << /Print << /PrintState /OFF >> >> >>'],
      },
    ],
    [
      'layers that are off unless they are turned on',
      'pdf_hidden_layers',
      {
        catalogue: '/OCProperties << /OCGs [5 0 R] /D << /BaseState /OFF >> >>',
        more: ['<< /Type /OCG /Name (a) >>'],
      },
    ],
    ['a unit of its own', 'pdf_user_unit', { page: '/UserUnit 1.5' }],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const pdf = onePage(parts as Parameters<typeof onePage>[0]);
      const result = await preflight.check(pdf, request());
      expect(codesOf(result)).to.include(code);
    });
  }

  it('takes layers that are all shown, a unit of one point, and an action on opening', async () => {
    const pdf = onePage({
      catalogue:
        '/OpenAction [3 0 R /Fit] /OCProperties << /OCGs [5 0 R] /D << /ON [5 0 R] /OFF [] /BaseState /ON >> >>',
      page: '/UserUnit 1 /AA << /O << /S /GoTo /D [3 0 R /Fit] >> >>',
      more: [
        '<< /Type /OCG /Name (a) >>',
        streamObject(
          '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Alternates [<< /Image 6 0 R /DefaultForPrinting true >>]',
          Buffer.from([0]),
        ),
      ],
    });
    expect(codesOf(await preflight.check(pdf, request()))).to.deep.equal([]);
    const printed = await finalLetter(pdf, {
      from: ['A'],
      to: ['B'],
      date: '',
      createdAt: new Date(0),
      sheet: germanSheet,
      coverPage: false,
    });
    const document = await PDFDocument.load(printed);
    const all = document.context.enumerateIndirectObjects().map(([, object]) => `${object}`);
    expect(all.join('\n')).to.not.match(/OpenAction|OCProperties|\/AA|Alternates/);
  });
});
