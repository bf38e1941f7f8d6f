import { expect } from 'chai';
import type * as Core from '../../clients/typescript/src/index.ts';
import { letterTo } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { payTo, signed } from '../support/evm/x402.ts';
import { loadCore } from './installed.ts';

describe('a program that pays by x402 with the TypeScript library', function () {
  this.timeout(180_000);
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  let core: typeof Core;
  before(async () => {
    core = await loadCore();
    paid = await startPaidService();
  });
  after(() => paid?.stop());

  it('pays a letter once, also when the answer got lost', async () => {
    const signer = await paid.chain.newPayer(50_000_000n);
    let signatures = 0;
    const payer: Core.Payer = {
      maxUsd: 5,
      async pay({ accepts: [accepted = {} as Core.PaymentOffer] }) {
        signatures += 1;
        const { payload } = await signed(signer, accepted);
        return { x402Version: 2, accepted, payload };
      },
    };
    let lost = 0;
    /** Loses the first answer to a payment, after the service has given it. */
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const isPaid = new Headers(init?.headers).has('payment-signature');
      if (!isPaid || lost > 0) return response;
      lost += 1;
      throw new TypeError('the connection was lost');
    };
    const execute = core.createExecutor({
      baseUrl: paid.service.url,
      apiKey: '',
      payer,
      fetch: losing,
    });
    const sent = (await execute('send_letter', letterTo('DE'))) as {
      status: string;
      price: { total: number };
    };
    expect(sent, JSON.stringify(sent)).to.include({ status: 'queued' });
    expect([lost, signatures]).to.deep.equal([1, 1]);
    const transfers = (await paid.chain.received(payTo)).filter(
      ({ from }) => from === signer.address,
    );
    expect(transfers.map(({ value }) => Number(value) / 1e6)).to.deep.equal([sent.price.total]);
  });
});
