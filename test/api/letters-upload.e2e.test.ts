import { expect } from 'chai';
import { addressedLetter, bisLetter, goodLetter } from '../documents/preflight/samples.ts';
import {
  expectProblem,
  letterTo,
  type ProblemJson,
  recipientIn,
  type Sent,
  useService,
} from '../support/client.ts';
import { printedLetter, textOf } from '../support/printed-letters.ts';

type Answer<T> = { status: number; body: T; headers: Headers };

/** A letter with its address in the window, as `letterTo('DE')` has it. */
const addressed = (): Promise<Buffer> =>
  addressedLetter(['Anna Müller', 'Lindenstraße 5', '10969 Berlin'], 26, 70);

describe('PDF letters that come with the request', function () {
  this.timeout(180_000);
  const api = useService({ LIMIT_DOCUMENT_BYTES: '3000000' });
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });

  const fileOf = (pdf: Uint8Array) => new Blob([new Uint8Array(pdf)], { type: 'application/pdf' });
  const formOf = (pdf: Uint8Array, parts: object): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(parts)) {
      form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    form.set('document', fileOf(pdf), 'letter.pdf');
    return form;
  };
  const post = async <T = Sent>(
    path: string,
    form: FormData | string,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const response = await fetch(api.service().url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${client.key}`, ...headers },
      body: form,
    });
    return {
      status: response.status,
      body: (await response.json()) as T,
      headers: response.headers,
    };
  };
  const { content: _, ...letter } = letterTo('DE') as unknown as Record<string, unknown>;

  it('are taken as a form, each member a part', async () => {
    const pdf = await goodLetter();
    const form = () =>
      formOf(pdf, { ...letter, color: true, max_total: 50.5, metadata: { a: 'b' } });
    const quoted = await post('/api/quote', form());
    expect(quoted.status, JSON.stringify(quoted.body)).to.equal(200);
    const sent = await post('/api/send', form());
    expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
    const { color, metadata } = await client.letter(sent.body.letter_id);
    expect({ color, metadata }).to.deep.equal({ color: true, metadata: { a: 'b' } });
    await client.advance(sent.body.letter_id);
    const printed = await printedLetter(api.service().dataDir, sent.body.letter_id);
    expect(textOf(printed.pdf, 1)).to.contain('Anna Müller').and.contain('Guten Tag.');
  });

  it('have the date of the form on their address page, or none where it is false', async () => {
    const pdf = await goodLetter();
    const textWith = async (date: string | false): Promise<string> => {
      const parts = { ...letter, address_placement: 'insert_page', date };
      const sent = await post('/api/send', formOf(pdf, parts));
      expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
      await client.advance(sent.body.letter_id);
      const printed = await printedLetter(api.service().dataDir, sent.body.letter_id);
      return textOf(printed.pdf, 1);
    };
    expect(await textWith('2026-03-05')).to.contain('2026');
    expect(await textWith(false)).to.not.match(/20\d\d/);
  });

  it('are the same request as a form, as a form with one part of JSON, and in base64', async () => {
    const pdf = await goodLetter();
    const headers = { 'Idempotency-Key': 'an upload in three ways' };
    const first = await post('/api/send', formOf(pdf, letter), headers);
    const second = await post('/api/send', formOf(pdf, { letter }), headers);
    const base64 = { ...letter, document: pdf.toString('base64') };
    const third = await post('/api/send', JSON.stringify(base64), {
      ...headers,
      'Content-Type': 'application/json',
    });
    expect([first.status, second.status, third.status]).to.deep.equal([201, 201, 201]);
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
    expect(third.body.letter_id).to.equal(first.body.letter_id);
    const other = await post('/api/send', formOf(await addressed(), letter), headers);
    expect([other.status, (other.body as unknown as ProblemJson).code]).to.deep.equal([
      422,
      'idempotency_key_reused',
    ]);
  });

  it('may be as large as documents may be, in both forms, and no larger', async () => {
    const pdf = await goodLetter();
    const ofSize = (bytes: number): Buffer => {
      const trailer = pdf.subarray(pdf.lastIndexOf('xref'));
      const filler = Buffer.alloc(bytes - pdf.length - trailer.length - 2, ' ');
      return Buffer.concat([pdf, Buffer.from('\n%'), filler, trailer]).subarray(0, bytes);
    };
    const json = { 'Content-Type': 'application/json' };
    const asJson = (bytes: Buffer) =>
      JSON.stringify({ ...letter, document: bytes.toString('base64') });
    for (const path of ['/api/quote', '/api/send']) {
      const largest = ofSize(3_000_000);
      expect((await post(path, formOf(largest, letter))).status).to.be.oneOf([200, 201, 422]);
      expect((await post(path, asJson(largest), json)).status).to.be.oneOf([200, 201, 422]);
      for (const size of [3_000_001, 8_000_000]) {
        const large = ofSize(size);
        const form = await post<ProblemJson>(path, formOf(large, letter));
        const base64 = await post<ProblemJson>(path, asJson(large), json);
        expect([form.status, form.body.code], `${size}`).to.deep.equal([413, 'body_too_large']);
        expect([base64.status, base64.body.code]).to.deep.equal([413, 'body_too_large']);
      }
    }
    const elsewhere = JSON.stringify({ label: 'x'.repeat(3_000_000), scope: 'read' });
    expect((await post('/auth/keys', elsewhere, json)).status).to.equal(413);
  });

  it('are cut off where they do not say how large they are', async () => {
    const part = Buffer.alloc(256 * 1024, 'x');
    const upload = async function* () {
      yield Buffer.from('--x\r\nContent-Disposition: form-data; name="document"\r\n\r\n');
      for (let i = 0; i < 60; i++) yield part;
    };
    const response = await fetch(`${api.service().url}/api/send`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${client.key}`,
        'Content-Type': 'multipart/form-data; boundary=x',
      },
      body: ReadableStream.from(upload()),
      duplex: 'half',
    } as RequestInit);
    expect([response.status, ((await response.json()) as ProblemJson).code]).to.deep.equal([
      413,
      'body_too_large',
    ]);
    expect((await client.get('/api/letters')).status).to.equal(200);
  });

  it('are refused as forms that are none, with a sentence', async () => {
    const pdf = await goodLetter();
    const twice = formOf(pdf, { ...letter, letter });
    const two = formOf(pdf, letter);
    two.append('to_name', 'B');
    const many = formOf(pdf, letter);
    for (let i = 0; i < 100; i++) many.set(`part${i}`, 'x');
    for (const form of [twice, two, many, formOf(pdf, { letter: [1] })]) {
      const { status, body: problem } = await post<ProblemJson>('/api/send', form);
      expect([status, problem.code]).to.deep.equal([400, 'invalid_form']);
    }
    const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
    for (const text of [
      '',
      'x',
      '--x\r\n',
      '--x\r\nContent-Disposition: form-data\r\n\r\n--x--',
      '\0',
    ]) {
      const { status, body: problem } = await post<ProblemJson>('/api/send', text, type);
      expect([status, problem.code], JSON.stringify(text)).to.deep.equal(
        text === '' ? [400, 'invalid_json'] : [400, 'invalid_form'],
      );
    }
    const wrong = formOf(pdf, { ...letter, color: 'yes', max_total: 'much', nonsense: 1 });
    const refused = await post<ProblemJson>('/api/send', wrong);
    expect(refused.status).to.equal(422);
    expect(refused.body.errors?.map(({ pointer }) => pointer)).to.have.members([
      '/color',
      '/max_total',
      '/nonsense',
    ]);
    expect((await post('/auth/keys', formOf(pdf, {}))).status).to.equal(415);
  });

  it('can be had as they are printed, also before production, and not once they are deleted', async () => {
    const form = formOf(await goodLetter(), { ...letter, draft: true });
    const { body: draft } = await post('/api/send', form);
    const look = (): Promise<Response> =>
      fetch(`${api.service().url}/api/letters/${draft.letter_id}/document.pdf`, {
        headers: { Authorization: `Bearer ${client.key}` },
      });
    const shown = await look();
    expect([shown.status, shown.headers.get('content-type')]).to.deep.equal([
      200,
      'application/pdf',
    ]);
    expect(shown.headers.get('content-disposition')).to.equal(
      `inline; filename="letter-${draft.letter_id}.pdf"`,
    );
    expect(textOf(Buffer.from(await shown.arrayBuffer()), 1)).to.contain('Anna Müller');
    expect((await client.delete(`/api/letters/${draft.letter_id}`)).status).to.equal(200);
    const gone = await look();
    expect([gone.status, ((await gone.json()) as ProblemJson).code]).to.deep.equal([
      410,
      'letter_deleted',
    ]);
  });

  it('bring their address along: checked, printed as they came, and checked again when it changes', async () => {
    const pdf = await addressed();
    const form = (more: object = {}) =>
      formOf(pdf, { ...letter, address_placement: 'in_document', ...more });
    const other = await post<ProblemJson>('/api/send', form({ to_name: 'Erika Muster' }));
    expect(other.status).to.equal(422);
    expect(other.body.code).to.equal('document_not_supported');
    expect(other.body.detail).to.include('Anna Müller').and.include('Erika Muster');
    const sent = await post('/api/send', form());
    expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
    const id = sent.body.letter_id;
    const [document] = (await client.letter(id)).documents;
    expect(document).to.include({ cover_page: false, address_placement: 'in_document' });
    const renamed = await client.patch<ProblemJson>(`/api/letters/${id}`, { to_name: 'Bob Meier' });
    expectProblem(renamed, 422, 'document_not_supported', '/to_name');
    expect(renamed.body.detail).to.include('cancel it and send a new letter');
    const same = await client.patch<ProblemJson>(`/api/letters/${id}`, { reference: 'r-1' });
    expect(same.status, same.text).to.equal(200);
    await client.advance(id);
    const printed = await printedLetter(api.service().dataDir, id);
    const text = textOf(printed.pdf, 1);
    expect(text.match(/Anna Müller/g), text).to.have.length(1);
    expect(text).to.not.include('Bob Sender');
  });

  describe('with an address that is written in other words than it is normalised to', () => {
    const { content: _, ...toParis } = letterTo('FR');
    const asked = async (more: object) => {
      const { pdf, fields } = await bisLetter();
      return formOf(pdf, { ...toParis, ...fields, ...more });
    };
    const accepted = async (more: object = {}): Promise<string> => {
      const sent = await post('/api/send', await asked(more));
      expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
      expect((await client.letter(sent.body.letter_id)).to_line1).to.equal('12 B rue de la Paix');
      return sent.body.letter_id;
    };
    const patch = (id: string, changes: object) =>
      client.patch<ProblemJson>(`/api/letters/${id}`, changes);

    it('are changed and sent while their recipient stays', async () => {
      const draft = await accepted({ draft: true });
      const labelled = await patch(draft, { reference: 'r-1' });
      expect(labelled.status, labelled.text).to.equal(200);
      const sent = await client.post<Sent>('/api/send', { letter_id: draft });
      expect(sent.status, sent.text).to.equal(201);
      const completed = await patch(draft, { reference: 'r-2', to_company: 'Paix SARL' });
      expect(completed.status, completed.text).to.equal(200);
    });

    it('are checked again for another recipient', async () => {
      const id = await accepted();
      const moved = await patch(id, { to_line1: '12 ter rue de la Paix' });
      expectProblem(moved, 422, 'document_not_supported', '/to_name');
      const renamed = await patch(id, { to_name: 'Zoé Martin' });
      expectProblem(renamed, 422, 'document_not_supported', '/to_name');
      const abroad = await patch(id, recipientIn('DE'));
      expectProblem(abroad, 422, 'document_not_supported', '/to_country');
    });
  });
});
