/** USDC on its chain: the signed message, and its state on the chain. */
import {
  type Address,
  type Hex,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem';
import type { Authorization, Fate, Sought } from '../../../commands/payments/rails.ts';
import type { Network } from './networks.ts';

/** EIP-3009 and ERC-20, as FiatTokenV2_2 has them. */
export const usdcAbi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

export const typedDataOf = (authorization: Authorization, network: Network) => ({
  domain: {
    name: network.assetName,
    version: network.assetVersion,
    chainId: network.chainId,
    verifyingContract: network.asset,
  },
  types: {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const,
  primaryType: 'TransferWithAuthorization' as const,
  message: {
    from: authorization.payer as Address,
    to: authorization.payTo as Address,
    value: authorization.amountMicro,
    validAfter: authorization.validAfter,
    validBefore: authorization.validBefore,
    nonce: authorization.nonce as Hex,
  },
});

/** Blocks that nodes search in one call, and how many of such calls back a use is looked for. */
const blocksPerCall = 9_000n;
const callsBack = 5n;

type OfToken = Sought & { asset: string };

/** The transfer that the use of the authorization made, in the receipt of its transaction. */
const transferIn = (
  receipt: TransactionReceipt,
  { payer, payTo, nonce, amountMicro, asset, signer: former }: OfToken,
  { network, signer }: { network: Network; signer: string | undefined },
): Fate | undefined => {
  if (receipt.status !== 'success') return undefined;
  const logs = parseEventLogs({ abi: usdcAbi, logs: receipt.logs }).filter(
    (log) => log.address.toLowerCase() === asset,
  );
  const use = logs.findIndex(
    (log) =>
      log.eventName === 'AuthorizationUsed' &&
      log.args.authorizer.toLowerCase() === payer &&
      log.args.nonce.toLowerCase() === nonce,
  );
  if (use < 0) return undefined;
  // A transaction may use several authorizations: the token emits each transfer after its use.
  const transfer = logs
    .slice(use + 1)
    .find((log) => log.eventName === 'Transfer' && log.args.from.toLowerCase() === payer);
  if (transfer?.eventName !== 'Transfer') return { state: 'cancelled' };
  const { to, value } = transfer.args;
  if (to.toLowerCase() !== payTo || value !== amountMicro) return { state: 'cancelled' };
  const from = receipt.from.toLowerCase();
  const ours = from === signer || from === former;
  return {
    state: 'paid',
    transfer: {
      network: network.network,
      asset,
      transaction: receipt.transactionHash,
      logIndex: transfer.logIndex,
      block: Number(receipt.blockNumber),
      amountMicro: Number(value),
    },
    ours,
    feeWei: ours ? receipt.gasUsed * receipt.effectiveGasPrice : 0n,
  };
};

const contractOf = (asset: string) => ({ address: asset as Address, abi: usdcAbi }) as const;

export const createChainReader = (ports: {
  client: PublicClient;
  network: Network;
  /** The sender of our own transactions, in lower case. */
  signer: string | undefined;
}) => {
  const { client, network, signer } = ports;
  const about = { network, signer };

  /** The transaction that used or cancelled an authorization, as far back as it is looked for. */
  const transactionOf = async (
    eventName: 'AuthorizationUsed' | 'AuthorizationCanceled',
    { payer, nonce, asset }: OfToken,
    sinceBlock: number,
  ): Promise<Hex | undefined> => {
    let to = await client.getBlockNumber({ cacheTime: 0 });
    const since = BigInt(sinceBlock) - callsBack * blocksPerCall;
    const first = since > 0n ? since : 0n;
    while (to >= first) {
      const from = to - blocksPerCall > first ? to - blocksPerCall : first;
      const [log] = await client.getContractEvents({
        ...contractOf(asset),
        eventName,
        args: { authorizer: payer as Address, nonce: nonce as Hex },
        fromBlock: from,
        toBlock: to,
      });
      if (log) return log.transactionHash;
      to = from - 1n;
    }
    return undefined;
  };

  /** Whether it is used up: in the newest block, or in `blockNumber`. */
  const isUsed = (
    { payer, nonce, asset }: OfToken,
    block: { blockNumber?: bigint } = {},
  ): Promise<boolean> =>
    client.readContract({
      ...contractOf(asset),
      ...block,
      functionName: 'authorizationState',
      args: [payer as Address, nonce as Hex],
    });

  /**
   * Whether an authorization that is used up, and whose use is not found, was cancelled or used up before `sinceBlock`.
   * Otherwise the node that searched has not heard of the newest block: addresses of nodes often lead to several nodes.
   */
  const isGone = async (sought: OfToken, sinceBlock: number): Promise<boolean> =>
    (await transactionOf('AuthorizationCanceled', sought, sinceBlock)) !== undefined ||
    (await isUsed(sought, { blockNumber: BigInt(sinceBlock) }));

  return {
    head: async (): Promise<number> => Number(await client.getBlockNumber({ cacheTime: 0 })),

    balanceOf: (address: string, asset: string): Promise<bigint> =>
      client.readContract({
        ...contractOf(asset),
        functionName: 'balanceOf',
        args: [address as Address],
      }),

    /** Undefined: the transaction did not use it. */
    fateIn: (receipt: TransactionReceipt, sought: OfToken): Fate | undefined =>
      transferIn(receipt, sought, about),

    async fateOf(sought: OfToken, sinceBlock: number, transaction?: string): Promise<Fate> {
      if (transaction !== undefined) {
        // One that was replaced has none.
        const receipt = await client
          .getTransactionReceipt({ hash: transaction as Hex })
          .catch(() => undefined);
        const fate = receipt && transferIn(receipt, sought, about);
        if (fate) return fate;
      }
      if (!(await isUsed(sought))) return { state: 'unused' };
      const hash = await transactionOf('AuthorizationUsed', sought, sinceBlock);
      if (hash === undefined) {
        if (await isGone(sought, sinceBlock)) return { state: 'cancelled' };
        throw new Error('the node does not have the block yet that used an authorization');
      }
      const fate = transferIn(await client.getTransactionReceipt({ hash }), sought, about);
      // A receipt that fails, or lacks the log of this transaction, is not true. Nothing is known then.
      if (!fate) throw new Error('the node contradicts itself about a transaction');
      return fate;
    },
  };
};
