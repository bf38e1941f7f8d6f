import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import type { Static } from 'typebox';
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { blockAccount } from '../../commands/accounts/restrictions.ts';
import { createPayerAccounts, payerDid } from '../../commands/payments/payer-account.ts';
import { commandOf } from '../../operator/commands.ts';
import type { AccountClosure } from '../../presenters/account-closure.ts';
import { accountById } from '../../projections/accounts/query.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { search } from '../../service/operating/desk/search.ts';
import type { BalanceJson, Sent } from '../support/client.ts';
import { clientOf, expectProblem, letterTo, until } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import {
  type SignInChallenge,
  signInHeader,
  stockAxios,
  stockFetch,
} from '../support/evm/stock-clients.ts';
import { encoded, paymentHeader, payTo, requirementsIn, signed } from '../support/evm/x402.ts';

type Closure = Static<typeof AccountClosure>;

/** Whether the operator brought the erasure forward; false while there are blockers. */
const erasesNow = (foundation: Foundation, accountId: string): Promise<boolean> =>
  commandOf(['erase-account', accountId, '--now', '--forfeit'])(foundation, () => undefined).then(
    () => true,
    () => false,
  );

describe('a letter that is paid with nothing but a wallet (x402)', () => {
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  before(async () => {
    paid = await startPaidService();
  });
  after(async () => {
    await paid?.stop();
  });
  const { call, register } = clientOf(() => paid.service);
  const send = (body: object, headers: Record<string, string> = {}) =>
    call<Sent>('POST', '/api/send', body, { headers });
  const newPayer = () => paid.chain.newPayer(50_000_000n);
  const did = 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf';
  /** A challenge for one request; without it, for reading. */
  const challengeOf = async (method?: string, path?: string): Promise<SignInChallenge> => {
    const query = method && path ? `?${new URLSearchParams({ method, path })}` : '';
    return (await call<{ sign_in: SignInChallenge }>('GET', `/x402${query}`)).body.sign_in;
  };
  const signInOf = async (signer: LocalAccount, method?: string, path?: string) => ({
    'SIGN-IN-WITH-X': await signInHeader(signer, await challengeOf(method, path)),
  });
  const receivedFrom = async (address: string) =>
    (await paid.chain.received(payTo)).filter(({ from }) => from === address);

  it('answers 402 in both versions of the protocol to whoever has neither key nor payment', async () => {
    const answer = await call<Record<string, unknown>>('POST', '/api/send', letterTo('DE'));
    expect(answer.status).to.equal(402);
    expect(answer.body).to.include({ code: 'payment_required', x402Version: 1 });
    const [v1] = answer.body.accepts as Record<string, unknown>[];
    const v2 = requirementsIn(answer);
    expect(v1).to.include({ network: 'base-sepolia', maxAmountRequired: v2.amount, payTo });
    expect(v2).to.include({ network: 'eip155:84532', scheme: 'exact', payTo });
    expect(answer.headers.get('cache-control')).to.contain('no-store');
  });

  it('says of a read that its payment is credited, and how to read without one', async () => {
    const read = await call('GET', '/api/balance');
    expectProblem(read, 402, 'payment_required');
    expect(read.body.detail)
      .to.match(/credits it/)
      .and.match(/SIGN-IN-WITH-X/);
    const sent = await call('POST', '/api/send', letterTo('DE'));
    expect(sent.body.detail).to.match(/^This operation costs/);
  });

  it('refuses a body that is not valid before it asks for money', async () => {
    const answer = await send(letterTo('DE', { to_postal_code: 'nonsense' }));
    expect(answer.status).to.equal(422);
    expect(answer.headers.get('payment-required')).to.equal(null);
  });

  it('refuses a top-up that is not possible before it asks for money', async () => {
    for (const [body, status, pointer] of [
      [{ method: 'usdc', amount: 5, currency: 'EUR' }, 422, '/currency'],
      [{ method: 'lightning', amount: 5, from_address: payTo }, 422, '/from_address'],
      [{ method: 'card', amount: 5, pay_now: true }, 422, '/pay_now'],
      [{ method: 'card', amount: 5.005 }, 501],
      [{ method: 'usdc', amount: 5.005 }, 422, '/amount'],
    ] as const) {
      const answer = await call('POST', '/api/topup', body);
      expect(answer.status, JSON.stringify(body)).to.equal(status);
      expect(answer.headers.get('payment-required')).to.equal(null);
      if (pointer !== undefined) expect(answer.body.errors?.[0]?.pointer).to.equal(pointer);
    }
  });

  it('asks a test account for no money', async () => {
    const account = await register('test');
    const answer = await account.post('/api/topup', { method: 'usdc', amount: 5, pay_now: true });
    expectProblem(answer, 409, 'payment_not_taken');
    expect(answer.headers.get('payment-required')).to.equal(null);
  });

  it('tells its price without reading the logo, and reads the logo before it takes money', async () => {
    const whole = PNG.sync.write(new PNG({ width: 10, height: 10 }));
    const cut = whole.subarray(0, 45).toString('base64');
    const body = letterTo('GB', { logo: `data:image/png;base64,${cut}` });
    const unpaid = await send(body);
    expect(unpaid.status, unpaid.text).to.equal(402);
    const signer = await newPayer();
    const { payload } = await signed(signer, requirementsIn(unpaid));
    const header = encoded({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload });
    const refused = await send(body, { 'X-PAYMENT': header });
    expectProblem(refused, 422, 'validation_failed');
    expect(await receivedFrom(signer.address)).to.deep.equal([]);
  });

  it('is sent by the stock client, cancelled, and refunded to the wallet', async () => {
    const signer = await newPayer();
    const pay = stockFetch(signer);
    const answer = await pay(`${paid.service.url}/api/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(letterTo('DE')),
    });
    const sent = (await answer.json()) as Sent;
    expect(answer.status, JSON.stringify(sent)).to.equal(201);
    expect(answer.headers.get('payment-response')).to.be.a('string');
    expect(answer.headers.get('x-payment-response')).to.be.a('string');
    const [transfer] = await receivedFrom(signer.address);
    expect(Number(transfer?.value) / 1e6).to.equal(sent.price.total);
    const balance = await pay(`${paid.service.url}/api/balance`);
    const wallet = (await balance.json()) as BalanceJson;
    expect(wallet.held).to.equal(sent.price.total);
    // The payment for this read is credited, and shown.
    expect(wallet.available).to.equal(0.01);
  });

  it('is sent by the stock client for axios', async () => {
    const signer = await newPayer();
    const axios = stockAxios(signer);
    const answer = await axios.post(`${paid.service.url}/api/send`, letterTo('DE'));
    expect(answer.status).to.equal(201);
    expect(answer.headers['payment-response']).to.be.a('string');
    expect(await receivedFrom(signer.address)).to.have.length(1);
  });

  it('answers the same payment three times at once with one letter and one transfer', async () => {
    const signer = await newPayer();
    const body = letterTo('FR');
    const header = await paymentHeader(signer, requirementsIn(await send(body)));
    const answers = await Promise.all(
      [1, 2, 3].map(() => send(body, { 'PAYMENT-SIGNATURE': header })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.letter_id)).size).to.equal(1);
    expect(await receivedFrom(signer.address)).to.have.length(1);
  });

  it('takes version 1 in whichever header, and refuses the payment with another request', async () => {
    const signer = await newPayer();
    const body = letterTo('GB');
    const { payload } = await signed(signer, requirementsIn(await send(body)));
    const header = encoded({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload });
    const sent = await send(body, { 'X-PAYMENT': header });
    expect(sent.status, sent.text).to.equal(201);
    const other = await send(letterTo('GB', { content: 'Something else.' }), {
      'X-PAYMENT-SIGNATURE': header,
    });
    expect(other.status).to.equal(409);
    expect(other.body).to.include({ code: 'payment_already_used' });
    expect(other.text).to.match(/Repeat that request unchanged.* a send mails a second letter\./);
    expect(await receivedFrom(signer.address)).to.have.length(1);
  });

  it('pays for one command: a settled payment is public, and spends no other money of its payer', async () => {
    const signer = await newPayer();
    const topUp = { method: 'usdc', amount: 20 };
    const pay = async (path: string, body: object) => {
      const asked = requirementsIn(await call('POST', path, body));
      const header = await paymentHeader(signer, asked);
      return (headers: Record<string, string> = {}) =>
        call<Sent>('POST', path, body, { headers: { 'PAYMENT-SIGNATURE': header, ...headers } });
    };
    for (const present of [
      await pay('/api/topup', topUp),
      await pay('/api/send', letterTo('GB')),
    ]) {
      const first = await present();
      expect(first.status, first.text).to.equal(201);
      const another = await present({ 'Idempotency-Key': 'another command' });
      expectProblem(another, 409, 'payment_already_used');
      expect((await present()).body).to.deep.equal(first.body);
    }
    const under = { 'Idempotency-Key': 'one command' };
    const present = await pay('/api/send', letterTo('GB'));
    const first = await present(under);
    expect(first.status, first.text).to.equal(201);
    expectProblem(await present(), 409, 'payment_already_used');
    expect((await present(under)).body).to.deep.equal(first.body);
  });

  it('does not say that a payment was not taken if it comes again with a letter of another price', async () => {
    const signer = await newPayer();
    const header = await paymentHeader(signer, requirementsIn(await send(letterTo('DE'))));
    const first = await send(letterTo('DE'), { 'PAYMENT-SIGNATURE': header });
    expect(first.status, first.text).to.equal(201);
    const dearer = letterTo('DE', { color: true });
    const keyed = { 'PAYMENT-SIGNATURE': header, 'Idempotency-Key': 'another letter' };
    const refused = await send(dearer, keyed);
    expectProblem(refused, 409, 'payment_already_used');
    const other = await paymentHeader(signer, requirementsIn(await send(letterTo('DE'))));
    const unfit = await send(dearer, { 'PAYMENT-SIGNATURE': other });
    expectProblem(unfit, 402, 'payment_required');
    expect(unfit.text).to.contain('It was not taken.');
    expect(await receivedFrom(signer.address)).to.have.length(1);
  });

  it('lets the wallet that paid sign in, cancel and see its refund, each signature once', async () => {
    const signer = await newPayer();
    const pay = stockFetch(signer);
    const answer = await pay(`${paid.service.url}/api/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(letterTo('GB')),
    });
    const sent = (await answer.json()) as Sent;
    const header = await signInOf(signer, 'POST', `/api/letters/${sent.letter_id}/cancel`);
    const cancel = await call('POST', `/api/letters/${sent.letter_id}/cancel`, undefined, {
      headers: header,
    });
    expect(cancel.status, cancel.text).to.equal(200);
    const again = await call('GET', '/api/balance', undefined, { headers: header });
    expect(again.body.code).to.equal('sign_in_invalid');
    const balance = await call<BalanceJson>('GET', '/api/balance', undefined, {
      headers: await signInOf(signer),
    });
    expect(balance.body.available).to.equal(sent.price.total);
    // The refund pays for the next letter, without a payment.
    const next = await call<Sent>('POST', '/api/send', letterTo('GB'), {
      headers: await signInOf(signer, 'POST', '/api/send'),
    });
    expect(next.status, next.text).to.equal(201);
  });

  it('says to the wallet what its signature permits, and permits nothing more', async () => {
    const signer = await newPayer();
    const body = letterTo('GB');
    const header = await paymentHeader(signer, requirementsIn(await send(body)));
    const { letter_id: id } = (await send(body, { 'PAYMENT-SIGNATURE': header })).body;
    const cancel = `/api/letters/${id}/cancel`;
    const reading = await challengeOf();
    expect(reading.info.statement).to.include('to read').and.include('no change');
    const changing = await challengeOf('POST', cancel);
    expect(changing.info.statement).to.include('spend the money').and.include(`POST ${cancel}`);
    const requests: [string, string, object?][] = [
      ['POST', cancel],
      ['PATCH', `/api/letters/${id}`, { reference: 'R-1' }],
      ['DELETE', `/api/letters/${id}`],
      ['POST', '/api/send', letterTo('GB')],
      ['POST', '/api/anp/contracts', {}],
      ['POST', '/api/identity/delegate', { audience: did, scope: 'send' }],
      ['POST', `/api/identity/audit/${id}/link`, {}],
    ];
    for (const [method, path, sent] of requests) {
      const ask = async (challenge: SignInChallenge) =>
        call<{ code: string; extensions: Record<string, SignInChallenge> }>(method, path, sent, {
          headers: { 'SIGN-IN-WITH-X': await signInHeader(signer, challenge) },
        });
      const other = path === cancel ? '/api/send' : cancel;
      for (const wrong of [await challengeOf(), await challengeOf('POST', other)]) {
        const refused = await ask(wrong);
        expect(refused.body.code, `${method} ${path} ${refused.text}`).to.equal('sign_in_invalid');
        const [offered] = Object.values(refused.body.extensions);
        expect(offered?.info.statement).to.include(`${method} ${path}`);
      }
      // A signature for another request is no better where the statement is forged, too.
      const own = await challengeOf('POST', other);
      const mixed = { ...own, info: { ...own.info, statement: reading.info.statement } };
      expect((await ask(mixed)).body.code).to.equal('sign_in_invalid');
    }
    // Reading by a challenge for one address is reading of that address.
    const elsewhere = await challengeOf('GET', `/api/letters/${id}`);
    const balance = await call<{ code: string }>('GET', '/api/balance', undefined, {
      headers: { 'SIGN-IN-WITH-X': await signInHeader(signer, elsewhere) },
    });
    expect(balance.body.code).to.equal('sign_in_invalid');
  });

  it('offers a wallet the challenge of the request where a credential is missing', async () => {
    type Offered = { extensions: Record<string, SignInChallenge> };
    for (const [method, path, body] of [
      ['POST', '/api/identity/delegate', { audience: did, scope: 'send' }],
      ['GET', '/api/settings'],
    ] as const) {
      const answer = await call<Offered>(method, path, body);
      expect(answer.status).to.equal(401);
      const [offered] = Object.values(answer.body.extensions);
      const wanted = method === 'GET' ? 'to read' : `${method} ${path}`;
      expect(offered?.info.statement).to.include(wanted);
    }
    const full = await call<Partial<Offered>>('GET', '/auth/keys');
    expect(full.body.extensions).to.equal(undefined);
  });

  it('makes UCANs and links for a wallet that live until their end, or until it revokes them', async () => {
    const signer = await newPayer();
    const body = letterTo('GB');
    const header = await paymentHeader(signer, requirementsIn(await send(body)));
    const { letter_id: id } = (await send(body, { 'PAYMENT-SIGNATURE': header })).body;
    const as = async <T>(method: string, path: string, sent?: object) => {
      const answer = await call<T>(method, path, sent, {
        headers: await signInOf(signer, method, path),
      });
      expect(answer.status, answer.text).to.be.oneOf([200, 201]);
      return answer.body;
    };
    const ucan = await as<{ token: string; cid: string }>('POST', '/api/identity/delegate', {
      audience: did,
      scope: 'send',
      expires_in: 7_776_000,
    });
    const bearer = { key: `ucan:${ucan.token}` };
    const listed = async () =>
      (await as<{ data: { cid: string }[] }>('GET', '/api/identity/ucan')).data.map(
        ({ cid }) => cid,
      );
    expect(await listed()).to.include(ucan.cid);
    const read = () => call('GET', `/api/letters/${id}`, undefined, bearer);
    expect((await read()).status).to.equal(200);
    const links = `/api/identity/audit/${id}/link`;
    const link = await as<{ id: string; url: string }>('POST', links, { expires_in: 31_536_000 });
    const path = link.url.slice(link.url.indexOf('/audit/'));
    expect((await call('GET', path)).status).to.equal(200);
    expect((await as<{ data: { id: string }[] }>('GET', links)).data).to.have.length(1);
    await as('POST', '/api/identity/ucan/revoke', { cid: ucan.cid });
    await until(async () => (await read()).status === 401);
    expect(await listed()).to.not.include(ucan.cid);
    await as('DELETE', `${links}/${link.id}`);
    await until(async () => (await call('GET', path)).status === 404);
  });

  it('lets the wallet raise and lift the limits that it set for its account and its UCANs', async () => {
    const signer = await newPayer();
    const header = await paymentHeader(signer, requirementsIn(await send(letterTo('GB'))));
    expect((await send(letterTo('GB'), { 'PAYMENT-SIGNATURE': header })).status).to.equal(201);
    const as = async <T>(method: string, path: string, sent?: object) => {
      const answer = await call<T>(method, path, sent, {
        headers: await signInOf(signer, method, path),
      });
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.be.oneOf([200, 201]);
      return answer.body;
    };
    const wish = { audience: did, scope: 'send' };
    const ucan = await as<{ token: string; cid: string }>('POST', '/api/identity/delegate', wish);
    const ofUcan = `/api/identity/ucan/${ucan.cid}/policy`;
    const daily = (amount: number) => ({
      rules: [{ id: 'daily', effect: 'allow', limit: { amount, per: 'day' } }],
    });
    type Budgets = { data: { policy: string; remaining: number }[] };
    for (const path of ['/api/policy', ofUcan]) {
      for (const amount of [20, 10, 50]) await as('PUT', path, daily(amount));
    }
    const { data } = await as<Budgets>('GET', '/api/budgets');
    expect(data.map(({ policy, remaining }) => [policy, remaining])).to.deep.equal([
      ['account', 50],
      [`ucan:${ucan.cid}`, 50],
    ]);
    expect(await as('GET', ofUcan)).to.deep.include(daily(50));
    const asked = await call<{ approval_id: string }>(
      'PUT',
      ofUcan,
      { ...daily(90), request_approval: true },
      { key: `ucan:${ucan.token}` },
    );
    expect(asked.status, asked.text).to.equal(202);
    const changes = await as<{ data: { approval_id: string }[] }>('GET', '/api/policy-changes');
    expect(changes.data.map((one) => one.approval_id)).to.deep.equal([asked.body.approval_id]);
    const raising = await call('PUT', ofUcan, daily(90), { key: `ucan:${ucan.token}` });
    expectProblem(raising, 403, 'policy_protected');
    for (const path of ['/api/policy', ofUcan]) await as('DELETE', path);
  });

  it('lets the wallet that paid cancel, look and delete by a payment that says who it is, once', async () => {
    const signer = await newPayer();
    const pay = stockFetch(signer);
    const url = `${paid.service.url}/api/send`;
    const answer = await pay(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(letterTo('GB')),
    });
    const { letter_id: id, price } = (await answer.json()) as Sent;
    const path = `/api/letters/${id}/cancel`;
    const asked = await call('POST', path);
    expect(asked.status, asked.text).to.equal(402);
    const requirements = requirementsIn(asked);
    const stranger = await paymentHeader(await newPayer(), requirements);
    const strange = await call('POST', path, undefined, {
      headers: { 'PAYMENT-SIGNATURE': stranger },
    });
    expect(strange.status, strange.text).to.equal(404);
    const header = { 'PAYMENT-SIGNATURE': await paymentHeader(signer, requirements) };
    const cancelled = await call('POST', path, undefined, { headers: header });
    expect(cancelled.status, cancelled.text).to.equal(200);
    expect(cancelled.body).to.include({ letter_id: id, status: 'cancelled' });
    // A settled payment is public: it shows nobody a letter.
    const shownAgain = await call('POST', path, undefined, { headers: header });
    expect(shownAgain.status, shownAgain.text).to.equal(409);
    expect(shownAgain.body).to.include({ code: 'payment_already_used' });
    expect(shownAgain.text).to.not.contain(letterTo('GB').to_name);
    const statement = await pay(`${paid.service.url}/api/balance`);
    const { balance } = (await statement.json()) as BalanceJson;
    expect(balance).to.be.at.least(price.total);
    for (const seen of [`identity/audit/${id}`, `letters/${id}/document.pdf`]) {
      const shown = await pay(`${paid.service.url}/api/${seen}`);
      expect(shown.status, seen).to.equal(200);
    }
    const deleted = await pay(`${paid.service.url}/api/letters/${id}`, { method: 'DELETE' });
    expect(await deleted.json()).to.deep.equal({ letter_id: id, deleted: true });
  });

  it('lets a stock client sign in with its wallet wherever a letter is changed', async () => {
    const signer = await newPayer();
    const body = letterTo('GB');
    const header = await paymentHeader(signer, requirementsIn(await send(body)));
    const sent = await send(body, { 'PAYMENT-SIGNATURE': header });
    const signIn = wrapFetchWithSIWx(fetch, signer as never);
    const answer = await signIn(`${paid.service.url}/api/letters/${sent.body.letter_id}/cancel`, {
      method: 'POST',
    });
    expect(answer.status, await answer.text()).to.equal(200);
  });

  it('takes nothing of a wallet whose account is blocked', async () => {
    const signer = await newPayer();
    const body = letterTo('DE');
    const requirements = requirementsIn(await send(body));
    const pay = async () =>
      send(body, { 'PAYMENT-SIGNATURE': await paymentHeader(signer, requirements) });
    expect((await pay()).status).to.equal(201);
    const { storage, commands, keys } = paid.service.service.foundation;
    const payers = createPayerAccounts({ ...commands, indexOf: keys.indexOf });
    const accountId = payers.idOf(payerDid('eip155:84532', signer.address));
    const found = await search(
      paid.service.service.foundation,
      `did:pkh:eip155:84532:${signer.address}`,
    );
    expect(found.map(({ kind, id }) => ({ kind, id }))).to.deep.equal([
      { kind: 'account', id: accountId },
    ]);
    const context = { commandId: crypto.randomUUID(), actor: 'operator' };
    await commands.handler.handle(accountAggregate, accountId, context, (account) =>
      blockAccount(account, { type: 'BlockAccount', reason: 'a test' }),
    );
    await until(async () => (await accountById(storage.readDb, accountId))?.blocked === true);
    const refused = await pay();
    expect(refused.body).to.include({ code: 'account_blocked' });
    expect(await receivedFrom(signer.address)).to.have.length(1);
  });

  it('closes the account of a wallet that signs in, and opens another one for its next payment', async () => {
    const signer = await newPayer();
    const unpaid = requirementsIn(await send(letterTo('DE')));
    const pay = async () =>
      send(letterTo('DE'), { 'PAYMENT-SIGNATURE': await paymentHeader(signer, unpaid) });
    const letter = (await pay()).body;
    const close = async (body: object, permit = ['DELETE', '/api/account']) =>
      call<Closure>('DELETE', '/api/account', body, {
        headers: await signInOf(signer, ...permit),
      });
    expectProblem(await close({}, []), 401, 'sign_in_invalid');
    const told = await close({});
    expectProblem(told, 422, 'validation_failed', '/confirm');
    const confirm = /acct_\w+/.exec(told.text)?.[0] ?? expect.fail(told.text);
    const closed = await close({ confirm });
    expect(closed.status, closed.text).to.equal(202);
    expect(closed.body.blockers.map(({ code }) => code)).to.deep.equal(['letters_under_way']);
    expectProblem(await pay(), 403, 'account_closing');
    const undone = await call<Closure>('DELETE', '/api/account/closure', undefined, {
      headers: await signInOf(signer, 'DELETE', '/api/account/closure'),
    });
    expect([undone.status, undone.body.status], undone.text).to.deep.equal([200, 'none']);
    const reopened = await close({ confirm });
    expect(reopened.status, reopened.text).to.equal(202);
    const path = `/api/letters/${letter.letter_id}/cancel`;
    const cancelled = await call('POST', path, undefined, {
      headers: await signInOf(signer, 'POST', path),
    });
    expect(cancelled.status, cancelled.text).to.equal(200);
    expect((await close({ confirm, forfeit_balance: true })).status).to.equal(202);
    const { foundation } = paid.service.service;
    await until(() => erasesNow(foundation, confirm));
    const erasure = `/api/account/closure/${reopened.body.closure_id}`;
    await until(async () => {
      const { body } = await call<{ status: string }>('GET', erasure);
      return body.status === 'erased';
    });
    const own = async () =>
      (
        await call<{ data: unknown[] }>('GET', '/api/letters', undefined, {
          headers: await signInOf(signer),
        })
      ).body.data;
    expect(await own()).to.deep.equal([]);
    const again = await pay();
    expect(again.status, again.text).to.equal(201);
    await until(async () => (await own()).length === 1);
    expect(await receivedFrom(signer.address)).to.have.length(2);
  }).timeout(240_000);

  it('reads for the stock client that signs in, without a payment', async () => {
    const signer = await newPayer();
    const read = wrapFetchWithSIWx(fetch, signer);
    const answer = await read(`${paid.service.url}/api/balance`);
    expect(answer.status).to.equal(200);
    expect(await receivedFrom(signer.address)).to.have.length(0);
  });

  it('tells how to pay in /x402, with a program that runs', async () => {
    const told = await call<{ status: string; quickstart: string[] }>('GET', '/x402');
    expect(told.body.status).to.equal('available');
    // Inside the project, where its packages are found.
    const file = new URL(`./.quickstart-${process.pid}.mjs`, import.meta.url);
    await writeFile(file, told.body.quickstart.join('\n'));
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [file.pathname], {
        env: {
          ...process.env,
          LETTERS_URL: paid.service.url,
          WALLET_KEY: await paid.chain.newPayerKey(50_000_000n),
        },
      });
      expect(stdout).to.match(/^201 .*"letter_id"/);
    } finally {
      await rm(file);
    }
  });

  it('names every operation that can be paid for in /x402', async () => {
    const told = await call<{ operations: string[] }>('GET', '/x402');
    const plain = (text: string): string => text.replace(/\{[^}]+\}/g, '{}');
    const payable = paid.service.service.operations
      .filter((one) => one.payable)
      .map(({ method, path }) => plain(`${method} ${path}`));
    expect(told.body.operations.map(plain)).to.have.members(payable);
  });

  it('credits the account of the key when a key comes with the payment', async () => {
    const account = await register('live');
    const signer = await newPayer();
    const short = await account.post<Record<string, unknown>>('/api/send', letterTo('DE'));
    expect(short.body).to.include({ code: 'insufficient_funds' });
    const header = await paymentHeader(signer, requirementsIn(short));
    const sent = await account.post<Sent>('/api/send', letterTo('DE'), {
      'PAYMENT-SIGNATURE': header,
    });
    expect(sent.status, sent.text).to.equal(201);
    expect((await account.balance()).held).to.equal(sent.body.price.total);
  });
});

