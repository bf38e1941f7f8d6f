import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  expectMembers,
  expectProblem,
  type Letter,
  letterTo,
  type PageOf,
  until,
  useService,
} from '../support/client.ts';

const sides = ['to', 'from'].flatMap((side) =>
  ['name', 'company', 'line1', 'line2', 'city', 'state', 'postal_code', 'country'].map(
    (field) => `${side}_${field}`,
  ),
);
const listedMembers = [
  ...sides,
  'letter_id',
  'status',
  'service',
  'intent',
  'content_type',
  'sla_days',
  'reference',
  'metadata',
  'language',
  'color',
  'duplex',
  'pages',
  'sheets',
  'price',
  'pricing_version',
  'send_date',
  'hold_reason',
  'cancellable_until',
  'expected_delivery',
  'tracking',
  'timeline',
  'production',
  'documents',
  'abilities',
  'delivery_outcome',
  'failure',
  'cancellation',
  'warnings',
  'test',
  'created_at',
  'updated_at',
];

describe('reading letters over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const list = async (query = '', of = client): Promise<PageOf<Letter>> => {
    const answer = await of.get<PageOf<Letter>>(`/api/letters${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const idsOf = (page: PageOf<Letter>): string[] => page.data.map(({ letter_id }) => letter_id);

  it('shows a letter with all that was sent and all that is known', async () => {
    const sent = await client.send({
      to_company: 'Müller GmbH',
      to_line2: 'Hinterhaus',
      content: 'Liebe Anna,\n\nbis bald.',
      reference: 'inv-7',
      metadata: { order: '42', 'a.b:c': 'ü' },
      color: true,
      duplex: false,
    });
    const letter = await client.letter(sent.letter_id);
    expectMembers(letter, [...listedMembers, 'content']);
    const { message: _, ...same } = sent;
    expect(letter).to.deep.include(same);
    expect(letter).to.deep.include({
      to_name: 'Anna Müller',
      to_company: 'Müller GmbH',
      to_line2: 'Hinterhaus',
      to_state: null,
      from_state: 'NY',
      content: 'Liebe Anna,\n\nbis bald.',
      metadata: { order: '42', 'a.b:c': 'ü' },
      color: true,
      duplex: false,
      delivery_outcome: null,
      failure: null,
      cancellation: null,
      send_date: null,
      created_at: letter.updated_at,
    });
    expectMembers(letter.tracking, [
      'tracking_class',
      'carrier',
      'tracking_number',
      'tracking_url',
    ]);
    expect(letter.timeline).to.deep.equal([
      { status: 'queued', at: letter.created_at, source: 'api' },
    ]);
    expect(letter.documents).to.have.length(1);
    expect(letter.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('does not show a letter to another account, whatever it asks for', async () => {
    const { letter_id } = await client.send();
    const other = await api.register();
    for (const id of [letter_id, randomUUID()]) {
      for (const path of [`/api/letters/${id}`, `/api/track/${id}`, `/api/proof/${id}`]) {
        expectProblem(await other.get(path), 404, 'letter_not_found');
      }
      const path = `/api/letters/${id}`;
      expectProblem(await other.patch(path, { reference: 'x' }), 404, 'letter_not_found');
      expectProblem(await other.post(`${path}/cancel`), 404, 'letter_not_found');
      expectProblem(await other.delete(path), 404, 'letter_not_found');
      const advance = await other.post(`/api/test/letters/${id}/advance`);
      expectProblem(advance, 404, 'letter_not_found');
    }
    expect((await list('', other)).data).to.deep.equal([]);
    expect((await client.letter(letter_id)).status).to.equal('queued');
  });

  it('finds nothing at what is no letter id', async () => {
    const ids = ['1', 'null', '%00', `urn:uuid:${randomUUID()}`, "'%20or%201=1", 'x'.repeat(3000)];
    for (const id of ids) {
      expectProblem(await client.get(`/api/letters/${id}`), 404, 'not_found');
    }
  });

  it('gives the version as ETag and reads what was written when asked for its position', async () => {
    const sent = await client.post<Letter>('/api/send', letterTo('DE'));
    const position = sent.headers.get('x-log-position') ?? '';
    const path = `/api/letters/${sent.body.letter_id}`;
    const read = await client.get<Letter>(path, { 'X-Min-Log-Position': position });
    expect(read.status).to.equal(200);
    expect(read.headers.get('etag')).to.equal(sent.headers.get('etag'));
    const future = await client.get(path, { 'X-Min-Log-Position': '999999999' });
    expectProblem(future, 422, 'position_beyond_log');
    for (const wrong of ['x', '-1', '1.5', '9'.repeat(30)]) {
      const answer = await client.get(path, { 'X-Min-Log-Position': wrong });
      expectProblem(answer, 400, 'invalid_header');
    }
  });

  it('lists newest first, page by page, while letters arrive', async () => {
    const sent: string[] = [];
    for (let index = 0; index < 7; index++) sent.unshift((await client.send()).letter_id);
    const first = await list('?limit=3');
    expectMembers(first, ['data', 'has_more', 'next_cursor']);
    for (const letter of first.data) expectMembers(letter, listedMembers);
    const found = idsOf(first);
    let next = first.next_cursor;
    while (next !== null) {
      await client.send();
      const page: PageOf<Letter> = await list(`?limit=3&cursor=${next}`);
      expect(page.has_more).to.equal(page.next_cursor !== null);
      found.push(...idsOf(page));
      next = page.next_cursor;
    }
    expect(found).to.deep.equal(sent);
  });

  it('ends where the letters end', async () => {
    for (let index = 0; index < 2; index++) await client.send();
    expect(await list('?limit=2')).to.include({ has_more: false, next_cursor: null });
    expect(await list('?limit=1')).to.include({ has_more: true });
  });

  it('shows 20 a page, and as many as 100', async () => {
    await Promise.all(Array.from({ length: 21 }, () => client.send({ draft: true })));
    expect((await list()).data).to.have.length(20);
    expect((await list('?limit=100')).data).to.have.length(21);
    for (const limit of ['0', '101', '-1', '1.5', 'x', '', '1e999', '9'.repeat(40)]) {
      const answer = await client.get(`/api/letters?limit=${limit}`);
      expectProblem(answer, 422, 'validation_failed', '/query/limit');
    }
  });

  it('refuses a cursor that it did not give', async () => {
    const forged = Buffer.from('p99999999999999999999').toString('base64url');
    for (const cursor of ['x', '123', forged, '%F0%9F%98%80']) {
      const answer = await client.get(`/api/letters?cursor=${cursor}`);
      expectProblem(answer, 422, 'invalid_cursor', '/query/cursor');
    }
    for (const cursor of ['', 'x'.repeat(65)]) {
      const answer = await client.get(`/api/letters?cursor=${cursor}`);
      expectProblem(answer, 422, 'validation_failed', '/query/cursor');
    }
  });

  it('filters by one state or by several', async () => {
    const draft = (await client.send({ draft: true })).letter_id;
    const queued = (await client.send()).letter_id;
    const cancelled = (await client.send()).letter_id;
    await client.post(`/api/letters/${cancelled}/cancel`);
    const posted = (await client.send()).letter_id;
    await client.advance(posted, { to: 'posted' });
    expect(idsOf(await list('?status=draft'))).to.deep.equal([draft]);
    expect(idsOf(await list('?status=queued'))).to.deep.equal([queued]);
    expect(idsOf(await list('?status=cancelled&status=posted'))).to.deep.equal([posted, cancelled]);
    expect(idsOf(await list('?status=delivered'))).to.deep.equal([]);
    const wrong = await client.get('/api/letters?status=lost');
    expectProblem(wrong, 422, 'validation_failed');
  });

  it('filters by reference, metadata, country and service, one and all of them', async () => {
    const mine = { reference: 'inv/1 ü', metadata: { order: '42', team: 'a' } };
    const one = (await client.send(mine)).letter_id;
    const two = (await client.send({ metadata: { order: '42', team: 'b' } })).letter_id;
    const three = (
      await client.send({
        to_country: 'FR',
        to_postal_code: '75002',
        to_city: 'Paris',
        service: 'fr_lettre_verte',
      })
    ).letter_id;
    const found = async (query: Record<string, string>) =>
      idsOf(await list(`?${new URLSearchParams(query)}`));
    expect(await found({ reference: 'inv/1 ü' })).to.deep.equal([one]);
    expect(await found({ reference: 'inv/1' })).to.deep.equal([]);
    expect(await found({ 'metadata[order]': '42' })).to.deep.equal([two, one]);
    expect(await found({ 'metadata[order]': '42', 'metadata[team]': 'b' })).to.deep.equal([two]);
    expect(await found({ 'metadata[team]': '42' })).to.deep.equal([]);
    expect(await found({ country: 'FR' })).to.deep.equal([three]);
    expect(await found({ service: 'fr_lettre_verte' })).to.deep.equal([three]);
    expect(await found({ country: 'DE', reference: 'inv/1 ü', status: 'queued' })).to.deep.equal([
      one,
    ]);
  });

  it('filters by the time of creation, in any offset', async () => {
    const one = await client.letter((await client.send()).letter_id);
    await until(async () => Date.now() > Date.parse(one.created_at) + 5);
    const two = await client.letter((await client.send()).letter_id);
    const since = (time: string) => list(`?created_after=${encodeURIComponent(time)}`);
    expect(idsOf(await since(one.created_at))).to.deep.equal([two.letter_id, one.letter_id]);
    expect(idsOf(await since(two.created_at))).to.deep.equal([two.letter_id]);
    expect(idsOf(await list(`?created_before=${two.created_at}`))).to.deep.equal([one.letter_id]);
    // As Python writes it: half a millisecond after the first letter.
    const finer = one.created_at.replace('Z', '500Z');
    expect(idsOf(await list(`?created_before=${finer}`))).to.deep.equal([one.letter_id]);
    expect(idsOf(await since(finer))).to.deep.equal([two.letter_id]);
    const end = '9999-12-31T23:59:59.9999Z';
    expect(idsOf(await list(`?created_before=${end}`))).to.have.length(2);
    expect(idsOf(await since('1999-01-01T00:00:00+23:59'))).to.have.length(2);
    const turned = `?created_after=${two.created_at}&created_before=${one.created_at}`;
    expectProblem(
      await client.get(`/api/letters${turned}`),
      422,
      'validation_failed',
      '/query/created_after',
    );
    const wrong = ['yesterday', '2026-11-20', '0000-01-01T00:00:00Z', '2026-12-31T23:59:60Z', ''];
    for (const time of wrong) {
      for (const name of ['created_after', 'created_before']) {
        const answer = await client.get(`/api/letters?${name}=${encodeURIComponent(time)}`);
        expectProblem(answer, 422, 'validation_failed', `/query/${name}`);
      }
    }
  });

  it('names the query parameter that is wrong', async () => {
    const cases = {
      'country=IT': '/query/country',
      'service=x': '/query/service',
      'reference=': '/query/reference',
      [`reference=${'x'.repeat(121)}`]: '/query/reference',
      'reference=a%00b': '/query/reference',
      'page=2': '/query/page',
      'metadata=1': '/query/metadata',
      'metadata[]=1': '/query/metadata[]',
      'metadata[a]=1&metadata[a]=2': '/query/metadata[a]',
      '__proto__=1': '/query/__proto__',
      'country=DE&country=FR': '/query/country',
    };
    for (const [query, pointer] of Object.entries(cases)) {
      const answer = await client.get(`/api/letters?${query}`);
      expectProblem(answer, 422, 'validation_failed', pointer);
    }
    expectProblem(await client.get('/api/letters?reference=%ff'), 400, 'invalid_encoding');
  });
});
