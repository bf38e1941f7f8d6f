import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import { fontMetrics } from '../../../documents/render/font-metrics.ts';
import { createDocumentRenderer } from '../../../documents/render/letter-pdf.ts';
import { readLogo } from '../../../documents/render/logo.ts';
import { assertWholeJpeg } from '../../../documents/render/logo-size.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import { services } from '../../../postal/services.ts';
import {
  dateLine,
  fitFooter,
  footerBaselines,
  localeOf,
  logoBox,
} from '../../../postal/stationery.ts';
import { type Box, serviceIds } from '../../../postal/types.ts';
import { requirePoppler } from '../../support/poppler.ts';
import { someWorkers } from '../../support/workers.ts';
import { drawPdf } from '../preflight/samples.ts';

const refused = (bytes: Buffer): string | undefined => {
  try {
    readLogo(bytes);
    return undefined;
  } catch (error) {
    return (error as { errors?: { code: string }[] }).errors?.[0]?.code;
  }
};

const png = (width: number, height: number): Buffer => {
  const image = new PNG({ width, height });
  image.data.fill(120);
  return PNG.sync.write(image);
};

/** 80 × 40 pixels: a black and a grey quarter above, white below. */
const cornersJpeg = async (): Promise<Buffer> => {
  const pdf = await drawPdf((doc) => {
    doc.rect(0, 0, 40, 20).fill('#000');
    doc.rect(40, 0, 40, 20).fill('#808080');
  });
  const options = '-jpeg -r 72 -x 0 -y 0 -W 80 -H 40 -singlefile -'.split(' ');
  return execFileSync('pdftoppm', options, { input: pdf });
};

/** With an Exif segment that has the orientation, as phones and scanners write it. */
const storedIn = (jpeg: Buffer, orientation: number): Buffer => {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  const contents = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, contents.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, contents, jpeg.subarray(2)]);
};

/** How light the middle of each quarter of a box is: the upper two, then the lower two. */
const cornersOf = (pdf: Buffer, { x, y, width, height }: Box): number[] => {
  const options = ['-r', '127', '-l', '1', '-singlefile', '-png', '-'];
  const page = PNG.sync.read(execFileSync('pdftoppm', options, { input: pdf }));
  const dots = (mm: number): number => Math.round(mm * 5);
  return [0.25, 0.75].flatMap((down) =>
    [0.25, 0.75].map((right) => {
      const at = (dots(y + height * down) * page.width + dots(x + width * right)) * 4;
      const light = page.data[at] ?? 0;
      return light < 64 ? 0 : light > 192 ? 255 : 128;
    }),
  );
};

