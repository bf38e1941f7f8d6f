/** Every page and form, with the ids of another account: nobody sees or changes what is not theirs. */
import { expect } from 'chai';
import { routes } from '../../pages/console/routes.ts';
import { letterTo, useService } from '../support/client.ts';
import { consoleAt } from './console-client.ts';

describe('the console with the ids of another account', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);

  const owner = async () => {
    const client = await api.register();
    const letter = letterTo('DE', { to_name: 'Nora Niemand', reference: 'secret-reference' });
    const sent = await client.post<{ letter_id: string }>('/api/send', letter);
    const quoted = await client.post<{ quote_id: string }>('/api/quote', letter);
    const { body } = await client.get<{ data: { id: string }[] }>('/api/notifications');
    const link = await client.post<{ id: string }>(
      `/api/identity/audit/${sent.body.letter_id}/link`,
      {},
    );
    const terms = { committed_units: 51, period: 'month' };
    const contract = await client.post<{ contract_id: string }>('/api/anp/contracts', terms);
    expect(contract.status, contract.text).to.equal(201);
    const made = await client.post<{ export_id: string }>('/api/exports', {});
    expect(made.status, made.text).to.equal(202);
    await client.put('/api/policy', { rules: [{ effect: 'allow' }, { effect: 'hold' }] });
    const held = await client.post<{ approval_id: string }>('/api/send', letter);
    expect(held.status, held.text).to.equal(202);
    const hook = { url: 'https://hooks.example.com/secret-reference' };
    const audit = await client.post<{ id: string }>('/api/identity/audit/subscribe', hook);
    expect(audit.status, audit.text).to.equal(201);
    const ids = {
      audit: audit.body.id,
      approval: held.body.approval_id,
      letter: sent.body.letter_id,
      key: client.account.key_id,
      quote: quoted.body.quote_id,
      message: body.data[0]?.id ?? 'ntf_0',
      link: link.body.id,
      export: made.body.export_id,
      contract: contract.body.contract_id,
    };
    return { client, ids };
  };

  it('answers as if they did not exist, on every page and form', async () => {
    const { client, ids } = await owner();
    const other = await api.register();
    await other.put('/api/settings', { webhook_url: 'https://hooks.example.com/other' });
    const stranger = await pages.signIn(other.key);
    const byRoom: Record<string, string> = {
      letters: ids.letter,
      keys: ids.key,
      webhooks: ids.message,
      approvals: ids.approval,
      settings: ids.export,
    };
    const idOf = (path: string): string =>
      path.startsWith('/webhooks/audit/') ? ids.audit : (byRoom[path.split('/')[1] ?? ''] ?? '');
    const withIds = routes.filter(({ path }) => path.includes('{'));
    expect(withIds.length).to.be.at.least(7);
    for (const { method, path } of withIds) {
      const address = path
        .replace('{id}', idOf(path))
        .replace('{quote_id}', ids.quote)
        .replace('{link}', ids.link)
        .replace('{event}', ids.letter)
        .replace('{topup_id}', ids.letter)
        .replace('{contract_id}', ids.contract)
        .replace('{page}', '1')
        .replace('{part}', '1');
      expect(address).to.not.contain('{');
      const answer =
        method === 'GET'
          ? await stranger.get(address)
          : await stranger.post(address, { seen_price: '99.00' });
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.equal(404);
      expect(answer.text).to.not.contain('Nora').and.to.not.contain('secret-reference');
    }
    expect((await client.letter(ids.letter)).status).to.equal('queued');
    expect((await client.get('/api/balance')).status).to.equal(200);
  });

  it('shows nothing of it on the other pages', async () => {
    const { ids } = await owner();
    const stranger = await pages.signIn((await api.register()).key);
    const plain = routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    for (const { path } of plain) {
      const { status, text } = await stranger.get(path);
      expect(status, path).to.equal(200);
      expect(text).to.not.contain('Nora').and.to.not.contain(ids.letter);
    }
    const searched = await stranger.post('/letters', { text: 'secret-reference' });
    expect(searched.text).to.contain('id="none"');
  });

  /** The forms of a page that act on the account as a whole, with their hidden fields. */
  const formsOn = (text: string): { path: string; hidden: Record<string, string> }[] =>
    [...text.matchAll(/<form[^>]*method="post"[^>]*action="\/console([^"]*)"[^>]*>(.*?)<\/form>/gs)]
      .map(([, path = '', fields = '']) => ({
        path,
        hidden: Object.fromEntries(
          [...fields.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
            ([, name = '', value = '']) => [name, value],
          ),
        ),
      }))
      .filter(({ path }) => !['/sign-out', '/letters'].includes(path));

  const words = {
    en: 'Nothing was done',
    de: 'Es wurde nichts ausgeführt',
    fr: 'Rien n’a été fait',
  };

  it('obeys no form of an account in a browser that signed in to another account meanwhile', async () => {
    const owner = await pages.signIn((await api.register()).key);
    const client = await api.register();
    await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/own' });
    const before = (await client.get('/api/settings')).text;
    const forms = await Promise.all(
      ['/write', '/keys', '/wallet', '/webhooks', '/limits', '/settings', '/settings/data'].map(
        async (path) => formsOn((await owner.get(path)).text),
      ),
    );
    const found = forms.flat().filter(({ path }) => !/[0-9]/.test(path));
    expect(found.map(({ path }) => path)).to.include.members(['/write', '/keys', '/webhooks']);
    for (const [language, text] of Object.entries(words)) {
      const other = await pages.signIn(client.key, { language });
      for (const { path, hidden } of found) {
        const fields = { ...hidden, label: 'x', scope: 'full', webhook_url: '', language: 'de' };
        const answer = await other.post(path, fields);
        expect(answer.status, path).to.equal(409);
        expect(answer.text, path).to.contain(text);
      }
    }
    expect((await client.get('/api/settings')).text).to.equal(before);
    expect((await client.get<{ data: unknown[] }>('/auth/keys')).body.data).to.have.length(1);
    expect((await client.get<{ data: unknown[] }>('/api/account/frozen')).body.data).to.deep.equal(
      [],
    );
  });
});
