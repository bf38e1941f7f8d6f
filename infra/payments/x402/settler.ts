/**
 * Settles payments with a key of ours; the ordinary one in four calls: one that estimates the gas, and so tries the
 * transfer on the newest state; one for the number of the transaction; one that sends it; one that reads its
 * receipt. The library asks about twice as often, and recovers the signer twice more; it is asked why a payment
 * cannot be settled.
 *
 * Each costs us at most `maxGas`: it is estimated under that ceiling and sent with it. It is tried at the price of gas
 * at which it is sent, so that a contract that pays cannot tell the two apart by the price.
 */
import {
  type Address,
  BaseError,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  HttpRequestError,
  type PrivateKeyAccount,
  type PublicClient,
  parseAbi,
  parseErc6492Signature,
  parseSignature,
  TimeoutError,
  type TransactionReceipt,
} from 'viem';
import {
  type Authorization,
  NoGasMoney,
  RailUnavailable,
} from '../../../commands/payments/rails.ts';
import type { Network } from './networks.ts';
import type { Call } from './pool.ts';
import type { Transactions } from './transactions.ts';
import { usdcAbi } from './usdc.ts';

const transferAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

const transfer = { abi: transferAbi, functionName: 'transferWithAuthorization' } as const;

/** For what changes between the estimate and the block. */
const spareGas = (gas: bigint): bigint => (gas * 5n) / 4n;
/** Gas of an ordinary transfer, at most; less ETH than that costs settles nothing. */
export const ordinaryGas = 90_000n;
/** Characters of an ordinary account's signature, with 0x. */
const ordinary = 132;

/** @throws for an ordinary signature that no key makes */
const callOf = (authorization: Authorization): Hex => {
  const { payer, payTo, amountMicro, validAfter, validBefore, nonce } = authorization;
  // A wallet contract may sign before it is deployed. The signature inside counts.
  const { signature } = parseErc6492Signature(authorization.signature as Hex);
  const party = [payer as Address, payTo as Address] as const;
  const rest = [...party, amountMicro, validAfter, validBefore, nonce as Hex] as const;
  if (signature.length !== ordinary) {
    return encodeFunctionData({ ...transfer, args: [...rest, signature] });
  }
  const { r, s, v, yParity } = parseSignature(signature);
  return encodeFunctionData({ ...transfer, args: [...rest, Number(v ?? yParity), r, s] });
};

/** The payer and the nonce in a call of ours. Undefined: the call is not a transfer. */
export const paymentInCall = ({ data }: Pick<Call, 'data'>) => {
  try {
    const { args } = decodeFunctionData({ abi: transferAbi, data });
    return { payer: args[0].toLowerCase(), nonce: args[5].toLowerCase() };
  } catch {
    return undefined;
  }
};

const isUnheard = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !==
    null;

/**
 * Whether a transaction that waits at the node uses an authorization, such as one of another process. A node that knows
 * no pending block says no. @throws RailUnavailable
 */
const isWaitingAt = async (
  client: PublicClient,
  asset: Address,
  { payer, nonce }: Authorization,
): Promise<boolean> => {
  try {
    return await client.readContract({
      address: asset,
      abi: usdcAbi,
      functionName: 'authorizationState',
      args: [payer as Address, nonce as Hex],
      blockTag: 'pending',
    });
  } catch (error) {
    if (isUnheard(error)) throw new RailUnavailable(error);
    return false;
  }
};

export const createSettler = (ports: {
  client: PublicClient;
  account: PrivateKeyAccount;
  transactions: Transactions;
  network: Network;
  /** How long a transaction is waited for. */
  confirmationMs: number;
  /** The most that one payment may take. */
  maxGas: bigint;
}) => {
  const { client, account, transactions, network, confirmationMs, maxGas } = ports;
  const { address } = account;
  /** The simulated call, and the gas that it may take. */
  const tried = new WeakMap<Authorization, Call>();

  const gasOf = async (call: Pick<Call, 'to' | 'data'>): Promise<bigint> => {
    const sent = await transactions.find(call);
    if (sent) return sent.call.gas;
    const fees = await transactions.fees();
    const gas = await client.estimateGas({ account: address, ...call, ...fees, gas: maxGas });
    if (gas > maxGas) throw new Error('the transfer takes more gas than is paid for');
    const spare = spareGas(gas);
    return spare < maxGas ? spare : maxGas;
  };

  /**
   * Whether the chain would take it now, within the gas that is paid for. `false` says nothing of why.
   * @throws RailUnavailable
   */
  const takes = async (authorization: Authorization): Promise<boolean> => {
    try {
      const call = { to: network.asset, data: callOf(authorization) };
      tried.set(authorization, { ...call, gas: await gasOf(call) });
      return true;
    } catch (error) {
      if (isUnheard(error)) throw new RailUnavailable(error);
      return false;
    }
  };

  const isWaiting = (authorization: Authorization): Promise<boolean> =>
    isWaitingAt(client, network.asset, authorization);

  return {
    takes,

    isWaiting,

    /** The sender of a transaction that waits at the node and uses it. @throws RailUnavailable */
    async senderOf(authorization: Authorization): Promise<'this' | 'another' | undefined> {
      const call = { to: network.asset, data: callOf(authorization) };
      if (await transactions.find(call)) return 'this';
      return (await isWaiting(authorization)) ? 'another' : undefined;
    },

    /** The gas limit of its transaction: as it was tried, or the most that there is. */
    gasOf: (authorization: Authorization): bigint => tried.get(authorization)?.gas ?? maxGas,

    /** Of our key, in wei. */
    balance: () => client.getBalance({ address }),

    /** @throws NoGasMoney when the key cannot pay for an ordinary transfer at the fee of now */
    async assertGasMoney(): Promise<void> {
      const [held, fees] = await Promise.all([client.getBalance({ address }), transactions.fees()]);
      if (held < ordinaryGas * fees.maxFeePerGas) throw new NoGasMoney();
    },

    /**
     * Sends what the chain would take, once. Undefined: it is not on its way. Without a receipt it was sent and is not
     * mined yet.
     */
    async send(
      authorization: Authorization,
    ): Promise<{ receipt: TransactionReceipt | undefined } | undefined> {
      for (let turn = 0; turn < 2; turn++) {
        if (!tried.has(authorization) && !(await takes(authorization))) return undefined;
        const call = tried.get(authorization);
        tried.delete(authorization);
        const sent = call && (await transactions.send(call).catch(() => undefined));
        if (!sent) return undefined;
        const mined = await transactions.mined(sent, confirmationMs);
        // Its number was used for another: it is tried once more, under the next one.
        if (mined === 'lost') continue;
        return { receipt: mined === 'waits' ? undefined : mined };
      }
      return undefined;
    },
  };
};
