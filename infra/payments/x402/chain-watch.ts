/** Whether the node is one of the network that is configured: what one of another chain says of money is not true. */
import type { PublicClient } from 'viem';
import { RailUnavailable } from '../../../commands/payments/rails.ts';
import type { Network } from './networks.ts';

/** How long an answer is believed: a name may lead to another node later. */
const believedMs = 60_000;

/** The node is one of another network. The message is one sentence that says of which. */
class WrongNetwork extends RailUnavailable {
  constructor(network: Network, found: number) {
    super(
      undefined,
      `X402_RPC_URL is a node of chain ${found}, and X402_NETWORK=${network.nameV1} is chain ${network.chainId}`,
    );
    this.name = 'WrongNetwork';
  }
}

export const createChainWatch = (ports: {
  client: Pick<PublicClient, 'request'>;
  network: Network;
}) => {
  const { client, network } = ports;
  let looked: { atMs: number; found: Promise<number> } | undefined;

  const found = (): Promise<number> => {
    const now = performance.now();
    if (!looked || now - looked.atMs > believedMs) {
      const asked = client.request({ method: 'eth_chainId' }).then(Number);
      looked = { atMs: now, found: asked };
      asked.catch(() => {
        looked = undefined;
      });
    }
    return looked.found;
  };

  return {
    /** @throws WrongNetwork */
    async assertRight(): Promise<void> {
      const chainId = await found();
      if (chainId === network.chainId) return;
      looked = undefined;
      throw new WrongNetwork(network, chainId);
    },
  };
};
