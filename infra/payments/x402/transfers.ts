/** Transfers of USDC to our addresses, block by block. */
import { type Address, type PublicClient, parseEventLogs } from 'viem';
import type { Received } from '../../../commands/payments/received.ts';
import type { Network } from './networks.ts';
import { usdcAbi } from './usdc.ts';

export const createTransferReader = (ports: { client: PublicClient; network: Network }) => {
  const { client, network } = ports;

  /** The nonce of the authorization that this log is the transfer of, if it is that of one. */
  const nonceOf = async (asset: string, hash: `0x${string}`, logIndex: number, payer: string) => {
    const { logs } = await client.getTransactionReceipt({ hash });
    const before = parseEventLogs({ abi: usdcAbi, logs })
      .filter((log) => log.address.toLowerCase() === asset && log.logIndex < logIndex)
      .at(-1);
    return before?.eventName === 'AuthorizationUsed' &&
      before.args.authorizer.toLowerCase() === payer
      ? before.args.nonce.toLowerCase()
      : undefined;
  };

  /** In the order of the chain. @throws when the node cannot be asked */
  return async (
    { asset, payTo }: { asset: string; payTo: string },
    fromBlock: number,
    toBlock: number,
  ): Promise<Received[]> => {
    const logs = await client.getContractEvents({
      address: asset as Address,
      abi: usdcAbi,
      eventName: 'Transfer',
      args: { to: payTo as Address },
      fromBlock: BigInt(fromBlock),
      toBlock: BigInt(toBlock),
      strict: true,
    });
    const received: Received[] = [];
    for (const { args, transactionHash, logIndex, blockNumber } of logs) {
      if (args.value === 0n || args.value > BigInt(Number.MAX_SAFE_INTEGER)) continue;
      const payer = args.from.toLowerCase();
      received.push({
        payTo,
        payer,
        nonce: await nonceOf(asset, transactionHash, logIndex, payer),
        transfer: {
          network: network.network,
          asset,
          transaction: transactionHash,
          logIndex,
          block: Number(blockNumber),
          amountMicro: Number(args.value),
        },
      });
    }
    return received;
  };
};
