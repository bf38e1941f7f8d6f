/** Contracts, accepted offers and UCANs on the pages of the console. */
import { expect } from 'chai';
import { letterTo, useService } from '../support/client.ts';
import { untilShown } from '../support/service.ts';
import { consoleAt, hiddenIn } from './console-client.ts';
import { operatorAt } from './operator-client.ts';

describe('agreements in the console', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);
  const operators = operatorAt(
    () => api.service().url,
    () => api.service().service.foundation,
  );

  it('shows contracts and accepted offers to their owner alone', async () => {
    const client = await api.register();
    const contract = await client.post<{ contract_id: string }>('/api/anp/contracts', {
      committed_units: 300,
      period: 'month',
    });
    expect(contract.status, contract.text).to.equal(201);
    const offer = await client.post<{ offer_id: string }>('/api/anp/offer', {
      intent: 'transactional',
      to_country: 'DE',
      quantity: 2,
    });
    const accepted = await client.post<{ commitment_id: string }>('/api/anp/accept', {
      offer_id: offer.body.offer_id,
      tier: 'standard',
      payment_method: 'fiat',
    });
    expect(accepted.status, accepted.text).to.equal(201);
    const own = await (await pages.signIn(client.key)).get('/contracts');
    expect(own.text).to.contain(contract.body.contract_id);
    expect(own.text).to.contain(accepted.body.commitment_id).and.to.contain('2 / 2');
    const sent = await client.post(
      '/api/send',
      letterTo('DE', { commitment_id: accepted.body.commitment_id }),
    );
    expect(sent.status, sent.text).to.equal(201);
    type Held = { held: number; held_for: { what: string; count: number; amount: number }[] };
    const { held, held_for: parts } = (await client.get<Held>('/api/balance')).body;
    expect(parts).to.deep.equal([{ what: 'offers', count: 1, amount: held }]);
    const wallet = await (await pages.signIn(client.key)).get('/wallet');
    expect(wallet.text).to.contain('at the price of an accepted offer');
    await untilShown(api.service());
    const operator = await operators.signIn();
    const found = await operator.post('/search', { text: contract.body.contract_id });
    expect(found.text)
      .to.contain(`<code>${contract.body.contract_id}</code>`)
      .and.to.contain(`/accounts/${client.account.account_id}`);
    const stranger = await (await pages.signIn((await api.register()).key)).get('/contracts');
    expect(stranger.text).to.contain('There are no volume contracts.');
    expect(stranger.text).to.contain('There are no accepted offers.');
  });

  it('makes a volume contract once it is confirmed, and shows its periods to its owner alone', async () => {
    const client = await api.register();
    const person = await pages.signIn(client.key);
    const wanted = {
      committed_units: '300',
      period: 'quarter',
      period_count: '2',
      starts_at: new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10),
      time_zone: 'Europe/Berlin',
    };
    type Contracts = { data: { contract_id: string; committed_units: number }[] };
    const made = async () => (await client.get<Contracts>('/api/anp/contracts')).body.data;
    const unconfirmed = await person.post('/contracts', wanted);
    expect(unconfirmed.status).to.equal(422);
    expect(unconfirmed.text).to.contain('The contract is binding” to make it');
    expect(unconfirmed.text).to.match(/name="committed_units"[^>]* value="300"/);
    expect(unconfirmed.text).to.match(/value="quarter" selected/);
    const few = await person.post('/contracts', {
      ...wanted,
      committed_units: 'ten',
      confirm: 'true',
    });
    expect(few.status).to.equal(422);
    expect(few.text).to.match(/name="committed_units"[^>]* value="ten"[^>]* aria-invalid="true"/);
    expect(await made()).to.deep.equal([]);
    const done = await person.post('/contracts', { ...wanted, confirm: 'true' });
    const [contract] = await made();
    const path = `/contracts/${contract?.contract_id}`;
    expect(done.headers.get('location')).to.equal(`/console${path}?said=contract_made`);
    const shown = await person.get(path);
    expect(shown.text).to.contain('20%').and.to.contain('Europe/Berlin').and.to.contain('7 days');
    expect(shown.text.match(/data-label="Missing" class="number">300</g)).to.have.length(2);
    const stranger = await pages.signIn((await api.register()).key);
    expect((await stranger.get(path)).status).to.equal(404);
    const again = await person.post('/contracts', { ...wanted, confirm: 'true' });
    expect(again.status).to.equal(409);
    expect(again.text).to.contain(contract?.contract_id);
    const reader = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'reader',
      scope: 'read',
    });
    const read = await pages.signIn(reader.body.api_key);
    expect((await read.post('/contracts', { ...wanted, confirm: 'true' })).status).to.equal(403);
  });

  it('shows which letters have a discount, because a shortfall takes it back', async () => {
    const client = await api.register();
    const plain = await client.send();
    const terms = { committed_units: 300, period: 'month' };
    expect((await client.post('/api/anp/contracts', terms)).status).to.equal(201);
    const reduced = await client.send();
    const person = await pages.signIn(client.key);
    const note = 'after a discount of US$0.09 (20%)';
    expect((await person.get(`/letters/${reduced.letter_id}`)).text).to.contain(note);
    expect((await person.get(`/letters/${plain.letter_id}`)).text).to.not.contain('discount');
  });

  it('lists UCANs with what they allow, and revokes one for its owner alone', async () => {
    const client = await api.register();
    const issued = await client.post<{ token: string; cid: string }>('/api/identity/ucan', {
      scope: 'send',
    });
    const { cid, token } = issued.body;
    const person = await pages.signIn(client.key);
    const keys = await person.get('/keys');
    expect(keys.text).to.contain(cid).and.to.contain('letters/send').and.to.not.contain(token);
    const stranger = await pages.signIn((await api.register()).key);
    expect((await stranger.get('/keys')).text).to.not.contain(cid);
    const refused = await stranger.post('/keys/ucans/revoke', { cid });
    expect(refused.status).to.be.oneOf([403, 404]);
    const asBearer = () => api.as(`ucan:${token}`).get('/api/letters');
    expect((await asBearer()).status).to.equal(200);
    const question = await person.get(`/keys/ucans/revoke?cid=${cid}`);
    expect(question.text).to.contain('everything that was passed on from it');
    expect(hiddenIn(question, 'cid')).to.equal(cid);
    const done = await person.post('/keys/ucans/revoke', { cid });
    expect(done.headers.get('location')).to.equal('/console/keys?said=ucan_revoked');
    expect((await asBearer()).status).to.equal(401);
  });
});
