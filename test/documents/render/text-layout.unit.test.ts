import { expect } from 'chai';
import fc from 'fast-check';
import { baseMetrics, fontMetrics } from '../../../documents/render/font-metrics.ts';
import { fitRecipient, fitSender, textWidthMm } from '../../../postal/address-block.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import {
  findUnprintable,
  normalizeContent,
  normalizeText,
} from '../../../postal/printable-text.ts';
import { services } from '../../../postal/services.ts';
import { bodyText, countPages, layoutText, lineHeightMm } from '../../../postal/text-layout.ts';
import { serviceIds } from '../../../postal/types.ts';
import { anyText } from '../../support/any-text.ts';
import { dinSheet, frenchSheet, usSheet } from './sheets.ts';

/** Metrics of text that is set glyph by glyph; shaped text has its own tests. */
const metrics = baseMetrics();
const sheets = [dinSheet, frenchSheet, usSheet];

const linesOf = (content: string) =>
  layoutText(content, dinSheet, metrics).pages.flatMap(({ lines }) =>
    lines.map(({ text }) => text),
  );

const linesPerPage = (content: string) =>
  layoutText(content, dinSheet, metrics).pages.map(({ lines }) => lines.length);

const rowsOn = (topMm: number) =>
  Math.floor((dinSheet.page.height - dinSheet.margins.bottom - topMm) / lineHeightMm(bodyText));
const firstTextTopMm = dinSheet.bodyTop + 2 * lineHeightMm(bodyText);
const firstPageRows = rowsOn(firstTextTopMm);
const laterPageRows = rowsOn(dinSheet.margins.top);
const shortLines = (count: number) =>
  Array.from({ length: count }, (_, i) => `line ${i}`).join('\n');

const pieces = fc.constantFrom(
  ...['a', 'letter', 'Straße', ' ', '  ', '\n', '\n\n', '\r\n', '\t', '-', ' – ', '/', '!', ' !'],
  ...['« ', ' »', '50 %', 'e\u0301', 'o\u0323\u0301', '\u00a0', '\u202f', '\u200b', '\u2060'],
  ...['W'.repeat(120), 'i'.repeat(700), ' '.repeat(200), '\ufeff', '\u2009', '\u{1df00}'],
);
const texts = fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join(''));
const withSoftHyphens = fc
  .array(fc.oneof(pieces, fc.constant('\u00ad'), fc.string({ unit: 'grapheme' })), {
    maxLength: 200,
  })
  .map((parts) => parts.join(''));
const anySheet = fc.constantFrom(...sheets);

