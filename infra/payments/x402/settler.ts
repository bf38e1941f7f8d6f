/**
 * Settles the ordinary payment with a key of ours, in four calls: one that estimates the gas, and so tries the
 * transfer on the newest state; one for the number of the transaction; one that sends it; one that reads its
 * receipt. The library asks about twice as often, and recovers the signer twice more; it is asked about everything
 * that is not ordinary.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Address,
  encodeFunctionData,
  formatTransactionReceipt,
  type Hex,
  type NonceManager,
  type PrivateKeyAccount,
  type PublicClient,
  parseAbi,
  parseSignature,
  type TransactionReceipt,
} from 'viem';
import type { Authorization } from '../../../commands/payments/rails.ts';
import type { Network } from './networks.ts';

const transferAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

/** For what changes between the estimate and the block. */
const spareGas = (gas: bigint): bigint => (gas * 5n) / 4n;
/** How long fees are believed: a block of the networks that we know. */
const feesMs = 2_000;
/** Pauses between looks at a receipt; the last is repeated. */
const pausesMs = [20, 40, 80, 160, 320, 500];
/** Characters of an ordinary account's signature, with 0x. */
const ordinary = 132;

const callOf = (authorization: Authorization): Hex => {
  const { payer, payTo, amountMicro, validAfter, validBefore, nonce, signature } = authorization;
  const { r, s, v, yParity } = parseSignature(signature as Hex);
  const party = [payer as Address, payTo as Address] as const;
  return encodeFunctionData({
    abi: transferAbi,
    args: [
      ...party,
      amountMicro,
      validAfter,
      validBefore,
      nonce as Hex,
      Number(v ?? yParity),
      r,
      s,
    ],
  });
};

export const createSettler = (ports: {
  client: PublicClient;
  account: PrivateKeyAccount;
  nonces: NonceManager;
  network: Network;
  /** How long a transaction is waited for. */
  confirmationMs: number;
}) => {
  const { client, account, nonces, network, confirmationMs } = ports;
  /** What was tried: the call, and the gas that it took. */
  const tried = new WeakMap<Authorization, { data: Hex; gas: bigint }>();
  let fees: { at: number; known: ReturnType<PublicClient['estimateFeesPerGas']> } | undefined;

  const feesNow = () => {
    if (!fees || performance.now() - fees.at > feesMs) {
      fees = { at: performance.now(), known: client.estimateFeesPerGas() };
      fees.known.catch(() => {
        fees = undefined;
      });
    }
    return fees.known;
  };

  const receiptOf = async (hash: Hex): Promise<TransactionReceipt | undefined> => {
    const until = performance.now() + confirmationMs;
    for (let look = 0; ; look++) {
      const receipt = await client
        .request({ method: 'eth_getTransactionReceipt', params: [hash] })
        .catch(() => null);
      if (receipt) return formatTransactionReceipt(receipt);
      const rest = until - performance.now();
      if (rest <= 0) return undefined;
      await pause(Math.min(pausesMs[look] ?? 500, rest));
    }
  };

  return {
    /** Whether the chain would take it now. `false` says nothing of why, not even that it would not. */
    async takes(authorization: Authorization): Promise<boolean> {
      if (authorization.signature.length !== ordinary) return false;
      try {
        const data = callOf(authorization);
        const to = network.asset;
        const gas = await client.estimateGas({ account: account.address, to, data });
        tried.set(authorization, { data, gas: spareGas(gas) });
        return true;
      } catch {
        return false;
      }
    },

    /**
     * Sends what the chain would take, once. Undefined: it was not tried, or no node said that it took it.
     * Without a receipt it was sent and is not mined yet.
     */
    async send(
      authorization: Authorization,
    ): Promise<{ transaction: Hex; receipt: TransactionReceipt | undefined } | undefined> {
      const call = tried.get(authorization);
      if (!call) return undefined;
      tried.delete(authorization);
      const transaction = await (async () => {
        const { maxFeePerGas, maxPriorityFeePerGas } = await feesNow();
        const { chainId, asset: to } = network;
        const nonce = await nonces.consume({ address: account.address, chainId, client });
        const serialized = await account.signTransaction({
          ...{ type: 'eip1559', chainId, nonce, to, ...call, maxFeePerGas, maxPriorityFeePerGas },
        });
        return client.sendRawTransaction({ serializedTransaction: serialized });
      })().catch(() => {
        nonces.reset({ address: account.address, chainId: network.chainId });
        return undefined;
      });
      return transaction && { transaction, receipt: await receiptOf(transaction) };
    },
  };
};
