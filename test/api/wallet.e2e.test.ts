import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectMembers, expectProblem, letterTo, until, useService } from '../support/client.ts';

const cents = (amount: number): number => Math.round(amount * 100);

describe('the wallet over HTTP', () => {
  const api = useService();

  const fund = async (accountId: string, bucket: 'crypto' | 'fiat', dollars: number) => {
    const amountMicro = BigInt(dollars) * 1_000_000n;
    const credit = { bucket, amountMicro, reference: `transfer of ${dollars}` };
    await api.service().service.foundation.commands.accounts.credit(accountId, credit, {
      commandId: randomUUID(),
      actor: 'operator',
    });
  };

  it('starts with $100.00 of test money, or with nothing', async () => {
    const test = await api.register();
    const shown = await test.balance();
    expectMembers(shown, [
      'account_id',
      'balance',
      'available',
      'held',
      'held_for',
      'currency',
      'funding',
      'transactions',
      'storage',
      'test',
    ]);
    const { transactions, ...rest } = shown;
    expect(rest).to.deep.equal({
      account_id: test.account.account_id,
      balance: 100,
      available: 100,
      held: 0,
      held_for: [],
      currency: 'USD',
      funding: { crypto: 0, fiat: 100 },
      storage: { used_bytes: 0, quota_bytes: 20 * 1024 ** 3 },
      test: true,
    });
    expect(transactions).to.have.length(1);
    const live = await api.register('live');
    expect(await live.balance()).to.deep.equal({
      account_id: live.account.account_id,
      balance: 0,
      available: 0,
      held: 0,
      held_for: [],
      currency: 'USD',
      funding: { crypto: 0, fiat: 0 },
      transactions: [],
      storage: { used_bytes: 0, quota_bytes: 20 * 1024 ** 3 },
      test: false,
    });
  });

  it('names the operator where the service takes no payments', async () => {
    const live = await api.register('live');
    const answer = await live.post('/api/topup', { method: 'card', amount: 5 });
    expectProblem(answer, 501, 'payment_method_unavailable');
    expect(answer.body.detail).to.contain('ask its operator to credit the wallet');
    const order = await live.post('/api/orders', letterTo('DE', { email: 'payer@example.com' }));
    expectProblem(order, 501, 'payment_method_unavailable');
    expect(order.body.detail).to.contain('so it takes no orders');
  });

  it('shows the last 10 transactions, newest first, each with the balance after it', async () => {
    const client = await api.register();
    for (let index = 0; index < 6; index++) {
      const { letter_id } = await client.send();
      await client.post(`/api/letters/${letter_id}/cancel`);
    }
    const { transactions, available } = await client.balance();
    expect(transactions).to.have.length(10);
    let after = cents(available);
    for (const transaction of transactions) {
      // In the order of the reference.
      expect(Object.keys(transaction)).to.deep.equal([
        'id',
        'type',
        'amount',
        'balance_after',
        'letter_id',
        'reference',
        'created_at',
      ]);
      expect(cents(transaction.balance_after)).to.equal(after);
      after -= cents(transaction.amount);
      expect(transaction.letter_id).to.be.a('string');
    }
    expect(transactions.map(({ type }) => type).slice(0, 2)).to.deep.equal(['release', 'hold']);
    expect(new Set(transactions.map(({ id }) => id)).size).to.equal(10);
  });

  it('spends what is held when production starts, and gives it back when it fails', async () => {
    const client = await api.register();
    const { letter_id, price } = await client.send();
    const left = (10_000 - cents(price.total)) / 100;
    await client.advance(letter_id);
    expect(await client.balance()).to.include({ balance: left, available: left, held: 0 });
    await client.advance(letter_id, { event: 'failed' });
    const { transactions, ...balance } = await client.balance();
    expect(balance).to.include({ balance: 100, available: 100, held: 0 });
    expect(transactions[0]).to.include({ type: 'refund', amount: price.total, letter_id });
  });

  it('spends crypto first, with 2.5 % commission on it and 5 % on the rest', async () => {
    const client = await api.register('live');
    const { account_id } = client.account;
    await fund(account_id, 'crypto', 5);
    await fund(account_id, 'fiat', 50);
    await until(async () => (await client.balance()).balance === 55);
    const funded = await client.balance();
    expect(funded.funding).to.deep.equal({ crypto: 5, fiat: 50 });
    expect(funded.transactions[0]).to.include({
      type: 'credit',
      amount: 50,
      balance_after: 55,
      reference: 'transfer of 50',
    });
    const first = await client.send();
    const subtotal = cents(first.price.total) - cents(first.price.commission);
    expect(cents(first.price.commission)).to.equal(Math.round(subtotal * 0.025));
    const second = await client.send();
    expect(cents(second.price.commission)).to.be.within(
      Math.round(subtotal * 0.025),
      Math.round(subtotal * 0.05),
    );
    const third = await client.send();
    expect(cents(third.price.commission)).to.equal(Math.round(subtotal * 0.05));
    const sent = [first, second, third];
    const total = sent.reduce((sum, { price }) => sum + cents(price.total), 0);
    expect(await client.balance()).to.include({
      balance: 55,
      held: total / 100,
      available: (5_500 - total) / 100,
    });
    const { held_for: reserved } = await client.balance();
    expect(reserved).to.deep.equal([{ what: 'letters', count: 3, amount: total / 100 }]);
    for (const { letter_id } of sent) await client.post(`/api/letters/${letter_id}/cancel`);
    const { funding, held, held_for } = await client.balance();
    const none = { funding: { crypto: 5, fiat: 50 }, held: 0, held_for: [] };
    expect({ funding, held, held_for }).to.deep.equal(none);
  });

  it('covers as many of many sends at once as it has money for', async () => {
    const client = await api.register('live');
    await fund(client.account.account_id, 'fiat', 20);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => client.post('/api/send', letterTo('DE'))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(4).fill(201), ...Array(8).fill(402)]);
    expect(await client.balance()).to.include({ balance: 20, held: 17.96, available: 2.04 });
  });

  it('is not shown to others', async () => {
    const [one, two] = [await api.register(), await api.register()];
    await one.send();
    expect((await two.balance()).transactions).to.have.length(1);
  });
});
