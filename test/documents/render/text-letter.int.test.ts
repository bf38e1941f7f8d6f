import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { letterFont } from '../../../documents/render/fonts.ts';
import { renderTextLetter, type TextLetter } from '../../../documents/render/text-letter.ts';
import { countPages } from '../../../postal/text-layout.ts';
import { requirePoppler } from '../../support/poppler.ts';
import { dinSheet, frenchSheet, usSheet } from './sheets.ts';

const accents =
  'ÄÖÜß éèêëçœ ñ ğışİ čšžřů őű ąęłńśźż ãõ å ø æ þð € £ “” – … ’ „ « » țș āēīōū ạảấầẩẫậ';

const letter: TextLetter = {
  content: `Dear Sir,\n\n${accents}\n\nYours`,
  from: ['Weiß & Söhne GmbH', 'Königsallee 12', '40212 Düsseldorf'],
  to: ['Dr. Anja Müller', 'Bürgerstraße 7a', '50667 Köln'],
  date: '3. März 2026',
  createdAt: new Date('2026-03-03T10:00:00Z'),
  sheet: dinSheet,
};
const paragraph = `${'A sentence that fills a good part of the line of a letter. '.repeat(6)}\n\n`;

const pagesIn = (pdf: Buffer): number =>
  pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;

async function errorOf(input: TextLetter): Promise<unknown> {
  return renderTextLetter(input).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('text letter as PDF', () => {
  it('prints the pages that were counted', async () => {
    const { metrics } = letterFont();
    for (const sheet of [dinSheet, frenchSheet, usSheet]) {
      for (const paragraphs of [1, 6, 14, 25]) {
        const content = paragraph.repeat(paragraphs);
        const pdf = await renderTextLetter({ ...letter, content, sheet });
        expect(pagesIn(pdf)).to.equal(countPages(content, sheet, metrics));
      }
    }
  });

  it('embeds a subset of the font and no other font', async () => {
    const pdf = (await renderTextLetter(letter)).toString('latin1');
    expect(pdf).to.match(/\/BaseFont \/[A-Z]{6}\+NotoSans-Regular/);
    expect(pdf).to.include('/FontFile2');
    expect(pdf).to.not.include('/Type1');
    expect(pdf.length).to.be.lessThan(60_000);
  });

  it('has the size of its sheet', async () => {
    const pdf = await renderTextLetter({ ...letter, sheet: usSheet });
    expect(pdf.toString('latin1')).to.match(/\/MediaBox \[0 0 612(\.0+)? 792(\.0+)?\]/);
  });

  it('makes the same bytes of the same input', async () => {
    const first = await renderTextLetter(letter);
    await renderTextLetter({ ...letter, content: 'Ọ\u0301 something else between' });
    expect((await renderTextLetter(letter)).equals(first)).to.equal(true);
  });

  it('names nobody in its metadata', async () => {
    const pdf = (await renderTextLetter(letter)).toString('latin1');
    expect(pdf).to.include('(Letter)');
    expect(pdf).to.include('(D:20260303100000Z)');
    expect(pdf).to.not.match(/\/Author|\/Subject|\/Keywords/);
  });

  it('refuses an address that does not fit and a character that cannot be printed', async () => {
    expect(await errorOf({ ...letter, to: ['M'.repeat(90)] })).to.include({
      code: 'address_invalid',
    });
    expect(await errorOf({ ...letter, from: ['M'.repeat(300)] })).to.include({
      code: 'address_invalid',
    });
    expect(await errorOf({ ...letter, content: 'Hi 𓀀' })).to.include({
      code: 'content_not_printable',
    });
  });
});

describe('text letter as poppler reads it', () => {
  before(function () {
    requirePoppler(this);
  });

  const textOf = (pdf: Buffer, ...box: string[]): string =>
    execFileSync('pdftotext', [...box, '-layout', '-', '-'], { input: pdf }).toString('utf8');

  /** The text inside a box, at 72 units per inch. */
  const textIn = (pdf: Buffer, box: { x: number; y: number; width: number; height: number }) =>
    textOf(
      pdf,
      ...Object.entries({ x: box.x, y: box.y, W: box.width, H: box.height }).flatMap(
        ([name, mm]) => [`-${name}`, String(Math.round((mm * 72) / 25.4))],
      ),
    );

  it('gives back every accent of the Latin languages', async () => {
    expect(textOf(await renderTextLetter(letter)).replace(/\s+/g, ' ')).to.include(accents);
  });

  it('shows the recipient in the window of each sheet and nothing of the body', async () => {
    for (const sheet of [dinSheet, frenchSheet, usSheet]) {
      const shown = textIn(await renderTextLetter({ ...letter, sheet }), sheet.window);
      for (const line of letter.to) expect(shown).to.include(line);
      expect(shown).to.not.match(/Dear|März/);
    }
  });

  it('prints date, reference and page numbers', async () => {
    const pdf = await renderTextLetter({
      ...letter,
      content: paragraph.repeat(14),
      reference: 'Ref. 4711',
    });
    const text = textOf(pdf);
    expect(text).to.match(/Ref\. 4711 +3\. März 2026/);
    const pages = pagesIn(pdf);
    for (let page = 1; page <= pages; page++) {
      expect(text).to.match(new RegExp(`${page} ?/ ?${pages}$`, 'm'));
    }
  });

  it('draws the watermark on every page, behind the text', async () => {
    const pdf = await renderTextLetter({
      ...letter,
      content: paragraph.repeat(14),
      watermark: 'TEST',
    });
    const raw = execFileSync('pdftotext', ['-raw', '-', '-'], { input: pdf }).toString('utf8');
    expect(raw.match(/^\f?T\nE\nS\nT$/gm)).to.have.length(pagesIn(pdf));
  });

  it('has no page number on a letter of one page', async () => {
    expect(textOf(await renderTextLetter(letter))).to.not.match(/1 ?\/ ?1$/m);
  });
});
