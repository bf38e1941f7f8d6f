import { expect } from 'chai';
import { sheetOf } from '../../commands/preparation/letter-sheet.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { fitRecipient } from '../../postal/address-block.ts';
import { geometryOf } from '../../postal/geometry.ts';
import { services } from '../../postal/services.ts';
import { countPages, firstTextTopMm, layoutText, mmPerPt } from '../../postal/text-layout.ts';
import type { Box } from '../../postal/types.ts';

const contains = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  inner.x + inner.width <= outer.x + outer.width + 1e-9 &&
  inner.y + inner.height <= outer.y + outer.height + 1e-9;

const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe('page geometry', () => {
  for (const { id, country } of Object.values(services)) {
    describe(`of ${id}`, () => {
      const geometry = geometryOf(country, id);
      const page = { x: 0, y: 0, ...geometry.page };

      it('keeps every box on the page', () => {
        const boxes = [geometry.window, geometry.senderLine, ...geometry.noPrint.map((z) => z.box)];
        for (const box of boxes) expect(contains(page, box)).to.equal(true);
      });

      it('keeps the recipient clear of the sender, and the body clear of both', () => {
        const { window, senderLine, bodyTop } = geometry;
        expect(overlap(window, senderLine)).to.equal(false);
        expect(bodyTop).to.be.greaterThan(window.y + window.height);
        expect(bodyTop).to.be.greaterThan(senderLine.y + senderLine.height);
      });

      it('has no fold in the letters of the date line', () => {
        const { dateTop = geometry.bodyTop, foldMarks } = geometry;
        // The height of an accent on a capital above the baseline, and the depth of a g below it.
        const baseline = dateTop + 11 * mmPerPt;
        const ink = { top: baseline - 0.76 * 11 * mmPerPt, bottom: baseline + 0.24 * 11 * mmPerPt };
        for (const fold of foldMarks) expect(fold < ink.top || fold > ink.bottom).to.equal(true);
        expect(ink.bottom).to.be.below(firstTextTopMm(geometry));
      });

      it('asks documents to leave the recipient block clear, above where the body starts', () => {
        const field = geometry.noPrint.find((zone) => zone.name === 'address_field');
        expect(field && contains(field.box, geometry.window)).to.equal(true);
        for (const { box, name } of geometry.noPrint) {
          if (name !== 'lower_left') expect(box.y + box.height).to.be.at.most(geometry.bodyTop);
        }
      });

      it('keeps registration marks off the recipient', () => {
        for (const { box } of geometry.noPrint.filter((z) => z.name === 'registered_label')) {
          expect(overlap(box, geometry.window) || overlap(box, geometry.senderLine)).to.equal(
            false,
          );
        }
      });
    });
  }

  it('sets text and address on one left edge where the window is on the left', () => {
    const { metrics } = letterFont();
    for (const { id, country } of Object.values(services)) {
      const sheet = geometryOf(country, id);
      if (sheet.window.x > sheet.page.width / 3) continue;
      expect(fitRecipient(['Ada Lovelace'], sheet, metrics)?.xMm, id).to.equal(sheet.margins.left);
    }
  });

  it('keeps the layout that a letter was made in, with the same lines and pages', () => {
    const { metrics } = letterFont();
    const text = 'Words of several lengths, and longer ones: incomprehensibility. '.repeat(300);
    for (const { id, country, envelope } of Object.values(services)) {
      const terms = { country, service: id, envelope };
      const first = geometryOf(country, id, envelope, 1);
      const second = geometryOf(country, id, envelope, 2);
      expect(sheetOf(terms)).to.deep.equal(first);
      expect(sheetOf({ ...terms, layout: 2 })).to.deep.equal(second);
      expect({ ...second, margins: first.margins }).to.deep.equal(first);
      expect(countPages(text, second, metrics)).to.equal(countPages(text, first, metrics));
      const linesOn = (sheet: typeof first) =>
        layoutText(text, sheet, metrics).pages.map(({ lines }) => lines.map((line) => line.text));
      expect(linesOn(second)).to.deep.equal(linesOn(first));
    }
    expect(geometryOf('GB', 'gb_first_class', undefined, 1).margins.left).to.equal(20);
    expect(geometryOf('GB', 'gb_first_class').margins.left).to.equal(24.6);
  });

  it('prints Letter in North America and A4 elsewhere', () => {
    expect(geometryOf('US', 'us_first_class').page).to.deep.equal({ width: 215.9, height: 279.4 });
    expect(geometryOf('DE', 'de_standardbrief').page).to.deep.equal({ width: 210, height: 297 });
  });

  it('lowers the address of registered letters', () => {
    expect(geometryOf('DE', 'de_standardbrief').window.y).to.equal(62.7);
    expect(geometryOf('DE', 'de_einschreiben').window.y).to.equal(68);
    expect(geometryOf('FR', 'fr_lettre_recommandee').window.y).to.equal(58);
  });

  it('has no fold marks where sheets lie unfolded', () => {
    expect(geometryOf('DE', 'de_standardbrief').foldMarks).to.deep.equal([105, 210]);
    expect(geometryOf('DE', 'de_standardbrief', 'C4').foldMarks).to.deep.equal([]);
    expect(geometryOf('US', 'us_priority').foldMarks).to.deep.equal([]);
  });

  it('says where no figure of the country was found', () => {
    expect(geometryOf('CA', 'ca_lettermail').estimate).to.equal(true);
  });

  it('refuses a service of another country', () => {
    expect(() => geometryOf('FR', 'de_standardbrief')).to.throw(RangeError);
  });
});
