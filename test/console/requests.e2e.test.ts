/** The log of requests: the view of owners, and its content. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { createRequestLog } from '../../infra/requests/request-log.ts';
import type { LoggedRequest } from '../../presenters/logged-request.ts';
import { letterTo, type PageOf, until, useService } from '../support/client.ts';
import { untilShown } from '../support/service.ts';
import { consoleAt } from './console-client.ts';

type Logged = Static<typeof LoggedRequest>;

describe('the log of requests', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);

  const listed = async (client: { get: typeof get }, query = ''): Promise<Logged[]> =>
    (await client.get<PageOf<Logged>>(`/api/requests${query}`)).body.data;
  const { get } = api.as('');
  /** A new account whose reads are not repeated. */
  const shownAccount = async () => {
    const client = await api.register();
    await untilShown(api.service());
    return client;
  };

  it('says which operation was called with which key, and how it was answered', async () => {
    const client = await shownAccount();
    await client.get('/api/balance');
    const letter = letterTo('DE', { to_postal_code: 'wrong', to_name: 'Nora Niemand' });
    const refused = await client.post('/api/send', letter);
    expect(refused.status).to.equal(422);
    const both = async () => (await listed(client)).length === 2;
    await until(both);
    const [last, first] = await listed(client);
    expect(first).to.include({ operation: 'get_balance', status: 200, code: null });
    expect(last).to.include({
      operation: 'send_letter',
      status: 422,
      code: refused.body.code,
      key_id: client.account.key_id,
      request_id: refused.headers.get('x-request-id'),
    });
    expect(await listed(client, '?failed=true')).to.deep.equal([last]);
    expect(JSON.stringify([last, first]))
      .to.not.contain('Nora')
      .and.to.not.contain('127.0.0.1');
  });

  it('shows forms of the console, too, on a page that a stranger sees nothing of', async () => {
    const client = await api.register();
    const { letter_id: id } = await client.send();
    const person = await pages.signIn(client.key);
    await client.get('/api/identity/audit/subscribe');
    expect((await person.post(`/letters/${id}/cancel`, {})).status).to.equal(303);
    await until(async () =>
      (await listed(client)).some(({ operation }) => operation === 'cancel_letter'),
    );
    const shown = async (reader: typeof person) =>
      (await reader.get('/requests')).text.replaceAll('<wbr>', '');
    const own = await shown(person);
    expect(own).to.contain('<h1>Requests</h1>').and.to.contain('<code>cancel_letter</code>');
    expect(own).to.contain('<code>list_audit_subscriptions</code>');
    expect(own).to.not.contain('list_requests');
    const stranger = await pages.signIn((await api.register()).key);
    expect(await shown(stranger)).to.not.contain('cancel_letter');
  });

  it('keeps the newest requests of each account, and none that is too old', async () => {
    const client = await shownAccount();
    for (let count = 0; count < 3; count++) await client.get('/api/balance');
    await until(async () => (await listed(client)).length === 3);
    const other = await shownAccount();
    await other.get('/api/balance');
    await until(async () => (await listed(other)).length === 1);
    const { readDb: db } = api.service().service.foundation.storage;
    const rules = { db, mostPerAccount: 2, keptDays: 7, onError: () => {} };
    const now = createRequestLog({ ...rules, clock: Date.now });
    const { account_id: accountId, key_id: keyId } = client.account;
    const last = { accountId, keyId, operation: 'get_letter', status: 404, ms: 1 };
    now.note({ ...last, code: 'letter_not_found', requestId: randomUUID() });
    await now.stop();
    const kept = await listed(client);
    expect(kept.map(({ operation }) => operation)).to.deep.equal(['get_letter', 'get_balance']);
    expect((await listed(other)).length).to.equal(1);
    await now.tidy();
    expect(await listed(client)).to.deep.equal(kept);
    const later = createRequestLog({ ...rules, clock: () => Date.now() + 8 * 86_400_000 });
    await later.tidy();
    expect(await listed(client)).to.deep.equal([]);
    await later.stop();
  });

  it('is read page by page', async () => {
    const client = await shownAccount();
    for (let count = 0; count < 3; count++) await client.get('/api/balance');
    await until(async () => (await listed(client)).length === 3);
    const page = await client.get<PageOf<Logged>>('/api/requests?limit=2');
    expect(page.body.data.length).to.equal(2);
    const rest = await listed(client, `?limit=2&cursor=${page.body.next_cursor}`);
    expect(rest.length).to.equal(1);
    expect((await client.get('/api/requests?cursor=wrong')).status).to.equal(422);
  });
});
