import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { isAppError } from '../../../contract/errors.ts';
import { leastOf, tookMs } from '../../support/least-of.ts';
import {
  anotherCopy,
  bomb,
  drawPdf,
  germanSheet,
  goodLetter,
  onePage,
  type Preflight,
  rawPdf,
  request,
  startPreflight,
  streamObject,
} from './samples.ts';

const timeoutMs = 4_000;
/** A worker that was killed is started again for the next document. */
const restartMs = 4_000;
/** PDFium's 512 MiB, the heap of a worker, and the document itself. */
const memoryMiB = 900;

/** Forms that draw each other, ten times each: 10^9 rectangles. */
function billionRectangles(): Buffer {
  const levels = 9;
  const forms = Array.from({ length: levels }, (_, level) =>
    streamObject(
      `/Type /XObject /Subtype /Form /BBox [0 0 600 900] /Resources << /XObject << /F ${6 + level} 0 R >> >>`,
      Buffer.from(level === levels - 1 ? '9 9 5 5 re f '.repeat(10) : '/F Do '.repeat(10)),
    ),
  );
  return onePage({
    content: streamObject('', Buffer.from('/F Do')),
    page: '/Resources << /XObject << /F 5 0 R >> >>',
    more: forms,
  });
}

const manyPages = (count: number): Buffer =>
  rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${count} /Kids [${Array.from({ length: count }, (_, i) => `${i + 3} 0 R`).join(' ')}] >>`,
    ...Array.from(
      { length: count },
      () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
    ),
  ]);

const nested = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
const flate = '/Filter /FlateDecode';

const hostile: Record<
  string,
  { pdf: () => Buffer | Promise<Buffer>; codes: string[] | 'harmless' }
> = {
  'a page that inflates to 2 GiB': {
    pdf: () => onePage({ content: streamObject(flate, bomb(2048, '1 0 0 m ')) }),
    codes: ['pdf_too_complex', 'pdf_damaged', 'empty_page'],
  },
  'a list of objects that inflates to 4 GiB': {
    pdf: () =>
      onePage({ more: [streamObject(`/Type /ObjStm /N 1 /First 10 ${flate}`, bomb(4096, '0'))] }),
    codes: ['pdf_damaged'],
  },
  'a list of objects whose type and filter are spelt in disguise': {
    pdf: () =>
      onePage({
        more: [
          '/Obj#53tm',
          streamObject('/Type 5 0 R /N 1 /First 10 /Filter [/Fl#61teDecode]', bomb(4096, '0')),
        ],
      }),
    codes: ['pdf_damaged'],
  },
  'a list of objects that is compressed twice': {
    pdf: () =>
      onePage({
        more: [
          streamObject(
            '/Type /ObjStm /N 1 /First 10 /Filter [/FlateDecode /FlateDecode]',
            deflateSync(bomb(16_384, '0')),
          ),
        ],
      }),
    codes: ['pdf_damaged'],
  },
  'a cross-reference stream that inflates to 4 GiB': {
    pdf: () =>
      onePage({
        more: [streamObject(`/Type /XRef /Size 9 /W [1 2 1] ${flate}`, bomb(4096, '\0'))],
      }),
    codes: ['pdf_damaged'],
  },
  '10,000 pages': { pdf: () => manyPages(10_000), codes: ['too_many_pages'] },
  'a billion rectangles in ten lines': {
    pdf: billionRectangles,
    codes: ['pdf_too_complex', 'empty_page'],
  },
  'an unused object of arrays nested 300,000 deep': {
    pdf: () => onePage({ more: [nested] }),
    codes: 'harmless',
  },
  'a page with arrays nested 300,000 deep': {
    pdf: () => onePage({ page: `/Resources ${nested}` }),
    codes: ['pdf_damaged', 'pdf_too_complex'],
  },
  'a page tree that contains itself': {
    pdf: () =>
      rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
    codes: ['pdf_damaged', 'no_pages'],
  },
  'an image of 60,000 × 60,000 pixels': {
    pdf: () =>
      onePage({
        content: streamObject('', Buffer.from('500 0 0 700 50 50 cm /I Do')),
        page: '/Resources << /XObject << /I 5 0 R >> >>',
        more: [
          streamObject(
            `/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8 ${flate}`,
            bomb(3000, 'x'),
          ),
        ],
      }),
    codes: ['pdf_too_complex', 'empty_page'],
  },
  'a PDF signature and noise': {
    pdf: () =>
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000, 'xobj 1 0 startxref ')]),
    codes: ['pdf_damaged'],
  },
};

describe('preflight of documents that mean harm', () => {
  let preflight: Preflight;
  before(async () => {
    preflight = startPreflight({ timeoutMs });
    await preflight.check(await goodLetter(), request());
  });
  after(() => preflight.close());

  /** Checks a document; says how long that took and how much memory the process took meanwhile. */
  async function watched(bytes: Buffer) {
    const before = process.memoryUsage.rss();
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage.rss());
    }, 10);
    const started = performance.now();
    const { findings } = await preflight.check(bytes, request({ autoFix: true }));
    clearInterval(watch);
    const grownMiB = (Math.max(highest, process.memoryUsage.rss()) - before) / 1024 / 1024;
    return { findings, ms: performance.now() - started, grownMiB };
  }

  for (const [name, { pdf, codes }] of Object.entries(hostile)) {
    it(`answers within the limits to ${name}, and serves the next letter`, async () => {
      const bytes = await pdf();
      expect(bytes.length).to.be.below(10 * 1024 * 1024);
      let findings: Awaited<ReturnType<typeof watched>>['findings'] = [];
      const checkMs = async (n: number): Promise<number> => {
        const checked = await watched(n === 0 ? bytes : anotherCopy(bytes));
        expect(checked.grownMiB).to.be.below(memoryMiB);
        findings = checked.findings;
        return checked.ms;
      };
      const mostMs = timeoutMs + restartMs;
      expect(await leastOf(mostMs, checkMs, 5)).to.be.below(mostMs);
      const found = findings.map(({ code }) => code);
      if (codes === 'harmless') expect(found).to.deep.equal([]);
      else
        expect(codes)
          .to.include.members(found)
          .and.satisfy(() => found.length > 0);
      const next = await preflight.check(anotherCopy(await goodLetter()), request());
      expect(next).to.deep.equal({ pages: 1, findings: [] });
    });
  }

  it('ends a document that takes too long, and serves the next letter', async () => {
    const hasty = startPreflight({ timeoutMs: 500 });
    const letter = await goodLetter();
    const ready = async (): Promise<boolean> =>
      (await hasty.check(anotherCopy(letter), request())).findings.length === 0;
    const endsAnother = async (): Promise<number> => {
      while (!(await ready()));
      const document = anotherCopy(billionRectangles());
      return tookMs(async () => {
        const { findings } = await hasty.check(document, request());
        expect(findings.map(({ code }) => code)).to.deep.equal(['pdf_too_complex']);
      });
    };
    expect(await leastOf(4_000, endsAnother)).to.be.within(500, 4_000);
    while (!(await ready()));
    await hasty.close();
  });

  it('does not check again what it refused for another account', async () => {
    const bytes = anotherCopy(billionRectangles());
    const by = (account: string) =>
      preflight.check(bytes, request(), { standing: 'confirmed', account });
    const first = await by('a');
    const { replaced } = preflight.stats();
    expect(await by('b')).to.deep.equal(first);
    expect(await preflight.check(bytes, request(), { standing: 'service' })).to.equal(first);
    expect(preflight.stats().replaced).to.equal(replaced);
    await preflight.check(bytes, request({ autoFix: true }));
    expect(preflight.stats().replaced, 'by other rules').to.equal(replaced + 1);
  });

  it('gives the time limit back to the next document in the queue', async () => {
    const letter = await goodLetter();
    // The worker has still to start: so long, and the limit, the second one waits.
    const fresh = startPreflight({ pool: 1, timeoutMs });
    const [bad, good] = await Promise.all([
      fresh.check(billionRectangles(), request()),
      fresh.check(letter, request()),
    ]).finally(() => fresh.close());
    expect(bad.findings.map(({ code }) => code)).to.deep.equal(['pdf_too_complex']);
    expect(good.findings).to.deep.equal([]);
  });

  it('refuses the preview of a document that takes too long', async () => {
    const error = await preflight
      .preview(billionRectangles(), { page: 1, sheet: germanSheet })
      .catch((cause: unknown) => cause);
    expect(isAppError(error) && error.code).to.equal('document_not_supported');
  });

  it('answers overloaded when too many documents wait, and serves those that do', async () => {
    const letter = await goodLetter();
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, () => preflight.check(anotherCopy(letter), request())),
    );
    const refused = answers.filter(({ status }) => status === 'rejected');
    const errors = refused.map((answer) => ('reason' in answer ? answer.reason.code : ''));
    expect(refused.length).to.be.within(1, 30);
    expect(new Set(errors)).to.deep.equal(new Set(['overloaded']));
  });

  it('takes no documents after it was closed', async () => {
    const closed = startPreflight();
    await closed.close();
    const letter = await drawPdf(() => undefined);
    const error = await closed.check(letter, request()).catch((cause: unknown) => cause);
    expect(isAppError(error) && error.code).to.equal('overloaded');
  });
});
