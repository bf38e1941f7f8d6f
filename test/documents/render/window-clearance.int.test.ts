/** How far inside of the envelope's windows our blocks stand, measured on printed pages. */
import { expect } from 'chai';
import { openPdf, type PdfDocument } from '../../../documents/pdf/pdf-document.ts';
import { compilePdfium, type Pdfium, startPdfium } from '../../../documents/pdf/pdfium-module.ts';
import { finalLetter } from '../../../documents/render/final-letter.ts';
import { letterFont } from '../../../documents/render/fonts.ts';
import { drawOverlay } from '../../../documents/render/stamp-letterhead.ts';
import { renderTextLetter } from '../../../documents/render/text-letter.ts';
import { fitRecipient, fitSender } from '../../../postal/address-block.ts';
import { clearanceMm, type Geometry, geometryOf, onDocument } from '../../../postal/geometry.ts';
import { countInk, grown, type InkMap, inkMapOf } from '../../../postal/ink-map.ts';
import { envelopes } from '../../../postal/paper.ts';
import { isWindow } from '../../../postal/preflight-zones.ts';
import { services } from '../../../postal/services.ts';
import type { CountryCode, ServiceId } from '../../../postal/types.ts';
import { drawPdf } from '../preflight/samples.ts';

const { metrics } = letterFont();
const dpi = 150;
/** Anti-aliasing darkens one pixel next to the drawing. */
const blurMm = 25.4 / dpi;

/** Lines with high accents and descenders, made as long as they fit, first the one at `long`. */
const alphabets = ['ÅgjWÉpyÇM', 'Ẫqmo', 'iiljĮ.'] as const;
/** Of scripts that are shaped, with what stands high above and deep below the line. */
const shapedAlphabets = ['ปู่ญี่ฎุ', 'हिन्दूर्क्षीङ्क्तू', 'لاًمُحَمَّدٍّ', 'ကြွှုဖြစ်', '漢字Å'] as const;

/** The sheets of a service for all envelopes; one of those that differ in the envelope's name only. */
const sheetsOf = (country: CountryCode, service: ServiceId): Geometry[] => [
  ...new Map(
    envelopes.map((envelope) => {
      const sheet = geometryOf(country, service, envelope);
      return [JSON.stringify({ ...sheet, envelope: '' }), sheet];
    }),
  ).values(),
];

type Fits = (lines: string[]) => boolean;

/** As many lines as fit, `count` at most; one of them is of full length. */
const longest = (fits: Fits, count: number, alphabet: string): string[] => {
  const lines: string[] = [];
  while (lines.length < count && fits([...lines, alphabet])) lines.push(alphabet);
  const grow = (at: number): void => {
    const grownBy = (letters: number): string[] => {
      const added = Array.from({ length: letters }, (_, n) => alphabet[n % alphabet.length]);
      return lines.with(at, `${lines[at]}${added.join('')}`);
    };
    let [fitting, tooMany] = [0, 1];
    while (fits(grownBy(tooMany))) [fitting, tooMany] = [tooMany, 2 * tooMany];
    while (tooMany - fitting > 1) {
      const middle = (fitting + tooMany) >> 1;
      if (fits(grownBy(middle))) fitting = middle;
      else tooMany = middle;
    }
    lines.splice(0, lines.length, ...grownBy(fitting));
  };
  for (const at of lines.keys()) grow(at);
  return lines;
};

describe('our blocks in the windows of the envelope', function () {
  this.timeout(180_000);
  let pdfium: Pdfium;
  before(async () => {
    await metrics.shaping?.load([...shapedAlphabets]);
    pdfium = await startPdfium(await compilePdfium(64 * 1024 * 1024));
  });

  const inkOf = (pdf: Buffer, { page }: Geometry): InkMap => {
    const px = (mm: number): number => Math.round((mm * dpi) / 25.4);
    const [width, height] = [px(page.width), px(page.height)];
    const document = openPdf(pdfium, pdf) as PdfDocument;
    const grey = document.withPage(0, (shown) => shown.render(width, height, 'grey').slice());
    document.close();
    return inkMapOf(grey ?? new Uint8Array(), width, height, page);
  };

  const letter = (sheet: Geometry, count: number, alphabet: string) => ({
    to: longest((lines) => fitRecipient(lines, sheet, metrics) !== undefined, count, alphabet),
    from: longest((lines) => fitSender(lines, sheet, metrics) !== undefined, count, alphabet),
    date: '3. März 2026',
    createdAt: new Date('2026-03-03T10:00:00Z'),
    foldMarks: true,
    reference: 'R'.repeat(200),
  });

  const assertClear = (map: InkMap, sheet: Geometry, what: string): void => {
    for (const { name, box } of sheet.noPrint.filter(isWindow)) {
      const inside = grown(box, blurMm - clearanceMm);
      expect(countInk(map, inside), `${what}: something in ${name}`).to.be.greaterThan(0);
      expect(countInk(map, grown(box, blurMm)), `${what}: near the border of ${name}`).to.equal(
        countInk(map, inside),
      );
    }
  };

  for (const [n, { id, country }] of Object.values(services).entries()) {
    it(`stand at least 3 mm inside of them, however long they are: ${id}`, async () => {
      const shaped = shapedAlphabets[n % shapedAlphabets.length] ?? '';
      for (const [nth, sheet] of sheetsOf(country, id).entries()) {
        const { envelope } = sheet;
        for (const [index, alphabet] of (nth === 0
          ? [...alphabets, shaped]
          : alphabets
        ).entries()) {
          const count = 3 + (index % 3);
          const text = { ...letter(sheet, count, alphabet), sheet, content: 'Text.' };
          assertClear(inkOf(await renderTextLetter(text), sheet), sheet, `text ${envelope}`);
          const { pdf: overHtml } = await drawOverlay(text, 1);
          assertClear(inkOf(overHtml, sheet), sheet, `HTML ${envelope}`);
          const empty = await drawPdf(() => undefined, {
            size: [sheet.page.width, sheet.page.height],
          });
          const placed = letter(onDocument(sheet), count, alphabet);
          const pdf = await finalLetter(empty, { ...placed, sheet, coverPage: false });
          const map = inkOf(pdf, sheet);
          assertClear(map, sheet, `PDF ${envelope}`);
          expect(countInk(map, sheet.senderOnDocument), 'the sender').to.be.greaterThan(0);
        }
      }
    });
  }
});
