/** One call of ours under its number: offered to the node once or more, mined once. */
import {
  formatTransactionReceipt,
  type Hex,
  keccak256,
  type PrivateKeyAccount,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import type { Fees } from './fees.ts';
import { type Answer, answerIn } from './node-answers.ts';
import type { Call } from './pool.ts';

export type Sent = {
  number: number;
  call: Call;
  /** The fees of the last offer. */
  fees: Fees;
  /** Of all that were sent with this number, the newest first. */
  hashes: Hex[];
  firstMs: number;
  lastMs: number;
  /** When the number was seen used. */
  usedMs?: number;
  /** Placeholder for a transaction that is unknown here: it offers only the current demand. */
  empty?: true;
  warned?: true;
};

export const createSender = (ports: {
  client: PublicClient;
  account: PrivateKeyAccount;
  chainId: number;
}) => {
  const { client, account, chainId } = ports;
  return {
    async offer(sent: Sent, fees: Fees): Promise<Answer> {
      const { number: nonce, call } = sent;
      sent.lastMs = performance.now();
      const serializedTransaction = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        ...call,
        ...fees,
      });
      const answer = await client
        .sendRawTransaction({ serializedTransaction })
        .then((): Answer => 'taken', answerIn);
      const hash = keccak256(serializedTransaction);
      // A call that was repeated on its way to the node may be answered by `used`.
      const known = answer === 'refused' || answer === 'outbid' || sent.hashes.includes(hash);
      if (!known) sent.hashes.unshift(hash);
      if (answer !== 'refused') sent.fees = fees;
      return answer;
    },

    /** Of whichever is mined. */
    async receiptOf({ hashes }: Sent): Promise<TransactionReceipt | undefined> {
      for (const hash of hashes) {
        const receipt = await client
          .request({ method: 'eth_getTransactionReceipt', params: [hash] })
          .catch(() => null);
        if (receipt) return formatTransactionReceipt(receipt);
      }
      return undefined;
    },
  };
};
