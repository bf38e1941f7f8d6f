/** A repetition is answered as at first, whatever has changed in the meantime. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { clientOf, expectProblem, letterTo } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

describe('a repetition under the same Idempotency-Key', () => {
  const time = createMovedClock(new Date().toISOString());
  let stripe: StripeServer;
  let service: TestService;
  before(async () => {
    stripe = await startStripe();
    service = await startTestService(
      {
        ...stripe.env,
        LIMIT_EXCHANGE_RATE_DAYS: '1000',
      },
      { clock: time.clock },
    );
  });
  after(async () => {
    await service?.stop();
    await stripe?.stop();
  });
  const { register } = clientOf(() => service);
  type Account = Awaited<ReturnType<typeof register>>;
  const email = 'payer@example.com';
  const under = () => ({ 'Idempotency-Key': randomUUID() });
  const pass = (minutes: number) =>
    time.moveTo(new Date(time.clock() + minutes * 60_000).toISOString());

  const quoteOf = async ({ post }: Account): Promise<string> =>
    (await post<{ quote_id: string }>('/api/quote', letterTo('DE'))).body.quote_id;

  /** Asks, lets time pass, and asks again with the same body and with another one. */
  const repeat = async (
    { post }: Account,
    [path, body]: [path: string, body: object],
    minutes: number,
  ) => {
    const headers = under();
    const first = await post(path, body, headers);
    expect(first.status, first.text).to.equal(201);
    pass(minutes);
    const again = await post(path, body, headers);
    expect(again.headers.get('idempotent-replayed'), again.text).to.equal('true');
    expect(again.text).to.equal(first.text);
    const other = await post(path, { ...body, max_total: 99 }, headers);
    expectProblem(other, 422, 'idempotency_key_reused');
  };

  for (const [what, path, more] of [
    ['a letter', '/api/send', {}],
    ['a draft', '/api/send', { draft: true }],
    ['an order', '/api/orders', { email }],
  ] as const) {
    it(`is answered as at first after the quote expired: ${what}`, async () => {
      const account = await register(path === '/api/send' ? 'test' : 'live');
      const body = letterTo('DE', { quote_id: await quoteOf(account), ...more });
      await repeat(account, [path, body], 20);
      expectProblem(await account.post(path, body, under()), 422, 'quote_expired');
    });
  }

  it('is answered as at first after the quote of a draft that was sent expired', async () => {
    const account = await register();
    const { letter_id } = await account.send({ draft: true });
    await repeat(account, ['/api/send', { letter_id, quote_id: await quoteOf(account) }], 20);
  });

  for (const more of [{}, { max_total: 9 }]) {
    it(`is answered as at first after the send date of an order: ${JSON.stringify(more)}`, async () => {
      const account = await register('live');
      const send_date = new Date(time.clock()).toISOString().slice(0, 10);
      await repeat(account, ['/api/orders', letterTo('DE', { email, send_date, ...more })], 1_440);
    });
  }

  for (const [what, pathOf] of [
    ['the audit', (id: string) => `/api/identity/audit/${id}/link`],
    ['the tracking', (id: string) => `/api/letters/${id}/tracking-link`],
  ] as const) {
    it(`shows a link to ${what} of a letter for ten minutes`, async () => {
      const { post, send } = await register();
      const path = pathOf((await send({ draft: true })).letter_id);
      const headers = under();
      const ask = () => post<{ url: string }>(path, undefined, headers);
      const first = await ask();
      expect(first.status, first.text).to.equal(201);
      pass(9);
      expect((await ask()).text).to.equal(first.text);
      pass(2);
      const late = await ask();
      expectProblem(late, 409, 'secret_not_repeated');
      expect(late.text).not.to.contain(new URL(first.body.url).searchParams.get('token'));
    });
  }
});
