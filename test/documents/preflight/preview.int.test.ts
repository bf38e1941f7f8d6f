import { expect } from 'chai';
import { PNG } from 'pngjs';
import { isAppError } from '../../../contract/errors.ts';

import {
  black,
  body,
  drawPdf,
  germanSheet,
  goodLetter,
  onePage,
  type Preflight,
  startPreflight,
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

  it('draws a poster smaller instead of filling the memory', async () => {
    const pdf = Buffer.from(
      onePage().toString('latin1').replace('[0 0 595.28 841.89]', '[0 0 14400 14400] '),
      'latin1',
    );
    const png = await draw(pdf);
    expect(png.width * png.height).to.be.at.most(8_010_000);
  });
});
