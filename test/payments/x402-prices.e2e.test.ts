/** The purpose of a payment: once for each command, at a price that the service asked for. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { clientOf, expectProblem, letterTo, type Sent } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { stockFetch } from '../support/evm/stock-clients.ts';
import { paymentHeader, payTo, requirementsIn, x402Settings } from '../support/evm/x402.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startTestService, type TestService } from '../support/service.ts';

type TopUp = { topup_id: string; status: string; credited: number; code?: string };

describe('what an x402 payment pays for', function () {
  this.timeout(180_000);
  const time = createMovedClock('2026-10-28T09:00:00Z');
  let chain: Chain;
  let service: TestService;
  before(async () => {
    chain = await startChain();
    const settings = { ...(await x402Settings(chain)), LIMIT_EXCHANGE_RATE_DAYS: '1000' };
    service = await startTestService(settings, { clock: time.clock });
  });
  after(async () => {
    await service?.stop();
    await chain?.stop();
  });
  const { call, register } = clientOf(() => service);
  const received = async (address: string) =>
    (await chain.received(payTo)).filter(({ from }) => from === address);

  it('is one top-up under one key, whether it is repeated by a stock client or paid twice at once', async () => {
    const account = await register('live');
    const payer = await chain.newPayer(50_000_000n);
    const request = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
        Authorization: `Bearer ${account.key}`,
      },
      body: JSON.stringify({ method: 'usdc', amount: 5, pay_now: true }),
    };
    const pay = async () => {
      const answer = await stockFetch(payer)(`${service.url}/api/topup`, request);
      return { status: answer.status, body: (await answer.json()) as TopUp };
    };
    const atOnce = await Promise.all([pay(), pay()]);
    const later = await pay();
    expect(atOnce.map(({ status }) => status)).to.include(201);
    for (const { status, body } of [...atOnce, later]) {
      if (status === 409) expect(body.code).to.equal('idempotency_in_progress');
      else expect(body).to.include({ status: 'paid', credited: 5, topup_id: later.body.topup_id });
    }
    expect(await received(payer.address)).to.have.length(1);
    expect((await account.balance()).balance).to.equal(5);
  });

  it('is one letter under one key, also where it sends a draft, however often it is repeated', async () => {
    const payer = await chain.newPayer(50_000_000n);
    const send = async (body: object, headers: Record<string, string> = {}) => {
      const answer = await stockFetch(payer)(`${service.url}/api/send`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      expect(answer.status).to.equal(201);
      return (await answer.json()) as Sent;
    };
    const { letter_id } = await send(letterTo('DE', { draft: true }));
    for (const body of [letterTo('DE'), { letter_id }]) {
      const under = { 'Idempotency-Key': randomUUID() };
      const first = await send(body, under);
      const once = await received(payer.address);
      expect(await send(body, under)).to.deep.equal(first);
      expect(await received(payer.address)).to.deep.equal(once);
    }
  });

  it('is a letter or draft at the price that was asked for, although prices changed meanwhile', async () => {
    const letter = letterTo('DE');
    const demandFor = async (body: object) => requirementsIn(await call('POST', '/api/send', body));
    // The letter is posted on the day after, on which another rate counts.
    const change = Date.parse('2026-10-30T14:55:00Z');
    const moveTo = (seconds: number) =>
      time.moveTo(new Date(change + seconds * 1_000).toISOString());
    type Payer = Awaited<ReturnType<Chain['newPayer']>>;
    const pay = async (
      payer: Payer,
      body: object,
      demand: Awaited<ReturnType<typeof demandFor>>,
    ) => {
      const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
      return call<Sent>('POST', '/api/send', body, { headers });
    };
    moveTo(-60);
    const trials: { payer: Payer; seconds: number; draft: object }[] = [];
    for (const seconds of [30, 240, 600]) {
      const payer = await chain.newPayer(50_000_000n);
      const toKeep = letterTo('DE', { draft: true });
      const kept = await pay(payer, toKeep, await demandFor(toKeep));
      expect(kept.status, kept.text).to.equal(201);
      trials.push({ payer, seconds, draft: { letter_id: kept.body.letter_id } });
    }
    moveTo(-30);
    const before = await demandFor(letter);
    for (const { draft } of trials) expect((await demandFor(draft)).amount).to.equal(before.amount);
    moveTo(30);
    expect((await demandFor(letter)).amount).not.to.equal(before.amount);
    for (const { payer, seconds, draft } of trials) {
      moveTo(seconds);
      const isInTime = seconds < 300;
      for (const body of [letter, draft]) {
        const earlier = await received(payer.address);
        const sent = await pay(payer, body, before);
        expect(sent.status, sent.text).to.equal(isInTime ? 201 : 402);
        if (isInTime) expect(sent.body.price.total).to.equal(Number(before.amount) / 1e6);
        const paid = (await received(payer.address)).length - earlier.length;
        expect(paid).to.equal(isInTime ? 1 : 0);
      }
    }
  });

  it('is the same letter or draft when it comes again, after its price, its date and the draft are gone', async () => {
    const payer = await chain.newPayer(50_000_000n);
    const pay = async (body: object) => {
      const demand = requirementsIn(await call('POST', '/api/send', body));
      const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
      const send = () => call<Sent>('POST', '/api/send', body, { headers });
      const first = await send();
      expect(first.status, first.text).to.equal(201);
      return { send, first };
    };
    const send_date = new Date(time.clock()).toISOString().slice(0, 10);
    const { first: draft } = await pay(letterTo('DE', { draft: true }));
    const sendDraft = { letter_id: draft.body.letter_id };
    const all = [await pay(letterTo('DE', { send_date })), await pay(sendDraft)];
    const once = await received(payer.address);
    time.moveTo(new Date(time.clock() + 48 * 3_600_000).toISOString());
    for (const { send, first } of all) {
      const again = await send();
      expect(again.text).to.equal(first.text);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
    }
    const demand = requirementsIn(await call('POST', '/api/send', sendDraft));
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
    const twice = await call('POST', '/api/send', sendDraft, { headers });
    expectProblem(twice, 409, 'letter_not_sendable');
    expect(await received(payer.address)).to.deep.equal(once);
  });

  it('is asked for a letter with the largest document', async () => {
    const { documentBytes } = service.service.foundation.config.limits;
    const text = Buffer.from('%PDF-1.4 ');
    const document = Buffer.concat([text], documentBytes).toString('base64');
    const { content: _, ...letter } = letterTo('DE') as Record<string, unknown>;
    const { status, body } = await call<{ code?: string }>('POST', '/api/send', {
      ...letter,
      document,
    });
    // The file is read, and is not a PDF.
    expect(status, body.code).to.equal(422);
  });

  it('is by every operation that can be paid for and repeated under a key known to be obeyed', () => {
    const unknown = service.service.operations
      .filter(({ payable, idempotent }) => idempotent && payable && payable !== 'to-identify')
      .filter(({ payable }) => typeof payable !== 'object' || payable.wasObeyed === undefined);
    expect(unknown.map(({ name }) => name)).to.deep.equal([]);
  });
});

describe('an x402 payment that is settled after prices changed', function () {
  this.timeout(180_000);
  const time = createMovedClock('2026-10-30T09:00:00Z');
  let chain: Chain;
  let service: TestService;
  before(async () => {
    chain = await startChain();
    const settings = { ...(await x402Settings(chain)), LIMIT_EXCHANGE_RATE_DAYS: '1000' };
    service = await startTestService(settings, { clock: time.clock });
  });
  after(async () => {
    await service?.stop();
    await chain?.stop();
  });
  const { call } = clientOf(() => service);

  it('pays for its letter when it is repeated, as its answer says', async () => {
    const payer = await chain.newPayer(50_000_000n);
    const letter = letterTo('DE');
    // From 14:55 on, the letter is posted on a day of another rate.
    time.moveTo('2026-10-30T14:45:00Z');
    const asked = requirementsIn(await call('POST', '/api/send', letter));
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, asked) };
    const send = (body: object) => call<Sent>('POST', '/api/send', body, { headers });
    await chain.client.setAutomine(false);
    expectProblem(await send(letter), 409, 'payment_pending');
    time.moveTo('2026-10-30T15:10:00Z');
    const { amount } = requirementsIn(await call('POST', '/api/send', letter));
    expect(amount).not.to.equal(asked.amount);
    const other = letterTo('DE', { content: 'Something else.' });
    expectProblem(await send(other), 409, 'payment_already_used');
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
    const sent = await send(letter);
    expect(sent.status, sent.text).to.equal(201);
    expect(sent.body.price.total).to.equal(Number(amount) / 1e6);
    expect(await chain.received(payTo)).to.have.length(1);
  });
});
