/** A payment that the chain settles only after the caller got a 503. */
import { expect } from 'chai';
import { clientOf, expectProblem, letterTo, type Sent, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { paymentHeader, payTo, requirementsIn, x402Settings } from '../support/evm/x402.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a payment that settles after its request was answered 503', function () {
  this.timeout(180_000);
  let chain: Chain;
  let proxy: Awaited<ReturnType<typeof startRpcProxy>>;
  let service: TestService;
  before(async () => {
    chain = await startChain();
    proxy = await startRpcProxy(chain.url);
    service = await startTestService({
      ...(await x402Settings(chain)),
      X402_RPC_URL: proxy.url,
      LIMIT_REQUEST_TIMEOUT_MS: '3000',
    });
  });
  after(async () => {
    await service?.stop();
    await proxy?.stop();
    await chain?.stop();
  });
  const { call } = clientOf(() => service);

  it('sends its letter, which the same payment finds, and is taken once', async () => {
    const payer = await chain.newPayer(50_000_000n);
    const letter = letterTo('DE');
    const demand = requirementsIn(await call('POST', '/api/send', letter));
    const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
    const settling = Promise.withResolvers<void>();
    proxy.set(async (method) => {
      if (method === 'eth_sendRawTransaction') await settling.promise;
      return 'pass' as const;
    });
    const late = await call('POST', '/api/send', letter, { headers });
    expectProblem(late, 503, 'overloaded');
    settling.resolve();
    let again = await call<Sent>('POST', '/api/send', letter, { headers });
    // A busy machine may be late again.
    await until(async () => {
      if (again.status !== 503) return true;
      again = await call<Sent>('POST', '/api/send', letter, { headers });
      return false;
    });
    expect(again.status, again.text).to.equal(201);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const received = await chain.received(payTo);
    expect(received.filter(({ from }) => from === payer.address)).to.have.length(1);
  });
});
