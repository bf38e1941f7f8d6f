/** Transactions of ours that wait at the node, found by their number: those of a process that is gone. */
import {
  type Address,
  formatTransaction,
  type Hex,
  numberToHex,
  type PublicClient,
  type RpcTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerialized,
} from 'viem';
import type { Fees } from './fees.ts';

export type Call = { to: Address; data: Hex; gas: bigint };
type Waiting = { call: Call; fees: Fees; hash: Hex };

type Pool = Partial<Record<'pending' | 'queued', Record<string, RpcTransaction>>>;

/** As it was signed. Undefined: it is not one that we sign. */
const waitingOf = (
  found: RpcTransaction,
): (Waiting & { signed: TransactionSerialized }) | undefined => {
  const {
    type,
    to,
    input: data,
    gas,
    value,
    nonce,
    chainId,
    hash,
    ...rest
  } = formatTransaction(found);
  if (type !== 'eip1559' || !to || value !== 0n || rest.accessList?.length) return undefined;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, r, s, yParity } = rest;
  const call = { to, data, gas };
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const signed = serializeTransaction(
    { type, chainId: Number(chainId), nonce, ...call, ...fees },
    { r, s, yParity: Number(yParity) },
  );
  return { call, fees, hash, signed };
};

export const createPoolReader = (ports: { client: PublicClient; address: Address }) => {
  const { client, address } = ports;
  const ask = <T>(method: string, params: unknown[]): Promise<T | null> =>
    client.request({ method, params } as never, { retryCount: 0 });

  /** Some nodes support one method, some the other, some neither. */
  const find = async (number: number): Promise<RpcTransaction | null | undefined> => {
    try {
      const params = [address, numberToHex(number)];
      return await ask<RpcTransaction>('eth_getTransactionBySenderAndNonce', params);
    } catch {
      const pool = await ask<Pool>('txpool_contentFrom', [address]).catch(() => null);
      return pool?.pending?.[number] ?? pool?.queued?.[number];
    }
  };

  /**
   * Undefined where the node has none, or does not answer. A transaction counts only if we have signed it.
   */
  return async (number: number): Promise<Waiting | undefined> => {
    const found = await find(number);
    if (!found || found.blockHash || Number(found.nonce) !== number) return undefined;
    const waiting = waitingOf(found);
    if (!waiting) return undefined;
    const { signed: serializedTransaction, ...own } = waiting;
    const signer = await recoverTransactionAddress({ serializedTransaction });
    return signer.toLowerCase() === address.toLowerCase() ? own : undefined;
  };
};
