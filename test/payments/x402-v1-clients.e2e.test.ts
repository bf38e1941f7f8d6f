import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import axios from 'axios';
import { expect } from 'chai';
import type { LocalAccount } from 'viem/accounts';
import { letterTo, type Sent } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { payTo } from '../support/evm/x402.ts';
import { skip } from '../support/skip.ts';

type FetchClient = {
  wrapFetchWithPayment(base: typeof fetch, signer: LocalAccount, maxValue: bigint): typeof fetch;
};
type AxiosClient = {
  withPaymentInterceptor<T>(base: T, signer: LocalAccount): T;
};

/** Clients of version 1 have packages of their own: npm ci --prefix test/compat-x402 */
const from = createRequire(new URL('../compat-x402/package.json', import.meta.url));
const load = (name: string): Promise<unknown> =>
  Promise.resolve().then(() => import(pathToFileURL(from.resolve(name)).href));

describe('a wallet with a stock client of version 1', () => {
  let clients: (FetchClient & AxiosClient) | undefined;
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  before(async function () {
    const found = await Promise.all([load('x402-fetch'), load('x402-axios')]).catch(
      () => undefined,
    );
    if (!found) {
      return skip(this, 'npm ci --prefix test/compat-x402 installs its clients');
    }
    clients = Object.assign({}, ...found) as FetchClient & AxiosClient;
    paid = await startPaidService();
  });
  after(() => paid?.stop());

  const newPayer = () => paid.chain.newPayer(50_000_000n);
  const transfersOf = async ({ address }: LocalAccount) =>
    (await paid.chain.received(payTo)).filter((transfer) => transfer.from === address);

  it('sends a letter by x402-fetch, and is told of its transfer', async () => {
    const signer = await newPayer();
    const pay = clients?.wrapFetchWithPayment(fetch, signer, 20_000_000n);
    const answer = await pay?.(`${paid.service.url}/api/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(letterTo('DE')),
    });
    const sent = (await answer?.json()) as Sent;
    expect(answer?.status, JSON.stringify(sent)).to.equal(201);
    const [transfer, ...more] = await transfersOf(signer);
    expect(more).to.deep.equal([]);
    expect(Number(transfer?.value) / 1e6).to.equal(sent.price.total);
    const told = Buffer.from(answer?.headers.get('x-payment-response') ?? '', 'base64');
    expect(JSON.parse(told.toString())).to.include({
      success: true,
      payer: signer.address.toLowerCase(),
    });
  });

  it('sends a letter by x402-axios', async () => {
    const signer = await newPayer();
    const client = clients?.withPaymentInterceptor(axios.create(), signer);
    const answer = await client?.post<Sent>(`${paid.service.url}/api/send`, letterTo('FR'));
    expect(answer?.status).to.equal(201);
    expect(await transfersOf(signer)).to.have.length(1);
  });
});
