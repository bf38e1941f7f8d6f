/**
 * Settles the ordinary payment with a key of ours, in four calls: one that estimates the gas, and so tries the
 * transfer on the newest state; one for the number of the transaction; one that sends it; one that reads its
 * receipt. The library asks about twice as often, and recovers the signer twice more; it is asked about everything
 * that is not ordinary.
 */
import {
  type Address,
  encodeFunctionData,
  type Hex,
  type PrivateKeyAccount,
  type PublicClient,
  parseAbi,
  parseSignature,
  type TransactionReceipt,
} from 'viem';
import type { Authorization } from '../../../commands/payments/rails.ts';
import type { Network } from './networks.ts';
import type { Call } from './pool.ts';
import type { Transactions } from './transactions.ts';

const transferAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

/** For what changes between the estimate and the block. */
export const spareGas = (gas: bigint): bigint => (gas * 5n) / 4n;
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
  transactions: Transactions;
  network: Network;
  /** How long a transaction is waited for. */
  confirmationMs: number;
}) => {
  const { client, account, transactions, network, confirmationMs } = ports;
  /** What was tried: the call, and the gas that it may take. */
  const tried = new WeakMap<Authorization, Call>();

  return {
    /** Whether the chain would take it now. `false` says nothing of why, not even that it would not. */
    async takes(authorization: Authorization): Promise<boolean> {
      if (authorization.signature.length !== ordinary) return false;
      try {
        const call = { to: network.asset, data: callOf(authorization) };
        const sent = await transactions.find(call);
        const gas = sent
          ? sent.call.gas
          : spareGas(await client.estimateGas({ account: account.address, ...call }));
        tried.set(authorization, { ...call, gas });
        return true;
      } catch {
        return false;
      }
    },

    /**
     * Sends what the chain would take, once. Undefined: it was not tried, or it is not on its way.
     * Without a receipt it was sent and is not mined yet.
     */
    async send(
      authorization: Authorization,
    ): Promise<{ receipt: TransactionReceipt | undefined } | undefined> {
      const call = tried.get(authorization);
      if (!call) return undefined;
      tried.delete(authorization);
      const sent = await transactions.send(call).catch(() => undefined);
      const mined = sent ? await transactions.mined(sent, confirmationMs) : 'lost';
      if (mined === 'lost') return undefined;
      return { receipt: mined === 'waits' ? undefined : mined };
    },
  };
};
