/** Finding a letter in the console by its printed text. */
import { expect } from 'chai';
import { type PageOf, until, useService } from '../support/client.ts';
import { consoleAt } from './console-client.ts';

describe('the search of the console', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);

  it('finds a letter by its tracking number, for its owner alone', async () => {
    const client = await api.register();
    const sent = await client.send({ service: 'de_einschreiben', reference: 'first' });
    await client.send({ reference: 'second' });
    const letter = await client.advance(sent.letter_id, { to: 'posted' });
    const number = letter.tracking.tracking_number ?? '';
    expect(number).to.match(/^[A-Z0-9]{8,}$/);
    const spaced = `${number.slice(0, 2)} ${number.slice(2).toLowerCase()}`;
    const person = await pages.signIn(client.key);
    for (const text of [number, spaced, 'first', sent.letter_id]) {
      const found = await person.post('/letters', { text });
      const place = found.headers.get('location') ?? found.text;
      expect(place, text).to.contain(sent.letter_id);
    }
    const stranger = await pages.signIn((await api.register()).key);
    const nothing = await stranger.post('/letters', { text: number });
    expect(nothing.text).to.contain('id="none"').and.to.not.contain(sent.letter_id);
  });

  it('takes the number with other filters', async () => {
    const client = await api.register();
    const sent = await client.send({
      service: 'de_einschreiben',
      reference: 'r-1',
      metadata: { order: '7' },
    });
    const letter = await client.advance(sent.letter_id, { to: 'posted' });
    const number = letter.tracking.tracking_number ?? '';
    const idsOf = async (query: Record<string, string>) => {
      const search = new URLSearchParams({ tracking_number: number, ...query });
      const found = await client.get<PageOf<{ letter_id: string }>>(`/api/letters?${search}`);
      expect(found.status, found.text).to.equal(200);
      return found.body.data.map((one) => one.letter_id);
    };
    const right = { status: 'posted', country: 'DE', reference: 'r-1', 'metadata[order]': '7' };
    expect(await idsOf({})).to.deep.equal([sent.letter_id]);
    expect(await idsOf(right)).to.deep.equal([sent.letter_id]);
    const others: Record<string, string>[] = [
      { status: 'draft' },
      { country: 'FR' },
      { reference: 'r-2' },
      { 'metadata[order]': '8' },
      { delivery_outcome: 'returned' },
      { created_after: '2099-01-01T00:00:00Z' },
    ];
    for (const wrong of others) {
      expect(await idsOf(wrong), JSON.stringify(wrong)).to.deep.equal([]);
    }
  });

  const addressed = {
    to_name: 'Nora Quandt',
    to_line1: 'Lindenweg 4',
    to_postal_code: '10827',
    to_city: 'Berlin',
    to_country: 'DE',
  };
  const recipient = {
    name: 'nora  QUANDT',
    line1: 'Lindenweg 4',
    postal_code: '10827',
    city: 'Berlin',
    country: 'DE',
  };

  it('finds the letters to a recipient by name and address, before and after production', async () => {
    const client = await api.register();
    const draft = await client.send({ ...addressed, draft: true });
    const posted = await client.send(addressed);
    const other = await client.send();
    const neighbour = await client.send({ ...addressed, to_name: 'Nils Quandt' });
    const idsFound = async (about: object = recipient, by = client) => {
      const found = await by.post<PageOf<{ letter_id: string }>>('/api/letters/search', {
        recipient: about,
      });
      expect(found.status, found.text).to.equal(200);
      return found.body.data.map((one) => one.letter_id);
    };
    expect(await idsFound()).to.deep.equal([posted.letter_id, draft.letter_id]);
    for (const { letter_id: id } of [posted, other, neighbour]) {
      await client.advance(id, { to: 'posted' });
    }
    await until(async () => (await idsFound()).length === 2);
    expect(await idsFound()).to.deep.equal([posted.letter_id, draft.letter_id]);
    expect(await idsFound({ ...recipient, postal_code: '10828' })).to.deep.equal([]);
    expect(await idsFound(recipient, await api.register())).to.deep.equal([]);
    const erased = await client.delete(`/api/letters/${draft.letter_id}`);
    expect(erased.status, erased.text).to.equal(200);
    expect(await idsFound()).to.deep.equal([posted.letter_id]);
  });

  it('finds the letters to a recipient that were cancelled or failed before production, until they are deleted', async () => {
    const client = await api.register();
    const draft = await client.send({ ...addressed, draft: true });
    const queued = await client.send(addressed);
    const failed = await client.send(addressed);
    await client.post(`/api/letters/${draft.letter_id}/cancel`);
    await client.post(`/api/letters/${queued.letter_id}/cancel`);
    await client.advance(failed.letter_id, { event: 'failed' });
    const idsFound = async () => {
      const found = await client.post<PageOf<{ letter_id: string }>>('/api/letters/search', {
        recipient,
      });
      return found.body.data.map((one) => one.letter_id);
    };
    const all = [failed, queued, draft].map((one) => one.letter_id);
    expect(await idsFound()).to.deep.equal(all);
    for (const id of all) await client.delete(`/api/letters/${id}`);
    expect(await idsFound()).to.deep.equal([]);
  });

  it('takes name and address from a form, and keeps them out of addresses', async () => {
    const client = await api.register();
    const sent = await client.send(addressed);
    const person = await pages.signIn(client.key);
    const shown = await person.get(`/letters/${sent.letter_id}`);
    expect(shown.text).to.contain('action="/console/letters/recipient"');
    const found = await person.post('/letters/recipient', addressed);
    expect(found.status).to.equal(200);
    expect(found.text).to.contain(`href="/console/letters/${sent.letter_id}"`);
    expect(found.text.match(/(?:href|action)="[^"]*(?:Nora|Quandt|Linden)/)).to.equal(null);
    const stranger = await pages.signIn((await api.register()).key);
    expect((await stranger.post('/letters/recipient', addressed)).text).to.contain('id="none"');
    const empty = await person.post('/letters/recipient', { ...addressed, to_city: '' });
    expect(empty.status).to.equal(422);
    expect(empty.text).to.contain('id="to_city-wrong"');
  });
});
