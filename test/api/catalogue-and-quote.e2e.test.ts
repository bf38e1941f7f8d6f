import { expect } from 'chai';
import { serviceIds } from '../../postal/types.ts';
import { expectMembers, expectProblem, letterTo, useService } from '../support/client.ts';

type Service = {
  service: string;
  tracking: string;
  proof_levels: string[];
  intents: string[];
  sla_days: number;
  max_sheets: number;
  price_from: { total: number; currency: string };
};
type Catalogue = {
  country: 'US' | 'FR' | 'GB' | 'CA' | 'DE';
  name: string;
  currency: string;
  services: Service[];
  intents: { intent: string; sla_days: number; services: string[] }[];
};
type Lines = {
  postage: number;
  print: number;
  commission: number;
  total: number;
  currency: string;
};
type Price = {
  postage: number;
  printing: number;
  handling: number;
  commission: number;
  total: number;
};
type Quote = Lines & {
  price: Price;
  sla_days: number;
  warnings: { pointer: string; code: string; detail: string }[];
  quote_id: string;
  service: string;
  intent: string;
  pages: number;
  sheets: number;
  payment: string;
  crypto: Lines;
  fiat: Lines;
  local: { currency: string; postage: number; rate: string };
  expires_at: string;
  test: boolean;
};

const currencies = { US: 'USD', FR: 'EUR', GB: 'GBP', CA: 'CAD', DE: 'EUR' } as const;
const countries = Object.keys(currencies) as (keyof typeof currencies)[];
const asyncServices = ['fr_lettre_suivie', 'fr_lettre_recommandee'];
const untracked = [
  'fr_lettre_verte',
  'us_first_class',
  'gb_first_class',
  'gb_second_class',
  'ca_lettermail',
  'de_standardbrief',
];
const cents = (amount: number): number => Math.round(amount * 100);

