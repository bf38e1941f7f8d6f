/**
 * Requests on the marketplace of mechs, read from its chain.
 * Source: valory-xyz/ai-registry-mech, MechMarketplace.sol.
 */
import { createPublicClient, type Hex, hashMessage, http, keccak256, parseAbi, toHex } from 'viem';

const abi = parseAbi([
  'function mapRequestIdInfos(bytes32 requestId) view returns (address priorityMech, address deliveryMech, address requester, uint256 responseTimeout, uint256 deliveryRate, bytes32 paymentType)',
  'function getRequestStatus(bytes32 requestId) view returns (uint8)',
]);

/** Payments in the coin of the chain; other types are paid in tokens or credits. */
const nativePayment = keccak256(toHex('FixedPriceNative'));

const noAddress = '0x0000000000000000000000000000000000000000';

/** `requested`: not delivered yet. */
export type MarketRequest = {
  status: 'requested' | 'expired' | 'delivered';
  mech: string;
  requester: Hex;
  rateWei: bigint;
  native: boolean;
};

/** The chain gives no answer, or not one that can be believed. */
export class ChainUnavailable extends Error {
  constructor(cause: unknown) {
    super('the chain of the marketplace cannot be asked', { cause });
    this.name = 'ChainUnavailable';
  }
}

const statuses = [undefined, 'requested', 'expired', 'delivered'] as const;

export type Marketplace = ReturnType<typeof createMarketplace>;

export const createMarketplace = (settings: { rpcUrl: string; address: Hex; chainId: number }) => {
  const { rpcUrl, address, chainId } = settings;
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: 8_000, retryCount: 1, retryDelay: 100 }),
  });
  let rightChain: boolean | undefined;

  /** Hides errors of nodes: they contain the address of the node. @throws ChainUnavailable */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      rightChain ??= (await client.getChainId()) === chainId ? true : undefined;
      if (!rightChain) throw new Error(`the node is not one of chain ${chainId}`);
      return await question();
    } catch (error) {
      throw new ChainUnavailable(error);
    }
  };

  return {
    address: address.toLowerCase(),
    network: `eip155:${chainId}` as const,

    /** Whether it can be asked. @throws ChainUnavailable */
    ping: () => ask(() => client.getBlockNumber({ cacheTime: 0 })),

    /** Undefined: there is no such request. @throws ChainUnavailable when that is not known */
    request: (requestId: Hex): Promise<MarketRequest | undefined> =>
      ask(async () => {
        // Both answers are of the newest block: an older one may lack the new request.
        const blockNumber = await client.getBlockNumber({ cacheTime: 0 });
        const at = { address, abi, args: [requestId], blockNumber } as const;
        const [[mech, , requester, , rateWei, paymentType], number] = await Promise.all([
          client.readContract({ ...at, functionName: 'mapRequestIdInfos' }),
          client.readContract({ ...at, functionName: 'getRequestStatus' }),
        ]);
        const status = statuses[number];
        if (status === undefined || requester === noAddress) return undefined;
        const native = paymentType === nativePayment;
        return { status, mech: mech.toLowerCase(), requester, rateWei, native };
      }),

    /** Whether a message is signed by an address, which may be that of a contract (ERC-1271). */
    isSignedBy: (signer: Hex, message: string, signature: Hex): Promise<boolean> =>
      ask(async () => {
        const hash = hashMessage(message);
        const code = await client.getCode({ address: signer });
        if (code === undefined || code === '0x') return false;
        return client.verifyHash({ address: signer, hash, signature });
      }),
  };
};
