/** A facilitator elsewhere, the stock library behind HTTP, in front of a real chain: it fails, and it lies. */
import { expect } from 'chai';
import { clientOf, letterTo, type Sent, until } from '../support/client.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { type Settling, startFacilitator } from '../support/evm/facilitator-server.ts';
import { stockFetch } from '../support/evm/stock-clients.ts';
import { paymentHeader, payTo, requirementsIn, x402Settings } from '../support/evm/x402.ts';
import { startTestService, type TestService } from '../support/service.ts';

const answer = (more: { success: boolean; errorReason?: string; transaction?: string }) => ({
  network: 'eip155:84532' as const,
  transaction: '',
  ...more,
});
const neverSent = `0x${'ab'.repeat(32)}`;

const settlings: [string, Settling][] = [
  ['is cut off after it settled', (settle) => settle().then(() => undefined)],
  ['is cut off before it settles', async () => undefined],
  [
    'settles and says that the payer has too little',
    async (settle) => ({ ...(await settle()), success: false, errorReason: 'insufficient_funds' }),
  ],
  [
    'settles and says that it could not wait for the block',
    async (settle) => ({
      ...(await settle()),
      success: false,
      errorReason: 'settle_exact_evm_transaction_confirmation_timed_out',
    }),
  ],
  [
    'names a transaction that it never sent',
    async () => answer({ success: true, transaction: neverSent }),
  ],
  [
    'says that the payment was used before',
    async () => answer({ success: false, errorReason: 'invalid_exact_evm_nonce_already_used' }),
  ],
];

describe('payments that a facilitator elsewhere settles', () => {
  let chain: Chain;
  let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
  let service: TestService;
  before(async () => {
    chain = await startChain();
    facilitator = await startFacilitator(chain.url, await chain.newSigner());
    const { X402_SIGNER_KEY: _, ...settings } = await x402Settings(chain);
    service = await startTestService({ ...settings, X402_FACILITATOR_URL: facilitator.url });
  });
  after(async () => {
    await service?.stop();
    facilitator?.stop();
    await chain?.stop();
  });
  const { call } = clientOf(() => service);
  const transfersOf = async (payer: string) =>
    (await chain.received(payTo)).filter(({ from }) => from === payer);

  it('pay for the letter of a stock client', async () => {
    const payer = await chain.newPayer(50_000_000n);
    const sent = await stockFetch(payer)(`${service.url}/api/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(letterTo('DE')),
    });
    expect(sent.status, await sent.clone().text()).to.equal(201);
    expect(await transfersOf(payer.address)).to.have.length(1);
  });

  for (const [what, settling] of settlings)
    it(`pay once for one letter where it ${what}`, async () => {
      const payer = await chain.newPayer(50_000_000n);
      const letter = letterTo('DE', { content: what });
      const demand = requirementsIn(await call('POST', '/api/send', letter));
      const headers = { 'PAYMENT-SIGNATURE': await paymentHeader(payer, demand) };
      const send = () => call<Sent>('POST', '/api/send', letter, { headers });

      facilitator.settle(settling);
      let sent = await send();
      if (sent.status !== 201) expect(sent.body).to.include({ code: 'payment_pending' });
      facilitator.settle();
      await until(async () => {
        if (sent.status !== 201) sent = await send();
        return sent.status === 201;
      });
      expect((await send()).body.letter_id).to.equal(sent.body.letter_id);
      const transfers = await transfersOf(payer.address);
      expect(transfers.map(({ value }) => value)).to.deep.equal([BigInt(String(demand.amount))]);
    });
});