describe('topping up a wallet with USDC', () => {
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  before(async () => {
    paid = await startPaidService();
  });
  after(async () => {
    await paid?.stop();
  });
  const { call, register } = clientOf(() => paid.service);
  type TopUp = { topup_id: string; status: string; credited: number | null };

  it('is pending with requirements, paid on the retry, and credited once', async () => {
    const account = await register('live');
    const signer = await paid.chain.newPayer(50_000_000n);
    const body = { method: 'usdc', amount: 12.5 };
    const key = { 'Idempotency-Key': 'b1f3f3a0-6d5b-4f63-9a55-0a0f5d1f8f11' };
    const pending = await account.post<TopUp & { x402: { accepts: Record<string, unknown>[] } }>(
      '/api/topup',
      body,
      key,
    );
    expect(pending.status, pending.text).to.equal(201);
    expect(pending.body.status).to.equal('pending');
    const header = await paymentHeader(signer, pending.body.x402.accepts[0] ?? {});
    const retry = { ...key, 'PAYMENT-SIGNATURE': header };
    for (const _ of [1, 2]) {
      const done = await account.post<TopUp>('/api/topup', body, retry);
      expect(done.status, done.text).to.equal(201);
      expect(done.body).to.include({ topup_id: pending.body.topup_id, status: 'paid' });
      expect(done.body.credited).to.equal(12.5);
    }
    expect((await account.balance()).available).to.equal(12.5);
    const state = await account.get<TopUp>(`/api/topup/${pending.body.topup_id}`);
    expect(state.body.status).to.equal('paid');
  });

  it('is paid by a stock client in the same call', async () => {
    const account = await register('live');
    const pay = stockFetch(await paid.chain.newPayer(50_000_000n));
    const answer = await pay(`${paid.service.url}/api/topup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.key}` },
      body: JSON.stringify({ method: 'usdc', amount: 3, pay_now: true }),
    });
    expect(await answer.json()).to.include({ status: 'paid', credited: 3 });
  });

  it('is paid by a plain transfer of just its amount, once the chain is sure of it', async () => {
    const account = await register('live');
    const { body } = await account.post<TopUp & { transfer: { amount_atomic: string } }>(
      '/api/topup',
      { method: 'usdc', amount: 4 },
    );
    const key = await paid.chain.newPayerKey(50_000_000n);
    const amount = BigInt(body.transfer.amount_atomic);
    await paid.chain.transfer(key, payTo, amount);
    await paid.chain.client.mine({ blocks: 13 });
    const state = async () => (await account.get<TopUp>(`/api/topup/${body.topup_id}`)).body.status;
    await until(async () => (await state()) === 'paid');
    // It is read from its stream, the balance from a read model.
    await until(async () => (await account.balance()).balance === Number(amount) / 1e6);
  }).timeout(180_000);

  it('credits a transfer that nobody asked for to the wallet that sent it', async () => {
    const key = await paid.chain.newPayerKey(50_000_000n);
    await paid.chain.transfer(key, payTo, 5_000_000n);
    await paid.chain.client.mine({ blocks: 13 });
    const read = wrapFetchWithSIWx(fetch, privateKeyToAccount(key));
    const balance = async () =>
      ((await (await read(`${paid.service.url}/api/balance`)).json()) as BalanceJson).balance;
    await until(async () => (await balance()) === 5);
  }).timeout(180_000);

  it('refuses amounts that are none, with a sentence, and methods that are not offered', async () => {
    const account = await register('live');
    for (const amount of [0, -1, 0.001, 1e12, '10', '1e3', null, 10_000.01]) {
      const answer = await account.post('/api/topup', { method: 'usdc', amount });
      expect(answer.status, `${amount}: ${answer.text}`).to.equal(422);
    }
    for (const raw of ['1e3', '1E1', '1.05e1']) {
      const answer = await call('POST', '/api/topup', undefined, {
        key: account.key,
        raw: `{"method":"usdc","amount":${raw}}`,
      });
      expectProblem(answer, 422, 'validation_failed', '/amount');
    }
    const key = { 'Idempotency-Key': 'order 1e3' };
    expect(
      (await account.post('/api/topup', { method: 'usdc', amount: 1_000 }, key)).status,
    ).to.equal(201);
    const answer = await account.post('/api/topup', { method: 'card', amount: 10 });
    expect(answer.status).to.equal(501);
    expect(answer.body.code).to.equal('payment_method_unavailable');
  });
});
