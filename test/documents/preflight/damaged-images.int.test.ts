/** Images whose data ends too early or is damaged, which readers show in part. */
import { execFileSync } from 'node:child_process';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { isWholeJbig2, isWholeJpeg2000 } from '../../../documents/pdf/image-parts.ts';
import { isWholeJpeg } from '../../../documents/pdf/jpeg-scans.ts';
import { requirePoppler } from '../../support/poppler.ts';
import { seeded } from '../../support/seeded.ts';
import {
  goodLetter,
  onePage,
  type Preflight,
  request,
  startPreflight,
  streamObject,
} from './samples.ts';

const endOfImage = Buffer.from([0xff, 0xd9]);
const sizeOf = (jpeg: Buffer): [width: number, height: number] => {
  const at = Math.max(
    jpeg.indexOf(Buffer.from([0xff, 0xc0])),
    jpeg.indexOf(Buffer.from([0xff, 0xc2])),
  );
  return [jpeg.readUInt16BE(at + 7), jpeg.readUInt16BE(at + 5)];
};
const withImage = (entries: string, data: Buffer): Buffer =>
  onePage({
    content: streamObject('', Buffer.from('100 450 200 20 re f q 300 0 0 200 100 200 cm /I Do Q')),
    page: '/Resources << /XObject << /I 5 0 R >> >>',
    more: [streamObject(`/Type /XObject /Subtype /Image /BitsPerComponent 8 ${entries}`, data)],
  });
/** A JPEG 2000 image of 16 by 16 grey pixels, made by OpenJPEG. */
const greyJpeg2000 = Buffer.from(
  '/0//UQApAAAAAAAQAAAAEAAAAAAAAAAAAAAAEAAAABAAAAAAAAAAAAABBwEB/1IADAAAAAEABAQEAAH/XAAQQEBISFBISFBISFBISFD/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjT/kAAKAAAAAAATAAH/k4CAgICA/9k=',
  'base64',
);

/** The segments of a page and of a region on it. The codes in the region do not matter. */
const jbig2 = (): Buffer => {
  const segment = (number: number, type: number, data: Buffer): Buffer => {
    const header = Buffer.from([0, 0, 0, number, type, 0, 1, 0, 0, 0, data.length]);
    return Buffer.concat([header, data]);
  };
  const size = Buffer.from([0, 0, 0, 64, 0, 0, 0, 56]);
  const page = Buffer.concat([size, Buffer.alloc(11)]);
  const templates = Buffer.from([0, 3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe]);
  const region = [
    size,
    Buffer.alloc(9),
    templates,
    Buffer.alloc(40, 'codes'),
    Buffer.from([0xff, 0xac]),
  ];
  return Buffer.concat([segment(0, 48, page), segment(1, 38, Buffer.concat(region))]);
};

const withJpeg = (jpeg: Buffer, size = sizeOf(jpeg)): Buffer =>
  withImage(`/Width ${size[0]} /Height ${size[1]} /ColorSpace /DeviceRGB /Filter /DCTDecode`, jpeg);

