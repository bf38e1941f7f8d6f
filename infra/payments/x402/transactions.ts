/**
 * Transactions of one key. A number is used for one call: what is not mined for a while is sent again with
 * its number and a higher fee until one of them is mined, so that nothing waits for it for ever.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateKeyAccount, PublicClient, TransactionReceipt } from 'viem';
import { atFirstUse } from '../../../ground/at-first-use.ts';
import { pause } from '../../../ground/pause.ts';
import { createFees, type Fees, raise } from './fees.ts';
import type { Answer } from './node-answers.ts';
import { createNumbers } from './numbers.ts';
import { type Call, createPoolReader } from './pool.ts';
import { createSender, type Sent } from './sender.ts';

/** Tries to send a call: another process may sign with the same key, and take the number first. */
const attempts = 5;
/** How long a call is waited for that was sent long ago. */
const againMs = 2_000;
/** Pauses between looks at a receipt; the last is repeated. */
const pausesMs = [20, 40, 80, 160, 320, 500];
/** Transactions of a process that is gone which are taken on at once. */
const atMost = 64;
const longAgo = Number.NEGATIVE_INFINITY;
const nothing: Fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };

const isSame = (a: Pick<Call, 'to' | 'data'>, b: Pick<Call, 'to' | 'data'>): boolean =>
  a.data.toLowerCase() === b.data.toLowerCase() && a.to.toLowerCase() === b.to.toLowerCase();

export type Transactions = ReturnType<typeof createTransactions>;

export const createTransactions = (ports: {
  client: PublicClient;
  account: PrivateKeyAccount;
  chainId: number;
  /** How long a transaction waits to be mined before it is sent again. */
  resendMs: number;
  warn: (line: string) => void;
  /** Gets each transaction that was mined in vain when nobody waited for it any more. */
  failed?: (call: Call, receipt: TransactionReceipt) => void;
}) => {
  const { client, resendMs, warn, failed } = ports;
  const { address } = ports.account;
  /** What is not mined, by number. */
  const waiting = new Map<number, Sent>();
  const count = (blockTag: 'latest' | 'pending') =>
    client.getTransactionCount({ address, blockTag });
  const numbers = createNumbers({
    count: () => count('pending'),
    isGiven: (number) => waiting.has(number),
  });
  const fees = createFees(client);
  const inPool = createPoolReader({ client, address });
  const { offer, receiptOf } = createSender(ports);
  let keeping = false;
  const closing = new AbortController();
  /** Whether the node refused the last one that it was handed. */
  let refused = false;
  /** The number that the chain waits for and nobody here knows. */
  let missing: { number: number; sinceMs: number } | undefined;

  const sentAs = (call: Pick<Call, 'to' | 'data'>): Sent | undefined =>
    [...waiting.values()].find((sent) => isSame(sent.call, call));

  const leave = (sent: Sent): void => {
    if (waiting.get(sent.number) === sent) waiting.delete(sent.number);
  };

  const again = async (sent: Sent): Promise<void> => {
    const price = raise(sent.empty ? nothing : sent.fees, await fees.now());
    // What offers enough is handed to the node once more: it may have forgotten it.
    const answer = await offer(sent, price ?? sent.fees);
    if (price && answer !== 'refused') return;
    const why = price
      ? 'the node refuses a higher fee; look whether the address of X402_SIGNER_KEY has ETH'
      : 'it already offers the maximum, several times the current fee';
    if (!sent.warned) warn(`x402: transaction ${sent.number} is not mined and waits on: ${why}`);
    sent.warned = true;
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
    for (const sent of failed ? used : []) {
      const receipt = await receiptOf(sent);
      if (receipt?.status === 'reverted') failed?.(sent.call, receipt);
    }
    fees.forget();
    for (const sent of due.sort((a, b) => a.number - b.number)) {
      if (sent.number >= next) await again(sent).catch(() => {});
    }
    if (waiting.size > 0 && !waiting.has(next)) await adopt();
  };

  /** Until all is mined, whoever waits for it. */
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

  /** Fills a number that the chain has long waited for, and that nobody is known to have given away. */
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

  const { use: begin } = atFirstUse(adopt);

  /** Says once that the node takes nothing, until it does again. */
  const noteAnswer = (answer: Answer): void => {
    if (answer === 'refused' && !refused) {
      warn(
        'x402: the node refuses our transactions; look whether the address of X402_SIGNER_KEY has ETH',
      );
    }
    refused = answer === 'refused';
  };

  return {
    adopt,

    /** What a transaction offers for its gas now. */
    fees: () => fees.now(),

    /** Sends nothing again any more. */
    close: () => closing.abort(),

    /** The call, if it is on its way, sent by this process or by one before it. */
    async find(call: Pick<Call, 'to' | 'data'>): Promise<Sent | undefined> {
      await begin();
      return sentAs(call);
    },

    /** Sends a call once, however often it is asked for. Undefined: no node took it. */
    async send(call: Call): Promise<Sent | undefined> {
      await begin();
      let own: Sent | undefined;
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const [price, counted] = await Promise.all([fees.now(), own ? 0 : numbers.counted()]);
        const before = own ? undefined : sentAs(call);
        if (before) return before;
        own ??= keep(numbers.free(counted), call);
        const answer = await offer(own, price).catch((): Answer => 'refused');
        if (answer === 'unheard') own.firstMs = longAgo;
        if (answer === 'taken' || answer === 'unheard') {
          if (answer === 'taken') noteAnswer(answer);
          return own;
        }
        fees.forget();
        if (answer === 'refused' && attempt === 1) continue;
        noteAnswer(answer);
        if (answer === 'refused') break;
        if (answer === 'used' && (await receiptOf(own))) return own;
        leave(own);
        numbers.sawUsed(own.number);
        own = undefined;
      }
      if (own) leave(own);
      return undefined;
    },

    /**
     * The receipt of whichever of its transactions is mined; `waits`: none is, within these ms of the first;
     * `lost`: none will be, its number was used for another.
     */
    async mined(sent: Sent, withinMs: number): Promise<TransactionReceipt | 'waits' | 'lost'> {
      const until = Math.max(sent.firstMs + withinMs, performance.now() + againMs);
      for (let looks = 0; ; looks++) {
        const receipt = await receiptOf(sent);
        if (receipt) {
          leave(sent);
          numbers.sawUsed(sent.number);
          return receipt;
        }
        const now = performance.now();
        if (sent.usedMs !== undefined && now - sent.usedMs >= resendMs) return 'lost';
        if (now >= until) return 'waits';
        await delay(Math.min(pausesMs[looks] ?? 500, until - now));
      }
    },
  };
};
