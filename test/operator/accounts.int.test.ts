import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { Refused } from '../../contract/operator-refused.ts';
import { accountStream } from '../../events/account.ts';
import { booksStream } from '../../events/books.ts';
import { blake3CidOf, cidOf } from '../../identity/ucan/cid.ts';
import { commandOf } from '../../operator/commands.ts';
import {
  block,
  changeFreeze,
  setNamedQuotas,
  unblock,
} from '../../service/operating/account-actions.ts';
import {
  expectProblem,
  letterTo,
  type NewKeyJson,
  type Sent,
  until,
  useService,
} from '../support/client.ts';
import { operatorOf } from '../support/operator.ts';

describe('what an operator does about accounts', () => {
  const api = useService();

  const { operate, refusal } = operatorOf(() => api.service().service.foundation);

  const fundedAccount = async () => {
    const client = await api.register('live');
    await operate('credit', client.account.account_id, '50.00', '--reference', 'wire 7');
    await until(async () => (await client.balance()).available === 50);
    return client;
  };

  it('finds an account by id, e-mail address, letter and reference', async () => {
    const client = await fundedAccount();
    const body = letterTo('DE', { reference: 'order 4711' });
    const sent = await client.post<Sent>('/api/send', body);
    expect(sent.status, sent.text).to.equal(201);
    const { account_id: id } = client.account;
    const { letter_id: letterId } = sent.body;
    // A reference is found in the read models, which follow the log.
    await until(async () => (await operate('letters')).includes(letterId));
    for (const name of [id, client.email.toUpperCase(), letterId, 'order 4711']) {
      const shown = await operate('account', name);
      expect(shown, name).to.include(`Account ${id} (live)`).and.include(client.email);
      expect(shown).to.include(client.account.key_id).and.not.include(client.key);
      const { total } = sent.body.price;
      expect(shown).to.include(`Available: $0.00 crypto + $${(50 - total).toFixed(2)} fiat.`);
      expect(shown).to.include(`Held: $0.00 crypto + $${total.toFixed(2)} fiat.`);
    }
    expect(await operate('accounts')).to.include(id);
    expect(await operate('letters', '--status', 'queued,processing')).to.include(letterId);
    expect(await operate('letters', '--older-than', '1h')).not.to.include(letterId);
    expect(await operate('letters', '--stale')).to.include('0 letters');
    expect(await refusal('account', 'nobody@example.org')).to.include('There is no account');
    expect(await refusal('letters', '--status', 'lost')).to.include('not one of draft');
  });

  it('shows an erased account with its statement, its letters and the books that are kept', async () => {
    const client = await fundedAccount();
    const { account_id: id } = client.account;
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    const { letter_id: letterId } = sent.body;
    expect((await client.post(`/api/letters/${letterId}/cancel`)).status).to.equal(200);
    await until(async () => (await client.balance()).available === 50);
    await operate('erase-account', id, '--now', '--forfeit');
    const { commands, keys } = api.service().service.foundation;
    const { handler } = commands;
    await until(
      async () => (await handler.load(accountAggregate, id)).state.closure?.erasedAt !== undefined,
    );
    await until(async () => (await keys.dataKeys.get(accountStream(id))) === undefined);
    const year = new Date().getUTCFullYear();
    for (const name of [id, letterId]) {
      const shown = await operate('account', name);
      expect(shown, name).to.include(`Account ${id} (live)`).and.include('Erased: 20');
      expect(shown).to.include(`Books of ${year}: ${client.email}`);
      expect(shown).to.include('Letters: 1 cancelled');
    }
    expect(await operate('statement', id)).to.match(/,credit,50\.00,50\.00,,operator,wire 7$/m);
    expect(await operate('letters', '--account', id)).to.include(letterId);
    await until(async () => new RegExp(`${id}.* erased$`, 'm').test(await operate('accounts')));
    const erased = `The account ${id} was erased`;
    expect(await refusal('credit', id, '1.00', '--reference', 'late')).to.include(erased);
    expect(await refusal('mails', id)).to.include(erased);
    expect(await refusal('erase-account', id, '--undo')).to.include('cannot be taken back');
    await keys.dataKeys.erase(booksStream(id, year));
    expect(await operate('account', id)).to.include(`Books of ${year}: no longer kept`);
    expect(await operate('statement', id))
      .to.include(',credit,50.00,')
      .and.not.include('wire 7');
  });

  it('shows how many letters an account has in each status, without deleted ones', async () => {
    const client = await fundedAccount();
    const lettersOf = async () =>
      /^Letters: .*$/m.exec(await operate('account', client.email))?.[0];
    expect(await lettersOf()).to.equal('Letters: none');
    await client.send();
    const draft = () => client.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const [{ body: deleted }] = [await draft(), await draft()];
    await until(async () => (await lettersOf()) === 'Letters: 2 draft, 1 queued');
    expect((await client.delete(`/api/letters/${deleted.letter_id}`)).status).to.equal(200);
    await until(async () => (await lettersOf()) === 'Letters: 1 draft, 1 queued');
  });

  it('sets quotas without losing one that was set at the same time', async () => {
    const { account } = await api.register();
    const { foundation } = api.service().service;
    const accountId = account.account_id;
    const { handler } = foundation.commands;
    const { state } = await handler.load(accountAggregate, accountId);
    await Promise.all([
      setNamedQuotas(foundation, state, { 'live-letters': 7 }),
      setNamedQuotas(foundation, state, { drafts: 5 }),
      setNamedQuotas(foundation, state, { bytes: 9 }),
    ]);
    const last = await setNamedQuotas(foundation, state, { bytes: undefined });
    expect(last).to.deep.equal({ liveLettersPerDay: 7, draftsPerAccount: 5 });
    expect((await handler.load(accountAggregate, accountId)).state.quotas).to.deep.equal(last);
  });

  it('compares the form with the account when the change is made, not before', async () => {
    const { account } = await api.register();
    const { foundation } = api.service().service;
    const named = { accountId: account.account_id };
    const changedTo = (seen: string): never => {
      throw new Refused(`changed to ${seen}`);
    };
    await block(foundation, named, 'spam');
    const [, , refused] = await Promise.allSettled([
      unblock(foundation, named),
      block(foundation, named, 'fraud'),
      unblock(foundation, named, (reason) => void (reason === 'spam' || changedTo(reason))),
    ]);
    expect(refused).to.have.nested.property('reason.message', 'changed to fraud');
    const quotas = await Promise.allSettled([
      setNamedQuotas(foundation, named, { drafts: 5 }),
      setNamedQuotas(foundation, named, { drafts: 6 }, ({ drafts }) =>
        drafts === undefined ? undefined : changedTo(String(drafts)),
      ),
    ]);
    expect(quotas[1]).to.have.nested.property('reason.message', 'changed to 5');
    await changeFreeze(foundation, 'freeze', named);
    const late = changeFreeze(foundation, 'unfreeze', named, {}, changedTo);
    expect(await late.catch((error: Error) => error.message)).to.match(/^changed to 20/);
    const { state } = await foundation.commands.handler.load(accountAggregate, named.accountId);
    expect([state.blocked, state.quotas.draftsPerAccount]).to.deep.equal(['fraud', 5]);
  });

  it('gives a new key to whoever lost theirs, and ends the others', async () => {
    const client = await fundedAccount();
    const made = await client.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'full' });
    const shown = await operate('new-key', client.email, '--label', 'by phone');
    const key = /svc_live_\w+/.exec(shown)?.[0] ?? '';
    const keyId = /key_\w+/.exec(shown)?.[0] ?? '';
    await until(async () => (await api.as(key).get('/auth/keys')).status === 200);
    const ended = await operate('revoke-keys', client.email, '--keep', keyId);
    expect(ended).to.include('Revoked 2 keys').and.include(made.body.id);
    await until(async () => (await client.get('/api/balance')).status === 401);
    await until(async () => (await api.as(made.body.api_key).get('/api/balance')).status === 401);
    expect((await api.as(key).get('/auth/keys')).status).to.equal(200);
    expect(await refusal('revoke-keys', client.email, '--keep', made.body.id)).to.include(
      `no active key ${made.body.id}`,
    );
    const all = await operate('revoke-keys', client.account.account_id);
    expect(all).to.include('The account has no full key left');
    await until(async () => (await api.as(key).get('/auth/keys')).status === 401);
  });

  it('promises no mail about another address where there is no mail server', async () => {
    const client = await fundedAccount();
    const { account_id: id } = client.account;
    const said = await operate('change-email', id, `other-${client.email}`);
    expect(said).to.include('neither address gets a mail').and.include(`confirm-email ${id}`);
    expect(said).to.not.match(/A mail (tells|asks)/);
  });

  it('gives an account no address to which no mail can be sent', async () => {
    const { account_id: id } = (await fundedAccount()).account;
    for (const email of ['jürgen@example.com', `${'a'.repeat(65)}@example.com`, 'anna@localhost']) {
      expect(await refusal('change-email', id, email)).to.include('mail can be sent');
    }
  });

  it('waits for the rows of letters that were just sent before it says that none is in doubt', async () => {
    const client = await fundedAccount();
    for (let n = 0; n < 5; n++) {
      await client.send();
      expect(await operate('restored')).to.equal('No letter is in doubt.');
    }
  });

  it('says that nothing was found, and that no letter is in doubt', async () => {
    expect(await operate('find', 'nowhere')).to.equal('Nothing here has the id nowhere.');
    expect(await operate('find', 'nowhere', '--json')).to.equal('[]');
    expect(await operate('restored')).to.equal('No letter is in doubt.');
    expect(await operate('restored', 'printed', 'all')).to.equal('No letter is in doubt.');
    expect(await operate('restored', 'remove', 'all')).to.include('is in the log');
  });

  it('freezes an account, a key or a UCAN, and shows that', async () => {
    const client = await fundedAccount();
    const made = await client.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'send' });
    const { id } = made.body;
    expect(await operate('freeze', client.email, '--key', id)).to.include(`${id} of`);
    expect(await operate('freeze', client.email, '--key', id)).to.include('was frozen already');
    expectProblem(await api.as(made.body.api_key).post('/api/send', letterTo('DE')), 403, 'frozen');
    await client.send();
    await operate('freeze', client.email);
    expectProblem(await client.post('/api/send', letterTo('DE')), 403, 'frozen');
    const shown = await operate('account', client.email);
    expect(shown).to.include('Frozen: account').and.include(`Frozen: ${id}`);
    expect(await operate('unfreeze', client.email)).to.include('is not frozen');
    expect(await operate('unfreeze', client.email)).to.match(/ was not frozen\.$/);
    await client.send();
    expect(await refusal('freeze', client.email, '--key', 'key_none')).to.match(
      /acct_\w+ has no key key_none; the command account lists its keys/,
    );
    const both = () => commandOf(['freeze', client.email, '--key', id, '--ucan', 'bafy']);
    expect(both).to.throw('not both');
    const cid = cidOf('a.b.c');
    for (const none of ['bafy', 'key_1c', ` ${cid}`, cid.toUpperCase(), blake3CidOf('a.b.c')]) {
      const freeze = () => commandOf(['freeze', client.email, '--ucan', none]);
      expect(freeze).to.throw(`${none} is not the CID of a UCAN`);
    }
    expect(await operate('freeze', client.email, '--ucan', cid)).to.include(`ucan:${cid} of`);
    expect(await operate('unfreeze', client.email, '--ucan', cid)).to.include('is not frozen');
  });

  it('blocks an account, which may read, cancel and revoke then, and nothing else', async () => {
    const client = await fundedAccount();
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(await refusal('block', client.email)).to.include('--reason is missing');
    await operate('block', client.email, '--reason', 'stolen card');
    await until(async () => (await client.post('/api/send', letterTo('DE'))).status === 403);
    expectProblem(await client.post('/api/send', letterTo('DE')), 403, 'account_blocked');
    for (const [path, body] of [
      ['/auth/keys', { label: 'x', scope: 'read' }],
      ['/api/identity/ucan', { scope: 'read' }],
    ] as const) {
      expectProblem(await client.post(path, body), 403, 'account_blocked');
    }
    expect((await client.get('/api/letters')).status).to.equal(200);
    expect((await client.post('/api/quote', letterTo('DE'))).status).to.equal(200);
    const cancelled = await client.post(`/api/letters/${sent.body.letter_id}/cancel`);
    expect(cancelled.status, cancelled.text).to.equal(200);
    expect(await operate('accounts', '--blocked')).to.include(client.account.account_id);
    expect(await operate('account', client.email)).to.include('Blocked: stolen card');
    await operate('unblock', client.email);
    await until(async () => (await client.post('/api/send', letterTo('DE'))).status === 201);
  });

  it('corrects a credit, once, with a reason, and not below zero unless that is said', async () => {
    const client = await fundedAccount();
    const { account_id: id } = client.account;
    const wrong = ['adjust', id, '20.00', '--credit', 'wire 7', '--reason', 'typed twice'];
    expect(await operate(...wrong)).to.include('was $50.00 and is $20.00 now');
    expect(await operate(...wrong)).to.include('nothing was changed');
    await until(async () => (await client.balance()).available === 20);
    const [last] = (await client.balance()).transactions;
    expect(last).to.include({ type: 'charge_back', amount: -30, reference: 'typed twice' });
    const more = ['adjust', id, '60.00', '--credit', 'wire 7', '--reason', 'more came'];
    await operate(...more);
    await until(async () => (await client.balance()).available === 60);
    expect(await refusal(...wrong)).to.include('is $60.00 since a later adjustment');
    const fraction = ['adjust', id, '60.005', '--credit', 'wire 7', '--reason', 'half a cent'];
    expect(await refusal(...fraction)).to.include('more than 2 decimals (bucket fiat)');
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(201);
    const back = ['adjust', id, '0', '--credit', 'more came', '--reason', 'recalled'];
    expect(await refusal(...back)).to.include('has no credit under the reference');
    const again = ['adjust', id, '55.00', '--credit', 'wire 7', '--reason', 'less came'];
    expect(await operate(...again)).to.include('was $60.00 and is $55.00 now');
    await until(async () => (await client.balance()).available < 55);
    const all = ['adjust', id, '0', '--credit', 'wire 7', '--reason', 'recalled'];
    expect(await refusal(...all)).to.include('--below-zero');
    expect(await operate(...all, '--below-zero')).to.include('was $55.00 and is $0.00 now');
    await until(async () => (await client.balance()).available < 0);
    expect(await operate('verify')).to.include('OK: everything holds.');
  });

  it('takes what was spent meanwhile only when it is told to', async () => {
    const client = await fundedAccount();
    const { account_id: id } = client.account;
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(201);
    const back = ['adjust', id, '0', '--credit', 'wire 7', '--reason', 'recalled'];
    expect(await refusal(...back)).to.include('--below-zero');
    expect(await operate(...back, '--below-zero')).to.include('is $0.00 now');
    await until(async () => (await client.balance()).available < 0);
    expectProblem(await client.post('/api/send', letterTo('DE')), 402, 'insufficient_funds');
  });

  it('takes an e-mail address for that of its owner, whatever an agent called itself', async () => {
    const client = await api.register('live');
    const { commands } = api.service().service.foundation;
    const commandId = randomUUID();
    // As an earlier version let it.
    const agent = await commands.accounts.register(
      {
        kind: 'agent',
        name: client.email,
        scope: 'send',
        test: false,
        requestHash: commandId,
      },
      { commandId, actor: 'test' },
    );
    const shown = await operate('account', client.email);
    expect(shown).to.include(client.account.account_id).and.not.include(agent.accountId);
    expect(await operate('block', client.email, '--reason', 'a test')).to.include(
      `Blocked ${client.account.account_id}`,
    );
    expect(await operate('account', `agent:${client.email}`)).to.include(agent.accountId);
    const nobody = `nobody-${randomUUID()}@example.org`;
    expect(await refusal('account', nobody)).to.include('There is no account');
  });

  it('confirms an address, and keeps the keys and settings that it names', async () => {
    const client = await fundedAccount();
    await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/' });
    expect(await refusal('confirm-email', client.email)).to.include('--keep all, none');
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(201);
    const shown = await operate('account', client.email);
    const [id = ''] = /set_[\w-]{22}/.exec(shown) ?? [];
    const keep = `${client.account.key_id},${id}`;
    expect(await refusal('confirm-email', client.email, '--keep', `${keep},key_none`)).to.include(
      'key_none is not an active key or setting of the account. The command account lists the ids.',
    );
    const done = await operate('confirm-email', client.email, '--keep', keep);
    expect(done).to.include(`Keys: ${client.account.key_id}`);
    expect(done).to.include('webhook https://hooks.example.com/');
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(201);
    expect(await operate('confirm-email', client.email, '--keep', 'none')).to.include('already');
  });

  it('confirms an address, and ends what it does not name', async () => {
    const client = await fundedAccount();
    const done = await operate('confirm-email', client.email, '--keep', 'none');
    expect(done).to.include('Keys: none; new-key makes one');
    await until(async () => (await client.get('/api/balance')).status === 401);
  });
});

describe('a service that takes no registrations', () => {
  const api = useService({ REGISTRATION: 'closed' });

  it('says so at every door', async () => {
    const email = 'anna@example.org';
    for (const [path, body] of [
      ['/auth/register', { email }],
      ['/signup', { email, mode: 'test' }],
      ['/auth/agent', { agent_id: 'a', agent_name: 'A' }],
    ] as const) {
      expectProblem(await api.call('POST', path, body), 403, 'registration_closed');
    }
  });

  it('leads nobody to a registration', async () => {
    const unknown = await api.call('GET', '/api/letters', undefined, { key: 'svc_live_x' });
    expect(expectProblem(unknown, 401, 'invalid_api_key').detail).to.contain('ask the operator');
    for (const path of ['/.well-known/agent.json', '/llms.txt', '/']) {
      const page = await fetch(api.service().url + path, { headers: { Accept: 'text/html, */*' } });
      const text = await page.text();
      expect(text, path).to.match(/registration is closed/i);
      expect(text, path).to.not.match(/auth\/(register|agent)/);
    }
  });
});