describe('an image in a PDF letter', () => {
  let preflight: Preflight;
  const jpegs = new Map<string, Buffer>();
  before(async function () {
    requirePoppler(this);
    preflight = startPreflight();
    const pdf = await goodLetter();
    for (const options of [
      '',
      '-gray',
      '-jpegopt optimize=y,quality=20',
      '-jpegopt progressive=y',
    ]) {
      const all = ['-jpeg', '-r', '100', ...options.split(' '), '-singlefile', '-'].filter(Boolean);
      jpegs.set(options || 'plain', execFileSync('pdftoppm', all, { input: pdf }));
    }
  });
  after(() => preflight?.close());

  const errorsOf = async (pdf: Buffer): Promise<string[]> =>
    (await preflight.check(pdf, request())).findings
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);

  it('is taken as a JPEG that is whole', async () => {
    for (const [how, jpeg] of jpegs) {
      expect(isWholeJpeg(jpeg), how).to.equal(true);
      if (how !== '-gray') expect(await errorsOf(withJpeg(jpeg)), how).to.deep.equal([]);
    }
  });

  it('is taken as a JPEG that lacks its end mark only, or has other bytes around it', async () => {
    const jpeg = jpegs.get('plain') ?? Buffer.alloc(0);
    const line = Buffer.from('\n');
    for (const odd of [jpeg.subarray(0, -2), Buffer.concat([line, jpeg, line])]) {
      expect(await errorsOf(withJpeg(odd, sizeOf(jpeg)))).to.deep.equal([]);
    }
    const progressive = jpegs.get('-jpegopt progressive=y') ?? Buffer.alloc(0);
    const endless = progressive.subarray(0, -2);
    expect(await errorsOf(withJpeg(endless, sizeOf(progressive)))).to.deep.equal([]);
  });

  it('is taken as a JPEG with stray bytes between its parts, or anything behind them', () => {
    const jpeg = jpegs.get('plain') ?? Buffer.alloc(0);
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    const stray = Buffer.from([0, 1, 0xff, 0, 2]);
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 1, 1]);
    for (const odd of [
      [jpeg.subarray(0, frame), stray, jpeg.subarray(frame)],
      [jpeg.subarray(0, -2), comment],
      [jpeg.subarray(0, -2), comment, endOfImage],
      [jpeg, jpeg.subarray(0, 100)],
    ]) {
      expect(isWholeJpeg(Buffer.concat(odd))).to.equal(true);
    }
  });

  it('is refused as a JPEG whose colours have no blocks, at once', () => {
    const jpeg = Buffer.from(jpegs.get('plain') ?? '');
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    for (let at = frame + 11; at < frame + 19; at += 3) jpeg[at] = 0;
    expect(isWholeJpeg(jpeg)).to.equal(false);
  });

  it('is taken as a mask with the bits of a picture, and with filters that are no names', async () => {
    const mask = deflateSync(Buffer.alloc(38 * 200, 'mask'));
    const entries = '/Width 300 /Height 200 /ImageMask true /Filter /FlateDecode';
    expect(await errorsOf(withImage(entries, mask))).to.deep.equal([]);
    const size = '/Width 300 /Height 200 /ColorSpace /DeviceRGB';
    for (const filter of ['[12]', '[null /FlateDecode]', '[[] /DCTDecode]']) {
      const { findings } = await preflight.check(
        withImage(`${size} /Filter ${filter}`, mask),
        request(),
      );
      expect(findings, filter).to.be.an('array');
    }
  });

  it('is refused as a JPEG that is cut off', async () => {
    for (const [how, jpeg] of jpegs) {
      const half = jpeg.subarray(0, jpeg.length / 2);
      expect(await errorsOf(withJpeg(half, sizeOf(jpeg))), how).to.deep.equal(['pdf_damaged']);
    }
  });

  it('is refused as a JPEG whose scan ends early or contains an invalid code', async () => {
    const jpeg = jpegs.get('plain') ?? Buffer.alloc(0);
    const ended = Buffer.concat([jpeg.subarray(0, jpeg.length / 2), endOfImage]);
    expect(await errorsOf(withJpeg(ended))).to.deep.equal(['pdf_damaged']);
    const damaged = Buffer.from(jpeg);
    for (let at = 1000; at < jpeg.length - 10; at += 50) damaged.writeUInt16BE(0xfeff, at);
    expect(await errorsOf(withJpeg(damaged))).to.deep.equal(['pdf_damaged']);
    const { findings } = await preflight.check(withJpeg(ended), request());
    expect(findings[0]?.hint).to.include('An image in it would be printed with a part missing.');
  });

  it('is refused where its compressed pixels end early, and taken where they are there', async () => {
    const pixels = Buffer.alloc(300 * 200 * 3, 'pixels');
    const entries = '/Width 300 /Height 200 /ColorSpace /DeviceRGB /Filter /FlateDecode';
    const whole = deflateSync(pixels);
    expect(await errorsOf(withImage(entries, whole))).to.deep.equal([]);
    expect(await errorsOf(withImage(entries, whole.subarray(0, -4)))).to.deep.equal([]);
    for (const data of [
      deflateSync(pixels.subarray(0, 90_000)),
      whole.subarray(0, whole.length / 2),
      Buffer.concat([whole.subarray(0, 20), Buffer.alloc(whole.length - 20, 0xff)]),
    ]) {
      expect(await errorsOf(withImage(entries, data))).to.deep.equal(['pdf_damaged']);
    }
  });

  it('is refused as a JPEG 2000 or JBIG2 image that is cut off, and accepted if it is whole', async () => {
    for (const [entries, data] of [
      ['/Width 16 /Height 16 /Filter /JPXDecode', greyJpeg2000],
      ['/Width 64 /Height 56 /ColorSpace /DeviceGray /Filter /JBIG2Decode', jbig2()],
    ] as const) {
      // JPEG 2000 needs no end mark, and JBIG2 not the last byte.
      for (const whole of [data, data.subarray(0, -2), Buffer.concat([data, Buffer.from('\n')])])
        expect(await errorsOf(withImage(entries, whole)), entries).to.deep.equal([]);
      for (const rest of [data.length - 3, data.length / 2, 45]) {
        const cut = withImage(entries, data.subarray(0, rest));
        expect(await errorsOf(cut), `${rest} bytes of ${entries}`).to.deep.equal(['pdf_damaged']);
      }
    }
  });

  it('is accepted as a JPEG 2000 image with tiles larger than itself, and refused if a tile is missing', async () => {
    const tileSize = 24;
    const large = Buffer.from(greyJpeg2000);
    for (const at of [tileSize, tileSize + 4]) large.writeUInt32BE(65_536, at);
    const entries = '/Width 16 /Height 16 /Filter /JPXDecode';
    expect(await errorsOf(withImage(entries, large))).to.deep.equal([]);
    const tiled = Buffer.from(greyJpeg2000);
    for (const at of [tileSize, tileSize + 4]) tiled.writeUInt32BE(8, at);
    const first = tiled.indexOf(Buffer.from([0xff, 0x90]));
    const tiles = Array.from({ length: 4 }, (_, number) => {
      const tile = Buffer.from(tiled.subarray(first, -2));
      tile.writeUInt16BE(number, 4);
      return tile;
    });
    const head = tiled.subarray(0, first);
    expect(isWholeJpeg2000(Buffer.concat([head, ...tiles]))).to.equal(true);
    expect(isWholeJpeg2000(Buffer.concat([head, ...tiles.slice(1)]))).to.equal(false);
  });

  it('is judged without an error, wherever it is cut off or damaged', () => {
    const random = seeded(1);
    const below = (count: number) => Math.floor(random() * count);
    const bytes = [0, 0x7f, 0x80, 0xff, 0xc2, 0xc4, 0xd9, 0xda, 0x90, 0x51];
    const damagedCopy = (whole: Buffer): Buffer => {
      const copy = Buffer.from(whole.subarray(0, 1 + below(2 * whole.length)));
      for (let count = below(6); count > 0; count--) {
        const value = random() < 0.5 ? bytes[below(bytes.length)] : below(256);
        // Most headers are at the beginning.
        copy[below(random() < 0.5 ? copy.length : Math.min(copy.length, 200))] = value ?? 0;
      }
      return copy;
    };
    for (const [isWhole, whole, count] of [
      [isWholeJpeg2000, greyJpeg2000, 5000],
      [isWholeJbig2, jbig2(), 5000],
      ...[...jpegs.values()].map((jpeg) => [isWholeJpeg, jpeg, 100] as const),
    ] as const) {
      for (let run = 0; run < count; run++) expect(isWhole(damagedCopy(whole))).to.be.a('boolean');
    }
  });

  it('is judged in a short time, whatever its tables and scans are', () => {
    const table = (counts: number[], values: number): Buffer => {
      const lengths = Buffer.alloc(16);
      lengths.set(counts);
      const contents = Buffer.concat([Buffer.from([0]), lengths, Buffer.alloc(values)]);
      const head = Buffer.from([0xff, 0xc4, 0, contents.length + 2]);
      return Buffer.concat([head, contents]);
    };
    const start = Buffer.from([0xff, 0xd8]);
    for (const one of [table([2], 2), table([255], 255 - 22), table([0], 0)]) {
      const many = Buffer.concat(Array.from({ length: 100_000 }, () => one));
      expect(isWholeJpeg(Buffer.concat([start, many, endOfImage]))).to.equal(false);
    }
    const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]);
    const [scan, last] = [
      Buffer.from([0xff, 0xda, 0, 3, 255, 1]),
      Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1]),
    ];
    const isWholeAfter = (scans: number) =>
      isWholeJpeg(Buffer.concat([start, frame, Buffer.alloc(scans * scan.length, scan), last]));
    expect(isWholeAfter(100)).to.equal(true);
    expect(isWholeAfter(8_000_000)).to.equal(false);
  });
});
