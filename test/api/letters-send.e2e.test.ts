import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { serviceIds } from '../../postal/types.ts';
import {
  expectMembers,
  expectProblem,
  letterTo,
  type PageOf,
  type Sent,
  until,
  useService,
} from '../support/client.ts';

const answered = [
  'letter_id',
  'status',
  'service',
  'intent',
  'content_type',
  'sla_days',
  'price',
  'message',
  'pages',
  'sheets',
  'reference',
  'hold_reason',
  'cancellable_until',
  'expected_delivery',
  'abilities',
  'warnings',
  'test',
];
const cents = (amount: number): number => Math.round(amount * 100);

describe('sending over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });

  /** Credits a live account that paid from outside, as an operator does. */
  const fund = async (accountId: string, amount: number): Promise<void> => {
    const { accounts } = api.service().service.foundation.commands;
    await accounts.credit(
      accountId,
      {
        bucket: 'fiat',
        amountMicro: BigInt(Math.round(amount * 1_000_000)),
        reference: randomUUID(),
      },
      { commandId: randomUUID(), actor: 'operator' },
    );
  };

  const nothingHappened = async (of: Client = client, balance = 100): Promise<void> => {
    expect(await of.balance()).to.include({ balance, available: balance, held: 0 });
    expect((await of.get<PageOf<unknown>>('/api/letters')).body.data).to.deep.equal([]);
  };

  it('answers with everything that is known of the letter, and holds its price', async () => {
    const sent = await client.post<Sent>('/api/send', letterTo('DE', { reference: 'inv-1' }));
    expect(sent.status).to.equal(201);
    expect(sent.headers.get('etag')).to.equal('"0"');
    expect(sent.headers.get('x-log-position')).to.match(/^[1-9]\d*$/);
    const { body } = sent;
    expectMembers(body, answered);
    expectMembers(body.price, [
      'postage',
      'printing',
      'handling',
      'commission',
      'total',
      'currency',
    ]);
    expectMembers(body.expected_delivery, ['earliest', 'latest']);
    expect(body).to.include({
      status: 'queued',
      intent: 'transactional',
      pages: 1,
      sheets: 1,
      reference: 'inv-1',
      hold_reason: null,
      test: true,
    });
    expect(body.abilities).to.deep.equal({
      update: true,
      cancel: true,
      delete: false,
      send: false,
    });
    expect(Date.parse(body.cancellable_until ?? '')).to.be.above(Date.now());
    expect(body.expected_delivery.earliest <= body.expected_delivery.latest).to.equal(true);
    const { total } = body.price;
    const after = { balance: 100, held: total, available: (cents(100) - cents(total)) / 100 };
    expect(await client.balance()).to.include(after);
  });

  for (const service of serviceIds) {
    it(`takes a letter by ${service}, with a price whose lines make the total`, async () => {
      const country = service.slice(0, 2).toUpperCase() as 'DE';
      const sent = await client.send(letterTo(country, { service }));
      expect(sent.service).to.equal(service);
      const { postage, printing, handling, commission, total, currency } = sent.price;
      expect(cents(postage) + cents(printing) + cents(handling)).to.equal(cents(total));
      expect(commission).to.be.at.most(handling);
      expect(currency).to.equal('USD');
      const subtotal = cents(total) - cents(commission);
      expect(cents(commission)).to.equal(Math.round(subtotal * 0.05));
      expect((await client.balance()).held).to.equal(total);
    });
  }

  it('warns of a recipient that is printed in very small type', async () => {
    const wide = await client.send(letterTo('US', { to_line1: `1 ${'W'.repeat(38)}` }));
    expect(wide.warnings.map(({ pointer, code }) => [pointer, code])).to.deep.include([
      '/to_line1',
      'small_type',
    ]);
    const usual = await client.send(letterTo('US'));
    expect(usual.warnings.map(({ code }) => code)).not.to.include('small_type');
  });

  it('names the line that makes an address too wide for its place', async () => {
    for (const field of ['to_name', 'to_company', 'to_line2', 'from_company'] as const) {
      const wide = letterTo('US', { from_company: 'Sender Inc', [field]: 'W'.repeat(60) });
      const refused = await client.post('/api/send', wide);
      const { detail } = expectProblem(refused, 422, 'address_invalid', `/${field}`);
      expect(detail).to.include(`Shorten ${field}`);
    }
    const { warnings } = await client.send(letterTo('US', { to_company: 'W'.repeat(40) }));
    expect(warnings.map(({ pointer, code }) => [pointer, code])).to.deep.include([
      '/to_company',
      'small_type',
    ]);
  });

  it('names in one warning what of the addresses was changed, beyond upper case and spaces', async () => {
    const { warnings, letter_id } = await client.send(
      letterTo('CA', { to_postal_code: 'k1a0a9', to_name: '  Anne   Roy ', to_state: 'Ontario' }),
    );
    expect(warnings.filter(({ code }) => code === 'normalized')).to.deep.equal([
      {
        pointer: '/to_state',
        code: 'normalized',
        detail: 'to_state "Ontario" became "ON"; from_state is set to "NY".',
      },
    ]);
    const tidy = await client.send(
      letterTo('CA', { to_state: 'on', to_line1: '1  main st', from_state: 'ny' }),
    );
    expect(tidy.warnings).to.deep.equal([]);
    const letter = await client.letter(letter_id);
    expect(letter).to.include({
      to_postal_code: 'K1A 0A9',
      to_name: 'ANNE ROY',
      to_state: 'ON',
    });
  });

  it('explains each address that is not deliverable, naming the field', async () => {
    const cases: [Parameters<typeof letterTo>[0], object, string][] = [
      ['FR', { to_postal_code: '7500' }, '/to_postal_code'],
      ['DE', { to_postal_code: 'ABCDE' }, '/to_postal_code'],
      ['GB', { to_postal_code: '12345' }, '/to_postal_code'],
      ['CA', { to_postal_code: 'D1A 0A9' }, '/to_postal_code'],
      ['US', { to_state: 'CA' }, '/to_state'],
      ['US', { to_state: 'Bavaria' }, '/to_state'],
      ['CA', { to_state: 'BC' }, '/to_state'],
      ['DE', { from_postal_code: '00000' }, '/from_postal_code'],
      ['FR', { to_line1: 'x'.repeat(39) }, '/to_line1'],
      ['DE', { to_city: 'Berl\u202ein' }, '/to_city'],
      ['DE', { to_name: '…' }, '/to_name'],
    ];
    for (const [country, changes, pointer] of cases) {
      const answer = await client.post('/api/send', letterTo(country, changes));
      const { errors } = expectProblem(answer, 422, 'address_invalid', pointer);
      expect(errors?.[0]?.detail).to.contain(pointer.slice(1));
    }
    await nothingHappened();
  });

  it('sends an address as it is when it is told to, and says what it doubts', async () => {
    const body = { to_postal_code: '7500', accept_address_as_is: true };
    const sent = await client.send(letterTo('FR', body));
    expect(sent.warnings.map(({ pointer }) => pointer)).to.include('/to_postal_code');
    expect((await client.letter(sent.letter_id)).to_postal_code).to.equal('7500');
    const unprintable = letterTo('FR', { to_city: 'Pa\u202eris', accept_address_as_is: true });
    expectProblem(await client.post('/api/send', unprintable), 422, 'address_invalid', '/to_city');
    for (const field of ['to_name', 'to_line1', 'from_city', 'from_company'] as const) {
      // A hieroglyph, which no font of the service has.
      const answer = await client.post('/api/send', letterTo('DE', { [field]: 'Anna 𓀀' }));
      const { detail } = expectProblem(answer, 422, 'address_invalid', `/${field}`);
      expect(detail).to.include('U+13000').and.include(field);
    }
  });

  it('does nothing for a request with something in it that no operation describes', async () => {
    const dry = await client.post('/api/send?dry_run=true&max_total=0.01', letterTo('DE'));
    expectProblem(dry, 422, 'validation_failed', '/query/dry_run');
    await nothingHappened();
    const { letter_id } = await client.send();
    const cancel = await client.post(`/api/letters/${letter_id}/cancel`, { dry_run: true });
    expectProblem(cancel, 422, 'validation_failed');
    expect((await client.letter(letter_id)).status).to.equal('queued');
    const counts = await client.get('/api/letters/counts?country=FR');
    expectProblem(counts, 422, 'validation_failed', '/query/country');
  });

  it('queues until the send date', async () => {
    const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const sent = await client.send({ send_date: day });
    expect(sent.cancellable_until).to.equal(`${day}T00:00:00.000Z`);
    expect(sent.expected_delivery.earliest > day).to.equal(true);
    expect((await client.letter(sent.letter_id)).send_date).to.equal(day);
    for (const days of [-1, 181]) {
      const wrong = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
      const answer = await client.post('/api/send', letterTo('DE', { send_date: wrong }));
      expectProblem(answer, 422, 'validation_failed', '/send_date');
    }
  });

  it('refuses content that cannot be printed and documents that it cannot take', async () => {
    const cases: [object, string, string][] = [
      [{ content: '\u0007' }, 'content_not_printable', '/content'],
      [{ content: 'a\u202eb' }, 'content_not_printable', '/content'],
      [{ content: 'Hi 𓀀' }, 'content_not_printable', '/content'],
      [{ content: ' \n ' }, 'content_not_printable', '/content'],
      [{ content: undefined }, 'validation_failed', '/content'],
      [
        { content: undefined, document_url: 'https://127.0.0.1/a.pdf' },
        'document_not_supported',
        '/document_url',
      ],
      [{ document_url: 'https://example.com/a.pdf' }, 'validation_failed', '/document_url'],
    ];
    for (const [changes, code, pointer] of cases) {
      const answer = await client.post('/api/send', letterTo('DE', changes));
      expectProblem(answer, 422, code as 'validation_failed', pointer);
    }
    const pages = await client.post('/api/send', letterTo('DE', { content: 'a\n'.repeat(4000) }));
    expectProblem(pages, 422, 'too_many_pages');
    await nothingHappened();
  });

  describe('paying', () => {
    it('refuses to cost more than max_total, to the cent', async () => {
      const { price } = await client.send({ draft: true });
      const below = (cents(price.total) - 1) / 100;
      const refused = await client.post('/api/send', letterTo('DE', { max_total: below }));
      expectProblem(refused, 402, 'max_total_exceeded');
      expect((await client.balance()).held).to.equal(0);
      const sent = await client.send({ max_total: price.total });
      expect(sent.price.total).to.equal(price.total);
    });

    it('refuses a live account without money, stores nothing, and takes it once it is funded', async () => {
      const live = await api.register('live');
      const refused = await live.post('/api/send', letterTo('DE'));
      expectProblem(refused, 402, 'insufficient_funds');
      await nothingHappened(live, 0);
      await fund(live.account.account_id, 4.49);
      const sent = await live.send();
      expect(sent.test).to.equal(false);
      expect(await live.balance()).to.include({ balance: 4.49, available: 0, held: 4.49 });
      expectProblem(await live.post('/api/send', letterTo('DE')), 402, 'insufficient_funds');
    });

    it('keeps no draft that costs more than max_total, to the cent', async () => {
      const draft = (more: object) =>
        client.post<Sent>('/api/send', letterTo('DE', { draft: true, ...more }));
      const { total } = (await draft({})).body.price;
      const refused = await draft({ max_total: (cents(total) - 1) / 100 });
      expectProblem(refused, 402, 'max_total_exceeded');
      expect(refused.body).to.include({ total, currency: 'USD' });
      const kept = await draft({ max_total: total });
      expect(kept.status, kept.text).to.equal(201);
      const { data } = (await client.get<PageOf<Sent>>('/api/letters')).body;
      expect(data).to.have.length(2);
    });

    it('keeps what cannot be paid as a draft when it is told to', async () => {
      const live = await api.register('live');
      const held = await live.send({ hold_without_funds: true });
      expect(held).to.include({ status: 'draft', hold_reason: 'funds', cancellable_until: null });
      expect(held.abilities).to.deep.equal({
        update: true,
        cancel: true,
        delete: true,
        send: true,
      });
      const { letter_id } = held;
      expectProblem(await live.post('/api/send', { letter_id }), 402, 'insufficient_funds');
      await fund(live.account.account_id, 10);
      const sent = await live.post<Sent>('/api/send', { letter_id });
      expect(sent.status, sent.text).to.equal(201);
      expect(sent.body).to.include({ letter_id, status: 'queued', hold_reason: null });
      expect((await live.balance()).held).to.equal(sent.body.price.total);
    });
  });

  describe('drafts', () => {
    it('keep what cannot change, and say how to change the rest', async () => {
      const { letter_id } = await client.send({ draft: true });
      const path = `/api/letters/${letter_id}`;
      const extras: [object, RegExp][] = [
        [{ to_name: 'Berta' }, /^to_name .* Change the draft first \(PATCH/],
        [{ content: 'Other' }, /^content .* Make a new draft/],
        [{ content: 'Other', reference: 'a' }, /Make a new draft.*Change the draft first/],
        [{ draft: true }, /^draft .* is a draft already/],
        [{ hold_without_funds: true }, /stays a draft/],
      ];
      for (const [extra, expected] of extras) {
        const answer = await client.post('/api/send', { letter_id, ...extra });
        expect(expectProblem(answer, 422, 'validation_failed').detail).to.match(expected);
      }
      for (const name of ['content', 'service', 'from_name', 'send_date', 'document_url']) {
        const answer = await client.patch(path, { [name]: 'x' });
        const { detail } = expectProblem(answer, 422, 'validation_failed', `/${name}`);
        expect(detail).to.contain('cancel it and send a new letter').and.not.contain('Remove it');
      }
      const off = { draft: false, dry_run: false, hold_without_funds: false };
      const sent = await client.post<Sent>('/api/send', { letter_id, ...off });
      expect(sent.body).to.include({ letter_id, status: 'queued' });
    });

    it('cost nothing until they are sent by their letter_id', async () => {
      const draft = await client.send({ draft: true, reference: 'd-1' });
      expect(draft).to.include({ status: 'draft', hold_reason: 'requested', reference: 'd-1' });
      expect(await client.balance()).to.include({ available: 100, held: 0 });
      const sent = await client.post<Sent>('/api/send', { letter_id: draft.letter_id });
      expect(sent.status, sent.text).to.equal(201);
      expect(sent.body).to.include({ status: 'queued', reference: 'd-1' });
      expect(sent.body.price).to.deep.equal(draft.price);
      expect((await client.balance()).held).to.equal(draft.price.total);
      const { timeline } = await client.letter(draft.letter_id);
      expect(timeline.map(({ status }) => status)).to.deep.equal(['draft', 'queued']);
    });

    it('are sent once', async () => {
      const { letter_id, price } = await client.send({ draft: true });
      const body = { letter_id, max_total: price.total };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => client.post('/api/send', body)),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses).to.include(201);
      for (const status of statuses) expect(status).to.be.oneOf([201, 409]);
      await until(async () => (await client.balance()).held === price.total);
      expectProblem(await client.post('/api/send', { letter_id }), 409, 'letter_not_sendable');
    });

    it('are sent only in the version of If-Match', async () => {
      const draft = await client.send({ draft: true });
      const path = `/api/letters/${draft.letter_id}`;
      const seen = (await client.get(path)).headers.get('etag') ?? '';
      const changed = await client.patch(path, { reference: 'changed' });
      const send = (version: string, more: object = {}) => {
        const headers = { 'if-match': version, 'idempotency-key': `send ${draft.letter_id}` };
        return client.post('/api/send', { letter_id: draft.letter_id, ...more }, headers);
      };
      expectProblem(await send(seen), 412, 'version_mismatch');
      expectProblem(await send(seen, { dry_run: true }), 412, 'version_mismatch');
      expect(await client.balance()).to.include({ available: 100, held: 0 });
      const version = changed.headers.get('etag') ?? '';
      const sent = await send(version);
      expect([sent.status, sent.body]).to.have.nested.property('[1].status', 'queued');
      const again = await send(version);
      expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true']);
    });

    it('are needed for If-Match', async () => {
      const headers = { 'if-match': '"0"' };
      const answer = await client.post('/api/send', letterTo('DE'), headers);
      expectProblem(answer, 400, 'invalid_header');
      await nothingHappened();
    });

    it('take no other fields when they are sent', async () => {
      const { letter_id } = await client.send({ draft: true });
      const body = { letter_id, to_name: 'Somebody Else', color: true };
      const problem = await client.post('/api/send', body);
      expectProblem(problem, 422, 'validation_failed', '/to_name');
      expectProblem(problem, 422, 'validation_failed', '/color');
    });

    it('are not found by another account, nor is a letter that does not exist', async () => {
      const { letter_id } = await client.send({ draft: true });
      const other = await api.register();
      expectProblem(await other.post('/api/send', { letter_id }), 404, 'letter_not_found');
      const nothing = { letter_id: randomUUID() };
      expectProblem(await client.post('/api/send', nothing), 404, 'letter_not_found');
    });

    it('are not sent once they are cancelled or deleted', async () => {
      const [one, two] = [await client.send({ draft: true }), await client.send({ draft: true })];
      await client.post(`/api/letters/${one.letter_id}/cancel`);
      await client.delete(`/api/letters/${two.letter_id}`);
      const send = ({ letter_id }: Sent) => client.post('/api/send', { letter_id });
      expectProblem(await send(one), 409, 'letter_not_sendable');
      expectProblem(await send(two), 410, 'letter_deleted');
      expect(await client.balance()).to.include({ available: 100, held: 0 });
    });
  });
});
