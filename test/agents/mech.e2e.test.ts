import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { finishErasure } from '../../commands/letters/follow-up.ts';
import { cancelLetter, eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { type Claim, claimRequest, mechRequestAggregate } from '../../commands/mech/request.ts';
import { createMechRequests } from '../../commands/mech/requests.ts';
import type { AppError } from '../../contract/errors.ts';
import { letterStream } from '../../events/letter.ts';
import { mechRequestKey, mechRequestStream } from '../../events/mech.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { verify } from '../../operator/verify.ts';
import { ledgerBalances } from '../../projections/ledger/query.ts';
import { clientOf, until, useService } from '../support/client.ts';
import { callOf, expectEnvelope, type MechAnswer, postRaw, sendParams } from '../support/mech.ts';
import { untilShown } from '../support/service.ts';
import { startWithAccount } from '../support/service-with-account.ts';

const sendPrice = 20_000_000_000_000_000;

describe('the mech in test mode', function () {
  this.timeout(180_000);
  const api = useService({ MECH_MODE: 'test', MECH_DAILY_LETTERS: '40' });
  const url = () => api.service().url;
  const execute = (params: object | string, requestId?: string): Promise<MechAnswer> =>
    postRaw(url(), callOf(params, requestId));
  const balanceOf = async (account: string): Promise<bigint> => {
    await untilShown(api.service());
    const { storage } = api.service().service.foundation;
    return (await ledgerBalances(storage.readDb, [account]))[0]?.wei ?? 0n;
  };
  const receivable = () => balanceOf('test:mech_receivable');

  it('sends a letter and answers with exact wei', async () => {
    const sent = await execute(sendParams());
    expect(sent.status, sent.text).to.equal(200);
    expect(sent.success, sent.text).to.equal(true);
    expect(sent.data).to.include({ status: 'queued', test: true });
    expect(sent.data?.price).to.include.keys(
      'postage',
      'printing',
      'handling',
      'total',
      'currency',
    );
    expect(sent.text).to.include('"price_paid_wei":20000000000000000,');
    expect(sent.price_paid_human).to.equal('0.0200 xDAI');
    expect(sent.request_id).to.match(/^mech_/);
  });

  it('offers its callers nothing that no action does', async () => {
    const sent = await execute(sendParams());
    expect(sent.data?.message).to.match(/^The letter is queued: .* to [A-Za-z ]+, \$\d+\.\d\d\.$/);
    expect(sent.data?.cancellable_until).to.equal(null);
    const abilities = { update: false, cancel: false, delete: false, send: false };
    expect(sent.data?.abilities).to.deep.equal(abilities);
    const { content: _, ...empty } = sendParams() as Record<string, unknown>;
    const refused = await execute(empty);
    expect([refused.status, refused.error?.code]).to.deep.equal([422, 'validation_failed']);
    expect(refused.error?.detail).to.equal('send needs content or document_url in params.');
    expect(refused.error?.errors?.[0]?.pointer).to.equal('/params/content');
  });

  it('honours a request id once: the same again is the same letter, another one is refused', async () => {
    const id = randomUUID();
    const before = await receivable();
    const first = await execute(sendParams(), id);
    const again = await execute(sendParams(), id);
    expect(again.data).to.deep.equal(first.data);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.price_paid_wei).to.equal(sendPrice);
    const other = await execute(sendParams({ content: 'Another one.' }), id);
    expect([other.status, other.error?.code]).to.deep.equal([409, 'mech_request_reused']);
    const tracking = { action: 'track', letter_id: String(first.data?.letter_id) };
    expect((await execute(tracking, id)).status).to.equal(409);
    const offer = { action: 'negotiate', intent: 'transactional', to_country: 'DE' };
    expect((await execute(offer, id)).status).to.equal(409);
    await until(async () => (await receivable()) === before - BigInt(sendPrice));
  });

  it('knows an id of the marketplace however it is written', async () => {
    const hex = `0x${'00'.repeat(30)}ABCD`;
    const first = await execute(sendParams(), hex);
    for (const other of [String(0xabcd), '0xabcd', '0x00ABCD']) {
      const again = await execute(sendParams(), other);
      expect(again.data?.letter_id, again.text).to.equal(first.data?.letter_id);
    }
  });

  it('finds a request that an earlier version stored in hex without leading zeros', async () => {
    const { commands } = api.service().service.foundation;
    const text = 'test\n0xabce';
    const requestKey = uuidv5('6f0b7c0a-0000-5000-8000-6d6563680000', text);
    const claim: Claim = {
      requestKey,
      accountId: 'acct_other',
      test: true,
      action: 'send',
      requestHash: 'a'.repeat(43),
      priceWei: '1',
      proof: 'none',
      day: '2026-11-22',
    };
    const context = { commandId: randomUUID(), actor: 'mech' };
    await commands.handler.handle(mechRequestAggregate, requestKey, context, (request) =>
      claimRequest(request, { type: 'ClaimRequest', claim }),
    );
    for (const id of ['0xabce', String(0xabce), `0x${'abce'.padStart(64, '0')}`]) {
      const answer = await execute(sendParams(), id);
      expect([answer.status, answer.error?.code]).to.deep.equal([409, 'mech_request_reused']);
    }
  });

  it('answers many calls of one id at once with one letter', async () => {
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => execute(sendParams(), id)));
    expect(new Set(answers.map(({ data }) => data?.letter_id)).size).to.equal(1);
    expect(answers.every(({ success }) => success)).to.equal(true);
  });

  it('takes params as JSON in a text, and values as texts', async () => {
    const asText = await execute(JSON.stringify(sendParams({ color: 'true' })));
    expect(asText.success, asText.text).to.equal(true);
    const twice = await execute(JSON.stringify(JSON.stringify(sendParams())));
    expect(twice.success, twice.text).to.equal(true);
    const numbers = await execute(sendParams({ to_postal_code: 10969, color: null }));
    expect(numbers.success, numbers.text).to.equal(true);
  });

  it('tracks a letter that was sent through it, and no other', async () => {
    const sent = await execute(sendParams());
    const letterId = String(sent.data?.letter_id);
    const tracked = await execute({ action: 'track', letter_id: letterId });
    expect(tracked.success, tracked.text).to.equal(true);
    expect(tracked.data).to.include({ letter_id: letterId, status: 'queued' });
    expect(tracked.text).to.include('"price_paid_wei":5000000000000000,');
    expect(tracked.price_paid_human).to.equal('0.0050 xDAI');
    expect(tracked.text).to.not.match(/Anna|Lindenstra|Bob Sender/);
    const customer = await api.register();
    const { letter_id: other } = await customer.send();
    for (const id of [other, randomUUID(), 'nothing', "'; --"]) {
      const refused = await execute({ action: 'track', letter_id: id });
      expect([refused.status, refused.error?.code]).to.deep.equal([200, 'letter_not_found']);
    }
  });

  it('tracks once for a request id: a repetition gets the same answer', async () => {
    const sent = await execute(sendParams());
    const letterId = String(sent.data?.letter_id);
    const id = randomUUID();
    const first = await execute({ action: 'track', letter_id: letterId }, id);
    const paid = await receivable();
    const { handler } = api.service().service.foundation.commands;
    const context = { commandId: randomUUID(), actor: 'test' };
    await handler.handle(letterAggregate, letterId, context, cancelLetter);
    const now = await execute({ action: 'track', letter_id: letterId });
    expect(now.data).to.include({ status: 'cancelled' });
    const owed = await receivable();
    expect(owed < paid).to.equal(true);
    const again = await execute({ action: 'track', letter_id: letterId }, id);
    expect(again.data).to.deep.equal(first.data).and.to.include({ status: 'queued' });
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(await receivable()).to.equal(owed);
  });

  it('seals the tracking that it keeps, and forgets it when the letter is erased', async () => {
    const sent = await execute(sendParams());
    const letterId = String(sent.data?.letter_id);
    const id = randomUUID();
    const track = () => execute({ action: 'track', letter_id: letterId }, id);
    const { data } = await track();
    expect(data).to.include({ status: 'queued' });
    const { storage, commands, keys } = api.service().service.foundation;
    const stored = await storage.store.readStream(mechRequestStream(mechRequestKey(id, true)));
    expect(stored.map(({ type }) => type)).to.include('MechRequestServed');
    expect(JSON.stringify(stored.map((event) => event.data))).to.not.match(/queued|carrier/);
    const { handler, files } = commands;
    const context = () => ({ commandId: randomUUID(), actor: 'test' });
    await handler.handle(letterAggregate, letterId, context(), cancelLetter);
    await handler.handle(letterAggregate, letterId, context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
    );
    await finishErasure({ handler, dataKeys: keys.dataKeys, files }, letterId);
    const again = await track();
    expect([again.success, again.error?.code], again.text).to.deep.equal([false, 'letter_deleted']);
    expect(again.text).to.not.match(/queued|carrier/);
  });

  it('records no request to track a letter that does not exist', async () => {
    const id = randomUUID();
    const refused = await execute({ action: 'track', letter_id: randomUUID() }, id);
    expect(refused.error?.code).to.equal('letter_not_found');
    expect((await execute(sendParams(), id)).success).to.equal(true);
  });

  it('negotiates free of charge, where offers are made', async () => {
    const before = await receivable();
    const { operations } = api.service().service;
    const offer = { action: 'negotiate', intent: 'transactional', to_country: 'DE' };
    const made = await execute(offer);
    expect(made.price_paid_human).to.equal('0.0000 xDAI');
    if (operations.some(({ name }) => name === 'negotiate_pricing')) {
      expect(made.data, made.text).to.include.keys('offer_id', 'tiers', 'jws');
      // The requester can accept it over REST, and learns nothing about the account of the mech.
      expect(made.data).to.include({ account_id: null });
      const customer = await api.register();
      const accepted = await customer.post('/api/anp/accept', {
        offer_id: made.data?.offer_id,
        tier: 'economy',
      });
      expect(accepted.status, accepted.text).to.equal(201);
    } else expect(made.error?.code).to.equal('not_found');
    const nowhere = await execute({ ...offer, to_country: 'XX' });
    expect(nowhere.success, nowhere.text).to.equal(false);
    expect(await receivable()).to.equal(before);
  });

  it('answers what cannot be done with success false, and charges nothing', async () => {
    const before = await receivable();
    const id = randomUUID();
    const bad = sendParams({ to_postal_code: '7500', to_city: 'Nowhere' });
    const refused = await execute(bad, id);
    expect([refused.status, refused.success]).to.deep.equal([200, false]);
    expect(refused.error?.code).to.equal('address_invalid');
    expect(refused.error?.errors?.[0]?.pointer).to.match(/^\/params\/to_/);
    expect((await execute(bad, id)).error?.code).to.equal('address_invalid');
    expect(refused.price_paid_human).to.equal('0.0000 xDAI');
    expect(await receivable()).to.equal(before);
  });

  it('takes what its errors tell to send', async () => {
    const id = randomUUID();
    const refused = await execute(sendParams({ to_postal_code: '7500' }), id);
    expect(refused.error?.errors?.[0]?.hint).to.equal(
      'Set accept_address_as_is to send it as written.',
    );
    const asWritten = sendParams({ to_postal_code: '7500', accept_address_as_is: 'true' });
    const sent = await execute(asWritten, id);
    expect([sent.status, sent.success], sent.text).to.deep.equal([200, true]);
    const pdf = { content: null, document_url: 'https://pdf.invalid/a.pdf' };
    const fitting = sendParams({ ...pdf, address_placement: 'insert_page', auto_fix: true });
    const unfetched = await execute(fitting);
    expect(unfetched.error?.code, unfetched.text).to.equal('document_not_supported');
  });

  it('takes a corrected body under the id of one that was refused, and then no other', async () => {
    const before = await receivable();
    const id = randomUUID();
    const refused = await execute(sendParams({ to_postal_code: '7500' }), id);
    expect(refused.error?.code).to.equal('address_invalid');
    const tracked = await execute({ action: 'track', letter_id: randomUUID() }, id);
    expect([tracked.status, tracked.error?.code]).to.deep.equal([409, 'mech_request_reused']);
    const all = await Promise.all(
      ['One.', 'Two.', 'Three.'].map((content) => execute(sendParams({ content }), id)),
    );
    const done = all.filter(({ success }) => success);
    expect(done, all.map(({ text }) => text).join('\n')).to.have.length(1);
    for (const other of all.filter((one) => !one.success)) {
      expect([other.status, other.error?.code]).to.deep.equal([409, 'mech_request_reused']);
    }
    const late = await execute(sendParams({ to_postal_code: '7500' }), id);
    expect([late.status, late.error?.code]).to.deep.equal([409, 'mech_request_reused']);
    await until(async () => (await receivable()) === before - BigInt(sendPrice));
  });

  it('gives every malformed body the envelope and charges nothing', async () => {
    const before = await receivable();
    const form = new URLSearchParams({ tool: 'service_send_letter', params: '{}' }).toString();
    const json = (value: unknown) => JSON.stringify(value);
    const tool = 'service_send_letter';
    const cases: [number, string, Record<string, string>?][] = [
      [400, form],
      [415, form, { 'Content-Type': 'application/x-www-form-urlencoded' }],
      [415, 'x', { 'Content-Type': 'text/plain' }],
      [400, ''],
      [400, '{'],
      [400, '{"tool":1,"tool":2}'],
      [422, '[]'],
      [422, 'null'],
      [422, '"text"'],
      [422, '1e999'],
      [422, json({})],
      [422, json({ tool })],
      [422, json({ tool: 'other', params: sendParams() })],
      [422, json({ tool, params: [] })],
      [422, json({ tool, params: null })],
      [422, json({ tool, params: 'not json' })],
      [422, json({ tool, params: '[1]' })],
      [422, json({ tool, params: `{"content":"a",${json(sendParams()).slice(1)}` })],
      [422, json({ tool, params: json(`{"\\u0063ontent":"a",${json(sendParams()).slice(1)}`) })],
      [422, json({ tool, params: {} })],
      [422, json({ tool, params: { action: 'steal' } })],
      [422, json({ tool, params: { action: ['send'] } })],
      [422, json({ tool, params: { action: 'send' } })],
      [422, json({ tool, params: sendParams({ draft: true }) })],
      [422, json({ tool, params: sendParams({ constructor: 'x' }) })],
      [422, json({ tool, params: sendParams({ to_name: { a: 1 } }) })],
      [422, json({ tool, params: sendParams({ content: undefined }) })],
      [422, json({ tool, params: sendParams(), request_id: 12 })],
      [422, json({ tool, params: sendParams(), request_id: '' })],
      [422, json({ tool, params: sendParams(), request_id: 'a b' })],
      [422, json({ tool, params: sendParams(), request_id: 'x'.repeat(129) })],
      [422, json({ tool, params: sendParams(), more: 1 })],
      [413, json({ tool, params: { action: 'send', content: 'x'.repeat(3_000_000) } })],
      [401, json({ tool, params: sendParams() }), { Authorization: 'Bearer svc_live_nothing' }],
    ];
    for (const [status, body, headers] of cases) {
      const answer = await postRaw(url(), body, headers);
      expect([answer.status, answer.success], `${body.slice(0, 80)}: ${answer.text}`).to.deep.equal(
        [status, false],
      );
    }
    const invalid = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await postRaw(url(), invalid)).status).to.equal(400);
    expect(await receivable()).to.equal(before);
  });

  it('answers other methods in its form, and says which it takes', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await fetch(`${url()}/api/mech/execute`, { method });
      const { success, error } = expectEnvelope(await answer.text());
      expect([answer.status, success, error?.code]).to.deep.equal([
        405,
        false,
        'method_not_allowed',
      ]);
      expect(answer.headers.get('allow')).to.equal('OPTIONS, POST');
      expect(answer.headers.get('content-type')).to.equal('application/json');
    }
  });

  it('echoes the request id of what it refuses', async () => {
    const refused = await execute({ action: 'send' }, 'req-7');
    expect([refused.status, refused.request_id]).to.deep.equal([422, 'req-7']);
  });

  it('tells who it is, its tool and how it is', async () => {
    const get = async <T>(path: string): Promise<T> => {
      const response = await fetch(`${url()}/api/mech/${path}`);
      expect(response.status).to.equal(200);
      return (await response.json()) as T;
    };
    type Priced = Record<string, { price_wei: number; price_human: string; required?: string[] }>;
    const info = await get<{ enabled: boolean; network: string; pricing: Priced }>('info');
    expect(info).to.include({ enabled: true, mode: 'test', network: 'gnosis', chain_id: 100 });
    expect(info.pricing.send).to.deep.equal({ price_wei: sendPrice, price_human: '0.0200 xDAI' });
    expect(info.pricing.negotiate?.price_human).to.equal('0.0000 xDAI');
    type Tools = {
      tools: { name: string; actions: Priced }[];
      metadata: {
        tools: string[];
        toolMetadata: Record<string, { input: object; output: object }>;
      };
    };
    const { tools, metadata } = await get<Tools>('tools');
    expect(tools.map(({ name }) => name)).to.deep.equal(['service_send_letter']);
    expect(tools[0]?.actions.track?.required).to.deep.equal(['action', 'letter_id']);
    expect(metadata.tools).to.deep.equal(['service_send_letter']);
    expect(metadata.toolMetadata.service_send_letter).to.include.keys(
      ...['name', 'description', 'input', 'output'],
    );
    const health = await get<{ is_healthy: boolean; readiness: object }>('health');
    expect(health).to.include({ is_healthy: true, status: 'ok' });
  });

  it('ends what its caller left: served where the letter was sent, else free of charge', async () => {
    const { foundation } = api.service().service;
    const { handler } = foundation.commands;
    let nowMs = Date.now();
    const requests = createMechRequests({
      handler,
      dataKeys: foundation.keys.dataKeys,
      clock: () => nowMs,
      caps: { letters: 2, wei: 10n ** 18n },
      wasSent: async (letterId) => letterId === 'sent',
    });
    const claim = (requestKey: string, letterId: string) => ({
      requestKey,
      letterId,
      accountId: 'acct_gone',
      test: false,
      action: 'send' as const,
      proof: 'none' as const,
      priceWei: String(sendPrice),
      requestHash: 'a'.repeat(43),
    });
    const [served, left, third] = [randomUUID(), randomUUID(), randomUUID()];
    await requests.begin(claim(served, 'sent'));
    await requests.begin(claim(left, 'lost'));
    expect(await requests.finish(served)).to.equal(true);
    expect(await requests.finish(left)).to.equal(false);
    const status = async (key: string, letterId: string) =>
      (await requests.find(key, claim(key, letterId))).status;
    expect(await status(served, 'sent')).to.equal('served');
    expect(await status(left, 'lost')).to.equal('claimed');
    const full = await requests.begin(claim(third, 'x')).catch((error: AppError) => error.code);
    expect(full).to.equal('mech_cap_reached');
    nowMs += 700_000;
    expect(await requests.finish(left)).to.equal(true);
    expect(await status(left, 'lost')).to.equal('refused');
    await requests.begin(claim(third, 'x'));
  });

  it('gives the tracking of the first of two processes that serve one request', async () => {
    const { commands, keys } = api.service().service.foundation;
    const letterId = randomUUID();
    await keys.dataKeys.create(letterStream(letterId));
    const requests = createMechRequests({
      handler: commands.handler,
      dataKeys: keys.dataKeys,
      clock: Date.now,
      caps: { letters: 10_000, wei: 10n ** 18n },
      wasSent: async () => false,
    });
    const requestKey = randomUUID();
    await requests.begin({
      requestKey,
      accountId: 'acct_gone',
      test: true,
      action: 'track',
      proof: 'none',
      priceWei: '1',
      requestHash: 'a'.repeat(43),
    });
    const answers = ['queued', 'posted'].map(async (status) => {
      const { answer } = await requests.serve(requestKey, letterId, { status });
      return answer;
    });
    const [one, other] = await Promise.all(answers);
    expect(one).to.have.property('status');
    expect(other).to.deep.equal(one);
  });

  it('stops at the cap of the day, with the time until it is over', async () => {
    let last: MechAnswer;
    do last = await execute(sendParams());
    while (last.success);
    expect([last.status, last.error?.code], last.text).to.deep.equal([429, 'mech_cap_reached']);
    expect(Number(last.headers.get('retry-after'))).to.be.within(1, 86_400);
    const { storage } = api.service().service.foundation;
    const sent = async (): Promise<number> => {
      const { rows } = await storage.readDb.query<{ letters: bigint }>(
        `select count(*) as letters from read_models.letters where account_id =
           (select account_id from read_models.mech_requests limit 1)`,
      );
      return Number(rows[0]?.letters);
    };
    await until(async () => (await sent()) >= 40);
    expect(await sent()).to.equal(40);
  });

  it('leaves books that balance and a log that verifies', async () => {
    const { foundation, positions } = api.service().service;
    expect(await receivable()).to.equal(-(await balanceOf('test:mech_revenue')));
    expect(await receivable()).to.not.equal(0n);
    const head = await foundation.storage.store.head();
    await until(() => positions.waitFor(['ledger', 'wallets', 'letters'], head, 1_000));
    const lines: string[] = [];
    const code = await verify([])(foundation, (line) => lines.push(line));
    expect(code, lines.join('\n')).to.equal(0);
  });
});

