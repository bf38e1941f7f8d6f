/** Services and prices change while drafts, letters and accepted offers are there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, expectProblem, letterTo, recipientIn } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

type Letter = { letter_id: string; status: string; service: string; price: { total: number } };
type Quote = { quote_id: string; total: number };
type Offer = { offer_id: string };
type Commitment = { commitment_id: string; locked_price: number };

describe('services and prices that change', function () {
  this.timeout(180_000);
  let dataDir: string;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let service: TestService;
  const api = clientOf(() => service);

  const start = async (env: Record<string, string> = {}) => {
    service = await startTestService({ ...env, DATA_DIR: dataDir, DATABASE_URL: database.url });
  };
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-offering-'));
    database = await serviceDatabase();
    await start();
  });
  after(async () => {
    await service?.stop();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('leave what was agreed before, and apply to everything else', async () => {
    const account = await api.register();
    const american = letterTo('US', { service: 'us_first_class' });
    const german = letterTo('DE', { service: 'de_standardbrief', intent: 'bulk_marketing' });
    const send = (letter: object) => account.post<Letter>('/api/send', letter);
    const accepted = (await send(american)).body;
    const draft = (await send({ ...american, draft: true })).body;
    const germanDraft = (await send({ ...german, draft: true })).body;
    const quote = (await account.post<Quote>('/api/quote', german)).body;
    const agree = async (of: object) => {
      const offer = (await account.post<Offer>('/api/anp/offer', of)).body;
      const wish = { offer_id: offer.offer_id, tier: 'economy', payment_method: 'fiat' };
      return (await account.post<Commitment>('/api/anp/accept', wish)).body;
    };
    const toUs = await agree({ intent: 'transactional', to_country: 'US' });
    const before = (await send(german)).body.price.total;

    await service.stop();
    const path = join(dataDir, 'prices.json');
    const rate = { currency: 'EUR', from: '2026-01-01', usd: '9.00', source: 'test' };
    await writeFile(path, JSON.stringify({ exchange_rates: [rate] }));
    await start({ SERVICES: 'de_standardbrief', PRICE_LIST: path });

    const quoted = await send({ ...german, quote_id: quote.quote_id });
    expect(quoted.body.price, quoted.text).to.include({ total: before });
    const now = (await send(german)).body.price.total;
    expect(now).to.be.above(5 * before);
    const fromDraft = await send({ letter_id: germanDraft.letter_id });
    expect(fromDraft.body.price).to.include({ total: now });
    expectProblem(await send({ letter_id: draft.letter_id }), 422, 'service_not_available');
    expectProblem(await send(american), 422, 'service_not_available');
    const kept = await account.get<Letter>(`/api/letters/${draft.letter_id}`);
    expect(kept.body.status).to.equal('draft');
    const committed = await send(letterTo('US', { commitment_id: toUs.commitment_id }));
    expect(committed.body.price, committed.text).to.include({ total: toUs.locked_price });
    const moved = { to_line1: '350 5th Ave', to_city: 'New York', to_state: 'NY' };
    const recipient = { ...recipientIn('US'), ...moved, to_postal_code: '10118' };
    const changed = await account.patch<Letter>(`/api/letters/${accepted.letter_id}`, recipient);
    expect(changed.body.service, changed.text).to.equal('us_first_class');
    const advance = `/api/test/letters/${accepted.letter_id}/advance`;
    const delivered = await account.post<Letter>(advance, { to: 'delivered' });
    expect(delivered.body.status, delivered.text).to.equal('delivered');
  });
});
