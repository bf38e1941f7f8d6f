/**
 * A letter that a policy, a UCAN or a quota denies, that comes from a frozen credential, or that its payment would not
 * pay for, is refused before any payment, on every path on which money comes in.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { removePolicy, setPolicy } from '../../commands/guards/set-policy.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { letterIdOf } from '../../commands/letters/send-letter.ts';
import { countLetter, ucanAggregate } from '../../commands/ucans/ucan.ts';
import { chargeBackFunds, creditFunds } from '../../commands/wallets/credits.ts';
import type { Wallet } from '../../commands/wallets/state.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { commandMaker } from '../../http/command-of.ts';
import type { OrderState } from '../../presenters/order.ts';
import {
  clientOf,
  expectProblem,
  letterTo,
  type NewKeyJson,
  type Sent,
  until,
} from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { paymentHeader, payTo, requirementsIn, x402Settings } from '../support/evm/x402.ts';
import { callOf, postRaw, sendParams } from '../support/mech.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { atRest } from '../support/some-letters.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type Order = Static<typeof OrderState> & { checkout_url: string };

const only = (country: string, limit?: object) => ({
  rules: [
    { id: 'only', effect: 'allow', when: { countries: [country] }, ...(limit ? { limit } : {}) },
  ],
});

describe('orders under a policy', () => {
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
  const { register, call, as } = clientOf(() => service);
  const order = (account: Awaited<ReturnType<typeof register>>, country: 'DE' | 'FR') =>
    account.post<Order>('/api/orders', letterTo(country, { email: 'payer@example.com' }));

  it('are refused before there is a checkout, and keep no draft', async () => {
    const account = await register('live');
    await account.put('/api/policy', only('DE'));
    expectProblem(await order(account, 'FR'), 403, 'policy_denied');
    const letters = await account.get<{ data: object[] }>('/api/letters');
    expect(letters.body.data).to.deep.equal([]);
    expect((await order(account, 'DE')).status).to.equal(201);
  });

  it('are judged at the price that the payer pays, to the cent', async () => {
    const account = await register('live');
    const placed = await account.post<Order & { amount: number }>(
      '/api/orders',
      letterTo('DE', { email: 'payer@example.com' }),
    );
    const { amount } = placed.body;
    const below = Math.round(amount * 100 - 1) / 100;
    await account.put('/api/policy', only('DE', { amount: below, per: 'letter' }));
    expectProblem(await order(account, 'DE'), 403, 'policy_denied');
    await account.put('/api/policy', only('DE', { amount, per: 'letter' }));
    expect((await order(account, 'DE')).status).to.equal(201);
  });

  it('that were placed before the policy leave the money in the wallet', async () => {
    const account = await register('live');
    const placed = (await order(account, 'DE')).body;
    await account.put('/api/policy', only('FR'));
    await stripe.tell('checkout.session.completed', stripe.complete(placed.checkout_url));
    const read = async () => (await account.get<Order>(`/api/orders/${placed.order_id}`)).body;
    await until(async () => (await read()).credit_reason === 'not_sendable');
    expect((await account.letter(placed.letter_id)).status).to.equal('draft');
  });

  it('of a key are counted for its policy when they are paid, together', async () => {
    const owner = await register('live');
    const made = await owner.post<{ id: string; api_key: string }>('/auth/keys', {
      label: 'agent',
      scope: 'send',
    });
    const { id, api_key: key } = made.body;
    const set = await owner.put(
      `/auth/keys/${id}/policy`,
      only('DE', { letters: 1, per: 'total' }),
    );
    expect(set.status, set.text).to.equal(200);
    const place = () =>
      call<Order>('POST', '/api/orders', letterTo('DE', { email: 'payer@example.com' }), { key });
    const placed = (await Promise.all([place(), place(), place()])).map(({ body }) => body);
    await Promise.all(
      placed.map(({ checkout_url }) =>
        stripe.tell('checkout.session.completed', stripe.complete(checkout_url)),
      ),
    );
    let outcomes: (string | null)[] = [];
    await until(async () => {
      const orders = await Promise.all(
        placed.map(({ order_id }) => owner.get<Order>(`/api/orders/${order_id}`)),
      );
      outcomes = orders.map(({ body }) => body.credit_reason ?? body.letter_status);
      return outcomes.every((one) => one === 'not_sendable' || one === 'queued');
    });
    expect(outcomes.toSorted()).to.deep.equal(['not_sendable', 'not_sendable', 'queued']);
  });

  it('go to no recipient whom a policy of the key that changed their draft denies or holds', async () => {
    const owner = await register('live');
    const holds = {
      rules: [{ effect: 'allow' }, { effect: 'hold', when: { known_recipient: false } }],
    };
    const key = async (policy: object) => {
      const made = await owner.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
      const set = await owner.put(`/auth/keys/${made.body.id}/policy`, policy);
      expect(set.status, set.text).to.equal(200);
      return as(made.body.api_key);
    };
    const placed = (await order(owner, 'DE')).body;
    const path = `/api/letters/${placed.letter_id}`;
    const other = { to_name: 'Mallory Muster', to_line1: 'Unter den Linden 77' };
    const toFrance = { to_country: 'FR', to_city: 'Paris', to_postal_code: '75001' };
    const limited = await key(only('DE'));
    expectProblem(await limited.patch(path, { ...other, ...toFrance }), 403, 'policy_denied');
    expectProblem(await (await key(holds)).patch(path, other), 403, 'approval_required');
    expect((await limited.patch(path, { metadata: { shelf: '1' } })).status).to.equal(200);
    const draft = await limited.post<{ letter_id: string }>(
      '/api/send',
      letterTo('DE', { draft: true }),
    );
    const own = await limited.patch(`/api/letters/${draft.body.letter_id}`, toFrance);
    expect(own.status, own.text).to.equal(200);
    await stripe.tell('checkout.session.completed', stripe.complete(placed.checkout_url));
    await until(async () => (await owner.letter(placed.letter_id)).status === 'queued');
    const letter = await owner.letter(placed.letter_id);
    expect(letter.to_name).to.equal(letterTo('DE').to_name);
  });

  it('of a frozen account are refused, and those placed before leave the money in the wallet', async () => {
    const account = await register('live');
    const placed = (await order(account, 'DE')).body;
    expect((await account.post('/api/account/freeze')).status).to.equal(200);
    expectProblem(await order(account, 'DE'), 403, 'frozen');
    await stripe.tell('checkout.session.completed', stripe.complete(placed.checkout_url));
    const read = async () => (await account.get<Order>(`/api/orders/${placed.order_id}`)).body;
    await until(async () => (await read()).credit_reason === 'not_sendable');
    expect((await account.letter(placed.letter_id)).status).to.equal('draft');
    await until(async () => (await account.balance()).available > 0);
  });
});

describe('x402 under a policy', function () {
  this.timeout(180_000);
  let chain: Chain;
  let service: TestService;
  before(async () => {
    chain = await startChain();
    service = await startTestService({
      ...(await x402Settings(chain)),
      LIMIT_LIVE_LETTERS_PER_DAY: '2',
    });
  });
  after(async () => {
    await service?.stop();
    await chain?.stop();
  });
  const { call, register } = clientOf(() => service);

  it('takes no payment for a letter or a draft that is denied', async () => {
    const account = await register('live');
    const draft = await account.post<Sent>('/api/send', letterTo('FR', { draft: true }));
    const payer = await chain.newPayer(50_000_000n);
    const demand = requirementsIn(await call('POST', '/api/send', letterTo('FR')));
    await account.put('/api/policy', only('DE'));
    for (const body of [letterTo('FR'), { letter_id: draft.body.letter_id }]) {
      const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
      const denied = await call('POST', '/api/send', body, { key: account.key, headers });
      expectProblem(denied, 403, 'policy_denied');
      expect(denied.text).not.to.include('payment_credited');
    }
    expect(await chain.received(payTo)).to.deep.equal([]);
    expect((await account.balance()).balance).to.equal(0);
    // The same payment pays for a letter that is allowed.
    const allowed = requirementsIn(await call('POST', '/api/send', letterTo('DE')));
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, allowed) };
    const sent = await call('POST', '/api/send', letterTo('DE'), { key: account.key, headers });
    expect(sent.status, sent.text).to.equal(201);
  });

  it('takes no payment for what a frozen key sends, and one for the same letter once it is not frozen', async () => {
    const account = await register('live');
    const agent = await account.post<{ id: string; api_key: string }>('/auth/keys', {
      label: 'agent',
      scope: 'send',
    });
    const { id, api_key: key } = agent.body;
    const payer = await chain.newPayer(50_000_000n);
    const demand = requirementsIn(await call('POST', '/api/send', letterTo('DE')));
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
    const send = () => call('POST', '/api/send', letterTo('DE'), { key, headers });
    const received = (await chain.received(payTo)).length;
    expect((await account.post(`/auth/keys/${id}/freeze`)).status).to.equal(200);
    const refused = await send();
    expectProblem(refused, 403, 'frozen');
    expect(refused.text).not.to.include('payment_credited');
    expect((await chain.received(payTo)).length).to.equal(received);
    expect((await account.balance()).balance).to.equal(0);
    expect((await account.post(`/auth/keys/${id}/unfreeze`)).status).to.equal(200);
    const sent = await send();
    expect(sent.status, sent.text).to.equal(201);
  });

  /** The command that a send of an account under a key is. */
  const commandOf = (accountId: string, idempotencyKey: string) => {
    const caller = { accountId, keyId: 'any', scope: 'send' as const, test: false };
    const asked = {
      caller,
      address: '',
      body: {},
      params: {},
      idempotencyKey,
      fingerprints: undefined,
    };
    return { accountId, command: commandMaker({ name: 'send_letter' }, (text) => text)(asked) };
  };

  /** A payment of the price of a letter to Germany is refused, and not taken. */
  const expectNotTaken = async (
    key: string,
    refusal: { status: number; code: ErrorCode },
    changes: object = {},
  ) => {
    const payer = await chain.newPayer(50_000_000n);
    const demand = requirementsIn(await call('POST', '/api/send', letterTo('DE')));
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
    const received = (await chain.received(payTo)).length;
    const send = () => call('POST', '/api/send', letterTo('DE', changes), { key, headers });
    const refused = await send();
    expectProblem(refused, refusal.status, refusal.code);
    expect(refused.text).not.to.include('payment_credited');
    expect((await chain.received(payTo)).length).to.equal(received);
    return send;
  };

  it('takes no payment for a letter that the caveats of a UCAN do not allow', async () => {
    const account = await register('live');
    const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const resource = `letters://${account.account.account_id}/`;
    const delegate = async (ability: string, caveat: object) => {
      const capabilities = { [resource]: { [ability]: [caveat] } };
      const made = await account.post<{ token: string; cid: string }>('/api/identity/delegate', {
        audience: did,
        capabilities,
      });
      expect(made.status, made.text).to.equal(201);
      const { token, cid } = made.body;
      return { key: `ucan:${token}`, cid };
    };
    const refusal = { status: 403, code: 'caveat_not_met' as const };
    const elsewhere = await delegate('letters/send', { countries: ['FR'] });
    await expectNotTaken(elsewhere.key, refusal);
    const cheap = { max_total_minor: 50, currency: 'USD' };
    await expectNotTaken((await delegate('letters/send', cheap)).key, refusal);
    const { key, cid } = await delegate('letters/send', { max_letters: 1 });
    // A request counted the letter, and ended before the letter was stored.
    const { accountId, command } = commandOf(account.account.account_id, 'counted');
    const letterId = letterIdOf(command.commandId);
    const count = { type: 'CountLetter' as const, cid, accountId, letterId, maxLetters: 1 };
    const { handler } = service.service.foundation.commands;
    await handler.handle(ucanAggregate, cid, command, (ucan) => countLetter(ucan, count));
    await expectNotTaken(key, refusal);
    const payer = await chain.newPayer(50_000_000n);
    const demand = requirementsIn(await call('POST', '/api/send', letterTo('DE')));
    const headers = {
      'PAYMENT-SIGNATURE': await paymentHeader(payer, demand),
      'Idempotency-Key': 'counted',
    };
    const repeated = await call<Sent>('POST', '/api/send', letterTo('DE'), { key, headers });
    expect(repeated.status, repeated.text).to.equal(201);
    expect(repeated.body.letter_id).to.equal(letterId);
    const reads = await delegate('letters/read', {});
    await expectNotTaken(reads.key, { status: 403, code: 'scope_insufficient' });
  });

  it('takes no payment that would not pay for the letter, because the wallet is below zero', async () => {
    const account = await register('live');
    const { handler } = service.service.foundation.commands;
    const change = async (decide: (wallet: Wallet) => WalletEvent[]) => {
      const context = { commandId: randomUUID(), actor: 'test' };
      await handler.handle(walletAggregate, account.account.account_id, context, decide);
    };
    const credit = (id: string) =>
      change((wallet) =>
        creditFunds(wallet, {
          type: 'CreditFunds',
          receipt: { method: 'operator', id },
          bucket: 'fiat',
          amountMicro: 5_000_000n,
        }),
      );
    await credit('first');
    await account.send();
    await change((wallet) =>
      chargeBackFunds(wallet, {
        type: 'ChargeBackFunds',
        receipt: { method: 'card', id: 'dispute' },
        creditId: 'first',
        amountMicro: 5_000_000n,
      }),
    );
    await until(async () => (await account.balance()).available < 0);
    const { balance } = await account.balance();
    const again = await expectNotTaken(account.key, { status: 402, code: 'insufficient_funds' });
    expect((await account.balance()).balance).to.equal(balance);
    await credit('second');
    const sent = await again();
    expect(sent.status, sent.text).to.equal(201);
  });

  it('takes no payment for a letter beyond the letters that an account may send', async () => {
    const account = await register('live');
    for (const _ of [1, 2]) {
      const payer = await chain.newPayer(50_000_000n);
      const demand = requirementsIn(await call('POST', '/api/send', letterTo('DE')));
      const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
      const { key } = account;
      const sent = await call('POST', '/api/send', letterTo('DE'), { key, headers });
      expect(sent.status, sent.text).to.equal(201);
    }
    await expectNotTaken(account.key, { status: 429, code: 'quota_exceeded' });
  });

  it('pays for a dry run at the price of a read, and needs no money for the letter', async () => {
    const payer = await chain.newPayer(1_000_000n);
    const dry = letterTo('DE', { dry_run: true });
    const demand = requirementsIn(await call('POST', '/api/send', dry));
    expect(Number(demand.amount)).to.be.below(100_000);
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
    const said = await call<{ outcome: string }>('POST', '/api/send', dry, { headers });
    expect(said.status, said.text).to.equal(200);
    expect(said.body.outcome).to.equal('allowed');
  });
});