describe('the mech that is not switched on', () => {
  const api = useService({ LIMIT_RATE_PER_ADDRESS: '12', LIMIT_RATE_WINDOW_SECONDS: '600' });

  it('says so, and executes nothing', async () => {
    const { url } = api.service();
    const refused = await postRaw(url, callOf(sendParams(), 'req-1'));
    expect([refused.status, refused.error?.code]).to.deep.equal([404, 'mech_disabled']);
    const info = (await (await fetch(`${url}/api/mech/info`)).json()) as object;
    expect(info).to.include({ enabled: false, mode: null });
    const health = (await (await fetch(`${url}/api/mech/health?t=1`)).json()) as object;
    expect(health).to.include({ is_healthy: false });
  });

  it('answers too many calls in its form as well', async () => {
    let last: MechAnswer;
    do last = await postRaw(api.service().url, callOf(sendParams(), 'req-1'));
    while (last.status === 404);
    expect([last.status, last.error?.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(last.headers.get('retry-after'))).to.be.above(0);
  });
});

describe('the mech with the account of its operator', function () {
  this.timeout(180_000);

  it('tells its callers nothing of the volume contract of the account', async () => {
    const account = { email: 'mech@example.com', mode: 'test' } as const;
    const { service, key } = await startWithAccount(account, (id) => ({
      MECH_MODE: 'test',
      MECH_ACCOUNT: id,
    }));
    try {
      const { call } = clientOf(() => service);
      const terms = { committed_units: 51, period: 'month' };
      const made = await call<{ contract_id: string }>('POST', '/api/anp/contracts', terms, {
        key,
      });
      expect(made.status, made.text).to.equal(201);
      for (const _ of ['first', 'again']) {
        const sent = await postRaw(service.url, callOf(sendParams(), 'one'));
        expect(sent.success, sent.text).to.equal(true);
        expect(sent.text).to.not.contain('discount').and.not.contain(made.body.contract_id);
        const path = `/api/letters/${sent.data?.letter_id}`;
        const own = await call<{ price: { discount: { contract_id: string } } }>(
          ...(['GET', path, undefined, { key }] as const),
        );
        expect(own.body.price.discount.contract_id, own.text).to.equal(made.body.contract_id);
      }
    } finally {
      await service.stop();
    }
  });
});

describe('the mech with an account that may not spend', function () {
  this.timeout(180_000);

  it('is unavailable, and says nothing about the account to its callers', async () => {
    const account = { email: 'mech@example.com', mode: 'test' } as const;
    const { service, key, accountId } = await startWithAccount(account, (id) => ({
      MECH_MODE: 'test',
      MECH_ACCOUNT: id,
    }));
    try {
      const { call } = clientOf(() => service);
      const expectUnavailable = async () => {
        const { status, error, text } = await postRaw(service.url, callOf(sendParams(), 'one'));
        expect([status, error?.code], text).to.deep.equal([503, 'mech_unavailable']);
        expect(text).to.not.contain('unfreeze').and.not.contain('closure');
      };
      expect((await call('POST', '/api/account/freeze', {}, { key })).status).to.equal(200);
      await expectUnavailable();
      const health = await call<{ readiness: { ok: boolean } }>('GET', '/api/mech/health');
      expect(health.body.readiness.ok, health.text).to.equal(false);
      expect((await call('POST', '/api/account/unfreeze', {}, { key })).status).to.equal(200);
      expect((await postRaw(service.url, callOf(sendParams(), 'one'))).success).to.equal(true);
      const closed = await call('DELETE', '/api/account', { confirm: accountId }, { key });
      expect(closed.status, closed.text).to.be.lessThan(300);
      await expectUnavailable();
    } finally {
      await service.stop();
    }
  });
});
