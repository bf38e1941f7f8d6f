/** One payment that two processes on one database get, while its transaction waits at the node. */
import { expect } from 'chai';
import { clientOf, expectProblem, letterTo, type Sent, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { paymentHeader, payTo, requirementsIn, x402Settings } from '../support/evm/x402.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

describe('a payment that is repeated at another process', function () {
  this.timeout(180_000);
  let chain: Chain;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  const services: TestService[] = [];
  before(async () => {
    chain = await startChain();
    database = await serviceDatabase();
    const env = {
      ...(await x402Settings(chain)),
      DATABASE_URL: database.url,
      MASTER_KEY: '11'.repeat(32),
    };
    for (let n = 0; n < 2; n++) services.push(await startTestService(env));
  });
  after(async () => {
    for (const service of services) await service.stop();
    await database?.drop();
    await chain?.stop();
  });
  const at = (n: number) => clientOf(() => services[n] as TestService);
  const pooled = async (): Promise<boolean> => {
    const { pending } = await chain.client.getTxpoolStatus();
    return pending > 0;
  };

  it('is answered payment_pending while it waits, and then with its letter', async () => {
    const [here, there] = [at(0), at(1)];
    const payer = await chain.newPayer(50_000_000n);
    const signedFor = async (letter: object): Promise<Record<string, string>> => {
      const demand = requirementsIn(await here.call('POST', '/api/send', letter));
      return { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
    };
    // The other process has settled one before, so it knows what the node had then.
    const first = letterTo('DE', { content: 'First.' });
    const headersOfFirst = await signedFor(first);
    const paid = await there.call('POST', '/api/send', first, { headers: headersOfFirst });
    expect(paid.status, paid.text).to.equal(201);

    await chain.client.setAutomine(false);
    const letter = letterTo('DE');
    const headers = await signedFor(letter);
    const send = (client: typeof here) =>
      client.call<Sent>('POST', '/api/send', letter, { headers });
    const sending = send(here);
    await until(pooled);
    expectProblem(await send(there), 409, 'payment_pending');
    await chain.client.setAutomine(true);
    await chain.client.mine({ blocks: 1 });
    const sent = await sending;
    expect(sent.status, sent.text).to.equal(201);
    const again = await send(there);
    expect(again.status, again.text).to.equal(201);
    expect(again.body.letter_id).to.equal(sent.body.letter_id);
    expect(await chain.received(payTo)).to.have.length(2);
  });
});
