import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { orderStream } from '../../events/order.ts';
import { topUpStream } from '../../events/top-up.ts';
import { commandOf } from '../../operator/commands.ts';
import { consoleAt } from '../console/console-client.ts';
import { bisLetter } from '../documents/preflight/samples.ts';
import {
  clientOf,
  expectProblem,
  letterTo,
  type NewKeyJson,
  type NotificationJson,
  type PageOf,
  until,
} from '../support/client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type Order = {
  order_id: string;
  letter_id: string;
  status: string;
  checkout_url: string;
  amount: number;
  currency: string;
  expires_at: string;
  letter_status: string | null;
  delivery_outcome: string | null;
  credit_reason: string | null;
  taken_back: number;
};

describe('orders', () => {
  let stripe: StripeServer;
  let smtp: TestSmtpServer;
  let service: TestService;
  before(async () => {
    [stripe, smtp] = await Promise.all([startStripe(), startSmtpServer()]);
    service = await startTestService({
      ...stripe.env,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'post@letters.example.org',
    });
    stripe.tellTo(`${service.url}/webhooks/stripe`);
  });
  after(async () => {
    await service?.stop();
    await stripe?.stop();
    await smtp?.stop();
  });
  const { register, call, as } = clientOf(() => service);
  type Account = Awaited<ReturnType<typeof register>>;

  const email = 'payer@example.com';
  const order = async (account: Account, changes: object = {}, key = crypto.randomUUID()) => {
    const placed = await account.post<Order>('/api/orders', letterTo('DE', { email, ...changes }), {
      'Idempotency-Key': key,
    });
    expect(placed.status, placed.text).to.equal(201);
    return placed.body;
  };
  const read = async (account: Account, { order_id }: Order) =>
    (await account.get<Order>(`/api/orders/${order_id}`)).body;
  const becomes = (account: Account, placed: Order, status: string) =>
    until(async () => (await read(account, placed)).status === status);
  /** All of the payment is available. The balance may be behind the order. */
  const isCredit = (account: Account, { amount }: Order) =>
    until(async () => {
      const { available, held } = await account.balance();
      return available === amount && held === 0;
    });
  const isTold = (account: Account, type: string, { letter_id: id }: Order) =>
    until(async () => {
      const { body } = await account.get<PageOf<NotificationJson>>('/api/notifications');
      return body.data.some((one) => one.type === type && one.letter_id === id);
    });
  const pay = async ({ checkout_url }: Order) =>
    stripe.tell('checkout.session.completed', stripe.complete(checkout_url));
  const returnUrl = ({ checkout_url }: Order) =>
    new URL(stripe.sessionAt(checkout_url).success_url.replace('http://localhost', service.url));

  it('is part of the export of its account, with the address of its payer', async () => {
    const account = await register('live');
    const { order_id: id } = await order(account);
    const begun = await account.post<{ export_id: string }>(
      '/api/exports',
      {},
      {
        'Idempotency-Key': crypto.randomUUID(),
      },
    );
    const path = `/api/exports/${begun.body.export_id}`;
    await until(async () => (await account.get<{ status: string }>(path)).body.status === 'ready');
    const archive = await fetch(service.url + path, {
      headers: { Authorization: `Bearer ${account.key}`, Accept: 'application/zip' },
    });
    const files = unzipSync(new Uint8Array(await archive.arrayBuffer()));
    const lines = Buffer.from(files['events.ndjson'] ?? [])
      .toString('utf8')
      .trim()
      .split('\n');
    const events = lines.map((line) => JSON.parse(line));
    const placed = events.find(({ stream }) => stream === orderStream(id));
    expect(placed.personal).to.include({ email });
    expect(events.map(({ stream }) => stream)).to.include(topUpStream(id));
  });

  it('queues a document whose address is written in other words than it is normalised to', async () => {
    const account = await register('live');
    const { pdf, fields } = await bisLetter();
    const document = pdf.toString('base64');
    const body = letterTo('FR', { email, content: undefined, document, ...fields });
    const placed = await account.post<Order>('/api/orders', body, { 'Idempotency-Key': 'bis' });
    expect(placed.status, placed.text).to.equal(201);
    await pay(placed.body);
    await becomes(account, placed.body, 'queued');
  });

  it('queues the letter once it is paid, with that money alone, however often it is told', async () => {
    const account = await register('live');
    const key = crypto.randomUUID();
    const placed = await order(account, {}, key);
    expect(placed.status).to.equal('awaiting_payment');
    expect(await order(account, {}, key)).to.deep.equal(placed);
    expect((await account.letter(placed.letter_id)).status).to.equal('draft');
    expect(stripe.sessionAt(placed.checkout_url).customer_email).to.equal(email);
    const paid = stripe.complete(placed.checkout_url);
    await stripe.tell('checkout.session.expired', paid);
    for (const _ of [1, 2, 3]) {
      expect(await stripe.tell('checkout.session.completed', paid)).to.equal(200);
    }
    await becomes(account, placed, 'queued');
    await until(async () => (await account.letter(placed.letter_id)).status === 'queued');
    const letter = await account.letter(placed.letter_id);
    expect(letter.price.total).to.equal(placed.amount);
    await until(async () => (await account.balance()).held === placed.amount);
    const { available, transactions } = await account.balance();
    expect(available).to.equal(0);
    const reasons = transactions.map(({ type, reference }) => `${type} ${reference}`);
    expect(reasons.slice(0, 3)).to.deep.equal([
      'hold null',
      `release order ${placed.order_id}`,
      `hold order ${placed.order_id}`,
    ]);
    const { text: statement } = await account.get('/api/balance/statement');
    expect(statement).to.include(`,,,order ${placed.order_id}\r\n`);
    expect(await read(account, placed)).to.include({
      status: 'queued',
      letter_status: 'queued',
      checkout_url: null,
      taken_back: 0,
    });
  });

  it('leaves what the wallet has alone, crypto and all', async () => {
    const account = await register('live');
    const topUp = await account.post<{ checkout_url: string }>('/api/topup', {
      method: 'card',
      amount: 20,
    });
    await stripe.tell('checkout.session.completed', stripe.complete(topUp.body.checkout_url));
    await until(async () => (await account.balance()).available === 20);
    const placed = await order(account);
    await pay(placed);
    await becomes(account, placed, 'queued');
    await until(async () => (await account.balance()).held === placed.amount);
    expect((await account.balance()).available).to.equal(20);
  });

  it('names the letter to its payer in the language of the letter', async () => {
    const account = await register('live');
    const sold = await Promise.all(
      ['en', 'de', 'fr'].map(async (language) => {
        const { checkout_url: url } = await order(account, { language });
        return stripe.sessionAt(url).sold;
      }),
    );
    expect(sold).to.deep.equal([
      'A letter, printed and posted',
      'Ein Brief, gedruckt und zur Post gegeben',
      'Une lettre, imprimée et postée',
    ]);
  });

  it('charges euros for a letter that is priced in dollars', async () => {
    const account = await register('live');
    const inDollars = await order(account);
    const inEuros = await order(account, { currency: 'EUR' });
    expect(inEuros.currency).to.equal('EUR');
    expect(inEuros.amount).to.be.lessThan(inDollars.amount);
    expect(stripe.sessionAt(inEuros.checkout_url).amount_total).to.equal(
      Math.round(inEuros.amount * 100),
    );
  });

  it('waits for a delayed method', async () => {
    const account = await register('live');
    const placed = await order(account);
    const { checkout_url } = placed;
    await stripe.tell('checkout.session.completed', stripe.complete(checkout_url, true));
    expect((await read(account, placed)).status).to.equal('awaiting_payment');
    await stripe.tell('checkout.session.async_payment_succeeded', stripe.settle(checkout_url));
    await becomes(account, placed, 'queued');
  });

  it('expires with a delayed method that failed, and its draft with it', async () => {
    const account = await register('live');
    const placed = await order(account);
    const { checkout_url } = placed;
    await stripe.tell('checkout.session.completed', stripe.complete(checkout_url, true));
    await stripe.tell('checkout.session.async_payment_failed', stripe.fail(checkout_url));
    await becomes(account, placed, 'expired');
    await until(async () => (await account.letter(placed.letter_id)).status === 'cancelled');
  });

  it('keeps the money as a credit where the draft was changed, sent or cancelled meanwhile', async () => {
    const account = await register('live');
    const placed = await order(account);
    // The service does not end a checkout whose payment is under way.
    stripe.complete(placed.checkout_url, true);
    await account.post(`/api/letters/${placed.letter_id}/cancel`);
    const settled = stripe.settle(placed.checkout_url);
    await stripe.tell('checkout.session.async_payment_succeeded', settled);
    await becomes(account, placed, 'credited');
    expect((await read(account, placed)).credit_reason).to.equal('letter_changed');
    await isCredit(account, placed);
    await isTold(account, 'order.credited', placed);
  });

  it('is withdrawn with its draft: its checkout ends, and the page says that nothing was charged', async () => {
    const account = await register('live');
    const [underWay, placed] = [await order(account), await order(account)];
    stripe.complete(underWay.checkout_url, true);
    for (const one of [underWay, placed]) {
      const cancelled = await account.post(`/api/letters/${one.letter_id}/cancel`);
      expect(cancelled.status, cancelled.text).to.equal(200);
      // The service looks every minute. A webhook makes it look at once.
      const session = stripe.sessionAt(one.checkout_url);
      expect(await stripe.tell('checkout.session.completed', session)).to.equal(200);
    }
    await becomes(account, placed, 'expired');
    await isTold(account, 'order.expired', placed);
    expect(stripe.sessionAt(placed.checkout_url).status).to.equal('expired');
    const page = await (await fetch(returnUrl(placed))).text();
    expect(page).to.include('the shop withdrew it').and.include('Nothing was charged');
    expect((await read(account, underWay)).status).to.equal('awaiting_payment');
    expect(stripe.sessionAt(underWay.checkout_url).status).to.equal('complete');
  });

  it('of a key that was revoked is not sent when it is paid, as that of a frozen key', async () => {
    const owner = await register('live');
    for (const end of ['freeze', 'revoke']) {
      const made = await owner.post<NewKeyJson>('/auth/keys', { label: end, scope: 'send' });
      const placed = await order({ ...owner, ...as(made.body.api_key) });
      const path = `/auth/keys/${made.body.id}`;
      const done = end === 'freeze' ? await owner.post(`${path}/freeze`) : await owner.delete(path);
      expect(done.status, done.text).to.equal(200);
      await pay(placed);
      await becomes(owner, placed, 'credited');
      expect(await read(owner, placed)).to.include({ credit_reason: 'not_sendable' });
      expect((await owner.letter(placed.letter_id)).status).to.equal('draft');
    }
  });

  it('is erased with its letter, and the log verifies', async () => {
    const account = await register('live');
    const placed = await order(account);
    await account.delete(`/api/letters/${placed.letter_id}`);
    await until(async () => (await read(account, placed)).checkout_url === null);
    const { foundation } = service.service;
    const lines: string[] = [];
    await commandOf(['verify'])(foundation, (line) => lines.push(line));
    expect(lines).to.include('OK: everything holds.');
  });

  it('of a blocked account is not sent when it is paid', async () => {
    const account = await register('live');
    const placed = await order(account);
    const { foundation } = service.service;
    const operate = (...args: string[]) => commandOf(args)(foundation, () => {});
    await operate('block', account.account.account_id, '--reason', 'stolen card');
    await pay(placed);
    await becomes(account, placed, 'credited');
    expect(await read(account, placed)).to.include({ credit_reason: 'not_sendable' });
    expect((await account.letter(placed.letter_id)).status).to.equal('draft');
    await isCredit(account, placed);
  });

  it('says what was refunded of it, once, however often it is told', async () => {
    const account = await register('live');
    const placed = await order(account);
    await pay(placed);
    await becomes(account, placed, 'queued');
    const { payment_intent } = stripe.sessionAt(placed.checkout_url);
    stripe.refund(placed.checkout_url, Math.round(placed.amount * 100));
    for (const _ of [1, 2]) await stripe.tell('charge.refunded', { payment_intent });
    await until(async () => (await read(account, placed)).taken_back === placed.amount);
    await until(async () => (await account.balance()).available === -placed.amount);
  });

  it('says nothing was taken back once a dispute was won', async () => {
    const account = await register('live');
    const placed = await order(account);
    await pay(placed);
    await becomes(account, placed, 'queued');
    const { payment_intent } = stripe.sessionAt(placed.checkout_url);
    const dispute = stripe.dispute(placed.checkout_url, Math.round(placed.amount * 100));
    await stripe.tell('charge.dispute.created', { payment_intent });
    await until(async () => (await read(account, placed)).taken_back === placed.amount);
    dispute.status = 'won';
    await stripe.tell('charge.dispute.closed', { payment_intent });
    await until(async () => (await read(account, placed)).taken_back === 0);
  });

  it('shows an order to its account and to whoever has its link, and to nobody else', async () => {
    const account = await register('live');
    const stranger = await register('live');
    const placed = await order(account);
    const link = returnUrl(placed);
    const path = `/api/orders/${placed.order_id}`;
    const secret = link.searchParams.get('secret') ?? '';
    const shown = await call<Order>('GET', `${path}?secret=${secret}`);
    expect([shown.status, shown.body.status]).to.deep.equal([200, 'awaiting_payment']);
    expect(shown.text).not.to.contain(email);
    const inUpperCase = `/api/orders/${placed.order_id.toUpperCase()}`;
    expect((await account.get<Order>(inUpperCase)).body).to.deep.equal(shown.body);
    expect((await call<Order>('GET', `${inUpperCase}?secret=${secret}`)).status).to.equal(200);
    const others = [path, `${path}?secret=${secret.slice(1)}`, `${path}?secret=${'x'.repeat(22)}`];
    for (const one of others) expectProblem(await call('GET', one), 404, 'order_not_found');
    expectProblem(await stranger.get(path), 404, 'order_not_found');
    const page = await fetch(link);
    expect(page.status).to.equal(200);
    const text = await page.text();
    expect(text).to.contain('data-status="awaiting_payment"').and.contain(placed.checkout_url);
    expect(text).not.to.contain('Anna').and.not.to.contain(email);
    link.searchParams.set('secret', 'wrong');
    expect((await fetch(link)).status).to.equal(404);
  });

  it('tells the payer that the letter was cancelled, and whom to ask for the money', async () => {
    const account = await register('live');
    const placed = await order(account);
    await pay(placed);
    await becomes(account, placed, 'queued');
    const link = returnUrl(placed);
    await account.post(`/api/letters/${placed.letter_id}/cancel`);
    await until(async () => (await read(account, placed)).letter_status === 'cancelled');
    expect((await read(account, placed)).delivery_outcome).to.equal(null);
    const page = await (await fetch(link)).text();
    expect(page).to.include('<h1>The letter was cancelled</h1>').and.include('refund your card');
  });

  it('sends the payer to the shop for the money of a cancelled letter, unless it was refunded', async () => {
    const account = await register('live');
    const mailTo = async (payer: string, isRefunded: boolean): Promise<string> => {
      const placed = await order(account, { email: payer });
      await pay(placed);
      await becomes(account, placed, 'queued');
      if (isRefunded) {
        const refund = stripe.refund(placed.checkout_url, 100);
        await stripe.tell('charge.refunded', { payment_intent: refund.payment_intent });
        expect((await read(account, placed)).taken_back).to.be.above(0);
      }
      await account.post(`/api/letters/${placed.letter_id}/cancel`, {});
      await until(async () => smtp.mailsTo(payer).length > 0);
      return smtp.mailsTo(payer)[0]?.text ?? '';
    };
    const asks = 'please ask the shop to refund your card';
    expect(await mailTo('paid@example.com', false)).to.include(asks);
    const told = await mailTo('refunded@example.com', true);
    expect(told).to.include('was refunded or is disputed').and.not.include(asks);
  });

  it('lists the orders of the account, the latest first, in every status', async () => {
    const account = await register('live');
    const list = async (query = '') => {
      const answer = await account.get<PageOf<Order>>(`/api/orders${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    expect(await list()).to.deep.equal({ data: [], has_more: false, next_cursor: null });
    const waiting = await order(account);
    const sent = await order(account, { reference: 'second' });
    const changed = await order(account, { reference: 'third' });
    await pay(sent);
    await account.post(`/api/letters/${changed.letter_id}/cancel`, {});
    await pay(changed);
    await becomes(account, sent, 'queued');
    await becomes(account, changed, 'credited');
    const placed = [changed, sent, waiting];
    const shown = await Promise.all(placed.map((one) => read(account, one)));
    // A page may show the order before its row has the new status, and is then without it.
    for (const status of ['queued', 'credited'])
      await until(async () => (await list(`?status=${status}`)).data.length === 1);
    expect((await list()).data).to.deep.equal(shown);
    for (const [index, status] of (['credited', 'queued', 'awaiting_payment'] as const).entries()) {
      expect((await list(`?status=${status}`)).data, status).to.deep.equal([shown[index]]);
    }
    for (const status of ['paid', 'expired']) {
      expect((await list(`?status=${status}`)).data, status).to.deep.equal([]);
    }
    const paged: Order[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: PageOf<Order> = await list(`?limit=1${cursor && `&cursor=${cursor}`}`);
      expect(page.data).to.have.length(1);
      expect(page.has_more).to.equal(page.next_cursor !== null);
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(paged).to.deep.equal(shown);
  });

  it('lists an order by its letter as soon as it is placed, and to its account alone', async () => {
    const account = await register('live');
    const placed = await order(account);
    const path = `/api/orders?letter_id=${placed.letter_id}`;
    const { body } = await account.get<PageOf<Order>>(path);
    expect(body).to.deep.equal({
      data: [await read(account, placed)],
      has_more: false,
      next_cursor: null,
    });
    expect((await account.get<PageOf<Order>>(`${path}&status=expired`)).body.data).to.deep.equal(
      [],
    );
    const letter = await account.send({ draft: true });
    const none = `/api/orders?letter_id=${letter.letter_id}`;
    expect((await account.get<PageOf<Order>>(none)).body.data).to.deep.equal([]);
    const stranger = await register('live');
    expect((await stranger.get<PageOf<Order>>(path)).body.data).to.deep.equal([]);
    expect((await stranger.get<PageOf<Order>>('/api/orders')).body.data).to.deep.equal([]);
    expectProblem(await stranger.get('/api/orders?cursor=nothing'), 422, 'invalid_cursor');
    expectProblem(await stranger.get('/api/orders?status=sent'), 422, 'validation_failed');
    expectProblem(await call('GET', '/api/orders'), 401, 'authentication_required');
    const { token } = (
      await account.post<{ token: string }>('/api/identity/ucan', { scope: 'read' })
    ).body;
    expectProblem(await as(`ucan:${token}`).get('/api/orders'), 403, 'scope_insufficient');
  });

  it('is shown on the console to its account, with why its letter was not sent', async () => {
    const account = await register('live');
    const pages = consoleAt(() => service.url);
    const person = await pages.signIn(account.key);
    expect((await person.get('/wallet')).text).to.contain('href="/console/wallet/orders"');
    expect((await person.get('/wallet/orders')).text).to.contain('There are no such orders.');
    const placed = await order(account);
    await account.post(`/api/letters/${placed.letter_id}/cancel`, {});
    await pay(placed);
    await becomes(account, placed, 'credited');
    const isShown = async (query: string) =>
      (await person.get(`/wallet/orders${query}`)).text.includes(placed.order_id);
    await until(() => isShown('?status=credited'));
    expect(await isShown('?status=queued')).to.equal(false);
    const { text } = await person.get('/wallet/orders');
    expect(text)
      .to.contain('You changed, sent or cancelled the draft after it was ordered.')
      .and.to.contain(`/console/letters/${placed.letter_id}`)
      .and.to.contain('Paid, not sent');
    const stranger = await pages.signIn((await register('live')).key);
    expect((await stranger.get('/wallet/orders')).text).to.not.contain(placed.order_id);
  });

  it('refuses what no order can be', async () => {
    const account = await register('live');
    const test = await register('test');
    const body = letterTo('DE', { email });
    expectProblem(await test.post('/api/orders', body), 409, 'payment_not_taken');
    const without = await account.post('/api/orders', letterTo('DE'));
    expectProblem(without, 422, 'validation_failed', '/email');
    const draft = await account.post('/api/orders', { ...body, draft: true });
    expectProblem(draft, 422, 'validation_failed', '/draft');
    const yen = await account.post('/api/orders', { ...body, currency: 'JPY' });
    expectProblem(yen, 422, 'validation_failed', '/currency');
    const dear = await account.post('/api/orders', { ...body, max_total: 0.5 });
    expectProblem(dear, 402, 'max_total_exceeded');
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    expect((await account.post('/api/orders', body, key)).status).to.equal(201);
    const other = await account.post('/api/orders', { ...body, content: 'Other.' }, key);
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('is refused where the provider does not accept the address of the payer, and leaves no draft', async () => {
    const account = await register('live');
    const body = letterTo('DE', { email: 'payer@example.c' });
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const letters = async () =>
      (await account.get<PageOf<{ status: string }>>('/api/letters')).body.data;
    for (const _ of [1, 2]) {
      const refused = await account.post('/api/orders', body, headers);
      expectProblem(refused, 422, 'validation_failed');
      expect(refused.body.errors?.map(({ pointer }) => pointer)).to.deep.equal(['/email']);
      await until(async () => (await letters()).length === 1);
      await until(async () => (await letters()).every(({ status }) => status === 'cancelled'));
    }
    const { data } = (await account.get<PageOf<Order>>('/api/orders')).body;
    expect(data).to.deep.equal([]);
    expect((await order(account)).status).to.equal('awaiting_payment');
  });

  it('is tried again with the same key while the provider is away', async () => {
    const account = await register('live');
    const key = crypto.randomUUID();
    stripe.setDown(true);
    const refused = await account.post('/api/orders', letterTo('DE', { email }), {
      'Idempotency-Key': key,
    });
    expectProblem(refused, 503, 'payment_unavailable');
    stripe.setDown(false);
    const placed = await order(account, {}, key);
    await pay(placed);
    await becomes(account, placed, 'queued');
  }).timeout(180_000);
});
