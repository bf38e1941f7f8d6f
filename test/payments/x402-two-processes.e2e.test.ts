/** One payment that two processes on one database get, while its transaction waits at the node. */
import { expect } from 'chai';
import { clientOf, expectProblem, letterTo, type Sent, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { paymentHeader, payTo, requirementsIn, x402Settings } from '../support/evm/x402.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

for (const estimatesOn of [undefined, 'latest'] as const)
  describe(`a payment that is repeated at another process, with gas estimated on the ${estimatesOn ?? 'pending'} block`, function () {
    this.timeout(180_000);
    let chain: Chain;
    let proxy: Awaited<ReturnType<typeof startRpcProxy>>;
    let database: Awaited<ReturnType<typeof serviceDatabase>>;
    const services: TestService[] = [];
    before(async () => {
      chain = await startChain();
      proxy = await startRpcProxy(chain.url, estimatesOn ? { estimatesOn } : {});
      database = await serviceDatabase();
      const env = {
        ...(await x402Settings(chain)),
        X402_RPC_URL: proxy.url,
        DATABASE_URL: database.url,
        MASTER_KEY: '11'.repeat(32),
      };
      for (let n = 0; n < 2; n++) services.push(await startTestService(env));
    });
    after(async () => {
      for (const service of services) await service.stop();
      await database?.drop();
      await proxy?.stop();
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
      // A second one would be mined in vain.
      expect((await chain.client.getTxpoolStatus()).pending).to.equal(1);
      await chain.client.setAutomine(true);
      await chain.client.mine({ blocks: 1 });
      const sent = await sending;
      expect(sent.status, sent.text).to.equal(201);
      const again = await send(there);
      expect(again.status, again.text).to.equal(201);
      expect(again.body.letter_id).to.equal(sent.body.letter_id);
      expect(await chain.received(payTo)).to.have.length(2);
    });

    it('is sent once where both processes get it at once', async () => {
      const [here, there] = [at(0), at(1)];
      const payer = await chain.newPayer(50_000_000n);
      const letter = letterTo('DE', { content: 'At once.' });
      const demand = requirementsIn(await here.call('POST', '/api/send', letter));
      const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
      const send = (client: typeof here) =>
        client.call<Sent>('POST', '/api/send', letter, { headers });
      await chain.client.setAutomine(false);
      const first = Promise.race([here, there].map(send));
      expectProblem(await first, 409, 'payment_pending');
      expect((await chain.client.getTxpoolStatus()).pending).to.equal(1);
      await chain.client.setAutomine(true);
      await chain.client.mine({ blocks: 1 });
      let again = await send(there);
      await until(async () => {
        if (again.status === 201) return true;
        again = await send(there);
        return false;
      });
      expect((await send(here)).body.letter_id).to.equal(again.body.letter_id);
    });
  });
