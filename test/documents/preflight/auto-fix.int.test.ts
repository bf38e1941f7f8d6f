import { degrees, PDFDocument } from '@cantoo/pdf-lib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { PreflightResult } from '../../../documents/preflight/index.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import { grown } from '../../../postal/ink-map.ts';
import { hasErrors } from '../../../postal/preflight-findings.ts';
import { bottom, controlZones, isWindow } from '../../../postal/preflight-zones.ts';
import { services } from '../../../postal/services.ts';
import {
  americanSheet,
  black,
  body,
  type Doc,
  drawPdf,
  frenchSheet,
  type Preflight,
  pt,
  request,
  startPreflight,
  textAt,
} from './samples.ts';

describe('auto_fix', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const fix = (pdf: Buffer, more = {}): Promise<PreflightResult> =>
    preflight.check(pdf, request({ autoFix: true, ...more }));

  /** Fails unless the document was fixed and passes the check of its own. */
  async function fixed(pdf: Buffer, more = {}): Promise<NonNullable<PreflightResult['fixed']>> {
    const result = await fix(pdf, more);
    expect(hasErrors(result.findings)).to.equal(true);
    if (result.fixed === undefined) throw new Error(`not fixed: ${JSON.stringify(result)}`);
    const again = await preflight.check(result.fixed.pdf, request({ ...more, autoFix: false }));
    expect(hasErrors(again.findings)).to.equal(false);
    expect(again.pages).to.equal(result.fixed.pages);
    return result.fixed;
  }

  it('leaves a letter alone that needs no fixing', async () => {
    expect(await fix(await drawPdf(body))).not.to.have.property('fixed');
  });

  it('shifts a page whose content is too near to the edge', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 2, y: 120, width: 180, height: 100 }));
    const { changes, coverPage, pages } = await fixed(pdf);
    expect({ changes, coverPage, pages }).to.deep.equal({
      changes: ['page 1: moved 3.0 mm right'],
      coverPage: false,
      pages: 1,
    });
  });

  it('scales a page whose content is too wide for a shift', async () => {
    const pdf = await drawPdf((doc) =>
      black(body(doc).addPage(), { x: 1, y: 1, width: 208, height: 295 }),
    );
    const { changes, coverPage } = await fixed(pdf);
    expect(changes).to.deep.equal(['page 2: scaled to 96 %']);
    expect(coverPage).to.equal(false);
  });

  it('shifts content out of the address field, and 5 mm away from it, where that is enough', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 25, y: 85, width: 160, height: 150 }));
    const { changes, coverPage } = await fixed(pdf);
    expect(changes).to.deep.equal(['page 1: moved 10.0 mm down']);
    expect(coverPage).to.equal(false);
  });

  it('puts an address page in front where a shift is not enough', async () => {
    const pdf = await drawPdf((doc) => {
      black(doc, { x: 10, y: 10, width: 190, height: 80 });
      textAt(doc, 'Guten Tag. '.repeat(200), 25, 110);
    });
    const { changes, coverPage, pages } = await fixed(pdf);
    expect({ changes, coverPage, pages }).to.deep.equal({
      changes: ['an address page was added in front'],
      coverPage: true,
      pages: 2,
    });
  });

  it('shifts the first page as well as putting an address page in front of it', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 2, y: 10, width: 190, height: 270 }));
    const { changes, coverPage } = await fixed(pdf);
    expect(changes).to.deep.equal([
      'an address page was added in front',
      'page 1: moved 3.0 mm right',
    ]);
    expect(coverPage).to.equal(true);
  });

  it('counts the address page among the pages that the service takes', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 10, y: 10, width: 190, height: 280 }));
    expect(await fix(pdf, { maxPages: 1 })).not.to.have.property('fixed');
    expect((await fixed(pdf, { maxPages: 2 })).pages).to.equal(2);
  });

  it('is not advised where it was sent already, or where it cannot help', async () => {
    const pdf = await drawPdf((doc) => {
      black(doc, { x: 0, y: 0, width: 210, height: 297 });
      doc.addPage({ size: [pt(297), pt(210)], margin: 0 });
      body(doc.addPage({ size: [pt(148), pt(210)], margin: 0 }).font('Helvetica'));
    });
    const document = await PDFDocument.load(pdf);
    document.addJavaScript('open', 'app.alert(1)');
    const locked = Buffer.from(await document.save());
    const advised = async (autoFix: boolean): Promise<Set<string>> => {
      const { findings, fixed: mended } = await preflight.check(locked, request({ autoFix }));
      expect(mended).to.equal(undefined);
      const codes = findings.filter(({ hint }) => hint.includes('auto_fix'));
      return new Set(codes.map(({ code }) => code));
    };
    expect([...(await advised(false))]).to.have.members([
      'mixed_page_sizes',
      'page_size',
      'page_landscape',
      'font_not_embedded',
      'ink_in_address_window',
      'ink_in_no_print_zone',
      'ink_outside_safe_area',
    ]);
    expect([...(await advised(true))]).to.deep.equal([]);
    const tiny = await drawPdf(() => undefined, { size: [35, 35] });
    const [finding] = (await preflight.check(tiny, request())).findings;
    expect(finding?.hint).to.contain('Export it in that size.').and.not.contain('auto_fix');
  });

  it('prints US Letter on A4 and A4 on US Letter', async () => {
    const letter = await drawPdf(body, { size: [215.9, 279.4] });
    expect((await fixed(letter)).coverPage).to.equal(false);
    const a4 = await drawPdf((doc) => textAt(doc, 'Good day. '.repeat(40), 25, 110));
    const us = { sheet: americanSheet, country: 'US' };
    expect((await fixed(a4, us)).coverPage).to.equal(false);
  });

  it('makes pages of mixed sizes the same', async () => {
    const pdf = await drawPdf((doc) =>
      body(body(doc).addPage({ size: [pt(215.9), pt(279.4)], margin: 0 })),
    );
    const document = await PDFDocument.load((await fixed(pdf)).pdf);
    for (const page of document.getPages()) {
      expect(page.getWidth()).to.be.closeTo(pt(210), 0.1);
      expect(page.getHeight()).to.be.closeTo(pt(297), 0.1);
    }
  });

  for (const angle of [90, 180, 270]) {
    it(`moves a page that is turned by ${angle}° in the direction in which it is shown`, async () => {
      const turned = angle % 180 === 90;
      const boxes = {
        90: { x: 120, y: 20, width: 100, height: 188 },
        180: { x: 20, y: 50, width: 188, height: 100 },
        270: { x: 77, y: 2, width: 100, height: 188 },
      }[angle] ?? { x: 0, y: 0, width: 0, height: 0 };
      const pdf = await drawPdf((doc) => black(doc, boxes), {
        size: turned ? [297, 210] : [210, 297],
      });
      const document = await PDFDocument.load(pdf);
      document.getPage(0).setRotation(degrees(angle));
      const { changes } = await fixed(Buffer.from(await document.save()));
      expect(changes).to.have.lengthOf(1);
      expect(changes[0]).to.match(/^page 1: moved 3\.[0-2] mm right$/);
    });
  }

  it('keeps hidden what the crop box hides', async () => {
    const document = await PDFDocument.load(
      await drawPdf(
        (doc) => {
          // Outside of the crop box, and inside of the frame after it moved.
          black(doc, { x: 6, y: 60, width: 3, height: 10 });
          black(doc, { x: 12, y: 150, width: 150, height: 10 });
        },
        { size: [230, 317] },
      ),
    );
    document.getPage(0).setCropBox(pt(10), pt(10), pt(210), pt(297));
    const pdf = (await fixed(Buffer.from(await document.save()))).pdf;
    const again = await PDFDocument.load(pdf);
    // The frame begins where the crop box did.
    again.getPage(0).setMediaBox(-pt(10), -pt(10), pt(230), pt(317));
    again.getPage(0).setCropBox(-pt(10), -pt(10), pt(230), pt(317));
    const shown = await preflight.preview(Buffer.from(await again.save()), {
      page: 1,
      sheet: frenchSheet,
      markInk: false,
    });
    const unfixed = await drawPdf((doc) => black(doc, { x: 12, y: 150, width: 150, height: 10 }), {
      size: [230, 317],
    });
    const wanted = await preflight.preview(unfixed, {
      page: 1,
      sheet: frenchSheet,
      markInk: false,
    });
    expect(shown.equals(wanted)).to.equal(true);
  });

  it('does not fix what cannot be fixed', async () => {
    expect(await fix(await drawPdf(body, { size: [500, 700] }))).not.to.have.property('fixed');
    expect(await fix(await drawPdf(body, { size: [80, 120] }))).not.to.have.property('fixed');
  });

  it('names only what it cannot mend', async () => {
    const pdf = await drawPdf((doc) => {
      black(doc, { x: 30, y: 50, width: 40, height: 20 });
      body(doc.addPage({ size: [pt(215.9), pt(279.4)], margin: 0 }));
      body(doc.addPage({ size: [pt(297), pt(210)], margin: 0 }));
      body(doc.addPage({ size: [pt(594), pt(841)], margin: 0 }));
    });
    const namesOf = ({ findings }: PreflightResult) =>
      findings.map(({ code, page }) => [code, page]);
    expect(namesOf(await preflight.check(pdf, request()))).to.have.lengthOf(5);
    expect(namesOf(await fix(pdf))).to.deep.equal([['page_size', 4]]);
    const document = await PDFDocument.load(await drawPdf(body, { size: [148, 210] }));
    document.addJavaScript('open', 'app.alert(1)');
    const scripted = Buffer.from(await document.save());
    expect(namesOf(await fix(scripted))).to.deep.equal([['pdf_javascript', null]]);
    // An address page would help, but is not among the pages that the service takes.
    const inWindow = await drawPdf((doc) => black(doc, { x: 30, y: 50, width: 60, height: 200 }));
    expect(namesOf(await fix(inWindow, { maxPages: 1 }))).to.deep.equal([
      ['ink_in_address_window', 1],
    ]);
  });

  it('never moves what stands on a page to within 5 mm of a window, for any service', async () => {
    const anyService = fc.constantFrom(...Object.values(services));
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(
        anyService,
        part,
        part,
        part,
        async ({ id, country }, across, down, long) => {
          const sheet = geometryOf(country, id);
          const [zone] = controlZones(sheet, true);
          if (zone === undefined) throw new Error('no window');
          const width = 10 + 150 * long;
          const x = Math.min(zone.box.x + across * zone.box.width, sheet.page.width - width - 6);
          const y = bottom(zone.box) - 4 + 8 * down;
          const draw = (doc: Doc) => black(doc, { x: Math.max(6, x), y, width, height: 30 });
          const size: [number, number] = [sheet.page.width, sheet.page.height];
          const { fixed: result } = await fix(await drawPdf(draw, { size }), { sheet, country });
          if (result === undefined || result.coverPage) return;
          moved++;
          const windows = controlZones(sheet, true).filter(isWindow);
          for (const { box, name } of windows) {
            const first = grown(box, 4.5);
            const areas = { first, others: first };
            const { pdf } = result;
            const [near] = await preflight.inkOf({ content: pdf, revealed: pdf, areas });
            expect(near?.inked, `${id}: ${name}`).to.equal(false);
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(moved).to.be.greaterThan(5);
  });

  it('puts hidden text behind an address page', async () => {
    const pdf = await drawPdf((doc) => textAt(body(doc).fillColor('#ffffff'), 'hidden', 30, 70));
    const hintOf = async (document: Buffer, more = {}): Promise<string | undefined> =>
      (await preflight.check(document, request(more))).findings[0]?.hint;
    expect(await hintOf(pdf)).to.contain('auto_fix: true, which puts an address page in front');
    expect(await hintOf(pdf, { inDocument: { expected: undefined } })).to.contain('insert_page');
    expect((await fixed(pdf)).coverPage).to.equal(true);
    const atEdge = await drawPdf((doc) => textAt(body(doc).fillColor('#ffffff'), 'hidden', 195, 1));
    expect(await hintOf(atEdge)).to.match(/Remove it\.$/);
    expect((await fix(atEdge)).fixed).to.equal(undefined);
  });
});
