import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { usualPrices } from '../../postal/pricing.ts';
import { priceFileOf } from '../../service/config/price-list.ts';
import { clientOf, letterTo, until } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type Priced = { total: number; pricing_version: string };
type Letter = { letter_id: string; price: Priced; pricing_version: string };
type Accepted = { commitment_id: string };
type Offer = { tiers: { fiat: { total: number } }[]; pricing_version: string };

describe('an installation with its own prices', () => {
  let folder = '';
  let stripe: StripeServer;
  let service: TestService;
  const { register } = clientOf(() => service);
  let path = '';
  const writePrices = (firstSheet: string): void => {
    const from = '2026-01-01';
    const source = 'our contracts';
    const rest = { further_sheet: '0.05', color_page: '0.10', large_envelope: '0.20', source };
    const usual = priceFileOf(usualPrices, from).postage ?? [];
    const german = usual.filter((row) => row.service === 'de_standardbrief');
    const prices = {
      exchange_rates: [{ currency: 'EUR', from, usd: '2.00', source }],
      print_prices: [{ from, first_sheet: firstSheet, ...rest }],
      postage: german.map((row) => ({
        ...row,
        from,
        source,
        amount: (Number(row.amount) + 0.55).toFixed(2),
      })),
    };
    writeFileSync(path, JSON.stringify(prices));
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'letters-test-own-prices-'));
    path = join(folder, 'prices.json');
    writePrices('1.00');
    stripe = await startStripe();
    service = await startTestService({ ...stripe.env, PRICE_LIST: path });
  });
  after(async () => {
    await service?.stop();
    await stripe?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // 1.50 EUR at 2.00 and 1.00 for the sheet, with 5 % of both.
  const total = 4.2;
  const letter = letterTo('DE', { service: 'de_standardbrief', intent: 'bulk_marketing' });

  it('asks them for quotes, letters and offers, under a version of their own', async () => {
    const account = await register();
    const quote = await account.post<Priced>('/api/quote', letter);
    expect(quote.body).to.include({ total });
    const { pricing_version: version } = quote.body;
    expect(version).to.match(/^[\d.-]+\+[0-9a-f]{12}$/);
    const dry = await account.post<Letter>('/api/send', { ...letter, dry_run: true });
    expect(dry.body.price).to.include({ total });
    const sent = await account.post<Letter>('/api/send', letter);
    expect(sent.body.price).to.include({ total });
    const { body } = await account.get<Letter>(`/api/letters/${sent.body.letter_id}`);
    expect(body.pricing_version).to.equal(version);
    const wish = { intent: 'bulk_marketing', to_country: 'DE', service: 'de_standardbrief' };
    const offer = await account.post<Offer>('/api/anp/offer', wish);
    expect(offer.body.pricing_version).to.equal(version);
    expect(offer.body.tiers.map(({ fiat }) => fiat.total)).to.deep.equal([total, total, total]);
  });

  it('shows them in the catalogue and on the home page', async () => {
    const account = await register();
    const { text } = await account.get('/api/services/DE');
    expect(text).to.contain('"price_from":{"total":4.2,').and.to.contain('our contracts');
    const home = await fetch(service.url, { headers: { Accept: 'text/html' } });
    expect(await home.text()).to.contain('<td>$4.20</td>');
  });

  it('charges cards in other currencies at its exchange rate', async () => {
    const account = await register('live');
    const wish = { method: 'card', amount: 20, currency: 'EUR' };
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const { body } = await account.post<{ charged: object }>('/api/topup', wish, key);
    expect(body.charged).to.include({ amount: 10, currency: 'EUR' });
  });

  it('asks the prices of a changed file, and keeps those that it promised', async () => {
    const account = await register();
    const wish = { intent: 'bulk_marketing', to_country: 'DE', service: 'de_standardbrief' };
    const offer = async () => (await account.post<Offer>('/api/anp/offer', wish)).body;
    const quoted = (await account.post<Priced & { quote_id: string }>('/api/quote', letter)).body;
    const before = await offer();
    const accepted = await account.post<Accepted>('/api/anp/accept', {
      offer: before,
      tier: 'economy',
    });
    expect(accepted.status, accepted.text).to.equal(201);
    writePrices('3.00');
    // 1.50 EUR at 2.00 and 3.00 for the sheet, with 5 % of both.
    const later = 6.3;
    await until(
      async () => (await account.post<Priced>('/api/quote', letter)).body.total === later,
    );
    const after = await offer();
    expect(after.tiers.map(({ fiat }) => fiat.total)).to.deep.equal([later, later, later]);
    expect(after.pricing_version).not.to.equal(before.pricing_version);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const info = /^service_info\{version="[\d.]+",prices="(.+)",services="all"\} 1$/gm;
    expect([...metrics.matchAll(info)].map(([, prices]) => prices)).to.deep.equal([
      after.pricing_version,
    ]);
    const catalogue = await account.get('/api/services/DE');
    expect(catalogue.text).to.contain('"price_from":{"total":6.3,');
    const home = await fetch(service.url, { headers: { Accept: 'text/html' } });
    expect(await home.text()).to.contain('<td>$6.30</td>');
    const { commitment_id } = accepted.body;
    for (const [more, expected] of [
      [{}, later],
      [{ quote_id: quoted.quote_id }, total],
      [{ commitment_id }, total],
    ] as const) {
      const sent = await account.post<Letter>('/api/send', { ...letter, ...more });
      expect(sent.body.price?.total, sent.text).to.equal(expected);
    }
  });
});
