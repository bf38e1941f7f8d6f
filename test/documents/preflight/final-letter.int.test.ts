import { degrees, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import { isAppError } from '../../../contract/errors.ts';

import { type FinalLetter, finalLetter } from '../../../documents/render/final-letter.ts';
import type { Box } from '../../../postal/types.ts';
import {
  black,
  body,
  drawPdf,
  frenchSheet,
  germanSheet,
  goodLetter,
  onePage,
  type Preflight,
  request,
  startPreflight,
  streamObject,
} from './samples.ts';

const letter = (more: Partial<FinalLetter> = {}): FinalLetter => ({
  sheet: germanSheet,
  coverPage: false,
  from: ['Max Müller', 'Weg 1', '12345 Berlin'],
  to: ['Erika Muster', 'Straße 5', '80331 München'],
  date: '1. Mai 2026',
  createdAt: new Date('2026-05-01T00:00:00Z'),
  ...more,
});

describe('the PDF letter as it is printed', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const picture = async (pdf: Buffer, page = 1): Promise<PNG> =>
    PNG.sync.read(
      await preflight.preview(pdf, { page, sheet: germanSheet, markInk: false, dpi: 100 }),
    );

  /** Pixels of a box in mm that are dark. */
  const dark = (png: PNG, box: Box): number => {
    const px = (mm: number) => Math.round((mm / 25.4) * 100);
    let count = 0;
    for (let y = px(box.y); y < px(box.y + box.height); y++) {
      for (let x = px(box.x); x < px(box.x + box.width); x++) {
        if ((png.data[(y * png.width + x) * 4] ?? 255) < 170) count++;
      }
    }
    return count;
  };

  /** The preview draws the folds. */
  const aboveFold: Box = { x: 0, y: 0, width: 210, height: 104 };

  it('has the recipient in the window and the sender above it', async () => {
    const png = await picture(await finalLetter(await drawPdf(() => undefined), letter()));
    expect(dark(png, germanSheet.window)).to.be.greaterThan(300);
    expect(dark(png, germanSheet.senderLine)).to.be.greaterThan(30);
    const field = { x: 20, y: 45, width: 85, height: 45 };
    expect(dark(png, aboveFold)).to.equal(dark(png, field));
  });

  it('has the sender in the window, above the recipient, where it could else cover the letterhead of the document', async () => {
    const pdf = await finalLetter(await drawPdf(() => undefined), letter({ sheet: frenchSheet }));
    const png = await picture(pdf);
    expect(dark(png, frenchSheet.window)).to.be.greaterThan(300);
    expect(dark(png, frenchSheet.senderLine)).to.equal(0);
    expect(dark(png, frenchSheet.senderOnDocument)).to.be.greaterThan(30);
  });

  it('has the whole letterhead on an address page', async () => {
    const cover = letter({ sheet: frenchSheet, coverPage: true });
    const png = await picture(
      await finalLetter(await drawPdf((doc) => body(doc.addPage())), cover),
    );
    expect(dark(png, frenchSheet.senderLine)).to.be.greaterThan(30);
    expect(dark(png, { x: 150, y: 95, width: 50, height: 15 })).to.be.greaterThan(30);
  });

  it('is stamped upright on pages that are shown turned', async () => {
    const upright = await picture(await finalLetter(await drawPdf(() => undefined), letter()));
    for (const angle of [90, 180, 270]) {
      const size: [number, number] = angle === 180 ? [210, 297] : [297, 210];
      const document = await PDFDocument.load(await drawPdf(() => undefined, { size }));
      document.getPage(0).setRotation(degrees(angle));
      const png = await picture(await finalLetter(Buffer.from(await document.save()), letter()));
      for (const box of [germanSheet.window, aboveFold]) {
        const wanted = dark(upright, box);
        expect(dark(png, box), `${angle}°`).to.be.within(wanted * 0.9, wanted * 1.1);
      }
    }
  });

  it('is stamped from the top left of a page that is a little larger than the sheet', async () => {
    const larger = await drawPdf(() => undefined, { size: [211.8, 298.8] });
    const png = await picture(await finalLetter(larger, letter()));
    expect(dark(png, aboveFold)).to.be.greaterThan(300);
    const field = { x: 24.5, y: 58, width: 80, height: 32 };
    expect(dark(png, aboveFold)).to.equal(dark(png, field));
    expect(dark(png, { ...field, y: 57, height: 2 })).to.equal(0);
  });

  it('leaves the other pages as they were', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage()));
    const before = await picture(pdf, 2);
    const after = await picture(await finalLetter(pdf, letter()), 2);
    expect(after.data.equals(before.data)).to.equal(true);
  });

  it('marks every page of a test letter, without covering anything', async () => {
    const pdf = await drawPdf((doc) => {
      black(doc, { x: 60, y: 100, width: 90, height: 90 });
      black(doc.addPage(), { x: 60, y: 100, width: 90, height: 90 });
    });
    const marked = await finalLetter(pdf, letter({ watermark: 'TEST' }));
    for (const page of [1, 2]) {
      const [before, after] = [await picture(pdf, page), await picture(marked, page)];
      const box = { x: 61, y: 101, width: 88, height: 88 };
      expect(dark(after, box)).to.equal(dark(before, box));
      expect(after.data.equals(before.data)).to.equal(false);
      const grey = after.data.filter((value) => value === 236).length;
      expect(grey).to.be.greaterThan(3_000);
    }
  });

  it('has all fonts embedded, and the pages that it had', async () => {
    const pdf = await finalLetter(await goodLetter(), letter({ watermark: 'TEST' }));
    const { pages, findings } = await preflight.check(pdf, request());
    expect(pages).to.equal(1);
    expect(findings.map(({ code }) => code)).to.deep.equal(['ink_in_address_window']);
  });

  it('has no form and no annotations, but draws those that the file itself draws for print', async () => {
    const at = (row: number, flags = 4): string =>
      `/Type /Annot /Rect [80 ${600 - 40 * row} 320 ${620 - 40 * row}] /F ${flags}`;
    const square = '/Subtype /Square /C [0 0 0] /IC [0 0 0]';
    const annotations = [
      `<< /Subtype /Widget /FT /Tx /T (name) /V (Elsewhere 1) /DA (/Helv 14 Tf 0 g) ${at(0)} >>`,
      `<< ${square} ${at(1)} >>`,
      `<< ${square} ${at(2)} /AP << /D 5 0 R >> >>`,
      `<< ${square} ${at(3)} /AP << /N 5 0 R >> >>`,
      `<< /Subtype /Widget /FT /Btn /T (state) /AS /On /AP << /N << /On 5 0 R >> >> ${at(4)} >>`,
      `<< ${square} ${at(5)} /AS /Off /AP << /N << /On 5 0 R >> >> >>`,
      `<< /Subtype /Popup ${at(6)} /AP << /N 5 0 R >> >>`,
      `<< ${square} ${at(7, 0)} /AP << /N 5 0 R >> >>`,
      `<< ${square} ${at(8, 6)} /AP << /N 5 0 R >> >>`,
    ];
    const pdf = onePage({
      content: streamObject('', Buffer.alloc(0)),
      page: `/Annots [${annotations.map((_, index) => `${index + 6} 0 R`).join(' ')}]`,
      catalogue: '/AcroForm << /Fields [6 0 R 10 0 R] /NeedAppearances true >>',
      more: [
        streamObject(
          '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Matrix [0 1 -1 0 0 0]',
          Buffer.from('0 0 9 9 re f'),
        ),
        ...annotations,
      ],
    });
    const printed = await finalLetter(pdf, letter({ addressInDocument: true }));
    const parsed = await PDFDocument.load(printed);
    expect(parsed.catalog.has(PDFName.of('AcroForm'))).to.equal(false);
    expect(parsed.getPage(0).node.Annots()?.size()).to.equal(0);
    const png = await picture(printed);
    const mm = (points: number): number => (points * 25.4) / 72;
    const drawn = annotations.flatMap((_, row) => {
      const box = { x: mm(80), y: mm(841.89 - 620 + 40 * row), width: mm(240), height: mm(20) };
      const share = dark(png, box) / (((box.width * box.height) / 25.4 ** 2) * 100 ** 2);
      return share > 0.9 ? [row] : [];
    });
    expect(drawn).to.deep.equal([3, 4]);
  });

  it('is the same bytes for the same letter', async () => {
    const pdf = await goodLetter();
    const [first, second] = [await finalLetter(pdf, letter()), await finalLetter(pdf, letter())];
    expect(first.equals(second)).to.equal(true);
  });

  it('refuses an address that does not fit the window', async () => {
    const to = Array.from({ length: 14 }, (_, line) => `Line ${line}`);
    const error = await finalLetter(await goodLetter(), letter({ to })).catch(
      (cause: unknown) => cause,
    );
    expect(isAppError(error) && error.code).to.equal('address_invalid');
  });
});
