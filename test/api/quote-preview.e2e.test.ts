import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import { createQuotes } from '../../commands/preparation/quote.ts';
import { createQuoteStore } from '../../infra/postgres/quotes.ts';
import { black, body, drawPdf, textAt } from '../documents/preflight/samples.ts';
import { expectProblem, letterTo, type ProblemJson, useService } from '../support/client.ts';
import { startDocumentServer } from '../support/document-server.ts';
import { blobFiles } from '../support/printed-letters.ts';

type Quoted = { quote_id: string; pages: number; preview_url: string | null };
type Refused = ProblemJson & { preview_url?: string };

const secretWord = 'Geheimnisvoll';

/** It covers the address window, and no shift frees that. */
const needsCover = (): Promise<Buffer> =>
  drawPdf((doc) => {
    black(doc, { x: 10, y: 10, width: 190, height: 80 });
    textAt(doc, 'Guten Tag. '.repeat(200), 25, 110);
  });

/** Red, green and blue at a point of a page that is 210 mm wide. */
const colourAt = (png: PNG, xMm: number, yMm: number): number[] => {
  const pxPerMm = png.width / 210;
  const at = (Math.round(xMm * pxPerMm) + Math.round(yMm * pxPerMm) * png.width) * 4;
  return [...png.data.subarray(at, at + 3)];
};

