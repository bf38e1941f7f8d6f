import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  expectMembers,
  expectProblem,
  type ProofJson,
  type Tracked,
  until,
  useService,
} from '../support/client.ts';
import { picturesOf } from '../support/pdf-pictures.ts';

const tracked = [
  'letter_id',
  'status',
  'tracking_class',
  'carrier',
  'tracking_number',
  'tracking_url',
  'expected_delivery',
  'delivery_outcome',
  'evidence',
  'events',
  'test',
];
const proved = [
  'letter_id',
  'proof_level',
  'statement',
  'status',
  'sent_at',
  'posted_at',
  'delivered_at',
  'returned_at',
  'evidence',
  'carrier',
  'tracking_number',
  'document',
  'credentials',
  'log',
  'service_did',
  'how_to_verify',
  'test',
];

describe('tracking and proof over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  before(async () => {
    client = await api.register();
  });
  const track = async (letterId: string): Promise<Tracked> => {
    const answer = await client.get<Tracked>(`/api/track/${letterId}`);
    expect(answer.status).to.equal(200);
    return answer.body;
  };
  const prove = async (letterId: string): Promise<ProofJson> => {
    const answer = await client.get<ProofJson>(`/api/proof/${letterId}`);
    expect(answer.status).to.equal(200);
    return answer.body;
  };

  it('shows each step of a letter and where it came from', async () => {
    const { letter_id, expected_delivery } = await client.send();
    for (const status of ['processing', 'posted', 'in_transit', 'delivered'] as const) {
      await client.advance(letter_id);
      expect((await track(letter_id)).status).to.equal(status);
    }
    const shown = await track(letter_id);
    expectMembers(shown, tracked);
    expect(shown).to.deep.include({
      letter_id,
      tracking_class: 'sync',
      carrier: 'Deutsche Post',
      delivery_outcome: 'delivered',
      evidence: 'simulated',
      expected_delivery,
      tracking_url: null,
      test: true,
    });
    expect(shown.tracking_number).to.be.a('string');
    const { timeline } = await client.letter(letter_id);
    expect(shown.events.map(({ status, at, source }) => ({ status, at, source }))).to.deep.equal(
      timeline,
    );
    for (const event of shown.events) {
      expectMembers(event, ['status', 'at', 'detail', 'source', 'location']);
      expect(event.detail).not.to.equal('');
    }
  });

  it('says that the charge was refunded only of a letter that was paid', async () => {
    const lastDetail = async (draft: boolean) => {
      const { letter_id } = await client.send({ draft });
      await client.post(`/api/letters/${letter_id}/cancel`);
      return (await track(letter_id)).events.at(-1)?.detail;
    };
    expect(await lastDetail(true)).to.equal('Cancelled.');
    expect(await lastDetail(false)).to.equal('Cancelled; the charge was refunded.');
  });

  it('has no number for an untracked letter', async () => {
    const { letter_id } = await client.send({ service: 'de_standardbrief' });
    await client.advance(letter_id, { to: 'in_transit' });
    const shown = await track(letter_id);
    expect(shown).to.include({ tracking_class: 'none', tracking_number: null, evidence: null });
  });

  it('proves what was sent, so that anyone with salt and content can check it', async () => {
    const { letter_id } = await client.send({ content: 'Änderung.\r\n\r\nZwei Absätze.' });
    const queued = await prove(letter_id);
    expectMembers(queued, proved);
    expectMembers(queued.document, ['pages', 'commitment', 'algorithm', 'salt']);
    expect(queued).to.include({
      status: 'queued',
      posted_at: null,
      delivered_at: null,
      returned_at: null,
    });
    expect(queued.sent_at).to.be.a('string');
    await client.advance(letter_id, { to: 'delivered' });
    const delivered = await prove(letter_id);
    const letter = await client.letter(letter_id);
    const at = (status: string) => letter.timeline.find((entry) => entry.status === status)?.at;
    expect(delivered).to.include({
      status: 'delivered',
      sent_at: at('queued'),
      posted_at: at('posted'),
      delivered_at: at('delivered'),
      evidence: 'simulated',
      tracking_number: letter.tracking.tracking_number,
      proof_level: 'tracking',
    });
    expect(delivered.statement).to.contain(`${letter_id}, 1 page, by `);
    for (const time of ['queued', 'posted', 'delivered']) {
      expect(delivered.statement).to.contain(at(time));
    }
    const digest = createHash('sha256')
      .update(`${delivered.document.salt}${letter.content}`)
      .digest('base64url');
    expect(delivered.document.commitment).to.equal(digest);
    expect(letter.documents[0]?.commitment).to.equal(digest);
  });

  it('says of a text how its line ends and accents are written, so that its sender finds the same digest', async () => {
    const { letter_id } = await client.send({ content: 'Guten Tag\r\n\r\nCafe\u0301' });
    const { document, how_to_verify } = await prove(letter_id);
    const digestOf = (text: string) =>
      createHash('sha256').update(`${document.salt}${text}`).digest('base64url');
    expect(document.commitment).to.equal(digestOf('Guten Tag\n\nCaf\u00e9'));
    expect(how_to_verify).to.include('line feeds').and.include('NFC');
    for (const [language, words] of [
      ['en', 'line feeds as line ends and in NFC'],
      ['de', 'Zeilenenden aus LF und in NFC'],
      ['fr', 'LF en fin de ligne et en NFC'],
    ] as const) {
      const url = `${api.service().url}/api/proof/${letter_id}?language=${language}`;
      const headers = { Authorization: `Bearer ${client.key}`, Accept: 'application/pdf' };
      const answer = await fetch(url, { headers });
      const pages = await picturesOf(Buffer.from(await answer.arrayBuffer()));
      const text = pages.map((page) => page.text.replaceAll(/\s+/g, ' ')).join(' ');
      expect(text).to.include(words);
      expect(pages).to.have.length(1);
    }
  });

  it('proves no more than the service of the letter does', async () => {
    for (const [service, intent, level] of [
      ['de_standardbrief', undefined, 'basic'],
      ['de_standardbrief', 'transactional', 'basic'],
      ['de_einschreiben_einwurf', 'transactional', 'tracking'],
      ['de_einschreiben', 'legal_compliance', 'certified'],
      ['de_einschreiben', 'bulk_marketing', 'basic'],
    ]) {
      const { letter_id } = await client.send({ service, intent });
      expect((await prove(letter_id)).proof_level, `${service} ${intent}`).to.equal(level);
    }
  });

  it('gives the same proof as a certificate in PDF', async () => {
    const { letter_id } = await client.send();
    await client.advance(letter_id, { to: 'delivered' });
    const fetchPdf = async () => {
      const response = await fetch(`${api.service().url}/api/proof/${letter_id}`, {
        headers: { Authorization: `Bearer ${client.key}`, Accept: 'application/pdf' },
      });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('application/pdf');
      expect(response.headers.get('vary')).to.contain('Accept');
      expect(response.headers.get('etag')).to.match(/^"\d+"$/);
      return Buffer.from(await response.arrayBuffer());
    };
    let pdf = await fetchPdf();
    // The last credential of the letter may be issued in between.
    await until(async () => {
      const before = pdf;
      pdf = await fetchPdf();
      return pdf.equals(before);
    });
    const proof = await prove(letter_id);
    const pages = await picturesOf(pdf);
    const text = pages.map((page) => page.text.replaceAll(/\s+/g, ' ')).join(' ');
    const { commitment, salt } = proof.document;
    for (const fact of [proof.statement, commitment, salt, proof.tracking_number, 'Anna Müller']) {
      expect(text).to.contain(fact);
    }
    expect(text).to.contain(`http://localhost/verify/${letter_id}?token=`);
    expect(text).to.contain('TEST');
  });

  it('gives a certificate in the language that its reader prefers, with a code for strangers', async () => {
    const { letter_id } = await client.send();
    await client.advance(letter_id, { to: 'posted' });
    const certificate = async (query: string, language: string, id = letter_id) => {
      const response = await fetch(`${api.service().url}/api/proof/${id}${query}`, {
        headers: {
          Authorization: `Bearer ${client.key}`,
          Accept: 'application/pdf',
          'Accept-Language': language,
        },
      });
      const pages = await picturesOf(Buffer.from(await response.arrayBuffer()));
      return pages.map(({ text }) => text.replaceAll(/\s+/g, ' ')).join(' ');
    };
    expect(await certificate('', 'es, fr-CA;q=0.9, de;q=0.5')).to.include('Preuve d’envoi');
    const { letter_id: french } = await client.send({ language: 'fr' });
    await client.advance(french, { to: 'posted' });
    for (const any of ['*', 'es', '']) {
      expect(await certificate('', any, french), any).to.include('Preuve d’envoi');
    }
    expect(await certificate('', 'en', french)).to.include('Proof of sending');
    const german = await certificate('?language=de', 'fr');
    expect(german).to.include('Nachweis der Absendung').and.include('Europe/Berlin');
    // The address may run over two lines.
    const [, path] =
      /http:\/\/localhost(\/verify\/\S+token=[\w-]{22}&?)/.exec(german.replaceAll(' ', '')) ?? [];
    expect(path, german).to.be.a('string');
    const page = await fetch(api.service().url + path, { headers: { 'Accept-Language': 'de' } });
    expect(page.status).to.equal(200);
    const html = await page.text();
    expect(html).to.include('data-state="good"').and.include('lang="de"').and.include(letter_id);
    expect(html).to.not.match(/Anna|Müller|Lindenstr/);
    const bundle = await fetch(api.service().url + path?.replace('?', '/bundle.zip?'));
    expect(bundle.headers.get('content-type')).to.equal('application/zip');
    const withEnd = `${path}&`.replace('&&', '&');
    expect((await fetch(api.service().url + withEnd)).status).to.equal(200);
    const guessed = path?.replace(/token=.{3}/, 'token=abc') ?? '';
    expect((await fetch(api.service().url + guessed)).status).to.equal(404);
    const other = path?.replace(letter_id, '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e') ?? '';
    expect((await fetch(api.service().url + other)).status).to.equal(404);
  });

  it('gives a certificate to nobody but the owner, and in no other format', async () => {
    const { letter_id } = await client.send();
    const other = await api.register();
    const pdf = { Accept: 'application/pdf' };
    expectProblem(await other.get(`/api/proof/${letter_id}`, pdf), 404, 'letter_not_found');
    const image = await client.get(`/api/proof/${letter_id}`, { Accept: 'image/png' });
    expectProblem(image, 406, 'not_acceptable');
  });

  it('does not give away what two letters have in common', async () => {
    const one = await prove((await client.send()).letter_id);
    const two = await prove((await client.send()).letter_id);
    expect(one.document.commitment).not.to.equal(two.document.commitment);
  });

  it('says of a returned letter that it came back', async () => {
    const { letter_id } = await client.send();
    await client.advance(letter_id, { event: 'returned' });
    expect((await track(letter_id)).delivery_outcome).to.equal('returned');
    const { statement, returned_at, delivered_at } = await prove(letter_id);
    const back = (await track(letter_id)).events.find(({ status }) => status === 'returned');
    expect(returned_at).to.be.a('string').and.equal(back?.at);
    expect(statement).to.contain(`was reported as returned at ${returned_at}`);
    expect(delivered_at).to.equal(null);
  });
});
