import { expect } from 'chai';
import { PNG } from 'pngjs';
import { drawLetter } from '../../../documents/render/draw-letter.ts';
import {
  createDocumentRenderer,
  type DocumentToRender,
} from '../../../documents/render/letter-pdf.ts';
import { someWorkers } from '../../support/workers.ts';
import { goodLetter } from '../preflight/samples.ts';

const terms = {
  country: 'DE',
  service: 'de_standardbrief',
  envelope: 'DL',
  test: true,
  coverPage: false,
  pages: 1,
};
const letterOf = (more: Partial<DocumentToRender> = {}): DocumentToRender => ({
  terms: { ...terms, kind: 'text' },
  to: ['Anna Müller', '田中 太郎'],
  from: ['Bob'],
  at: '2027-03-01T10:00:00Z',
  ...more,
});
const logo = PNG.sync.write(new PNG({ width: 300, height: 90 }));

describe('letters that are drawn in threads', () => {
  const workers = someWorkers();
  const html = { render: () => Promise.reject(new Error('no browser')) };
  const render = createDocumentRenderer({ html, workers });
  after(() => workers.close());

  const cases: Record<string, () => Promise<[DocumentToRender, Buffer]>> = {
    'a text of many pages': async () => [letterOf(), Buffer.from('Guten Tag. '.repeat(3_000))],
    'a text of many scripts': async () => [
      letterOf(),
      Buffer.from('a漢नशm한က مرحبا שלום 😀 '.repeat(400)),
    ],
    'a text with a logo': async () => [
      letterOf({ stationery: { locale: 'de-DE', logo, footer: 'Bank 123' } }),
      Buffer.from('Kurz.'),
    ],
    'a PDF': async () => [letterOf({ terms: { ...terms, kind: 'pdf' } }), await goodLetter()],
  };
  for (const [name, made] of Object.entries(cases)) {
    it(`have the same bytes as one that is drawn here: ${name}`, async () => {
      const [letter, document] = await made();
      const busyBefore = workers.pool.stats().threads;
      const drawn = await render(letter, document);
      expect(workers.pool.stats().threads).to.be.at.least(Math.max(1, busyBefore));
      const { turn: _, ...plain } = letter;
      expect(drawn.equals(await drawLetter(plain, document))).to.equal(true);
    });
  }

  it('are not the short plain ones, which are drawn at once', async () => {
    const idle = someWorkers();
    const here = createDocumentRenderer({ html, workers: idle });
    const letter = letterOf({ to: ['Anna Müller'] });
    const pdf = await here(letter, Buffer.from('Guten Tag, wie geht es Ihnen? '.repeat(60)));
    expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(idle.pool.stats().threads).to.equal(0);
  });
});