describe('the mech under a policy', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ MECH_MODE: 'test', MECH_DAILY_LETTERS: '40' });
  });
  after(() => service?.stop());
  const { register } = clientOf(() => service);

  /** The account that pays for what the mech sends. */
  const mechAccount = async (): Promise<string> => {
    const sent = await postRaw(service.url, callOf(sendParams()));
    expect(sent.success, sent.text).to.equal(true);
    const { handler } = service.service.foundation.commands;
    const { state } = await handler.load(letterAggregate, String(sent.data?.letter_id));
    return state.status === 'none' ? '' : state.terms.accountId;
  };

  it('refuses what the policy of a test account denies on every path of that account', async () => {
    const owner = await register();
    await owner.put('/api/policy', only('FR'));
    expectProblem(await owner.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    expectProblem(
      await owner.post('/api/send', letterTo('DE', { hold_without_funds: true })),
      403,
      'policy_denied',
    );
    expect((await owner.post('/api/send', letterTo('FR'))).status).to.equal(201);
  });

  it('sends nothing, costs nothing and tells nothing of the rules', async () => {
    const accountId = await mechAccount();
    const { handler } = service.service.foundation.commands;
    const context = () => ({ commandId: randomUUID(), actor: 'test' });
    const policies = [
      [{ id: 'secret-rule', effect: 'allow' as const, when: { countries: ['FR'] } }],
      // Nobody there waits for an approval.
      [
        { id: 'all', effect: 'allow' as const },
        { id: 'secret-rule', effect: 'hold' as const },
      ],
    ];
    for (const rules of policies) {
      await handler.handle(walletAggregate, accountId, context(), (wallet) =>
        setPolicy(wallet, {
          type: 'SetPolicy',
          subject: 'account',
          wanted: { timeZone: 'UTC', rules },
          maker: { subjects: [], mayRaise: true },
        }),
      );
      const denied = await postRaw(service.url, callOf(sendParams()));
      expect([denied.status, denied.error?.code]).to.deep.equal([200, 'policy_denied']);
      expect(denied.price_paid_wei).to.equal(0);
      expect(denied.text).not.to.match(/secret-rule|Rule |"used"/);
    }
    await handler.handle(walletAggregate, accountId, context(), (wallet) =>
      removePolicy(wallet, {
        type: 'RemovePolicy',
        subject: 'account',
        maker: { subjects: [], mayRaise: true },
      }),
    );
  });

  it('sends nothing and costs nothing while its account is frozen, and sends again afterwards', async () => {
    const accountId = await mechAccount();
    const { handler } = service.service.foundation.commands;
    const context = () => ({ commandId: randomUUID(), actor: 'test' });
    const change = (type: 'SpendingFrozen' | 'SpendingUnfrozen') =>
      handler.handle(walletAggregate, accountId, context(), () => [
        { type, data: { subject: 'account' } },
      ]);
    await change('SpendingFrozen');
    const frozen = await postRaw(service.url, callOf(sendParams()));
    expect(frozen.success, frozen.text).to.equal(false);
    expect(frozen.price_paid_wei).to.equal(0);
    await change('SpendingUnfrozen');
    // The change came by no request, so none waits for it.
    await atRest(service.url);
    const sent = await postRaw(service.url, callOf(sendParams()));
    expect(sent.success, sent.text).to.equal(true);
  });
});