describe('catalogue and quote over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  before(async () => {
    client = await api.register();
  });
  const quote = async (body: object): Promise<Quote> => {
    const answer = await client.post<Quote>('/api/quote', body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };

  it('says from which day each postage is valid', async () => {
    const { body } = await client.get<{ services: { rate_valid_from: string }[] }>(
      '/api/services/US',
    );
    for (const { rate_valid_from } of body.services) expect(rate_valid_from).to.equal('2025-07-13');
  });

  it('warns of a price above max_total, which a send would be refused for', async () => {
    const { warnings, total } = await quote({ to_country: 'DE', pages: 1, max_total: 1 });
    expect(total).to.be.above(1);
    expect(warnings.map(({ pointer, code }) => [pointer, code])).to.deep.equal([
      ['/max_total', 'max_total_exceeded'],
    ]);
    expect(warnings[0]?.detail).to.contain('above max_total $1.00');
    expect((await quote({ to_country: 'DE', pages: 1, max_total: 5 })).warnings).to.deep.equal([]);
  });

  it('names a parameter of a query, an id and the methods as the caller would write them', async () => {
    const query = await client.get<{ errors: { detail: string }[] }>('/api/letters?status=nope');
    expect(query.body.errors[0]?.detail).to.match(/^status must be one of /);
    const path = await client.get<{ detail: string }>('/api/letters/abc');
    expect(path.status).to.equal(404);
    expect(path.body.detail).to.equal('"abc" is not a valid id; ids of this kind are UUIDs.');
    const method = await client.get<{ detail: string }>('/api/quote');
    expect(method.status).to.equal(405);
    expect(method.body.detail).to.equal('GET is not allowed for this path. Use POST.');
  });

  it('lists the 16 services of the five countries with their tracking classes', async () => {
    const found: string[] = [];
    for (const country of countries) {
      const { status, body } = await client.get<Catalogue>(`/api/services/${country}`);
      expect(status).to.equal(200);
      expectMembers(body, ['country', 'name', 'currency', 'services', 'intents']);
      expect(body).to.include({ country, currency: currencies[country] });
      expect(body.intents.map(({ sla_days }) => sla_days)).to.deep.equal([1, 1, 2, 2, 3, 5]);
      for (const service of body.services) {
        expect(service).to.include.all.keys(
          'service',
          'name',
          'operator',
          'tracking',
          'proof_levels',
          'intents',
          'sla_days',
          'max_sheets',
          'price_from',
        );
        const tracked = asyncServices.includes(service.service) ? 'async' : 'sync';
        const expected = untracked.includes(service.service) ? 'none' : tracked;
        expect(service.tracking, service.service).to.equal(expected);
        expect(service.price_from.total).to.be.above(0);
        found.push(service.service);
      }
    }
    expect(found.sort()).to.deep.equal([...serviceIds].sort());
  });

  it('names the five countries to one who asks for another', async () => {
    expect((await client.get('/api/services/de')).status).to.equal(200);
    for (const country of ['IT', 'DEU', 'Germany', '%F0%9F%87%A9', '..%2f']) {
      const answer = await client.get(`/api/services/${country}`);
      const { detail } = expectProblem(answer, 404, 'country_not_supported');
      for (const code of countries) expect(detail).to.contain(code);
    }
  });

  it('names the country of places that have a code of their own', async () => {
    for (const [own, place, country] of [
      ['PR', 'Puerto Rico', 'US'],
      ['GP', 'overseas France', 'FR'],
      ['MC', 'Monaco', 'FR'],
      ['JE', 'Jersey', 'GB'],
      ['IM', 'the Isle of Man', 'GB'],
    ]) {
      const listed = await client.get(`/api/services/${own}`);
      const { detail } = expectProblem(listed, 404, 'country_not_supported');
      const sent = await client.post('/api/send', { ...letterTo('GB'), to_country: own });
      const { errors } = expectProblem(sent, 422, 'validation_failed', '/to_country');
      for (const said of [detail, errors?.[0]?.hint]) {
        expect(said, own).to.match(new RegExp(`${place}[A-Za-z ,]* (?:have )?${country}\\b`));
      }
    }
  });

  it('has a price for one page of each service that is its price_from', async () => {
    for (const country of countries) {
      const { body } = await client.get<Catalogue>(`/api/services/${country}`);
      for (const { service, price_from } of body.services) {
        const quoted = await quote({ to_country: country, service, pages: 1 });
        expect(quoted.total, service).to.equal(price_from.total);
      }
    }
  });

  it('quotes postage, print and commission that make the total, in both ways to pay', async () => {
    for (const country of countries) {
      for (const pages of [1, 5, 12]) {
        const quoted = await quote({ to_country: country, pages });
        expectMembers(quoted, [
          'quote_id',
          'findings',
          'service',
          'intent',
          'content_type',
          'sla_days',
          'price',
          'pages',
          'sheets',
          'postage',
          'print',
          'commission',
          'total',
          'currency',
          'payment',
          'crypto',
          'fiat',
          'local',
          'pricing_version',
          'expires_at',
          'warnings',
          'preview_url',
          'test',
        ]);
        for (const lines of [quoted, quoted.fiat, quoted.crypto]) {
          const sum = cents(lines.postage) + cents(lines.print) + cents(lines.commission);
          expect(sum).to.equal(cents(lines.total));
          expect(lines.currency).to.equal('USD');
        }
        expect(quoted.total).to.equal(quoted[quoted.payment as 'fiat' | 'crypto'].total);
        for (const [way, rate] of [
          ['fiat', 0.05],
          ['crypto', 0.025],
        ] as const) {
          const { postage, print, commission } = quoted[way];
          expect(cents(commission)).to.equal(Math.round((cents(postage) + cents(print)) * rate));
        }
        expect(quoted.local.currency).to.equal(currencies[country]);
        expect(quoted.sheets).to.equal(Math.ceil(pages / 2));
        const minutes = (Date.parse(quoted.expires_at) - Date.now()) / 60_000;
        expect(minutes).to.be.within(14, 15);
      }
    }
  });

  it('quotes the body of a send as the send then costs', async () => {
    const body = letterTo('GB', { content: 'A line.\n\n'.repeat(200), color: true, duplex: false });
    const quoted = await quote(body);
    const sent = await client.send(body);
    expect(sent.price.total).to.equal(quoted.total);
    expect([sent.pages, sent.sheets]).to.deep.equal([quoted.pages, quoted.sheets]);
    expect(quoted.pages).to.be.above(1);
    expect(quoted.sheets).to.equal(quoted.pages);
  });

  it('has the breakdown of a letter, which adds up and is what the send then says', async () => {
    for (const country of countries) {
      const body = letterTo(country, { intent: 'legal_compliance' });
      const { price, ...quoted } = await quote(body);
      const { postage, printing, handling, commission, total } = price;
      expect(cents(postage) + cents(printing) + cents(handling)).to.equal(cents(total));
      expect([total, postage, commission]).to.deep.equal([
        quoted.total,
        quoted.postage,
        quoted.commission,
      ]);
      expect((await client.send(body)).price).to.deep.equal(price);
    }
  });

  it('is for the cheapest letter of the country where neither service nor intent is asked for', async () => {
    for (const country of countries) {
      const usual = await quote({ to_country: country, pages: 1 });
      expect(usual.intent).to.equal('transactional');
      expect(usual.warnings).to.deep.equal([]);
      const { body } = await client.get<Catalogue>(`/api/services/${country}`);
      const cheapest = Math.min(...body.services.map(({ price_from }) => price_from.total));
      expect(usual.total, country).to.equal(cheapest);
      const service = body.services.find((one) => one.service === usual.service);
      expect(usual.sla_days).to.equal(service?.sla_days);
    }
  });

  it('is for the service and transactional where only the service is asked for', async () => {
    for (const service of serviceIds) {
      const to_country = service.slice(0, 2).toUpperCase();
      const quoted = await quote({ to_country, service, pages: 1 });
      expect(quoted).to.include({ service, intent: 'transactional' });
      expect(quoted.warnings).to.deep.equal([]);
    }
  });

  it('warns where the service that was asked for lacks what the intent stands for, naming those that have it', async () => {
    const ask = (service: string, intent: string) =>
      quote({ to_country: service.slice(0, 2).toUpperCase(), service, intent, pages: 1 });
    const { warnings, ...quoted } = await ask('us_first_class', 'transactional');
    expect(quoted).to.include({ service: 'us_first_class', intent: 'transactional', sla_days: 5 });
    expect(warnings.map(({ code, pointer }) => [code, pointer])).to.deep.equal([
      ['intent_not_met', '/intent'],
    ]);
    expect(warnings[0]?.detail).to.contain('tracking').and.contain('5').and.contain('us_priority');
    expect((await ask('us_priority', 'transactional')).warnings).to.deep.equal([]);
    expect((await ask('us_first_class', 'bulk_marketing')).warnings).to.deep.equal([]);
  });

  it('says so where no service of the country is as fast as the intent', async () => {
    const quoted = await quote({ to_country: 'DE', intent: 'legal_compliance', pages: 1 });
    expect(quoted.sla_days).to.equal(3);
    expect(quoted.warnings.map(({ code }) => code)).to.deep.equal(['sla_not_available']);
    const british = await quote({ to_country: 'GB', intent: 'confidential', pages: 1 });
    expect(british.warnings).to.deep.equal([]);
    const sent = await client.send({ intent: 'legal_compliance', service: 'de_einschreiben' });
    expect(sent).to.deep.include({ sla_days: 3 });
    expect(sent.warnings.map(({ code }) => code)).to.include('sla_not_available');
  });

  it('is refused for a class that promises and a service that does not keep it', async () => {
    for (const intent of [
      'confidential',
      'legal_compliance',
      'regulatory_filing',
      'time_critical',
    ]) {
      const body = { to_country: 'DE', service: 'de_standardbrief', intent, pages: 1 };
      const answer = await client.post('/api/quote', body);
      const { detail } = expectProblem(answer, 422, 'service_not_available', '/service');
      expect(detail).to.contain('de_einschreiben');
    }
  });

  it('keeps its warning in the draft, and loses it where another country has another service', async () => {
    const draft = await client.send({
      service: 'de_standardbrief',
      intent: 'transactional',
      draft: true,
    });
    const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map((w) => w.code);
    expect(codes(draft)).to.include('intent_not_met');
    const path = `/api/letters/${draft.letter_id}`;
    await client.patch(path, { to_name: 'Berta Müller' });
    expect(codes(await client.letter(draft.letter_id))).to.include('intent_not_met');
    const { to_name, to_line1, to_city, to_postal_code, to_country } = letterTo('US');
    const to = { to_name, to_line1, to_city, to_postal_code, to_country };
    const moved = await client.patch(path, to);
    expect(moved.status, moved.text).to.equal(200);
    const letter = await client.letter(draft.letter_id);
    expect(letter).to.include({ service: 'us_first_class', intent: 'transactional' });
    expect(codes(letter)).not.to.include('intent_not_met');
  });

  it('takes the cheapest service that meets the intent', async () => {
    for (const country of countries) {
      const { body } = await client.get<Catalogue>(`/api/services/${country}`);
      for (const { intent, services } of body.intents) {
        const picked = await quote({ to_country: country, intent, pages: 1 });
        expect(services).to.include(picked.service);
        for (const service of services) {
          const other = await quote({ to_country: country, intent, service, pages: 1 });
          expect(other.total, `${service} for ${intent}`).to.be.at.least(picked.total);
        }
      }
    }
  });

  it('names the services that fit when the service does not', async () => {
    const wrongIntent = await client.post('/api/quote', {
      to_country: 'DE',
      service: 'de_standardbrief',
      intent: 'legal_compliance',
      pages: 1,
    });
    const { detail } = expectProblem(wrongIntent, 422, 'service_not_available', '/service');
    expect(detail).to.contain('de_einschreiben');
    const wrongCountry = await client.post('/api/quote', {
      to_country: 'FR',
      service: 'de_standardbrief',
      pages: 1,
    });
    const there = expectProblem(wrongCountry, 422, 'service_not_available', '/service');
    expect(there.detail).to.contain('fr_lettre_verte or fr_lettre_suivie');
  });

  it('refuses what it cannot price, naming the field', async () => {
    const cases: [object, string][] = [
      [{ pages: 1 }, '/to_country'],
      [{ to_country: 'IT', pages: 1 }, '/to_country'],
      [{ to_country: 'DE' }, '/pages'],
      [{ to_country: 'DE', pages: 0 }, '/pages'],
      [{ to_country: 'DE', pages: 61 }, '/pages'],
      [{ to_country: 'DE', pages: 1.5 }, '/pages'],
      [{ to_country: 'DE', pages: '1' }, '/pages'],
      [{ to_country: 'DE', pages: 1, content: 'x' }, '/pages'],
      [{ to_country: 'DE', pages: 1, send_date: '2020-01-01' }, '/send_date'],
      [{ to_country: 'DE', pages: 1, send_date: '2099-01-01' }, '/send_date'],
      [{ to_country: 'DE', pages: 1, colour: true }, '/colour'],
    ];
    for (const [body, pointer] of cases) {
      expectProblem(await client.post('/api/quote', body), 422, 'validation_failed', pointer);
    }
    const tooLong = { to_country: 'US', content: 'a\n'.repeat(4000) };
    expectProblem(await client.post('/api/quote', tooLong), 422, 'too_many_pages');
    const secret = { to_country: 'DE', document_url: 'http://127.0.0.1/a.pdf' };
    const refused = await client.post('/api/quote', secret);
    expectProblem(refused, 422, 'document_not_supported', '/document_url');
  });

  it('checks addresses that are given whole', async () => {
    const wrong = letterTo('FR', { to_postal_code: '7500' });
    expectProblem(
      await client.post('/api/quote', wrong),
      422,
      'address_invalid',
      '/to_postal_code',
    );
  });

  describe('a quote_id in a send', () => {
    it('holds the price and the service', async () => {
      const quoted = await quote(letterTo('CA', { intent: 'time_critical' }));
      const sent = await client.send(letterTo('CA', { quote_id: quoted.quote_id }));
      expect(sent.price.total).to.equal(quoted.total);
      expect([sent.service, sent.intent]).to.deep.equal([quoted.service, quoted.intent]);
    });

    it('is refused for another letter, another account, and when it was tampered with', async () => {
      const { quote_id } = await quote({ to_country: 'DE', pages: 1 });
      const before = await client.balance();
      const other = await api.register();
      const cases = [
        [client, letterTo('DE', { quote_id, color: true }), 'quote_mismatch'],
        [client, letterTo('FR', { quote_id }), 'quote_mismatch'],
        [client, letterTo('DE', { quote_id, content: 'Page.\n\n'.repeat(300) }), 'quote_mismatch'],
        [other, letterTo('DE', { quote_id }), 'quote_invalid'],
        [client, letterTo('DE', { quote_id: `${quote_id.slice(0, -1)}!` }), 'quote_invalid'],
        [client, letterTo('DE', { quote_id: 'quote_' }), 'quote_invalid'],
      ] as const;
      for (const [who, body, code] of cases) {
        expectProblem(await who.post('/api/send', body), 422, code);
      }
      expect(await client.balance()).to.deep.equal(before);
    });

    it('of another country is named as the quote’s, not as that of a service', async () => {
      const { quote_id } = await quote({ to_country: 'DE', pages: 1 });
      const abroad = await client.post('/api/send', letterTo('FR', { quote_id }));
      expect(expectProblem(abroad, 422, 'quote_mismatch', '/to_country').detail).to.equal(
        'The quote is for a letter to DE, and this one goes to FR. Ask for a new quote.',
      );
    });
  });
});
