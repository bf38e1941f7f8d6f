import { expect } from 'chai';
import { PNG } from 'pngjs';
import { isAppError } from '../../../contract/errors.ts';
import { geometryOf } from '../../../postal/geometry.ts';

import {
  black,
  body,
  drawPdf,
  germanSheet,
  goodLetter,
  onePage,
  type Preflight,
  request,
  startPreflight,
  streamObject,
} from './samples.ts';

describe('the preview of a page', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight({ timeoutMs: 60_000 });
  });
  after(() => preflight.close());

  const draw = async (pdf: Buffer, more = {}): Promise<PNG> =>
    PNG.sync.read(await preflight.preview(pdf, { page: 1, sheet: germanSheet, ...more }));

  /** Red, green, blue at a place in mm. */
  const colourAt = (png: PNG, x: number, y: number, dpi = 100): number[] => {
    const at = (Math.round((y / 25.4) * dpi) * png.width + Math.round((x / 25.4) * dpi)) * 4;
    return [...png.data.subarray(at, at + 3)];
  };

  const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
    const error = await promise.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    return isAppError(error) ? error.code : undefined;
  };

  it('has the size of the page at its resolution', async () => {
    const pdf = await goodLetter();
    const usual = await draw(pdf);
    expect([usual.width, usual.height]).to.deep.equal([827, 1169]);
    const coarse = await draw(pdf, { dpi: 50 });
    expect([coarse.width, coarse.height]).to.deep.equal([413, 585]);
  });

  it('tints the address field blue, no-print zones red and the edges yellow', async () => {
    const png = await draw(await drawPdf(() => undefined));
    expect(colourAt(png, 60, 65)).to.deep.equal([198, 218, 252]);
    expect(colourAt(png, 10, 288)).to.deep.equal([249, 199, 194]);
    expect(colourAt(png, 2, 150)).to.deep.equal([254, 235, 180]);
    expect(colourAt(png, 150, 150)).to.deep.equal([255, 255, 255]);
  });

  it('paints what stands in a zone dark red, and leaves the rest in its colours', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 90, y: 60, width: 40, height: 10 }));
    const png = await draw(pdf);
    expect(colourAt(png, 100, 65)).to.deep.equal([200, 0, 0]);
    expect(colourAt(png, 120, 65)).to.deep.equal([0, 0, 0]);
    const unmarked = await draw(pdf, { markInk: false });
    expect(colourAt(unmarked, 100, 65)).not.to.deep.equal([200, 0, 0]);
  });

  it('draws the address field and the folds on the first page only', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage()));
    const [first, second] = [await draw(pdf), await draw(pdf, { page: 2 })];
    expect(colourAt(first, 60, 65)).to.deep.equal([198, 218, 252]);
    expect(colourAt(second, 60, 65)).to.deep.equal([255, 255, 255]);
    const foldRow = Math.round((210 / 25.4) * 100);
    const greyPixels = (png: PNG): number =>
      Array.from({ length: png.width }, (_, x) => png.data[(foldRow * png.width + x) * 4]).filter(
        (value) => value === 120,
      ).length;
    expect(greyPixels(first)).to.be.greaterThan(300);
    expect(greyPixels(second)).to.equal(0);
  });

  it('answers not_found for a page that the document does not have', async () => {
    const pdf = await goodLetter();
    const at = (page: number) => codeOf(preflight.preview(pdf, { page, sheet: germanSheet }));
    expect([await at(0), await at(2), await at(1.5)]).to.deep.equal(Array(3).fill('not_found'));
  });

  it('refuses what is not a PDF', async () => {
    const html = Buffer.from('<html>');
    const code = await codeOf(preflight.preview(html, { page: 1, sheet: germanSheet }));
    expect(code).to.equal('document_not_supported');
  });

  /** In the address field of an A4 page, and a text area. */
  const inField = '70 640 60 20 re f';
  const stream = (content: string, entries = ''): Buffer =>
    streamObject(entries, Buffer.from(content));
  const drawing = (content: string): Buffer =>
    stream(content, '/Type /XObject /Subtype /Form /BBox [0 0 600 900]');
  const layer = '<< /Type /OCG /Name (x) >>';
  const refused: Record<string, Buffer> = {
    'as it is': onePage({ content: stream(inField) }),
    'with a larger media box': onePage({
      content: stream(`1 0 0 1 50 50 cm ${inField}`),
      page: '/MediaBox [0 0 695.28 941.89] /CropBox [50 50 645.28 891.89]',
    }),
    'on a turned page': onePage({
      content: stream(`0 1 -1 0 841.89 0 cm ${inField}`),
      page: '/MediaBox [0 0 841.89 595.28] /Rotate 90',
    }),
    'in a layer that is off': onePage({
      content: stream(`/OC /L BDC ${inField} EMC`),
      page: '/Resources << /Properties << /L 5 0 R >> >>',
      catalogue: '/OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >>',
      more: [layer],
    }),
    'in a drawing in a layer that is off': onePage({
      content: stream('/D Do'),
      page: '/Resources << /XObject << /D 6 0 R >> >>',
      catalogue: '/OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >>',
      more: [layer, stream(inField, '/Type /XObject /Subtype /Form /BBox [0 0 600 900] /OC 5 0 R')],
    }),
    'in a stamp': onePage({
      page: '/Annots [<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 600 900] /AP << /N 5 0 R >> >>]',
      more: [drawing(inField)],
    }),
  };
  for (const [how, pdf] of Object.entries(refused)) {
    it(`marks of a refused document what its findings say: ${how}`, async () => {
      const { findings } = await preflight.check(pdf, request());
      const found = findings.filter(({ code }) => code === 'ink_in_address_window');
      expect(found, how).to.have.lengthOf(1);
      const box = found[0]?.box_mm ?? { x: 0, y: 0, width: 0, height: 0 };
      expect(box.width).to.be.closeTo((60 * 25.4) / 72, 0.6);
      const png = await draw(pdf);
      expect([png.width, png.height]).to.deep.equal([827, 1169]);
      const at = [box.x + box.width / 2, box.y + box.height / 2] as const;
      expect(colourAt(png, ...at)).to.deep.equal([200, 0, 0]);
      expect(colourAt(png, box.x - 1, at[1])).to.deep.equal([198, 218, 252]);
    });
  }

  it('marks what must be free where the document is addressed in another way', async () => {
    const sheet = geometryOf('DE', 'de_einschreiben');
    const pdf = await drawPdf((doc) => {
      black(doc, { x: 30, y: 56, width: 40, height: 6 });
      black(doc, { x: 30, y: 72, width: 40, height: 6 });
      black(doc, { x: 1, y: 150, width: 6, height: 6 });
    });
    const [label, address, edge] = [
      [40, 59],
      [40, 75],
      [3, 153],
    ] as const;
    const [marked, black_] = [
      [200, 0, 0],
      [0, 0, 0],
    ];
    const coloursOf = async (addressed?: 'in_document' | 'insert_page') => {
      const png = await draw(pdf, { sheet, addressed });
      return [label, address, edge].map(([x, y]) => colourAt(png, x, y));
    };
    expect(await coloursOf()).to.deep.equal([marked, marked, marked]);
    const [onLabel, onAddress, onEdge] = await coloursOf('in_document');
    expect([onLabel, onEdge]).to.deep.equal([marked, marked]);
    expect(onAddress).to.not.deep.equal(marked);
    expect(await coloursOf('insert_page')).to.deep.equal([black_, black_, marked]);
  });

  it('draws a document that has no form in which it could be printed as it came', async () => {
    const pdf = onePage({
      content: stream(inField),
      page: '/Contents [6 0 R 6 0 R]',
      more: ['null', stream('xx', '/Filter /Odd')],
    });
    expect((await draw(pdf)).width).to.equal(827);
  });

  it('draws a poster smaller instead of filling the memory', async () => {
    const pdf = Buffer.from(
      onePage().toString('latin1').replace('[0 0 595.28 841.89]', '[0 0 14400 14400] '),
      'latin1',
    );
    const png = await draw(pdf);
    expect(png.width * png.height).to.be.at.most(8_010_000);
  });
});
