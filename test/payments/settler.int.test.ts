import { expect } from 'chai';
import {
  createPublicClient,
  custom,
  type EIP1193RequestFn,
  getAddress,
  http,
  type Chain as ViemChain,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import type { Authorization } from '../../commands/payments/rails.ts';
import { type Network, networkOf } from '../../infra/payments/x402/networks.ts';
import { createSettler } from '../../infra/payments/x402/settler.ts';
import { createTransactions } from '../../infra/payments/x402/transactions.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { payTo, signed } from '../support/evm/x402.ts';

describe('settling by a key of ours', () => {
  let chain: Chain;

  before(async () => {
    chain = await startChain();
  });
  after(() => chain.stop());

  it('asks the node four times for an ordinary payment, once it knows the fees', async () => {
    const asked: string[] = [];
    const node = http(chain.url)({}).request as EIP1193RequestFn;
    const client = createPublicClient({
      chain: baseSepolia as ViemChain,
      transport: custom({
        request: (call: { method: string }) => {
          asked.push(call.method);
          return node(call as never);
        },
      }),
    });
    const network = networkOf('base-sepolia') as Network;
    const account = privateKeyToAccount(await chain.newSigner());
    const { chainId } = network;
    const transactions = createTransactions({
      client,
      account,
      chainId,
      resendMs: 20_000,
      warn: () => {},
    });
    const own = { account, transactions };
    const settler = createSettler({
      client,
      network,
      confirmationMs: 60_000,
      maxGas: 250_000n,
      ...own,
    });
    const payer = await chain.newPayer(1_000n);

    /** The calls that one payment takes. */
    const settle = async (): Promise<string[]> => {
      const { authorization, payload } = await signed(payer, { payTo, amount: '10' });
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const payment: Authorization = {
        payer: from,
        payTo: getAddress(to),
        amountMicro: value,
        validAfter,
        validBefore,
        nonce,
        signature: payload.signature,
      };
      asked.length = 0;
      expect(await settler.takes(payment)).to.equal(true);
      expect((await settler.send(payment))?.receipt?.status).to.equal('success');
      return [...asked];
    };
    // A slow machine may look for a receipt too early, or know its fees no longer: the quickest counts.
    const settlements: string[][] = [];
    for (let n = 0; n < 8; n++) settlements.push(await settle());
    expect(settlements.toSorted((a, b) => a.length - b.length)[0]).to.deep.equal([
      'eth_estimateGas',
      'eth_getTransactionCount',
      'eth_sendRawTransaction',
      'eth_getTransactionReceipt',
    ]);
  });
});
