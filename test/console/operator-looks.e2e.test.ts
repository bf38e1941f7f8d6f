/** Each look of an operator or auditor into an account is an event, whatever page it is taken on. */
import { expect } from 'chai';
import { accountStream } from '../../events/account.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { operatorRoutes } from '../../pages/console/operator/operator-portal.ts';
import { type NewKeyJson, type PageOf, until, useService } from '../support/client.ts';
import { untilShown } from '../support/service.ts';
import { operatorAt } from './operator-client.ts';
import { thingsWithIds } from './things-with-ids.ts';

/** Why a page or form shows no data of one account. */
const notOfOneAccount: Record<string, string> = {
  'GET ': 'counts of what waits and fails',
  'GET /search': 'an empty form',
  'POST /search': 'ids, kinds and states, and the pages that they lead to',
  'GET /accounts': 'ids and standing of all accounts',
  'GET /production': 'ids and states of letters of all accounts',
  'GET /returned': 'ids and states of letters of all accounts',
  'GET /jobs': 'names of jobs, and errors without personal data',
  'POST /jobs/retry': 'leads to the list of jobs',
  'POST /jobs/give-up': 'leads to the list of jobs',
  'POST /jobs/remove': 'leads to the list of jobs',
  'GET /system': 'positions of read models and reactors',
  'POST /parked/replay': 'leads to the page of the system',
  'GET /checks': 'runs of commands',
  'POST /checks/doctor': 'leads to the checks',
  'GET /audit': 'an empty form',
  'POST /audit': 'leads to the page of the history',
};

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('looks of operators into accounts', function () {
  this.timeout(240_000);
  const api = useService();
  const foundation = () => api.service().service.foundation;
  const operators = operatorAt(() => api.service().url, foundation);

  const looksInto = async (accountId: string) => {
    const events = await foundation().storage.store.readStream(accountStream(accountId));
    return events
      .map(decodeEvent)
      .flatMap(({ type, data }) => (type === 'AccountInspected' ? [data] : []));
  };

  const inspected = async () => {
    const client = await api.register();
    const { account_id: accountId, key_id: keyId } = client.account;
    const { letter_id: letterId } = await client.send({ reference: 'case 4711' });
    const mail = await thingsWithIds(foundation()).refusedMail({ accountId, letterId });
    await untilShown(api.service());
    const addressOf = (path: string): string => {
      const [, subject = ''] = path.split('/');
      const ids: Record<string, string> = { accounts: accountId, mails: mail };
      return path
        .replace('{id}', ids[subject] ?? letterId)
        .replace('{key}', keyId)
        .replace('{notification}', `ntf_${'0'.repeat(32)}`);
    };
    return { client, accountId, letterId, addressOf };
  };

  it('are recorded by each page and form that shows something of an account', async () => {
    const { client, accountId, letterId, addressOf } = await inspected();
    const secrets = [client.email, 'case 4711', 'Anna Müller', 'Bob Sender', 'This is a letter'];
    const form = { text: letterId, letter: letterId, key: 'unknown', reactor: 'unknown' };
    expect(Object.keys(notOfOneAccount)).to.have.members(
      operatorRoutes.map(nameOf).filter((name) => !name.includes('{')),
    );
    for (const route of operatorRoutes) {
      const name = nameOf(route);
      const person = await operators.signIn();
      const before = await looksInto(accountId);
      const address = addressOf(route.path);
      const { status, text } =
        route.method === 'GET' ? await person.get(address) : await person.post(address, form);
      expect(status, name).to.be.below(500).and.to.not.equal(404);
      const looks = (await looksInto(accountId)).slice(before.length);
      if (name in notOfOneAccount) {
        expect(looks, `${name}: ${notOfOneAccount[name]}`).to.have.length(0);
        for (const secret of secrets) expect(text, name).to.not.contain(secret);
      } else {
        const look = { accountId, inspector: 'link', rights: 'operator' };
        expect(looks, name).to.deep.equal([look]);
      }
    }
  });

  it('are recorded of auditors, too', async () => {
    const { accountId, addressOf } = await inspected();
    const shown = operatorRoutes.filter(
      (route) => route.forAuditors && !(nameOf(route) in notOfOneAccount),
    );
    expect(shown.map(({ path }) => path)).to.include('/audit/{id}');
    for (const [index, { path }] of shown.entries()) {
      const auditor = await operators.signIn('--auditor');
      expect((await auditor.get(addressOf(path))).status, path).to.be.oneOf([200, 303]);
      const looks = await looksInto(accountId);
      expect(looks, path).to.have.length(index + 1);
      const look = { accountId, inspector: 'link', rights: 'auditor' };
      expect(looks.at(-1), path).to.deep.equal(look);
    }
  });

  it('are credentials that a key for reading only lists', async () => {
    const { client, accountId, addressOf } = await inspected();
    const auditor = await client.post<NewKeyJson>('/auth/keys', { label: 'audit', scope: 'read' });
    const person = await operators.signIn();
    expect((await person.get(addressOf('/accounts/{id}'))).status).to.equal(200);
    expect(await looksInto(accountId)).to.have.length(1);
    const reader = api.as(auditor.body.api_key);
    const path = '/api/identity/credentials?type=account.inspected';
    const listed = async () => (await reader.get<PageOf<{ type: string }>>(path)).body.data;
    await until(async () => (await listed()).length > 0);
    const types = (await listed()).map(({ type }) => type);
    expect(types).to.deep.equal(['account.inspected']);
  });
});
