/** Trust in a node that contradicts itself, or belongs to another network. */
import { expect } from 'chai';
import type { PublicClient } from 'viem';
import { createChainWatch } from '../../infra/payments/x402/chain-watch.ts';
import { type Network, networkOf } from '../../infra/payments/x402/networks.ts';
import { createChainReader } from '../../infra/payments/x402/usdc.ts';

const network = networkOf('base-sepolia') as Network;
const payTo = `0x${'b'.repeat(40)}`;
const payment = {
  payer: `0x${'a'.repeat(40)}`,
  payTo,
  asset: network.asset.toLowerCase(),
  nonce: `0x${'1'.repeat(64)}`,
  amountMicro: 10n,
};

describe('a node that does not tell the truth', () => {
  for (const status of ['reverted', 'success']) {
    it(`is not believed where an authorization is used by a transaction that is ${status} and has no log`, async () => {
      const reader = createChainReader({
        network,
        signer: undefined,
        client: {
          readContract: async () => true,
          getBlockNumber: async () => 100n,
          getContractEvents: async () => [{ transactionHash: `0x${'2'.repeat(64)}` }],
          getTransactionReceipt: async () => ({ status, logs: [], from: payTo }),
        } as unknown as PublicClient,
      });
      const fate = await reader.fateOf(payment, 50).catch((error: Error) => error.message);
      expect(fate).to.equal('the node contradicts itself about a transaction');
    });
  }

  /** The state of the payment by a node that knows it as used up now, and finds no use of it. */
  const fateBy = (node: { usedInBlock50: boolean; cancelled?: boolean }) =>
    createChainReader({
      network,
      signer: undefined,
      client: {
        readContract: async ({ blockNumber }: { blockNumber?: bigint }) =>
          blockNumber === 50n ? node.usedInBlock50 : true,
        getBlockNumber: async () => 100n,
        getContractEvents: async ({ eventName }: { eventName: string }) =>
          node.cancelled && eventName === 'AuthorizationCanceled'
            ? [{ transactionHash: `0x${'2'.repeat(64)}` }]
            : [],
      } as unknown as PublicClient,
    })
      .fateOf(payment, 50)
      .then(
        ({ state }) => state,
        (error: Error) => error.message,
      );

  it('says of no payment that it was cancelled if it lacks the block that used it', async () => {
    const lacking = 'the node does not have the block yet that used an authorization';
    expect(await fateBy({ usedInBlock50: false })).to.equal(lacking);
    expect(await fateBy({ usedInBlock50: false, cancelled: true })).to.equal('cancelled');
    expect(await fateBy({ usedInBlock50: true })).to.equal('cancelled');
  });

  it('is refused as soon as it is found to be of another network, and taken again when it is not', async () => {
    let chainId = 8453;
    const watch = createChainWatch({
      network,
      client: { request: (async () => `0x${chainId.toString(16)}`) as never },
    });
    const answer = () => watch.assertRight().catch((error: Error) => error.message);
    expect(await answer()).to.match(/node of chain 8453.*base-sepolia is chain 84532/);
    chainId = 84532;
    expect(await answer()).to.equal(undefined);
  });
});