describe('text layout', () => {
  it('counts the pages that it lays out, whatever the text', () => {
    fc.assert(
      fc.property(withSoftHyphens, anySheet, (content, sheet) => {
        const { pages, pageCount } = layoutText(content, sheet, metrics);
        expect(countPages(content, sheet, metrics)).to.equal(pageCount);
        expect(pages.length).to.equal(pageCount);
      }),
    );
  });

  it('keeps every line inside the margins, whatever the text', () => {
    fc.assert(
      fc.property(withSoftHyphens, anySheet, (content, sheet) => {
        const bodyMm = sheet.page.width - sheet.margins.left - sheet.margins.right;
        for (const { lines } of layoutText(content, sheet, metrics).pages) {
          for (const { text, xMm, yMm } of lines) {
            const widthMm = textWidthMm(text, bodyText.fontSizePt, metrics);
            expect(widthMm).to.be.at.most(bodyMm + 1e-6);
            if (text !== '') {
              expect(xMm + widthMm).to.be.at.most(sheet.page.width - sheet.margins.right + 1e-6);
            }
            expect(yMm).to.be.at.most(sheet.page.height - sheet.margins.bottom);
          }
        }
      }),
    );
  });

  it('prints every character once and in order, spaces and invisible characters apart', () => {
    const ink = (text: string) => text.replace(/[\s\u200b\u2060\ufeff]/g, '');
    fc.assert(
      fc.property(texts, (content) => {
        expect(ink(linesOf(content).join(''))).to.equal(ink(content.normalize('NFC')));
      }),
    );
  });

  it('leaves no page but the first without a line', () => {
    fc.assert(
      fc.property(texts, anySheet, (content, sheet) => {
        const [, ...later] = layoutText(content, sheet, metrics).pages;
        for (const { lines } of later) expect(lines).to.not.be.empty;
      }),
    );
  });

  it('makes one page of an empty letter', () => {
    expect(countPages('', dinSheet, metrics)).to.equal(1);
    expect(countPages('\n \n\t\n', dinSheet, metrics)).to.equal(1);
  });

  it('starts the text two lines below bodyTop on the first page and at the top margin on the next', () => {
    const { pages } = layoutText(shortLines(60), dinSheet, metrics);
    const baseline = (bodyText.fontSizePt * 25.4) / 72;
    expect(pages[0]?.lines[0]?.yMm).to.be.closeTo(firstTextTopMm + baseline, 1e-9);
    expect(pages[1]?.lines[0]?.yMm).to.be.closeTo(dinSheet.margins.top + baseline, 1e-9);
  });

  it('breaks lines at line feeds of every kind', () => {
    expect(linesOf('a\r\nb\rc\nd\u2028e')).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
  });

  describe('with tabs', () => {
    const placesOf = (content: string) =>
      layoutText(content, dinSheet, metrics).pages.flatMap(({ lines }) =>
        lines
          .filter(({ text }) => text !== '')
          .map(({ text, xMm }) => ({
            text,
            stop:
              (xMm - dinSheet.margins.left) / textWidthMm('00000000', bodyText.fontSizePt, metrics),
          })),
      );
    const stopsOf = (content: string) =>
      placesOf(content).map(({ text, stop }) => [text, Math.round(stop * 1e6) / 1e6]);

    it('aligns columns at stops every eight digits, whatever the width of the words', () => {
      expect(stopsOf('Item\tQty\tPrice\nWindow\t10\t1.50\niii\t2\t12.00')).to.deep.equal([
        ['Item', 0],
        ['Qty', 1],
        ['Price', 2],
        ['Window', 0],
        ['10', 1],
        ['1.50', 2],
        ['iii', 0],
        ['2', 1],
        ['12.00', 2],
      ]);
    });

    it('goes on to the next stop behind a long cell, and never sticks to the word before', () => {
      expect(stopsOf('Window cleaning\t10\n00000000\t2\n0000000\t3')).to.deep.equal([
        ['Window cleaning', 0],
        ['10', 2],
        ['00000000', 0],
        ['2', 2],
        ['0000000', 0],
        ['3', 1],
      ]);
    });

    it('indents, takes several tabs and leaves out those at the end of a line', () => {
      expect(stopsOf('\ta\n\t\tb\t \t\nc\t\td')).to.deep.equal([
        ['a', 1],
        ['b', 2],
        ['c', 0],
        ['d', 2],
      ]);
    });

    it('breaks a line at a tab whose text has no room left', () => {
      const line = `${'0'.repeat(70)}\tnext`;
      expect(stopsOf(line)).to.deep.equal([
        ['0'.repeat(70), 0],
        ['next', 0],
      ]);
    });
  });

  it('keeps the blank lines between paragraphs as space', () => {
    const [page] = layoutText('a\n\n\nb', dinSheet, metrics).pages;
    const [a, b] = page?.lines ?? [];
    expect((b?.yMm ?? 0) - (a?.yMm ?? 0)).to.be.closeTo(3 * lineHeightMm(bodyText), 1e-9);
  });

  it('cuts a word that is wider than the line between characters, never between letter and mark', () => {
    const lines = linesOf('o\u0323\u0301'.repeat(300));
    expect(lines.length).to.be.greaterThan(1);
    for (const line of lines) expect(line).to.match(/^(?:ọ\u0301)+$/u);
  });

  it('shows a soft hyphen only where it breaks the line', () => {
    const lines = linesOf(`${'x'.repeat(60)} ${'Silben\u00ad'.repeat(8)}ende Wort\u00adteil`);
    expect(lines[0]).to.match(/Silben-$/);
    expect(lines.join('')).to.not.include('\u00ad');
    expect(lines[1]).to.match(/ende Wortteil$/);
  });

  it('does not break at no-break spaces', () => {
    const lines = linesOf(`${'mot '.repeat(20)}1\u00a0000\u202f000\u00a0€`);
    expect(lines.length).to.equal(2);
    expect(lines[1]).to.include('1\u00a0000\u202f000\u00a0€');
  });

  it('breaks at a zero-width space without showing it', () => {
    expect(linesOf(`${'x'.repeat(70)}\u200b${'y'.repeat(30)}`)).to.deep.equal([
      'x'.repeat(70),
      'y'.repeat(30),
    ]);
  });

  it('never starts a line with French punctuation or a percent sign that follows a typed space', () => {
    for (let words = 1; words < 120; words++) {
      for (const line of linesOf(`${'x'.repeat(words)} oui ! et « non » : 50 % de 12 € ; fin ?`)) {
        expect(line).to.not.match(/^[!?:;»%€]/);
        expect(line).to.not.match(/«$/);
      }
    }
  });

  it('breaks behind a hyphen inside a word but not behind a minus sign or an option', () => {
    const filler = 'x'.repeat(69);
    expect(linesOf(`${filler} Straßen-Verzeichnis`)).to.deep.equal([
      `${filler} Straßen-`,
      'Verzeichnis',
    ]);
    expect(linesOf(`${filler} --verzeichnisse`)[1]).to.equal('--verzeichnisse');
  });

  it('moves a paragraph of two lines to the next page rather than part it', () => {
    const content = `${shortLines(firstPageRows - 2)}\n\nfirst\nsecond`;
    expect(linesPerPage(content)).to.deep.equal([firstPageRows - 2, 2]);
  });

  it('takes a line along so that the last line of a paragraph is not alone', () => {
    expect(linesPerPage(shortLines(firstPageRows + 1))).to.deep.equal([firstPageRows - 1, 2]);
    expect(linesPerPage(shortLines(firstPageRows + laterPageRows))).to.deep.equal([
      firstPageRows,
      laterPageRows,
    ]);
  });
});

