import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import type { FindingCode } from '../../postal/preflight-findings.ts';
import {
  black,
  body,
  drawPdf,
  goodLetter,
  rawPdf,
  streamObject,
  textAt,
} from '../documents/preflight/samples.ts';
import {
  expectProblem,
  type Letter,
  letterTo,
  type PageOf,
  type ProblemJson,
  type ProofJson,
  recipientIn,
  type Sent,
  useService,
} from '../support/client.ts';
import { startDocumentServer } from '../support/document-server.ts';
import { blobFiles, printedLetter, textOf } from '../support/printed-letters.ts';

type Finding = {
  code: FindingCode;
  page: number | null;
  zone: string | null;
  box_mm: { x: number; y: number; width: number; height: number } | null;
  move_mm: { x: number; y: number } | null;
  hint: string;
};
type Refused = ProblemJson & { findings: Finding[] };
type Quoted = {
  quote_id: string;
  pages: number;
  total: number;
  findings: Finding[];
  warnings: { code: string; detail: string }[];
};

/** It covers the address window, and no shift frees that. */
const needsCover = (): Promise<Buffer> =>
  drawPdf((doc) => {
    black(doc, { x: 10, y: 10, width: 190, height: 80 });
    textAt(doc, 'Guten Tag. '.repeat(200), 25, 110);
  });

/** One shift of 5 mm down frees the address window. */
const needsShift = (): Promise<Buffer> =>
  drawPdf((doc) => black(doc, { x: 25, y: 85, width: 160, height: 150 }));

