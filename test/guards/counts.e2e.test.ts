import { expect } from 'chai';
import type { Sent } from '../support/client.ts';
import { letterTo, useService } from '../support/client.ts';

type BudgetsJson = { data: { rule: string; used: number; reserved: number; remaining: number }[] };
type Country = Parameters<typeof letterTo>[0];

/** The members of a change that moves a letter. */
const moveTo = (country: Country, name = 'Ada Lovelace') => {
  const { to_line1, to_city, to_postal_code, to_country } = letterTo(country) as Record<
    string,
    unknown
  >;
  return { to_name: name, to_line1, to_city, to_postal_code, to_country };
};

describe('what letters take of limits', () => {
  const api = useService();

  const agentUnder = async (rules: object[]) => {
    const owner = await api.register();
    const agent = await api.newKey(owner, 'send');
    const set = await owner.put(`/auth/keys/${agent.id}/policy`, { rules });
    expect(set.status, set.text).to.equal(200);
    const taken = async (name: string): Promise<number> => {
      const { data } = (await agent.get<BudgetsJson>('/api/budgets')).body;
      const { used, reserved } = data.find(({ rule }) => rule === name) ?? fail();
      return Math.round((used + reserved) * 100) / 100;
    };
    return { owner, agent, taken };
  };

  const fail = (): never => {
    throw new Error('there is no budget');
  };

  it('is their whole price, after they moved to another country and back', async () => {
    const { agent, taken } = await agentUnder([
      {
        id: 'germany',
        effect: 'allow',
        when: { countries: ['DE'] },
        limit: { amount: 6, per: 'total' },
      },
      { id: 'others', effect: 'allow', when: { countries: ['CA'] } },
    ]);
    let paid = 0;
    for (;;) {
      const sent = await agent.post<Sent>('/api/send', letterTo('DE'));
      if (sent.status === 403) break;
      expect(sent.status, sent.text).to.equal(201);
      const path = `/api/letters/${sent.body.letter_id}`;
      for (const country of ['CA', 'DE'] as const) {
        const moved = await agent.patch<Sent>(path, moveTo(country));
        expect(moved.status, moved.text).to.equal(200);
      }
      paid += sent.body.price.total;
      expect(await taken('germany')).to.be.closeTo(paid, 0.001);
    }
    expect(paid).to.be.within(1, 6);
  });

  it('is their price, after changes at once of which one was made, and nothing once they are cancelled', async () => {
    const { agent, taken } = await agentUnder([
      { id: 'all', effect: 'allow', limit: { amount: 90, per: 'total' } },
    ]);
    const sent = await agent.post<Sent>('/api/send', letterTo('DE'));
    const path = `/api/letters/${sent.body.letter_id}`;
    const changes = await Promise.all(
      ['Ada One', 'Ada Two', 'Ada Three'].map((name) => agent.patch(path, moveTo('US', name))),
    );
    expect(changes.map(({ status }) => status)).to.include(200);
    const moved = await agent.patch<Sent>(path, moveTo('CA', 'Ada Four'));
    expect(moved.status, moved.text).to.equal(200);
    expect(await taken('all')).to.equal(moved.body.price.total);
    await agent.post(`${path}/cancel`, {});
    expect(await taken('all')).to.equal(0);
  });

  it('is nothing for changes that cost no more and were not made', async () => {
    const countries = ['DE', 'FR'] as const;
    const rules = countries.map((country) => ({
      id: country,
      effect: 'allow',
      when: { countries: [country] },
      limit: { amount: 90, per: 'total' },
    }));
    const elsewhere = { id: 'elsewhere', effect: 'allow', when: { countries: ['US'] } };
    const { agent, taken } = await agentUnder([...rules, elsewhere]);
    let refused = 0;
    // On a busy machine the changes may come one after the other. Then both are made, and count.
    for (let tries = 0; tries < 10 && refused === 0; tries += 1) {
      const sent = await agent.post<Sent>('/api/send', letterTo('US'));
      const path = `/api/letters/${sent.body.letter_id}`;
      const changes = await Promise.all(
        countries.map((country) => agent.patch<Sent>(path, moveTo(country))),
      );
      for (const { status } of changes) expect(status).to.be.oneOf([200, 409]);
      refused = changes.filter(({ status }) => status === 409).length;
      const letter = (await agent.get<Sent & { to_country: string }>(path)).body;
      const { to_country: country, price } = letter;
      const other = country === 'DE' ? 'FR' : 'DE';
      const counted = [await taken(country), await taken(other)];
      if (refused > 0) expect(counted).to.deep.equal([price.total, 0]);
      await agent.post(`${path}/cancel`, {});
    }
    expect(refused).to.equal(1);
    const { transactions } = (
      await agent.get<{ transactions: { type: string; amount: number }[] }>('/api/balance')
    ).body;
    expect(transactions.filter(({ amount }) => amount === 0)).to.deep.equal([]);
  });

  it('is one letter for a draft that is sent several times at once', async () => {
    const { agent, taken } = await agentUnder([
      { id: 'few', effect: 'allow', limit: { letters: 10, per: 'day' } },
      { id: 'money', effect: 'allow', limit: { amount: 90, per: 'day' } },
    ]);
    const draft = await agent.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const send = () => agent.post<Sent>('/api/send', { letter_id: draft.body.letter_id });
    const answers = await Promise.all([send(), send(), send(), send()]);
    const sent = answers.filter(({ status }) => status === 201);
    expect(sent).to.have.length(1);
    expect(await taken('few')).to.equal(1);
    expect(await taken('money')).to.equal(sent[0]?.body.price.total);
    await agent.post(`/api/letters/${draft.body.letter_id}/cancel`, {});
    expect([await taken('few'), await taken('money')]).to.deep.equal([1, 0]);
  });

  it('is nothing for sends that a UCAN refuses', async () => {
    const owner = await api.register();
    const set = await owner.put('/api/policy', {
      rules: [{ id: 'few', effect: 'allow', limit: { letters: 3, per: 'day' } }],
    });
    expect(set.status, set.text).to.equal(200);
    const made = await owner.post<{ token: string }>('/api/identity/delegate', {
      audience: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
      capabilities: {
        [`letters://${owner.account.account_id}/`]: { 'letters/send': [{ max_letters: 1 }] },
      },
    });
    const agent = api.as(`ucan:${made.body.token}`);
    const answers = [];
    for (let n = 0; n < 3; n++)
      answers.push((await agent.post('/api/send', letterTo('DE'))).status);
    expect(answers).to.deep.equal([201, 403, 403]);
    const { data } = (await owner.get<BudgetsJson>('/api/budgets')).body;
    expect(data[0]?.remaining).to.equal(2);
    const own = await owner.post<Sent>('/api/send', letterTo('DE'));
    expect(own.status, own.text).to.equal(201);
  });
});