describe('the preview of a quote over HTTP', function () {
  this.timeout(180_000);
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true', BASE_URL: 'https://letters.example.org' });
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  let web: Awaited<ReturnType<typeof startDocumentServer>>;
  before(async () => {
    web = await startDocumentServer();
    client = await api.register();
  });
  after(() => web.stop());

  const dataDir = () => api.service().dataDir;
  const quoteFiles = async () =>
    (await blobFiles(dataDir())).filter((file) => file.includes('/quote-'));
  const quote = async (letter: object): Promise<Quoted> => {
    const answer = await client.post<Quoted>('/api/quote', letter);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const pathOf = ({ quote_id: id }: { quote_id: string }, page: number) =>
    `/api/quotes/${id}/preview/${page}.png`;
  const draw = async (path: string): Promise<PNG> => {
    const answer = await fetch(api.service().url + path, {
      headers: { Authorization: `Bearer ${client.key}` },
    });
    expect(answer.status, path).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('image/png');
    return PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
  };
  const documentAt = (name: string, pdf: Buffer, more: object = {}) =>
    letterTo('DE', { content: undefined, document_url: web.serve(name, pdf), ...more });

  it('shows each page of a text, HTML or PDF with the zones drawn', async () => {
    const twoPages = await drawPdf((doc) => body(body(doc).addPage()));
    const letters = {
      text: letterTo('DE', { content: 'Guten Tag.\n\n'.repeat(60) }),
      html: letterTo('DE', { content: `<p>Guten Tag.</p>${'<p>Zeile</p>'.repeat(60)}` }),
      pdf: documentAt('/two.pdf', twoPages),
    };
    for (const [kind, letter] of Object.entries(letters)) {
      const quoted = await quote(letter);
      expect(quoted.pages, kind).to.be.above(1);
      const { origin, pathname } = new URL(quoted.preview_url ?? '');
      expect(origin).to.equal('https://letters.example.org');
      expect(pathname).to.equal(pathOf(quoted, 1));
      for (let page = 1; page <= quoted.pages; page++) {
        const png = await draw(pathOf(quoted, page));
        expect(png.height / png.width, kind).to.be.closeTo(297 / 210, 0.01);
        const [red = 0, , blue = 0] = colourAt(png, 2, 150);
        expect(red - blue, 'the edge is tinted yellow').to.be.greaterThan(50);
      }
      const beyond = await client.get(pathOf(quoted, quoted.pages + 1));
      expectProblem(beyond, 404, 'not_found');
    }
  });

  it('shows a letter in colour only where it is printed in colour', async () => {
    const red = await drawPdf((doc) =>
      body(doc.rect(200, 300, 200, 200).fill('#ff0000').fillColor('#000000')),
    );
    for (const [color, wanted] of [
      [true, [255, 0, 0]],
      [false, [76, 76, 76]],
    ] as const) {
      const quoted = await quote(documentAt(`/red-${color}.pdf`, red, { color }));
      const [r = 0, g = 0, b = 0] = colourAt(await draw(pathOf(quoted, 1)), 100, 130);
      for (const [value, expected] of [
        [r, wanted[0]],
        [g, wanted[1]],
        [b, wanted[2]],
      ] as const) {
        expect(value, `${color}`).to.be.closeTo(expected, 12);
      }
    }
  });

  it('shows a letter to the United States on its paper', async () => {
    const png = await draw(pathOf(await quote({ to_country: 'US', content: 'Hello.' }), 1));
    expect(png.height / png.width).to.be.closeTo(279.4 / 215.9, 0.01);
  });

  it('shows what auto_fix makes of a document, the address page included', async () => {
    const letter = documentAt('/cover.pdf', await needsCover(), { auto_fix: true });
    const quoted = await quote(letter);
    expect(quoted.pages).to.equal(2);
    expect(colourAt(await draw(pathOf(quoted, 1)), 100, 200)).to.deep.equal([255, 255, 255]);
    expect(colourAt(await draw(pathOf(quoted, 2)), 100, 50)).to.deep.equal([0, 0, 0]);
  });

  it('shows a document that was refused as it came, marking what stands in the zones', async () => {
    const letter = documentAt('/bad.pdf', await needsCover());
    const refused = await client.post<Refused>('/api/quote', letter);
    expectProblem(refused, 422, 'document_not_supported', '/document_url');
    const { origin, pathname: url } = new URL(refused.body.preview_url ?? '');
    expect(origin).to.equal('https://letters.example.org');
    expect(url).to.match(/^\/api\/quotes\/refused_[\w-]{22}\/preview\/1\.png$/);
    expect(colourAt(await draw(url), 50, 60)).to.deep.equal([200, 0, 0]);
    const stranger = await api.register();
    expectProblem(await stranger.get(url), 404, 'not_found');
    expectProblem(await client.get(url.replace('/1.png', '/2.png')), 404, 'not_found');
  });

  it('marks no window of a refused document that has its address there', async () => {
    const letter = documentAt('/mismatch.pdf', await needsCover(), {
      address_placement: 'in_document',
      service: 'de_standardbrief',
    });
    const refused = await client.post<Refused>('/api/quote', letter);
    expect(refused.body.errors?.map(({ code }) => code)).to.deep.equal(['address_mismatch']);
    const { pathname: url } = new URL(refused.body.preview_url ?? '');
    expect(colourAt(await draw(url), 50, 60)).to.not.deep.equal([200, 0, 0]);
  });

  it('has nothing to show of what could not be opened', async () => {
    const letter = documentAt('/none.pdf', Buffer.from('<html></html>'));
    const before = await quoteFiles();
    const refused = await client.post<Refused>('/api/quote', letter);
    expectProblem(refused, 422, 'document_not_supported', '/document_url');
    expect(refused.body.preview_url).to.equal(undefined);
    expect(await quoteFiles()).to.deep.equal(before);
  });

  it('is not there for a quote by number of pages, which stores nothing', async () => {
    const before = await quoteFiles();
    const quoted = await quote({ to_country: 'DE', pages: 1 });
    expect(quoted.preview_url).to.equal(null);
    expectProblem(await client.get(pathOf(quoted, 1)), 404, 'not_found');
    expect(await quoteFiles()).to.deep.equal(before);
  });

  it('is not there for another account, nor under an id that was tampered with', async () => {
    const quoted = await quote(letterTo('DE'));
    const stranger = await api.register();
    expectProblem(await stranger.get(pathOf(quoted, 1)), 404, 'not_found');
    const ids = [`${quoted.quote_id.slice(0, -1)}!`, 'quote_', 'refused_', 'refused_%2e%2e', 'x'];
    for (const quote_id of ids) {
      expectProblem(await client.get(pathOf({ quote_id }, 1)), 404, 'not_found');
    }
    expectProblem(await api.call('GET', pathOf(quoted, 1)), 401, 'authentication_required');
  });

  it('is refused once the quote has expired', async () => {
    const { quote_id } = await quote(letterTo('DE'));
    const quotes = createQuotes(createQuoteStore(api.service().service.foundation.storage.readDb));
    const { account_id: accountId } = client.account;
    const held = await quotes.read(quote_id, accountId, new Date().toISOString());
    const expired = quotes.newId();
    await quotes.hold(expired, { ...held, expiresAt: new Date(Date.now() - 1).toISOString() });
    expectProblem(await client.get(pathOf({ quote_id: expired }, 1)), 422, 'quote_expired');
  });

  it('keeps the document sealed, and says so when it is not there any more', async () => {
    const before = await quoteFiles();
    const quoted = await quote(letterTo('DE', { content: `${secretWord} `.repeat(50) }));
    const fresh = (await quoteFiles()).filter((file) => !before.includes(file));
    expect(fresh).to.have.length(1);
    for (const file of fresh) {
      const bytes = await readFile(file);
      for (const word of [secretWord, 'Lindenstra', client.account.account_id]) {
        expect(bytes.includes(word), word).to.equal(false);
      }
      await rm(file);
    }
    const { detail } = expectProblem(await client.get(pathOf(quoted, 1)), 404, 'not_found');
    expect(detail).to.contain('Ask for a new quote');
    const sent = await client.send({
      content: `${secretWord} `.repeat(50),
      quote_id: quoted.quote_id,
    });
    expect(sent.pages).to.equal(quoted.pages);
  });

  it('does not stand in the way of the quote when the store fails', async () => {
    const blobs = join(dataDir(), 'blobs');
    await rename(blobs, `${blobs}-away`);
    await writeFile(blobs, 'no folder');
    const quoted = await quote(letterTo('DE'));
    expectProblem(await client.get(pathOf(quoted, 1)), 503, 'store_unavailable');
    await rm(blobs);
    await rename(`${blobs}-away`, blobs);
    expectProblem(await client.get(pathOf(quoted, 1)), 404, 'not_found');
  });

  it('has ids that a send takes', async () => {
    const quoted = await quote(letterTo('FR', { intent: 'legal_compliance' }));
    expect(quoted.quote_id).to.match(/^quote_[\w-]{22}$/);
  });
});