describe('PDF letters over HTTP', function () {
  this.timeout(180_000);
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true', LIMIT_DOCUMENT_BYTES: '300000' });
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  let web: Awaited<ReturnType<typeof startDocumentServer>>;
  before(async () => {
    web = await startDocumentServer();
  });
  after(() => web.stop());
  beforeEach(async () => {
    client = await api.register();
  });

  const dataDir = () => api.service().dataDir;
  const letterOf = (url: string, more: object = {}) =>
    letterTo('DE', { content: undefined, document_url: url, ...more });
  const send = (url: string, more: object = {}, headers: Record<string, string> = {}) =>
    client.post<Sent>('/api/send', letterOf(url, more), headers);
  const accepted = async (url: string, more: object = {}): Promise<Sent> => {
    const sent = await send(url, more);
    expect(sent.status, sent.text).to.equal(201);
    return sent.body;
  };
  const printed = async (letterId: string) => {
    await client.advance(letterId);
    return printedLetter(dataDir(), letterId);
  };

  it('are fetched once, printed with the address, and proved', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage()));
    const url = web.serve('/good.pdf', pdf);
    const sent = await accepted(url);
    expect([sent.pages, sent.sheets]).to.deep.equal([2, 1]);
    const result = await printed(sent.letter_id);
    expect([result.pages, result.ticket.pages]).to.deep.equal([2, 2]);
    expect(textOf(result.pdf, 1)).to.contain('Anna Müller').and.contain('Guten Tag.');
    expect(web.asked('/good.pdf')).to.equal(1);
    const letter = await client.letter(sent.letter_id);
    expect(letter.content).to.equal(null);
    expect(letter.documents[0]).to.include({ format: 'pdf', pages: 2, cover_page: false });
    const { document } = (await client.get<ProofJson>(`/api/proof/${sent.letter_id}`)).body;
    const hash = createHash('sha256').update(String(document.salt)).update(pdf);
    expect(hash.digest('base64url')).to.equal(document.commitment);
  });

  it('come in the request as well, in base64, and can be had as they are printed', async () => {
    const pdf = await goodLetter();
    const body = letterTo('DE', { content: undefined, document: pdf.toString('base64') });
    const quoted = await client.post<Quoted>('/api/quote', body);
    expect(quoted.status, quoted.text).to.equal(200);
    const sent = await client.post<Sent>('/api/send', body);
    expect(sent.status, sent.text).to.equal(201);
    const result = await printed(sent.body.letter_id);
    expect(textOf(result.pdf, 1)).to.contain('Anna Müller').and.contain('Guten Tag.');
    const path = `/api/letters/${sent.body.letter_id}/document.pdf`;
    const look = (key: string) =>
      fetch(api.service().url + path, { headers: { Authorization: `Bearer ${key}` } });
    const answer = await look(client.key);
    expect(answer.headers.get('content-type')).to.equal('application/pdf');
    expect(Buffer.from(await answer.arrayBuffer()).equals(result.pdf)).to.equal(true);
    expect((await look((await api.register()).key)).status).to.equal(404);
  });

  it('that come in the request are checked like others, and the pointer is their own', async () => {
    const document = (bytes: Buffer, more: object = {}) =>
      letterTo('DE', { content: undefined, document: bytes.toString('base64'), ...more });
    const bad = await client.post('/api/send', document(await needsCover()));
    expectProblem(bad, 422, 'document_not_supported', '/document');
    const good = await goodLetter();
    for (const [body, pointer] of [
      [document(good, { document: 'not base64!' }), '/document'],
      [document(good, { document: `${good.toString('base64')}=` }), '/document'],
      [document(good, { content: 'x' }), '/document'],
      [document(good, { document_url: 'https://example.com/a.pdf' }), '/document'],
      [{ ...document(good), content_type: 'text' }, '/content_type'],
    ] as const) {
      expectProblem(await client.post('/api/send', body), 422, 'validation_failed', pointer);
    }
    const draft = await client.post<Sent>(
      '/api/send',
      document(await needsShift(), { auto_fix: true, draft: true }),
    );
    expect(draft.status, draft.text).to.equal(201);
    const sent = await client.post<Sent>('/api/send', { letter_id: draft.body.letter_id });
    const fixed = ({ warnings }: Sent) => warnings.filter(({ code }) => code === 'document_fixed');
    expect(fixed(sent.body)).to.deep.equal(fixed(draft.body)).and.have.length(1);
  });

  it('get an address page in front where that is asked for, with sender and reference', async () => {
    const bytes = await drawPdf((doc) => {
      black(doc, { x: 30, y: 60, width: 20, height: 20 });
      textAt(doc, 'Guten Tag.', 25, 110);
    });
    const document = bytes.toString('base64');
    const more = { content: undefined, document, reference: 'Akte 7' };
    const refused = await client.post('/api/send', letterTo('DE', more));
    expectProblem(refused, 422, 'document_not_supported', '/document');
    const body = letterTo('DE', { ...more, address_placement: 'insert_page' });
    const quoted = await client.post<Quoted>('/api/quote', body);
    expect([quoted.status, quoted.body.pages], quoted.text).to.deep.equal([200, 2]);
    const sent = await client.post<Sent>('/api/send', body);
    expect([sent.status, sent.body.pages], sent.text).to.deep.equal([201, 2]);
    const result = await printed(sent.body.letter_id);
    expect(textOf(result.pdf, 1))
      .to.contain('Anna Müller')
      .and.contain('Akte 7')
      .and.contain('Bob');
    expect(textOf(result.pdf, 2)).to.contain('Guten Tag.').and.not.contain('Anna');
    const free = { ...body, document: (await goodLetter()).toString('base64') };
    expect((await client.post<Quoted>('/api/quote', free)).body.pages).to.equal(2);
    const text = letterTo('DE', { address_placement: 'insert_page' });
    const wrong = await client.post('/api/send', text);
    expectProblem(wrong, 422, 'validation_failed', '/address_placement');
  });

  it('lie encrypted in the blob store and are deleted with the letter', async () => {
    const before = await blobFiles(dataDir());
    const url = web.serve('/kept.pdf', await goodLetter());
    const sent = await accepted(url);
    const stored = (await blobFiles(dataDir())).filter((file) => !before.includes(file));
    expect(stored).to.have.length(1);
    expect(await readFile(stored[0] ?? '', 'latin1')).not.to.contain('%PDF');
    await client.post(`/api/letters/${sent.letter_id}/cancel`);
    expect((await client.delete(`/api/letters/${sent.letter_id}`)).status).to.equal(200);
    expect(await blobFiles(dataDir())).to.deep.equal(before);
    const gone = await client.get(`/api/letters/${sent.letter_id}/preview/1.png`);
    expectProblem(gone, 410, 'letter_deleted');
  });

  it('answer a repetition without fetching again, also when the document is gone', async () => {
    const url = web.serve('/once.pdf', await goodLetter());
    const key = { 'Idempotency-Key': 'pdf-once' };
    const before = (await blobFiles(dataDir())).length;
    const first = await send(url, {}, key);
    web.serve('/once.pdf', (_, response) => response.writeHead(410).end());
    const again = await send(url, {}, key);
    expect(again.text).to.equal(first.text);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(web.asked('/once.pdf')).to.equal(1);
    expect((await blobFiles(dataDir())).length).to.equal(before + 1);
  });

  describe('that cannot be printed', () => {
    const nothingHappened = async (blobsBefore: string[]): Promise<void> => {
      const { available, held, transactions } = await client.balance();
      expect({ available, held }).to.deep.equal({ available: 100, held: 0 });
      expect(transactions).to.have.length(1);
      expect((await client.get<PageOf<Letter>>('/api/letters')).body.data).to.deep.equal([]);
      // A refused quote keeps its document for the preview; see quote-preview.e2e.test.ts.
      const ofLetters = (files: string[]) => files.filter((file) => !file.includes('/quote-'));
      expect(ofLetters(await blobFiles(dataDir()))).to.deep.equal(ofLetters(blobsBefore));
    };

    const bad: Record<string, { pdf: () => Promise<Buffer> | Buffer; code: FindingCode }> = {
      'an encrypted one': {
        pdf: () => drawPdf(body, { userPassword: 'secret', pdfVersion: '1.7' }),
        code: 'pdf_encrypted',
      },
      'one on A5': { pdf: () => drawPdf(body, { size: [148, 210] }), code: 'page_size' },
      'a landscape one': {
        pdf: () => drawPdf(body, { size: [297, 210] }),
        code: 'page_landscape',
      },
      'one whose window is not free': { pdf: needsCover, code: 'ink_in_address_window' },
      'one without its fonts': {
        pdf: () => drawPdf(body, { font: 'builtin' }),
        code: 'font_not_embedded',
      },
      'HTML by the name of a PDF': { pdf: () => Buffer.from('<html></html>'), code: 'not_a_pdf' },
      'an empty file': { pdf: () => Buffer.alloc(0), code: 'not_a_pdf' },
      'half of one': {
        pdf: async () => {
          const whole = await goodLetter();
          return whole.subarray(0, whole.length / 2);
        },
        code: 'pdf_damaged',
      },
    };
    for (const [name, { pdf, code }] of Object.entries(bad)) {
      it(`refuses ${name} with its findings; nothing is charged or stored`, async () => {
        const url = web.serve('/bad.pdf', await pdf());
        const before = await blobFiles(dataDir());
        for (const path of ['/api/send', '/api/quote']) {
          const answer = await client.post<Refused>(path, letterOf(url));
          expectProblem(answer, 422, 'document_not_supported', '/document_url');
          expect(answer.body.findings.map((finding) => finding.code)).to.include(code);
          expect(answer.body.errors?.map((error) => error.code)).to.include(code);
          for (const { detail } of answer.body.errors ?? []) {
            expect(detail.match(/Page 1/g) ?? [], detail).to.have.length.below(2);
          }
        }
        await nothingHappened(before);
      });
    }

    it('says in millimetres what stands in the window, and how far it must move', async () => {
      const url = web.serve('/shift.pdf', await needsShift());
      const { body: refused } = await client.post<Refused>('/api/send', letterOf(url));
      const [found] = refused.findings;
      expect(found).to.include({ code: 'ink_in_address_window', page: 1 });
      expect(found?.zone).to.be.a('string');
      expect(found?.box_mm?.y).to.be.closeTo(85, 0.3);
      expect(found?.move_mm?.y).to.be.closeTo(5, 0.3);
    });

    const fetches: Record<string, { url: () => string; code: string }> = {
      'that is not there': { url: () => `${web.origin}/absent.pdf`, code: 'fetch_http_status' },
      'that is too large': {
        url: () => web.serve('/large.pdf', Buffer.alloc(400_000, '%PDF-1.7 ')),
        code: 'fetch_too_large',
      },
      'that is moved to a place inside': {
        url: () =>
          web.serve('/moved.pdf', (_, response) =>
            response.writeHead(302, { Location: 'http://169.254.169.254/a.pdf' }).end(),
          ),
        code: 'fetch_redirect_refused',
      },
      'whose server hangs up': {
        url: () => web.serve('/cut.pdf', (request) => request.socket.destroy()),
        code: 'fetch_connect_failed',
      },
    };
    for (const [name, { url, code }] of Object.entries(fetches)) {
      it(`refuses a document ${name} and says why`, async () => {
        const before = await blobFiles(dataDir());
        const answer = await client.post<Refused>('/api/send', letterOf(url()));
        expectProblem(answer, 422, 'document_not_supported', '/document_url');
        expect(answer.body.errors?.[0]?.code).to.equal(code);
        await nothingHappened(before);
      });
    }

    it('keeps nothing of a letter that cannot be paid', async () => {
      const before = await blobFiles(dataDir());
      const url = web.serve('/dear.pdf', await goodLetter());
      const live = await api.register('live');
      const unpaid = await live.post('/api/send', letterOf(url));
      expectProblem(unpaid, 402, 'insufficient_funds');
      expect(await blobFiles(dataDir())).to.deep.equal(before);
      const held = await live.post<Sent>('/api/send', letterOf(url, { hold_without_funds: true }));
      expect(held.body).to.include({ status: 'draft', hold_reason: 'funds' });
      expect((await blobFiles(dataDir())).length).to.equal(before.length + 1);
    });
  });

  describe('with auto_fix', () => {
    it('get an address page in front, which is priced, printed and said', async () => {
      const pdf = await needsCover();
      const url = web.serve('/cover.pdf', pdf);
      const body = letterOf(url, { auto_fix: true, duplex: false });
      const quoted = await client.post<Quoted>('/api/quote', body);
      expect(quoted.status, quoted.text).to.equal(200);
      expect(quoted.body.findings.map(({ code }) => code)).to.include('ink_in_address_window');
      const plain = { to_country: 'DE', intent: 'transactional', pages: 2, duplex: false };
      const two = (await client.post<Quoted>('/api/quote', plain)).body;
      const sent = await accepted(url, { auto_fix: true, duplex: false });
      expect([sent.pages, sent.sheets]).to.deep.equal([2, 2]);
      expect([quoted.body.total, sent.price.total]).to.deep.equal([two.total, two.total]);
      const fixes = sent.warnings.filter(({ code }) => code === 'document_fixed');
      expect(fixes.map(({ detail }) => detail)).to.deep.equal([
        'an address page was added in front',
      ]);
      const result = await printed(sent.letter_id);
      expect(result.pages).to.equal(2);
      expect(textOf(result.pdf, 1)).to.contain('Anna Müller').and.not.contain('Guten Tag.');
      expect(textOf(result.pdf, 2)).to.contain('Guten Tag.');
      const letter = await client.letter(sent.letter_id);
      expect(letter.documents[0]).to.include({ pages: 2, cover_page: true });
      const { document } = (await client.get<ProofJson>(`/api/proof/${sent.letter_id}`)).body;
      const hash = createHash('sha256').update(String(document.salt)).update(pdf);
      expect(hash.digest('base64url'), 'is about what was given').to.equal(document.commitment);
    });

    it('are shifted where that is enough, at the price of what came', async () => {
      const url = web.serve('/shifted.pdf', await needsShift());
      const sent = await accepted(url, { auto_fix: true });
      expect(sent.pages).to.equal(1);
      const fixes = sent.warnings.filter(({ code }) => code === 'document_fixed');
      expect(fixes.map(({ detail }) => detail)).to.deep.equal(['page 1: moved 10.0 mm down']);
    });

    it('keep what was fixed when the draft is changed and sent', async () => {
      const before = await blobFiles(dataDir());
      const url = web.serve('/draft.pdf', await needsCover());
      const draft = await accepted(url, { auto_fix: true, draft: true });
      expect((await blobFiles(dataDir())).length, 'fixed and original').to.equal(before.length + 2);
      const path = `/api/letters/${draft.letter_id}`;
      const changed = await client.patch<Letter>(path, { to_name: 'Berta Müller' });
      expect(changed.status, changed.text).to.equal(200);
      expect(changed.body.warnings.map(({ code }) => code)).to.include('document_fixed');
      for (const country of ['FR', 'DE'] as const) {
        const moved = await client.patch<Letter>(path, recipientIn(country));
        expect(moved.status, moved.text).to.equal(200);
        const about = moved.body.warnings.map(({ code }) => code);
        expect(about).to.include('document_fixed').and.not.include('empty_page');
      }
      await client.patch<Letter>(path, { to_name: 'Berta Müller' });
      const sent = await client.post<Sent>('/api/send', { letter_id: draft.letter_id });
      expect(sent.status, sent.text).to.equal(201);
      expect(sent.body.pages).to.equal(2);
      expect(sent.body.warnings.map(({ code }) => code)).to.include('document_fixed');
      const result = await printed(draft.letter_id);
      expect(textOf(result.pdf, 1)).to.contain('Berta Müller');
      expect(web.asked('/draft.pdf')).to.equal(1);
    });
  });

  it('are checked again when they move to a country with another window or paper', async () => {
    const sent = await accepted(web.serve('/moves.pdf', await goodLetter()));
    const american = letterTo('US') as unknown as Record<string, string>;
    const to = Object.fromEntries(Object.entries(american).filter(([name]) => /^to_/.test(name)));
    const moved = await client.patch<Refused>(`/api/letters/${sent.letter_id}`, to);
    expectProblem(moved, 422, 'document_not_supported', '/to_country');
    expect(moved.body.detail).to.include('cancel it and send a new letter');
    expect(moved.body.findings[0]?.code).to.equal('page_size');
    expect((await client.letter(sent.letter_id)).to_country).to.equal('DE');
    expect((await client.balance()).held).to.equal(sent.price.total);
  });

  it('are printed, whatever entries of their pages are missing or odd', async () => {
    const a4 = '/MediaBox [0 0 595.28 841.89]';
    for (const [name, to, entries] of [
      ['size', 'US', ''],
      ['angle', 'DE', `${a4} /Rotate (0)`],
      ['objects', 'DE', `${a4} /Resources << /XObject [] >>`],
    ] as const) {
      const pdf = rawPdf([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${entries} >>`,
        streamObject('', Buffer.from('100 300 200 20 re f')),
      ]);
      const url = web.serve(`/odd-${name}.pdf`, pdf);
      const letter = letterTo(to, { content: undefined, document_url: url });
      const sent = await client.post<Sent>('/api/send', letter);
      expect(sent.status, sent.text).to.equal(201);
      const shown = await client.get(`/api/letters/${sent.body.letter_id}/document.pdf`);
      expect(shown.status, name).to.equal(200);
      expect((await printed(sent.body.letter_id)).pdf.length, name).to.be.greaterThan(1_000);
    }
  });

  it('show their pages in black where they are printed in black', async () => {
    const red = await drawPdf((doc) => doc.rect(200, 300, 200, 200).fill('#ff0000'));
    for (const color of [false, true]) {
      const sent = await accepted(web.serve(`/red-${color}.pdf`, red), { color });
      const url = `${api.service().url}/api/letters/${sent.letter_id}/preview/1.png`;
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${client.key}` } });
      const png = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
      const at = 4 * (Math.round(png.width / 2) + Math.round(png.height / 2) * png.width);
      const [shown = 0, green = 0] = png.data.subarray(at, at + 2);
      expect(shown - green > 200, `color ${color}`).to.equal(color);
    }
  });

  it('show their pages as they are printed, the zones drawn', async () => {
    const sent = await accepted(web.serve('/look.pdf', await goodLetter()));
    const url = `${api.service().url}/api/letters/${sent.letter_id}/preview/1.png`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${client.key}` } });
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
    const png = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
    const at = (Math.round((2 / 210) * png.width) + Math.round(png.height / 2) * png.width) * 4;
    const [red = 0, , blue = 0] = png.data.subarray(at, at + 3);
    expect(red - blue, 'the edge is tinted yellow').to.be.greaterThan(50);
    const none = await client.get(`/api/letters/${sent.letter_id}/preview/2.png`);
    expectProblem(none, 404, 'not_found');
  });
});
