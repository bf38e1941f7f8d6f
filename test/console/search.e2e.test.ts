/** Finding a letter in the console by what stands on it. */
import { expect } from 'chai';
import { type PageOf, useService } from '../support/client.ts';
import { consoleAt } from './console-client.ts';

describe('the search of the console', function () {
  this.timeout(120_000);
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
});
