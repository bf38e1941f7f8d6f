import { expect } from 'chai';
import { clientOf, expectProblem, letterTo, type PageOf, until } from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type TopUp = {
  topup_id: string;
  status: string;
  credited: number | null;
  checkout_url: string;
  charged: { amount: number; currency: string };
  taken_back: number;
};

describe('topping up by card', () => {
  let stripe: StripeServer;
  let service: TestService;
  before(async () => {
    stripe = await startStripe();
    service = await startTestService({
      ...stripe.env,
    });
    stripe.tellTo(`${service.url}/webhooks/stripe`);
  });
  after(async () => {
    await service?.stop();
    await stripe?.stop();
  });
  const { register, call } = clientOf(() => service);
  type Account = Awaited<ReturnType<typeof register>>;

  const ask = async (account: Account, body: object = {}, key = crypto.randomUUID()) => {
    const asked = await account.post<TopUp>(
      '/api/topup',
      { method: 'card', amount: 20, ...body },
      { 'Idempotency-Key': key },
    );
    expect(asked.status, asked.text).to.equal(201);
    return asked.body;
  };
  const shown = async (account: Account, { topup_id }: TopUp) =>
    (await account.get<TopUp>(`/api/topup/${topup_id}`)).body;
  const state = async (account: Account, topUp: TopUp) => (await shown(account, topUp)).status;
  const available = async (account: Account) => (await account.balance()).available;

  it('waits for twenty at a time of one account, and the next one says what to do', async () => {
    const account = await register('live');
    const answers = await Promise.all(
      Array.from({ length: 24 }, () =>
        account.post<TopUp & { topup_ids: string[] }>('/api/topup', { method: 'card', amount: 20 }),
      ),
    );
    const taken = answers.flatMap(({ status, body }) => (status === 201 ? [body] : []));
    expect(taken).to.have.length(20);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 409, 'topup_limit_reached');
      const ids = taken.map(({ topup_id }) => topup_id);
      expect(answer.body.topup_ids).to.have.members(ids);
    }
    const [first] = taken;
    if (!first) throw new Error('none was taken');
    const session = stripe.complete(first.checkout_url);
    expect(await stripe.tell('checkout.session.completed', session)).to.equal(200);
    await ask(account);
  });

  it('hands out a checkout and credits it once, however often it is told', async () => {
    const account = await register('live');
    const key = crypto.randomUUID();
    const topUp = await ask(account, {}, key);
    expect(await ask(account, {}, key)).to.deep.equal(topUp);
    const page = `http://localhost/console/wallet/top-ups/${topUp.topup_id}`;
    const { success_url, cancel_url } = stripe.sessionAt(topUp.checkout_url);
    expect([success_url, cancel_url]).to.deep.equal([page, page]);
    const session = stripe.complete(topUp.checkout_url);
    for (const _ of [1, 2, 3]) {
      expect(await stripe.tell('checkout.session.completed', session)).to.equal(200);
    }
    expect(await state(account, topUp)).to.equal('paid');
    await until(async () => (await available(account)) === 20);
    expect((await account.balance()).funding.fiat).to.equal(20);
  });

  it('can be repeated with its key after the answer of the provider was lost', async () => {
    const account = await register('live');
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const repeat = () => account.post<TopUp>('/api/topup', { method: 'card', amount: 20 }, headers);
    stripe.setLosesAnswers(true);
    try {
      expectProblem(await repeat(), 503, 'payment_unavailable');
    } finally {
      stripe.setLosesAnswers(false);
    }
    let asked = await repeat();
    await until(async () => {
      if (asked.status !== 201) asked = await repeat();
      return asked.status === 201;
    });
    expect((await repeat()).body).to.deep.equal(asked.body);
    const { checkout_url: url } = asked.body;
    await stripe.tell('checkout.session.completed', stripe.complete(url));
    await until(async () => (await available(account)) === 20);
  });

  it('is listed to its account, the latest first, without the payments of orders', async () => {
    const account = await register('live');
    const list = async (by: Account, query = '') => {
      const answer = await by.get<PageOf<TopUp>>(`/api/topup${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    expect((await list(account)).data).to.deep.equal([]);
    const paid = await ask(account);
    const waiting = await ask(account, { amount: 30, currency: 'CAD' });
    const order = letterTo('DE', { email: 'payer@example.com' });
    const ordered = await account.post('/api/orders', order);
    expect(ordered.status, ordered.text).to.equal(201);
    await stripe.tell('checkout.session.completed', stripe.complete(paid.checkout_url));
    // The row may be behind the payment, and is then left out of both.
    await until(async () => (await list(account, '?status=paid')).data.length === 1);
    const shown = await Promise.all(
      [waiting, paid].map(async ({ topup_id: id }) => (await account.get(`/api/topup/${id}`)).body),
    );
    expect((await list(account)).data).to.deep.equal(shown);
    expect((await list(account, '?status=pending')).data).to.deep.equal([waiting]);
    expect((await list(account, '?status=expired')).data).to.deep.equal([]);
    const first = await list(account, '?limit=1');
    expect(first.data).to.deep.equal(shown.slice(0, 1));
    const rest = await list(account, `?limit=1&cursor=${first.next_cursor}`);
    expect(rest).to.deep.equal({ data: shown.slice(1), has_more: false, next_cursor: null });
    expect((await list(await register('live'))).data).to.deep.equal([]);
    expectProblem(await account.get('/api/topup?cursor=nothing'), 422, 'invalid_cursor');
    expectProblem(await account.get('/api/topup?status=open'), 422, 'validation_failed');
  });

  it('charges the amount and the currency that it names, whatever the settings at the provider are', async () => {
    const account = await register('live');
    const topUp = await ask(account, { amount: 30, currency: 'CAD' });
    const ordered = await account.post<TopUp>(
      '/api/orders',
      letterTo('DE', { email: 'p@example.com' }),
    );
    for (const { checkout_url: url } of [topUp, ordered.body])
      expect(stripe.sessionAt(url).isLocalized).to.equal(false);
  });

  it('charges euros at the dated rate, rounded up', async () => {
    const account = await register('live');
    const topUp = await ask(account, { amount: 10, currency: 'EUR' });
    expect(topUp.charged).to.deep.equal({ amount: 8.63, currency: 'EUR' });
    await stripe.tell('checkout.session.completed', stripe.complete(topUp.checkout_url));
    await until(async () => (await available(account)) === 10);
  });

  it('waits for a delayed method, and takes its success', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    await stripe.tell('checkout.session.completed', stripe.complete(topUp.checkout_url, true));
    expect(await state(account, topUp)).to.equal('pending');
    const settled = stripe.settle(topUp.checkout_url);
    await stripe.tell('checkout.session.async_payment_succeeded', settled);
    expect(await state(account, topUp)).to.equal('paid');
  });

  it('ends with a delayed method that failed', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    await stripe.tell('checkout.session.completed', stripe.complete(topUp.checkout_url, true));
    expect(await state(account, topUp)).to.equal('pending');
    const failed = stripe.fail(topUp.checkout_url);
    expect(await stripe.tell('checkout.session.async_payment_failed', failed)).to.equal(200);
    await until(async () => (await state(account, topUp)) === 'expired');
    expect(await available(account)).to.equal(0);
  });

  it('never believes a webhook more than the provider itself', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    const forged = { ...stripe.sessionAt(topUp.checkout_url), payment_status: 'paid' };
    expect(await stripe.tell('checkout.session.completed', forged)).to.equal(200);
    expect(await state(account, topUp)).to.equal('pending');
    expect(await stripe.tell('checkout.session.completed', forged, 'whsec_other')).to.equal(401);
    const unsigned = await call('POST', '/webhooks/stripe', { id: 'evt_1', type: 'x', data: {} });
    expect(unsigned.status).to.equal(401);
  });

  it('expires with its checkout', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    expect(await shown(account, topUp)).to.include({ checkout_url: topUp.checkout_url });
    await stripe.tell('checkout.session.expired', stripe.expire(topUp.checkout_url));
    await until(async () => (await state(account, topUp)) === 'expired');
    expect(await shown(account, topUp)).not.to.have.property('checkout_url');
  });

  it('takes refunds and disputes back, each once, and gives back a dispute that was won', async () => {
    const account = await register('live');
    const key = crypto.randomUUID();
    const topUp = await ask(account, {}, key);
    const isTakenBack = async (amount: number) => {
      const { body } = await account.get<PageOf<TopUp>>('/api/topup');
      const all = [await shown(account, topUp), await ask(account, {}, key), ...body.data];
      expect(all.map((one) => one.taken_back)).to.deep.equal([amount, amount, amount]);
    };
    await isTakenBack(0);
    const session = stripe.complete(topUp.checkout_url);
    await stripe.tell('checkout.session.completed', session);
    const payment_intent = session.payment_intent;
    stripe.refund(topUp.checkout_url, 500);
    for (const _ of [1, 2]) await stripe.tell('charge.refunded', { payment_intent });
    await until(async () => (await available(account)) === 15);
    await isTakenBack(5);
    const dispute = stripe.dispute(topUp.checkout_url, 2_000);
    await stripe.tell('charge.dispute.created', { payment_intent });
    await until(async () => (await available(account)) === 0);
    await isTakenBack(20);
    dispute.status = 'won';
    for (const _ of [1, 2]) await stripe.tell('charge.dispute.closed', { payment_intent });
    await until(async () => (await available(account)) === 15);
    await isTakenBack(5);
  });

  /** A paid top-up of $20, and how the provider reports its later changes. */
  const paidTopUp = async (account: Account, body: object = {}) => {
    const topUp = await ask(account, body);
    const session = stripe.complete(topUp.checkout_url);
    await stripe.tell('checkout.session.completed', session);
    const { payment_intent } = session;
    return { ...topUp, session, tell: (type: string) => stripe.tell(type, { payment_intent }) };
  };

  it('gives back what a refund took that failed later', async () => {
    const account = await register('live');
    const topUp = await paidTopUp(account);
    const refund = stripe.refund(topUp.checkout_url, 500);
    refund.status = 'pending';
    await topUp.tell('charge.refunded');
    await until(async () => (await available(account)) === 15);
    refund.status = 'failed';
    for (const _ of [1, 2]) await topUp.tell('refund.failed');
    await until(async () => (await available(account)) === 20);
    stripe.refund(topUp.checkout_url, 2_000);
    await topUp.tell('charge.refunded');
    await until(async () => (await available(account)) === 0);
  });

  it('takes back what is refunded after a dispute was won', async () => {
    const account = await register('live');
    const topUp = await paidTopUp(account);
    const dispute = stripe.dispute(topUp.checkout_url, 2_000);
    await topUp.tell('charge.dispute.created');
    dispute.status = 'won';
    await topUp.tell('charge.dispute.closed');
    await until(async () => (await available(account)) === 20);
    stripe.refund(topUp.checkout_url, 2_000);
    for (const _ of [1, 2]) await topUp.tell('charge.refunded');
    await until(async () => (await available(account)) === 0);
  });

  it('takes only those prevented disputes back that took money', async () => {
    const account = await register('live');
    const topUp = await paidTopUp(account);
    const blocked = stripe.dispute(topUp.checkout_url, 2_000);
    Object.assign(blocked, { status: 'prevented', balance_transactions: [] });
    await topUp.tell('charge.dispute.created');
    stripe.refund(topUp.checkout_url, 500);
    await topUp.tell('charge.refunded');
    await until(async () => (await available(account)) === 15);
    stripe.dispute(topUp.checkout_url, 2_000).status = 'prevented';
    await topUp.tell('charge.dispute.created');
    await until(async () => (await available(account)) === 0);
  });

  it('takes all of it back by refunds of parts, also of euros', async () => {
    const account = await register('live');
    const topUp = await paidTopUp(account, { amount: 10, currency: 'EUR' });
    for (const part of [287, 288, 288]) {
      stripe.refund(topUp.checkout_url, part);
      await topUp.tell('charge.refunded');
    }
    await until(async () => (await available(account)) === 0);
  });

  it('credits nothing of a checkout in a currency that it never charges', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    const session = stripe.complete(topUp.checkout_url);
    session.currency = 'jpy';
    expect(await stripe.tell('checkout.session.completed', session)).to.equal(409);
    expect(await state(account, topUp)).to.equal('pending');
  });

  it('asks for the webhook again while the provider is away', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    const session = stripe.complete(topUp.checkout_url);
    stripe.setDown(true);
    expect(await stripe.tell('checkout.session.completed', session)).to.equal(503);
    stripe.setDown(false);
    expect(await stripe.tell('checkout.session.completed', session)).to.equal(200);
    expect(await state(account, topUp)).to.equal('paid');
  }).timeout(180_000);
});

describe('topping up by card in a process without a console', () => {
  it('leads back to the home page', async () => {
    const stripe = await startStripe();
    const roles = { ROLES: 'write-api,read-api,projections,reactors' };
    const service = await startTestService({ ...stripe.env, ...roles });
    try {
      const account = await clientOf(() => service).register('live');
      const key = { 'Idempotency-Key': crypto.randomUUID() };
      const wish = { method: 'card', amount: 20 };
      const { body, text } = await account.post<TopUp>('/api/topup', wish, key);
      const { success_url, cancel_url } = stripe.sessionAt(body.checkout_url);
      expect([success_url, cancel_url], text).to.deep.equal(Array(2).fill('http://localhost/'));
    } finally {
      await service.stop();
      await stripe.stop();
    }
  });
});