describe('printable text', () => {
  it('normalises once and for all', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(normalizeText(normalizeText(text))).to.equal(normalizeText(text));
      }),
    );
    expect(normalizeText('Cafe\u0301\r\n\tnoir')).to.equal('Café\n    noir');
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(normalizeContent(normalizeContent(text))).to.equal(normalizeContent(text));
      }),
    );
    expect(normalizeContent('Cafe\u0301\r\n\tnoir')).to.equal('Café\n\tnoir');
  });

  const reasons = (text: string) =>
    findUnprintable(text, fontMetrics()).map(({ index, codePoint, reason }) => [
      index,
      codePoint,
      reason,
    ]);

  it('names what no font has, controls, direction marks and broken surrogates', () => {
    expect(reasons('ok 😀 漢字 नमस्ते سلام שלום ไทย 한국')).to.deep.equal([]);
    expect(reasons('ok 𓀀')).to.deep.equal([[3, 0x13000, 'no_glyph']]);
    expect(reasons('a\u0007b\u0085')).to.deep.equal([
      [1, 7, 'control'],
      [3, 0x85, 'control'],
    ]);
    expect(reasons('a\u202eb\u200f')).to.deep.equal([
      [1, 0x202e, 'bidi'],
      [3, 0x200f, 'bidi'],
    ]);
    expect(reasons('a\ud83d')).to.deep.equal([[1, 0xd83d, 'surrogate']]);
    expect(reasons('\ufffd\ue000')).to.deep.equal([
      [0, 0xfffd, 'no_glyph'],
      [1, 0xe000, 'no_glyph'],
    ]);
  });

  it('lists at most ten', () => {
    expect(findUnprintable('𓀀'.repeat(30), metrics)).to.have.length(10);
  });

  it('finds nothing to refuse in the Latin languages, Greek and Cyrillic', () => {
    const fine =
      'ÄÖÜß éèêëçœæ ñ ğışİ čšžřů őű ąęłńśźż ãõ å ø þð țș āēīōū ŵŷ ạảấầẩẫậơư €£“”–…’„«»•№½²™©\n' +
      '\t\u00a0\u202f\u00ad\u200b Ελληνικά Кириллица ẹ\u0301 ɛ\u0303 ©\ufe0f';
    expect(findUnprintable(fine, metrics)).to.deep.equal([]);
  });
});

describe('address blocks', () => {
  const lines = ['Dr. Anja Müller', 'Bürgerstraße 7a', '50667 Köln'];

  it('sets a usual recipient at 11 pt inside the window of every service', () => {
    const ofServices = serviceIds.map((id) => geometryOf(services[id].country, id));
    for (const sheet of [...sheets, ...ofServices]) {
      const block = fitRecipient(lines, sheet, metrics);
      expect(block?.fontSizePt).to.equal(11);
      expect(block?.yMm).to.be.within(sheet.window.y, sheet.window.y + sheet.window.height);
    }
  });

  it('shrinks long lines into the window and refuses what 7 pt cannot hold', () => {
    const fitted = fitRecipient(['M'.repeat(28)], dinSheet, metrics);
    expect(fitted?.fontSizePt).to.be.within(7, 10.5);
    expect(fitRecipient(['M'.repeat(64)], dinSheet, metrics)).to.equal(undefined);
    expect(fitRecipient(Array(12).fill('x'), dinSheet, metrics)).to.equal(undefined);
  });

  it('stays under the sender line and above the end of the window', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 9 }),
        (to) => {
          const block = fitRecipient(to, dinSheet, metrics);
          if (block === undefined) return;
          const last = block.yMm + ((to.length - 1) * block.lineHeightPt * 25.4) / 72;
          expect(block.yMm).to.be.greaterThan(dinSheet.senderLine.y + dinSheet.senderLine.height);
          expect(last).to.be.lessThan(dinSheet.window.y + dinSheet.window.height);
          for (const line of to) {
            expect(block.xMm + textWidthMm(line, block.fontSizePt, metrics)).to.be.at.most(
              105 + 1e-6,
            );
          }
        },
      ),
    );
  });

  it('sets the sender as one line in a low box and as a block in a high one', () => {
    expect(fitSender(lines, dinSheet, metrics)?.lines).to.deep.equal([lines.join(' · ')]);
    expect(fitSender(lines, usSheet, metrics)?.lines).to.deep.equal(lines);
  });
});
