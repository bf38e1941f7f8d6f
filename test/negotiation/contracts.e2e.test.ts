import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { fromBase58 } from '../../identity/encoding.ts';
import type { Contract } from '../../presenters/contract.ts';
import type { QuotedLetter } from '../../presenters/quote.ts';
import { expectProblem, letterTo, type PageOf, until, useService } from '../support/client.ts';

/** On a busy machine. */
const patienceMs = 30_000;

type ContractJson = Static<typeof Contract>;
type QuoteJson = Static<typeof QuotedLetter>;

const path = '/api/anp/contracts';
const service = 'de_standardbrief';
const wish = { committed_units: 300, period: 'month' };

describe('volume contracts', function () {
  this.timeout(180_000);
  const { service: running, call, register } = useService();

  const make = async (client: Awaited<ReturnType<typeof register>>, more: object = {}) => {
    const made = await client.post<ContractJson>(path, { ...wish, ...more });
    expect(made.status, made.text).to.equal(201);
    return made.body;
  };

  const quote = async (client: Awaited<ReturnType<typeof register>>) =>
    (await client.post<QuoteJson>('/api/quote', { to_country: 'DE', pages: 1, service })).body;

  it('say what was agreed: tiers, the current one, what a breach costs, and when', async () => {
    const client = await register();
    const made = await make(client, { period_count: 2, time_zone: 'Europe/Berlin' });
    expect(made).to.include({
      state: 'active',
      committed_units: 300,
      units_used: 0,
      shortfall: 300,
      period: 'month',
      period_count: 2,
      time_zone: 'Europe/Berlin',
      current_period: 1,
    });
    expect(made.contract_id).to.match(/^contract_[0-9a-f]{32}$/);
    expect(made.customer_did).to.match(/^did:key:z6Mk/);
    expect(made.current_tier).to.deep.equal({ from: 251, to: 1_000, discount: 0.2 });
    expect(made.tiers.map(({ from, discount }) => [from, discount])).to.deep.equal([
      [51, 0.1],
      [251, 0.2],
      [1_001, 0.3],
    ]);
    expect(made.breach_terms).to.include({
      shortfall: 'rebill_at_undiscounted_price',
      grace_days: 7,
    });
    expect(made.periods.map(({ state, units }) => [state, units])).to.deep.equal([
      ['open', 0],
      ['upcoming', 0],
    ]);
    expect(made.ends_at).to.equal(made.periods[1]?.ends_at);
    const read = await client.get<ContractJson>(`${path}/${made.contract_id}`);
    expect(read.body).to.deep.equal(made);
  });

  it('end no later than the credential that makes them', async () => {
    const client = await register();
    const expires_at = new Date(Date.now() + 40 * 86_400_000).toISOString();
    const lent = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'lent',
      scope: 'send',
      expires_at,
    });
    const key = lent.body.api_key;
    const long = await call('POST', path, { ...wish, period_count: 12 }, { key });
    expectProblem(long, 403, 'scope_insufficient');
    expect(long.text).to.include(expires_at);
    const short = await call<ContractJson>('POST', path, wish, { key });
    expect(short.status, short.text).to.equal(201);
    expect(short.body.ends_at < expires_at).to.equal(true);
  });

  it('are signed by the service, and name the DID of the account', async () => {
    const client = await register();
    const made = await make(client);
    const did = await client.post<{ did: string }>('/api/identity/did');
    expect(made.customer_did).to.equal(did.body.did);
    const [header = '', payload = '', signature = ''] = made.jws.split('.');
    const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    const { didDocument: document } = (
      await call<{
        didDocument: { verificationMethod: { id: string; publicKeyMultibase: string }[] };
      }>('GET', '/api/identity/service-did')
    ).body;
    const { kid, alg } = parse(header);
    const method = document.verificationMethod.find(({ id }) => id === kid);
    const raw = fromBase58(method?.publicKeyMultibase.slice(1) ?? '').subarray(2);
    const key = createPublicKey({
      format: 'jwk',
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw).toString('base64url') },
    });
    expect(alg).to.equal('EdDSA');
    const signed = Buffer.from(`${header}.${payload}`);
    expect(verify(null, signed, key, Buffer.from(signature, 'base64url'))).to.equal(true);
    expect(parse(payload)).to.deep.include({
      contract_id: made.contract_id,
      customer_did: made.customer_did,
      committed_units: 300,
      tiers: made.tiers,
    });
  });

  it('take their discount off quotes, offers and sends at once', async () => {
    const client = await register();
    const before = await quote(client);
    const { contract_id } = await make(client);
    const after = await quote(client);
    const taken = { contract_id, rate: 0.2, amount: 0.09 };
    expect(after.price.discount).to.deep.equal(taken);
    expect(after.fiat.discount).to.deep.equal(taken);
    expect(after.print).to.be.closeTo(before.print - 0.09, 1e-9);
    expect(after.postage).to.equal(before.postage);
    expect(after.postage + after.print + after.commission).to.be.closeTo(after.total, 1e-9);
    expect(after.total).to.be.lessThan(before.total);
    const sent = await client.send({ service });
    expect(sent.price).to.deep.equal(after.price);
    const letter = await client.letter(sent.letter_id);
    expect(letter.price).to.deep.equal(after.price);
    const offer = { intent: 'transactional', to_country: 'DE', pages: 1 };
    type OfferJson = { tiers: { fiat: { printing: number } }[] };
    const [own, others] = await Promise.all([
      client.post<OfferJson>('/api/anp/offer', offer),
      (await register()).post<OfferJson>('/api/anp/offer', offer),
    ]);
    for (const [n, { fiat }] of own.body.tiers.entries()) {
      expect(fiat.printing).to.be.lessThan(others.body.tiers[n]?.fiat.printing ?? 0);
    }
    const stranger = await register();
    expect((await quote(stranger)).price.discount).to.equal(undefined);
  });

  it('count letters as they are sent, and take off those that are cancelled or fail', async () => {
    const client = await register();
    const { contract_id } = await make(client);
    const used = async () =>
      (await client.get<ContractJson>(`${path}/${contract_id}`)).body.units_used;
    const letters = await Promise.all(Array.from({ length: 4 }, () => client.send({ service })));
    await client.post('/api/send', { letter_id: letters[0]?.letter_id });
    const { letter_id: draft } = await client.send({ service, draft: true });
    await until(async () => (await used()) === 4, patienceMs);
    await client.post(`/api/letters/${letters[0]?.letter_id}/cancel`);
    await client.post(`/api/letters/${draft}/cancel`);
    await client.advance(letters[1]?.letter_id ?? '', { event: 'failed' });
    await client.patch(`/api/letters/${letters[2]?.letter_id}`, { reference: 'R-1' });
    await until(async () => (await used()) === 2, patienceMs);
    const { body } = await client.get<ContractJson>(`${path}/${contract_id}`);
    expect(body).to.include({ units_used: 2, shortfall: 298 });
    expect(body.periods[0]).to.include({ units: 2, discounts: 0.18 });
  });

  it('end, and a shortfall is charged once: what the letters cost less, also below zero', async () => {
    const client = await register();
    const { contract_id } = await make(client, { period_count: 2 });
    await Promise.all(Array.from({ length: 3 }, () => client.send({ service })));
    const read = async () => (await client.get<ContractJson>(`${path}/${contract_id}`)).body;
    await until(async () => (await read()).units_used === 3, patienceMs);
    const before = await client.balance();
    const advance = `/api/test/contracts/${contract_id}/advance`;
    const ended = await client.post<{ ended_period: number }>(advance);
    expect([ended.status, ended.body.ended_period], ended.text).to.deep.equal([200, 1]);
    await until(async () => (await read()).periods[0]?.billed !== null, patienceMs);
    const [first] = (await read()).periods;
    expect(first).to.include({ state: 'breached', units: 3, shortfall: 297, discounts: 0.27 });
    // 27 cents of test money, which counts as fiat, and 5 % of that
    expect(first?.billed).to.equal(0.28);
    const rest = before.balance - 0.28;
    await until(async () => Math.abs((await client.balance()).balance - rest) < 1e-9, patienceMs);
    expect((await read()).state).to.equal('active');
    // Letters count in the second one from now on, long before it begins.
    const next = await read();
    expect([next.current_period, next.periods[1]?.state]).to.deep.equal([2, 'open']);
    expect((await client.post(advance)).status).to.equal(200);
    await until(async () => (await read()).state === 'breached', patienceMs);
    expect((await read()).periods[1]).to.include({ state: 'breached', units: 0, billed: null });
    const over = { current_period: null, units_used: 0, shortfall: 300 };
    expect(await read()).to.include(over);
    expectProblem(await client.post(advance), 409, 'contract_over');
    type Told = { type: string };
    const breaches = async () => {
      const told = await client.get<PageOf<Told>>('/api/notifications?limit=100');
      return told.body.data.filter(({ type }) => type === 'contract.breached');
    };
    await until(async () => (await breaches()).length >= 2, patienceMs);
    expect(await breaches()).to.have.length(2);
    const statement = await client.get('/api/balance/statement');
    const reason = `shortfall ${contract_id}-1`;
    expect(statement.text).to.include(`,${reason}\r\n`);
    const { transactions } = await client.balance();
    expect(transactions.map(({ reference }) => reference)).to.include(reason);
  });

  it('give back what was billed for letters that are cancelled or fail after a breach', async () => {
    const client = await register();
    const before = await client.balance();
    const { contract_id } = await make(client);
    const letters = await Promise.all(Array.from({ length: 3 }, () => client.send({ service })));
    const [first = '', second = '', third = ''] = letters.map(({ letter_id }) => letter_id);
    const read = async () => (await client.get<ContractJson>(`${path}/${contract_id}`)).body;
    const billed = async () => (await read()).periods[0]?.billed;
    await until(async () => (await read()).units_used === 3, patienceMs);
    await client.post(`/api/test/contracts/${contract_id}/advance`);
    await until(async () => (await billed()) === 0.28, patienceMs);
    await client.advance(first, { event: 'failed' });
    // 18 cents of discounts are left, and 5 % of that
    await until(async () => (await billed()) === 0.19, patienceMs);
    await client.post(`/api/letters/${second}/cancel`);
    await client.advance(third, { event: 'failed' });
    await until(async () => (await billed()) === 0, patienceMs);
    await until(async () => (await client.balance()).balance === before.balance, patienceMs);
    expect((await client.balance()).available).to.equal(before.available);
    expect((await read()).periods[0]).to.include({ state: 'breached', units: 3 });
    const statement = await client.get('/api/balance/statement');
    const lines = statement.text.split('\r\n').filter((line) => line.includes(contract_id));
    const sum = lines.reduce(
      (cents, line) => cents + Math.round(Number(line.split(',')[3]) * 100),
      0,
    );
    expect(sum, statement.text).to.equal(0);
    expect(lines.length).to.be.greaterThan(2);
  });

  it('end the approvals of letters with their discount, also where a period is ended early', async () => {
    const client = await register();
    const { contract_id } = await make(client);
    const rules = [{ effect: 'allow' }, { effect: 'hold' }];
    expect((await client.put('/api/policy', { rules })).status).to.equal(200);
    const before = await client.balance();
    const letter = letterTo('DE', { service });
    const { status, body } = await client.post<{ approval_id: string }>('/api/send', letter);
    expect(status).to.equal(202);
    const approval = async () =>
      (await client.get<{ status: string }>(`/api/approvals/${body.approval_id}`)).body.status;
    await until(async () => (await approval()) === 'pending', patienceMs);
    await client.post(`/api/test/contracts/${contract_id}/advance`);
    await until(async () => (await approval()) === 'expired', patienceMs);
    await until(async () => (await client.balance()).available === before.available, patienceMs);
  });

  it('end the commitments to prices with their discount, which show it, also where a period is ended early', async () => {
    const client = await register();
    const { contract_id } = await make(client);
    const wish = { intent: 'bulk_marketing', to_country: 'DE', service };
    const offer = await client.post<{ offer_id: string }>('/api/anp/offer', wish);
    type CommitmentJson = { commitment_id: string; state: string; expires_at: string; jws: string };
    const tier = { offer_id: offer.body.offer_id, tier: 'economy' };
    const accepted = await client.post<CommitmentJson>('/api/anp/accept', tier);
    expect(accepted.status, accepted.text).to.equal(201);
    const { commitment_id, expires_at, jws } = accepted.body;
    await client.post(`/api/test/contracts/${contract_id}/advance`);
    const { data } = (await client.get<PageOf<CommitmentJson>>('/api/anp/commitments')).body;
    const shown = [
      (await client.get<CommitmentJson>(`/api/anp/commitments/${commitment_id}`)).body,
      data[0],
      (await client.post<CommitmentJson>('/api/anp/accept', tier)).body,
    ];
    for (const one of shown) {
      expect(one).to.include({ commitment_id, state: 'expired', jws });
      expect(Date.parse(one?.expires_at ?? '')).to.be.lessThan(Date.parse(expires_at));
    }
    for (const more of [{}, { dry_run: true }]) {
      const letter = letterTo('DE', { service, intent: wish.intent, commitment_id, ...more });
      expectProblem(await client.post('/api/send', letter), 410, 'commitment_expired');
    }
  });

  it('give letters no discount any more, and refuse none, from the end of their last period on', async () => {
    const client = await register();
    const { contract_id } = await make(client, { period_count: 2 });
    const advance = `/api/test/contracts/${contract_id}/advance`;
    const discountNow = async () => {
      const { price } = await client.send({ service });
      expect((await quote(client)).price.discount).to.deep.equal(price.discount);
      return price.discount?.contract_id;
    };
    expect(await discountNow()).to.equal(contract_id);
    expect((await client.post(advance)).status).to.equal(200);
    expect(await discountNow()).to.equal(contract_id);
    expect((await client.post(advance)).status).to.equal(200);
    expect(await discountNow()).to.equal(undefined);
  });

  it('are fulfilled by as many letters as were committed', async () => {
    const client = await register();
    const { contract_id } = await make(client, { committed_units: 51 });
    for (let n = 0; n < 51; n += 17) {
      await Promise.all(Array.from({ length: 17 }, () => client.send({ service })));
    }
    const read = async () => (await client.get<ContractJson>(`${path}/${contract_id}`)).body;
    await until(async () => (await read()).units_used === 51, patienceMs);
    const { balance } = await client.balance();
    await client.post(`/api/test/contracts/${contract_id}/advance`);
    await until(async () => (await read()).state === 'fulfilled', patienceMs);
    expect((await read()).periods[0]).to.include({ shortfall: 0, billed: null });
    expect((await client.balance()).balance).to.equal(balance);
    const told = async () => {
      const log = await client.get<PageOf<{ type: string }>>('/api/notifications?limit=100');
      return log.body.data.filter(({ type }) => type === 'contract.fulfilled').length;
    };
    await until(async () => (await told()) === 1, patienceMs);
    const active = await client.get<PageOf<ContractJson>>(path);
    expect(active.body.data).to.deep.equal([]);
    const all = await client.get<PageOf<ContractJson>>(`${path}?state=all`);
    expect(all.body.data.map((one) => one.contract_id)).to.deep.equal([contract_id]);
    expect((await make(client)).contract_id).to.not.equal(contract_id);
  });

  it('bind the account, which learns of each, whichever of its keys made it', async () => {
    const client = await register();
    const made = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'a',
      scope: 'send',
    });
    const told = async () => {
      const { body } = await client.get<PageOf<{ type: string }>>('/api/notifications?limit=100');
      return body.data.filter(({ type }) => type === 'contract.created').length;
    };
    const terms = { committed_units: 300, period: 'month' };
    const by = { key: made.body.api_key };
    expect((await call('POST', path, terms, by)).status).to.equal(201);
    await until(async () => (await told()) > 0, patienceMs);
    expect((await call('POST', path, terms, by)).status).to.equal(409);
    expect(await told()).to.equal(1);
  });

  it('are one at a time, also when two are asked for at once', async () => {
    const client = await register();
    const answers = await Promise.all([client.post(path, wish), client.post(path, wish)]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409]);
    const [made] = answers.filter(({ status }) => status === 201);
    const { contract_id, ends_at } = made?.body as unknown as ContractJson;
    const refused = await client.post(path, wish);
    expectProblem(refused, 409, 'contract_overlaps');
    expect(refused.body).to.include({ contract_id, ends_at });
    const next = await make(client, { starts_at: ends_at });
    expect(next).to.include({ starts_at: ends_at, state: 'active', current_period: null });
    const list = await client.get<PageOf<ContractJson>>(`${path}?limit=1`);
    expect(list.body.data.map((one) => one.contract_id)).to.deep.equal([next.contract_id]);
    const more = await client.get<PageOf<ContractJson>>(
      `${path}?limit=1&cursor=${list.body.next_cursor}`,
    );
    expect(more.body.data.map((one) => one.contract_id)).to.deep.equal([contract_id]);
    expect(more.body.has_more).to.equal(false);
  });

  it('are made once under an Idempotency-Key', async () => {
    const client = await register();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await client.post<ContractJson>(path, wish, headers);
    const again = await client.post<ContractJson>(path, wish, headers);
    expect([first.status, again.status]).to.deep.equal([201, 201]);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await client.post(path, { ...wish, committed_units: 60 }, headers);
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('refuse what makes no contract, and say which field', async () => {
    const client = await register();
    const wrong: [string, unknown][] = [
      ['/committed_units', { committed_units: 50 }],
      ['/committed_units', { committed_units: 0 }],
      ['/committed_units', { committed_units: -51 }],
      ['/committed_units', { committed_units: 51.5 }],
      ['/committed_units', { committed_units: 1e15 }],
      ['/committed_units', { committed_units: '51' }],
      ['/committed_units', { committed_units: null }],
      ['/period', { period: 'week' }],
      ['/period_count', { period_count: 0 }],
      ['/period_count', { period_count: 13 }],
      ['/starts_at', { starts_at: '2020-01-01' }],
      ['/starts_at', { starts_at: '2999-01-01' }],
      ['/starts_at', { starts_at: 'next month' }],
      ['/time_zone', { time_zone: 'Mars/Olympus' }],
      ['/discount', { discount: 0.9 }],
    ];
    for (const [pointer, more] of wrong) {
      const answer = await client.post(path, { ...wish, ...(more as object) });
      expectProblem(answer, 422, 'validation_failed');
      expect(
        answer.body.errors?.map((one) => one.pointer),
        answer.text,
      ).to.include(pointer);
    }
    expectProblem(await client.post(path, {}), 422, 'validation_failed');
    expect((await client.get<PageOf<ContractJson>>(path)).body.data).to.deep.equal([]);
  });

  it('commit a live account to no more letters than were printed for it before', async () => {
    const answer = await (await register('live')).post<{ printed_before: number }>(path, wish);
    expectProblem(answer, 409, 'contract_needs_history');
    expect(answer.body).to.include({ printed_before: 0, committed_units: 300 });
  });

  it('are seen by their account only, and made with scope send', async () => {
    const [client, stranger] = [await register(), await register()];
    const made = await make(client);
    const one = `${path}/${made.contract_id}`;
    const of = (did: string) => `${path}?customer_did=${encodeURIComponent(did)}`;
    expectProblem(await stranger.get(one), 404, 'contract_not_found');
    expectProblem(await client.get(`${path}/contract_none`), 404, 'contract_not_found');
    const theirs = await stranger.get<PageOf<ContractJson>>(of(made.customer_did));
    expect(theirs.body.data).to.deep.equal([]);
    const own = await client.get<PageOf<ContractJson>>(of(made.customer_did));
    expect(own.body.data).to.deep.equal([made]);
    expect(
      (await client.get<PageOf<ContractJson>>(of('did:key:z6MkOther'))).body.data,
    ).to.deep.equal([]);
    const { api_key } = (
      await client.post<{ api_key: string }>('/auth/keys', { label: 'r', scope: 'read' })
    ).body;
    expect((await call('GET', one, undefined, { key: api_key })).status).to.equal(200);
    expectProblem(await call('POST', path, wish, { key: api_key }), 403, 'scope_insufficient');
    for (const [method, at] of [
      ['POST', path],
      ['GET', path],
      ['GET', one],
    ] as const) {
      expectProblem(
        await call(method, at, method === 'POST' ? wish : undefined),
        401,
        'authentication_required',
      );
    }
    const test = `/api/test/contracts/${made.contract_id}/advance`;
    expectProblem(await stranger.post(test), 404, 'contract_not_found');
    expectProblem(await (await register('live')).post(test), 403, 'test_mode_only');
  });

  it('are told in the OpenAPI document', async () => {
    const { paths } = (await call<{ paths: object }>('GET', '/openapi.json')).body;
    expect(Object.keys(paths)).to.include.members([path, `${path}/{contract_id}`]);
    expect(running().service.operations.map(({ name }) => name)).to.include('create_contract');
  });
});
