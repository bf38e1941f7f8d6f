import { expect } from 'chai';
import { decode } from 'light-bolt11-decoder';
import { clientOf, until } from '../support/client.ts';
import { type LndServer, startLnd } from '../support/lnd-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

type TopUp = {
  topup_id: string;
  status: string;
  credited: number | null;
  invoice: string;
  payment_hash: string;
  amount_sats: number;
};

describe('topping up by Lightning', () => {
  let lnd: LndServer;
  let service: TestService;
  before(async () => {
    lnd = await startLnd();
    service = await startTestService({
      LND_REST_URL: lnd.url,
      LND_MACAROON: lnd.macaroon,
      LIGHTNING_RATE: '97123.45',
    });
  });
  after(async () => {
    await service?.stop();
    await lnd?.stop();
  });
  const { register } = clientOf(() => service);
  type Account = Awaited<ReturnType<typeof register>>;

  const ask = async (account: Account, amount = 10, key = crypto.randomUUID()) => {
    const asked = await account.post<TopUp>(
      '/api/topup',
      { method: 'lightning', amount },
      { 'Idempotency-Key': key },
    );
    expect(asked.status, asked.text).to.equal(201);
    return asked.body;
  };
  const isPaid = async (account: Account, { topup_id }: TopUp): Promise<boolean> =>
    (await account.get<TopUp>(`/api/topup/${topup_id}`)).body.status === 'paid';

  it('hands out a real invoice over the amount in satoshis, rounded up', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    expect(topUp.amount_sats).to.equal(10_297);
    const sections = decode(topUp.invoice).sections as { name: string; value?: unknown }[];
    const value = (name: string) => sections.find((section) => section.name === name)?.value;
    expect(value('amount')).to.equal('10297000');
    expect(value('payment_hash')).to.equal(topUp.payment_hash);
  });

  it('credits the dollars that were asked for, once, as soon as it is settled', async () => {
    const account = await register('live');
    const topUp = await ask(account);
    lnd.pay(topUp.invoice);
    await until(() => isPaid(account, topUp));
    await until(async () => (await account.balance()).available > 0);
    const { available, funding } = await account.balance();
    expect({ available, crypto: funding.crypto }).to.deep.equal({ available: 10, crypto: 10 });
  });

  it('gives the same invoice to the same request again', async () => {
    const account = await register('live');
    const key = crypto.randomUUID();
    const first = await ask(account, 5, key);
    expect(await ask(account, 5, key)).to.deep.equal(first);
  });

  it('answers 503 while the node is away, and catches up with what was settled meanwhile', async () => {
    const account = await register('live');
    const topUp = await ask(account, 7);
    lnd.setTells(false);
    lnd.setDown(true);
    const refused = await account.post('/api/topup', { method: 'lightning', amount: 10 });
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.be.a('string');
    lnd.pay(topUp.invoice, BigInt(topUp.amount_sats) * 2_000n);
    lnd.setDown(false);
    lnd.setTells(true);
    await until(() => isPaid(account, topUp));
    // Paid twice over: credited at the locked rate.
    await until(async () => Math.abs((await account.balance()).available - 14) < 0.01);
  }).timeout(180_000);
});
