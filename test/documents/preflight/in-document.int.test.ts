import { expect } from 'chai';
import fc from 'fast-check';

import { finalLetter } from '../../../documents/render/final-letter.ts';
import { expectedAddress } from '../../../postal/address-match.ts';
import type { Finding } from '../../../postal/preflight-findings.ts';
import type { Address } from '../../../postal/types.ts';
import {
  americanSheet,
  black,
  body,
  type Doc,
  drawPdf,
  frenchSheet,
  germanSheet,
  type Preflight,
  request,
  startPreflight,
  textAt,
} from './samples.ts';

const anna: Address = {
  name: 'Anna Müller',
  line1: 'Lindenstraße 5',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
};
const lines = [anna.name, anna.line1, `${anna.postalCode} ${anna.city}`];

/** Sets lines 5 mm apart. */
const setLines = (doc: Doc, texts: string[], x: number, y: number, sizePt = 10): void =>
  texts.forEach((text, row) => void textAt(doc, text, x, y + 5 * row, sizePt));

const withAddress =
  (texts = lines, x = 26, y = 64) =>
  (doc: Doc): void => {
    textAt(doc, 'M. Absender · Weg 1 · 80331 München', 26, 58, 7);
    setLines(doc, texts, x, y);
    body(doc);
  };

describe('an address that stands in the document', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const check = (pdf: Buffer, to: Address = anna, more = {}) =>
    preflight.check(pdf, request({ inDocument: { expected: expectedAddress(to, to) }, ...more }));
  const errorsOf = async (pdf: Buffer, to?: Address, more = {}): Promise<Finding[]> =>
    (await check(pdf, to, more)).findings.filter(({ severity }) => severity === 'error');

  it('is taken where it is that of the request', async () => {
    expect(await errorsOf(await drawPdf(withAddress()))).to.deep.equal([]);
  });

  it('is refused where it is another, and the finding says what stands there and what should', async () => {
    const pdf = await drawPdf(withAddress());
    const [finding, ...more] = await errorsOf(pdf, { ...anna, name: 'Erika Muster', city: 'Köln' });
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ code: 'address_mismatch', page: 1, zone: 'address_field' });
    expect(finding?.hint)
      .to.include('Anna Müller / Lindenstraße 5 / 10969 Berlin')
      .and.include('name "Erika Muster", city "Köln"');
  });

  it('is refused where it stands beside the window, is cut by it, or is a picture', async () => {
    for (const draw of [
      withAddress(lines, 120),
      withAddress(lines, 26, 20),
      withAddress(lines, 15),
      (doc: Doc) => void black(doc, { x: 30, y: 65, width: 40, height: 12 }),
    ]) {
      const codes = (await errorsOf(await drawPdf(draw))).map(({ code }) => code);
      expect(codes).to.include('address_mismatch');
    }
  });

  it('must be seen: white and tiny text is none', async () => {
    const white = await drawPdf((doc) => withAddress()(doc.fillColor('#ffffff')));
    expect((await errorsOf(white)).map(({ code }) => code)).to.include(
      'invisible_text_in_control_zone',
    );
    const tiny = await drawPdf((doc) => setLines(doc, lines, 26, 64, 2));
    expect((await errorsOf(tiny)).map(({ code }) => code)).to.include('tiny_text_in_control_zone');
  });

  it('is not moved, covered or put on another page by auto_fix', async () => {
    const pdf = await drawPdf((doc) => {
      withAddress()(doc);
      black(doc, { x: 1, y: 200, width: 20, height: 20 });
    });
    const result = await check(pdf, anna, { autoFix: true });
    expect(result).not.to.have.property('fixed');
    const second = await drawPdf((doc) => {
      withAddress()(doc);
      black(doc.addPage(), { x: 1, y: 200, width: 20, height: 20 });
    });
    const { fixed } = await check(second, anna, { autoFix: true });
    expect(fixed?.changes).to.deep.equal(['page 2: moved 4.0 mm right']);
    expect(await errorsOf(fixed?.pdf ?? Buffer.alloc(0))).to.deep.equal([]);
  });

  it('is printed as it came, however long it is', async () => {
    const to = ['漢字', 'M'.repeat(200)];
    const printed = await finalLetter(await drawPdf(withAddress()), {
      from: to,
      to,
      date: '漢',
      createdAt: new Date(0),
      sheet: germanSheet,
      coverPage: false,
      addressInDocument: true,
      watermark: 'TEST',
    });
    const { findings } = await preflight.check(printed, request());
    expect(findings.map(({ code }) => code)).to.include('ink_in_address_window');
  });

  it('is not judged before it is known', async () => {
    const pdf = await drawPdf(withAddress());
    const { findings } = await preflight.check(
      pdf,
      request({ inDocument: { expected: undefined } }),
    );
    expect(findings).to.deep.equal([]);
  });

  it('may stand at any place of the window of any country', async () => {
    for (const [sheet, country] of [
      [germanSheet, 'DE'],
      [frenchSheet, 'FR'],
      [americanSheet, 'US'],
    ] as const) {
      const { x, y, width, height } = sheet.window;
      await fc.assert(
        fc.asyncProperty(
          fc.double({ min: 0, max: width - 45, noNaN: true }),
          fc.double({ min: 0, max: height - 17, noNaN: true }),
          async (right, down) => {
            const size: [number, number] = [sheet.page.width, sheet.page.height];
            const draw = (doc: Doc) => setLines(doc, lines, x + right, y + down);
            const pdf = await drawPdf(draw, { size });
            expect(await errorsOf(pdf, anna, { sheet, country })).to.deep.equal([]);
          },
        ),
        { numRuns: 8 },
      );
    }
  });
});
