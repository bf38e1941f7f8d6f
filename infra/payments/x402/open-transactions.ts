/** Transactions that are sent and not mined. After a long wait they are sent again with a higher fee. */

import type { Address, TransactionReceipt } from 'viem';
import { pause } from '../../../ground/pause.ts';
import { type createFees, type Fees, raise } from './fees.ts';
import type { Call, createPoolReader } from './pool.ts';
import type { createSender, Sent } from './sender.ts';

/** Transactions of a process that is gone which are taken on at once. */
const atMost = 64;
export const longAgo = Number.NEGATIVE_INFINITY;
const nothing: Fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };

const isSame = (a: Pick<Call, 'to' | 'data'>, b: Pick<Call, 'to' | 'data'>): boolean =>
  a.data.toLowerCase() === b.data.toLowerCase() && a.to.toLowerCase() === b.to.toLowerCase();

type Parts = ReturnType<typeof createSender> & {
  /** The address of our key. */
  address: Address;
  count: (blockTag: 'latest' | 'pending') => Promise<number>;
  fees: ReturnType<typeof createFees>;
  inPool: ReturnType<typeof createPoolReader>;
  /** How long a transaction waits to be mined before it is sent again. */
  resendMs: number;
  warn: (line: string) => void;
  /** Gets each transaction that was mined in vain when nobody waited for it any longer. */
  failed?: ((call: Call, receipt: TransactionReceipt) => void) | undefined;
};

const again = async ({ offer, fees, warn }: Parts, sent: Sent): Promise<void> => {
  const price = raise(sent.empty ? nothing : sent.fees, await fees.now());
  // A transaction that offers enough is handed to the node once more: the node may have forgotten it.
  const answer = await offer(sent, price ?? sent.fees);
  if (price && answer !== 'refused') return;
  const why = price
    ? 'the node refuses a higher fee; look whether the address of X402_SIGNER_KEY has ETH'
    : 'it already offers the maximum, several times the current fee';
  if (!sent.warned) warn(`x402: transaction ${sent.number} is not mined and waits on: ${why}`);
  sent.warned = true;
};

/** Reports those whose number was used by a transaction that failed. */
const reportFailed = async ({ failed, receiptOf }: Parts, used: Sent[]): Promise<void> => {
  for (const sent of failed ? used : []) {
    const receipt = await receiptOf(sent);
    if (receipt?.status === 'reverted') failed?.(sent.call, receipt);
  }
};

export const createOpenTransactions = (parts: Parts) => {
  const { address, count, fees, inPool, resendMs } = parts;
  /** By number. */
  const waiting = new Map<number, Sent>();
  let keeping = false;
  const closing = new AbortController();
  /** The number that the chain waits for and that is unknown here. */
  let missing: { number: number; sinceMs: number } | undefined;

  const leave = (sent: Sent): void => {
    if (waiting.get(sent.number) === sent) waiting.delete(sent.number);
  };

  /** Sends again what waits for long. */
  const look = async (): Promise<void> => {
    const now = performance.now();
    const due = [...waiting.values()].filter(({ lastMs }) => now - lastMs >= resendMs);
    if (due.length === 0) return;
    const next = await count('latest');
    const used = [...waiting.values()].filter(({ number }) => number < next);
    for (const sent of used) {
      sent.usedMs = performance.now();
      leave(sent);
    }
    await reportFailed(parts, used);
    fees.forget();
    for (const sent of due.sort((a, b) => a.number - b.number)) {
      if (sent.number >= next) await again(parts, sent).catch(() => {});
    }
    if (waiting.size > 0 && !waiting.has(next)) await adopt();
  };

  /** Runs until everything is mined, whether or not somebody waits for it. */
  const keepGoing = async (): Promise<void> => {
    if (keeping) return;
    keeping = true;
    while (waiting.size > 0 && !closing.signal.aborted) {
      await pause(resendMs / 4, closing.signal);
      if (!closing.signal.aborted) await look().catch(() => {});
    }
    keeping = false;
  };

  const keep = (number: number, call: Call, known: Partial<Sent> = {}): Sent => {
    const now = performance.now();
    const blank = { number, call, fees: nothing, hashes: [], firstMs: now, lastMs: now };
    const sent: Sent = { ...blank, ...known };
    waiting.set(number, sent);
    void keepGoing();
    return sent;
  };

  /** Fills a number that the chain has long waited for, and that is not known to have been given away. */
  const fillMissing = (number: number, isWaitedFor: boolean): void => {
    const now = performance.now();
    if (!isWaitedFor) missing = undefined;
    else if (missing?.number !== number) missing = { number, sinceMs: now };
    else if (now - missing.sinceMs >= 3 * resendMs) {
      keep(number, { to: address, data: '0x', gas: 21_000n }, { empty: true, lastMs: longAgo });
    }
  };

  /** Takes on what a process that is gone has left at the node; the chain takes numbers in their order. */
  const adopt = async (): Promise<void> => {
    const [next, pending] = await Promise.all([count('latest'), count('pending')]);
    for (let number = next; number < next + atMost; number++) {
      if (waiting.has(number)) continue;
      const found = await inPool(number);
      if (!found) break;
      const { call, fees, hash } = found;
      if (!waiting.has(number)) keep(number, call, { fees, hashes: [hash], firstMs: longAgo });
    }
    const isLater = [...waiting.keys()].some((number) => number > next);
    fillMissing(next, !waiting.has(next) && (isLater || pending > next));
  };

  return {
    adopt,
    keep,
    leave,
    isGiven: (number: number): boolean => waiting.has(number),
    /** The transaction of a call that is on its way. */
    find: (call: Pick<Call, 'to' | 'data'>): Sent | undefined =>
      [...waiting.values()].find((sent) => isSame(sent.call, call)),
    close: (): void => closing.abort(),
  };
};