describe('stationery', () => {
  it('dates a letter in the language and the manner of its sender', () => {
    const day = (locale: string) => dateLine('2027-03-01', '', locale, 'DE');
    expect(day(localeOf('de', 'DE'))).to.equal('1. März 2027');
    expect(day(localeOf('fr', 'FR'))).to.equal('1er mars 2027');
    expect(day(localeOf('en', 'US'))).to.equal('March 1, 2027');
    expect(day(localeOf('en', 'DE'))).to.equal('1 March 2027');
    expect(dateLine('2027-03-11', '', 'fr-FR', 'FR')).to.equal('11 mars 2027');
    expect(dateLine(false, '2027-03-01T00:00:00Z', 'de-DE', 'DE')).to.equal('');
    expect(dateLine(undefined, '2027-03-01T23:30:00Z', 'en-GB', 'DE')).to.equal('2 March 2027');
  });

  it('keeps logo and footer clear of every window and inside of the page', () => {
    const four = fitFooter('a\nb\nc\nd', geometryOf('DE', 'de_standardbrief'), fontMetrics());
    expect(four).to.have.length(4);
    for (const service of serviceIds) {
      const sheet = geometryOf(services[service].country, service);
      const logo = logoBox(sheet);
      expect(logo.height, service).to.be.at.least(15);
      for (const { box, name } of sheet.noPrint) {
        const beside = logo.x >= box.x + box.width + 3 || logo.x + logo.width + 3 <= box.x;
        const over = logo.y + logo.height + 3 <= box.y || logo.y >= box.y + box.height + 3;
        expect(beside || over, `${service} ${name}`).to.equal(true);
      }
      expect(logo.x + logo.width).to.be.at.most(sheet.page.width - sheet.safeMargins.right);
      const bottomOfText = sheet.page.height - sheet.margins.bottom;
      const ascentMm = 3.02;
      expect((footerBaselines(4, sheet)[0] ?? 0) - ascentMm, service).to.be.above(bottomOfText);
    }
    expect(fitFooter('a\nb\nc\nd\ne', geometryOf('US', 'us_first_class'), fontMetrics())).to.equal(
      undefined,
    );
  });

  const workers = someWorkers();
  after(() => workers.close());

  const toAnna = {
    terms: {
      country: 'DE',
      service: 'de_standardbrief',
      envelope: 'DL',
      test: false,
      kind: 'text' as const,
      coverPage: false,
      pages: 1,
    },
    to: ['Anna'],
    from: ['Bob'],
    at: '2027-03-01T10:00:00Z',
  };
  const html = { render: () => Promise.reject(new Error('no browser')) };
  const render = createDocumentRenderer({ html, workers });

  it('refuses to draw a page without the footer that does not fit it', async () => {
    const letter = { ...toAnna, stationery: { locale: 'de-DE', footer: 'a\nb\nc\nd\ne' } };
    const refusal = await render(letter, Buffer.from('Hallo')).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/footer does not fit/);
  });

  it('prints a logo and a footer on the first page only, and the same bytes each time', async () => {
    const letter = {
      ...toAnna,
      stationery: {
        locale: 'de-DE',
        footer: 'Bank 123\nUSt-IdNr. DE1',
        logo: png(200, 50),
      },
    };
    const first = await render(letter, Buffer.from('Hallo\n'.repeat(80)));
    expect(first.equals(await render(letter, Buffer.from('Hallo\n'.repeat(80))))).to.equal(true);
    expect(first.toString('latin1').match(/\/Subtype \/Image/g)).to.have.length(2);
  });

  it('prints a JPEG upright, in whichever orientation it is stored', async function () {
    this.timeout(180_000);
    requirePoppler(this);
    const page = geometryOf('DE', 'de_standardbrief');
    const area = logoBox(page);
    const stored = await cornersJpeg();
    const [black, grey, white] = [0, 128, 255];
    const shownAs: Record<number, number[]> = {
      1: [black, grey, white, white],
      2: [grey, black, white, white],
      3: [white, white, grey, black],
      4: [white, white, black, grey],
      5: [black, white, grey, white],
      6: [white, black, white, grey],
      7: [white, grey, white, black],
      8: [grey, white, black, white],
    };
    for (const [orientation, corners] of Object.entries(shownAs)) {
      const logo = storedIn(stored, Number(orientation));
      const { width, height } = readLogo(logo);
      const isTurned = Number(orientation) >= 5;
      expect([width, height]).to.deep.equal(isTurned ? [40, 80] : [80, 40]);
      const pdf = await render(
        { ...toAnna, stationery: { locale: 'de-DE', logo } },
        Buffer.from('x'),
      );
      const scale = Math.min(area.width / width, area.height / height);
      const box = { width: width * scale, height: height * scale, y: area.y };
      const x = area.x + area.width - box.width;
      expect(cornersOf(pdf, { ...box, x }), orientation).to.deep.equal(corners);
    }
  });

  it('refuses a JPEG that is cut off, wherever', async function () {
    requirePoppler(this);
    const whole = await cornersJpeg();
    assertWholeJpeg(whole);
    for (let end = 4; end < whole.length; end += 7) {
      expect(() => assertWholeJpeg(whole.subarray(0, end)), String(end)).to.throw('cut off');
    }
    const picture = storedIn(whole, 6);
    for (let end = 2; end < 60; end++) {
      expect(['logo_unreadable', undefined]).to.include(refused(picture.subarray(0, end)));
    }
  });

  it('refuses a logo that is none, is too large or cannot be read', () => {
    expect(refused(png(10, 10))).to.equal(undefined);
    expect(refused(Buffer.from('<svg/>'))).to.equal('logo_unreadable');
    expect(refused(png(10, 10).subarray(0, 40))).to.equal('logo_unreadable');
    expect(refused(Buffer.from([0xff, 0xd8, 0xff]))).to.equal('logo_unreadable');
    const huge = png(1, 1);
    huge.writeUInt32BE(50_000, 16);
    huge.writeUInt32BE(50_000, 20);
    expect(refused(huge)).to.equal('logo_too_large');
  });
});
