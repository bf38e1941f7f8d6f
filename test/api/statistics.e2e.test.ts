import { expect } from 'chai';
import type { Static } from 'typebox';
import type { Statistics as Schema } from '../../presenters/statistics.ts';
import { expectProblem, until, useService } from '../support/client.ts';

type Statistics = Static<typeof Schema>;

describe('letters and spending by day', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;

  const statistics = async (client: Client, query = ''): Promise<Statistics> => {
    const answer = await client.get<Statistics>(`/api/statistics${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };

  it('count accepted letters, and money until it comes back', async () => {
    const client = await api.register();
    const before = (await client.balance()).available;
    const { letter_id: letterId } = await client.send();
    const { letter_id: printed } = await client.send();
    await until(async () => (await statistics(client)).letters === 2);
    const spentNow = async () => {
      const { available } = await client.balance();
      return Math.round((before - available) * 1e6) / 1e6;
    };
    await until(async () => (await statistics(client)).spent === (await spentNow()));
    const { spent } = await statistics(client);
    expect(spent).to.be.above(0);
    await client.post(`/api/letters/${letterId}/cancel`);
    await until(async () => (await statistics(client)).spent < spent);
    const after = await statistics(client);
    expect(after.spent).to.equal(await spentNow());
    await client.advance(printed);
    await client.advance(printed, { event: 'failed' });
    await until(async () => (await statistics(client)).spent === 0);
    expect(await spentNow()).to.equal(0);
    expect(after).to.include({ letters: 2, time_zone: 'UTC' });
    expect(after.days).to.have.length(30);
    expect(after.days.map(({ day }) => day)).to.deep.equal(
      after.days.map(({ day }) => day).toSorted(),
    );
    expect(after.days[0]?.day).to.equal(after.from);
    expect(after.days.at(-1)?.day).to.equal(after.to);
    expect(after.days.reduce((sum, { letters }) => sum + letters, 0)).to.equal(2);
  });

  it('have up to 92 days, each of them once', async () => {
    const client = await api.register();
    const { days } = await statistics(client, '?from=2024-01-31&to=2024-05-01');
    expect(days).to.have.length(92);
    expect(days[29]?.day).to.equal('2024-02-29');
    expect(await statistics(client, '?from=2024-02-29&to=2024-02-29')).to.deep.equal({
      from: '2024-02-29',
      to: '2024-02-29',
      time_zone: 'UTC',
      letters: 0,
      spent: 0,
      days: [{ day: '2024-02-29', letters: 0, spent: 0 }],
    });
    expect((await statistics(client, '?to=2024-03-31')).from).to.equal('2024-03-02');
  });

  it('refuse ranges that are too long, reversed, or not of days', async () => {
    const client = await api.register();
    for (const query of [
      ...['?from=2024-01-31&to=2024-05-02', '?from=2024-02-02&to=2024-02-01', '?from=2001-01-01'],
      ...['?from=2999-01-01', '?from=2023-02-29', '?to=1999-12-31', '?to=0000-01-01', '?to=today'],
      ...['?from=', '?since=2024-01-01', '?to=2024-01-01T00:00:00Z'],
    ]) {
      expectProblem(await client.get(`/api/statistics${query}`), 422, 'validation_failed');
    }
  });

  it('are of the account that asks, and of nobody without a credential', async () => {
    const other = await api.register();
    await other.send();
    await until(async () => (await statistics(other)).letters === 1);
    expect(await statistics(await api.register())).to.include({ letters: 0, spent: 0 });
    expectProblem(await api.call('GET', '/api/statistics'), 401, 'authentication_required');
  });
});
