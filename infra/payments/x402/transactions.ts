/**
 * Transactions of one key. A number is used for one call: what is not mined for a while is sent again with
 * its number and a higher fee, until one of them is mined, so that nothing that comes later waits for it for ever.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  formatTransactionReceipt,
  type Hex,
  keccak256,
  type PrivateKeyAccount,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { createFees, type Fees, raise } from './fees.ts';
import { type Answer, answerIn } from './node-answers.ts';
import { type Call, createPoolReader } from './pool.ts';

export type Sent = {
  number: number;
  call: Call;
  /** What was offered last. */
  fees: Fees;
  /** Of all that were sent with this number, the newest first. */
  hashes: Hex[];
  firstMs: number;
  lastMs: number;
  /** When the number was seen used. */
  usedMs?: number;
  /** Stands for one that nobody here knows: it offers no more than is asked for now. */
  empty?: true;
  warned?: true;
};

/** Tries to send a call: another process may sign with the same key, and take the number first. */
const attempts = 5;
/** For so long, a number that we saw used counts more than what a node says. */
const believedMs = 5_000;
/** How long a call is waited for that was sent long ago. */
const againMs = 2_000;
/** Pauses between looks at a receipt; the last is repeated. */
const pausesMs = [20, 40, 80, 160, 320, 500];
/** Transactions of a process that is gone which are looked for. */
const atMost = 64;
const nothing: Fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };

export type Transactions = ReturnType<typeof createTransactions>;

export const createTransactions = (ports: {
  client: PublicClient;
  account: PrivateKeyAccount;
  chainId: number;
  /** How long a transaction waits to be mined before it is sent again. */
  resendMs: number;
  warn: (line: string) => void;
}) => {
  const { client, account, chainId, resendMs, warn } = ports;
  const { address } = account;
  const fees = createFees(client);
  const inPool = createPoolReader({ client, address });
  /** What is not mined, by number. */
  const waiting = new Map<number, Sent>();
  let lastUsed = { number: -1, atMs: Number.NEGATIVE_INFINITY };
  let counting: Promise<number> | undefined;
  let begun: Promise<void> | undefined;
  let keeping = false;
  /** The number that the chain waits for and nobody here knows. */
  let missing: { number: number; sinceMs: number } | undefined;

  const count = (blockTag: 'latest' | 'pending') =>
    client.getTransactionCount({ address, blockTag });

  const pendingCount = (): Promise<number> => {
    counting ??= count('pending').finally(() => {
      counting = undefined;
    });
    return counting;
  };

  /** The first number that neither the node nor we have given away. */
  const freeNumber = (counted: number): number => {
    const believed = performance.now() - lastUsed.atMs < believedMs;
    let number = believed ? Math.max(counted, lastUsed.number + 1) : counted;
    while (waiting.has(number)) number += 1;
    return number;
  };

  const sawUsed = (number: number): void => {
    const atMs = performance.now();
    const earlier = atMs - lastUsed.atMs < believedMs ? lastUsed.number : -1;
    lastUsed = { number: Math.max(number, earlier), atMs };
  };

  const leave = (sent: Sent): void => {
    if (waiting.get(sent.number) === sent) waiting.delete(sent.number);
  };

  const sentAs = ({ to, data }: Pick<Call, 'to' | 'data'>): Sent | undefined =>
    [...waiting.values()].find(({ call }) => call.data === data && call.to === to);

  const offer = async (sent: Sent, price: Fees): Promise<Answer> => {
    const { number: nonce, call } = sent;
    sent.lastMs = performance.now();
    const serializedTransaction = await account.signTransaction({
      ...{ type: 'eip1559', chainId, nonce, ...call, ...price },
    });
    const answer = await client
      .sendRawTransaction({ serializedTransaction })
      .then((): Answer => 'taken', answerIn);
    const hash = keccak256(serializedTransaction);
    // A call that was repeated on its way may find that it was mined meanwhile.
    if (answer !== 'refused' && answer !== 'outbid' && !sent.hashes.includes(hash)) {
      sent.hashes.unshift(hash);
    }
    if (answer !== 'refused') sent.fees = price;
    return answer;
  };

  const receiptOf = async ({ hashes }: Sent): Promise<TransactionReceipt | undefined> => {
    for (const hash of hashes) {
      const receipt = await client
        .request({ method: 'eth_getTransactionReceipt', params: [hash] })
        .catch(() => null);
      if (receipt) return formatTransactionReceipt(receipt);
    }
    return undefined;
  };

  const again = async (sent: Sent): Promise<void> => {
    const price = raise(sent.empty ? nothing : sent.fees, await fees.now());
    // What offers enough is handed to the node once more: it may have forgotten it.
    const answer = await offer(sent, price ?? sent.fees);
    if (price && answer !== 'refused') return;
    const why = price
      ? 'the node refuses a higher fee; look whether the address of X402_SIGNER_KEY has ETH'
      : 'it offers several times the fee of now, and no more';
    if (!sent.warned) warn(`x402: transaction ${sent.number} is not mined and waits on: ${why}`);
    sent.warned = true;
  };

  /** Sends again what waits for long. */
  const look = async (): Promise<void> => {
    const now = performance.now();
    const due = [...waiting.values()].filter(({ lastMs }) => now - lastMs >= resendMs);
    if (due.length === 0) return;
    const next = await count('latest');
    for (const sent of waiting.values()) {
      if (sent.number >= next) continue;
      sent.usedMs = performance.now();
      leave(sent);
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
    while (waiting.size > 0) {
      await pause(resendMs / 4, undefined, { ref: false });
      await look().catch(() => {});
    }
    keeping = false;
  };

  const keep = (number: number, call: Call, since: number): Sent => {
    const sent = { number, call, fees: nothing, hashes: [], firstMs: since, lastMs: since };
    waiting.set(number, sent);
    void keepGoing();
    return sent;
  };

  /** Fills a number that the chain has waited for for long, and that nobody is known to have given away. */
  const fillMissing = (number: number, others: boolean): void => {
    const now = performance.now();
    if (waiting.has(number) || !others) missing = undefined;
    else if (missing?.number !== number) missing = { number, sinceMs: now };
    else if (now - missing.sinceMs >= 3 * resendMs) {
      const call: Call = { to: address, data: '0x', gas: 21_000n };
      keep(number, call, Number.NEGATIVE_INFINITY).empty = true;
    }
  };

  /** Takes on what a process that is gone has left at the node; the chain takes numbers in their order. */
  const adopt = async (): Promise<void> => {
    const [next, pending] = await Promise.all([count('latest'), count('pending')]);
    for (let number = next; number < next + atMost; number++) {
      if (waiting.has(number)) continue;
      const found = await inPool(number);
      if (!found) break;
      if (waiting.has(number)) continue;
      const sent = keep(number, found.call, performance.now());
      Object.assign(sent, { fees: found.fees, hashes: [found.hash] });
      sent.firstMs = Number.NEGATIVE_INFINITY;
    }
    fillMissing(next, pending > next || [...waiting.keys()].some((number) => number > next));
  };

  const begin = (): Promise<void> => {
    begun ??= adopt().catch((error) => {
      begun = undefined;
      throw error;
    });
    return begun;
  };

  return {
    adopt,

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
        const [price, counted] = await Promise.all([fees.now(), own ? 0 : pendingCount()]);
        const before = own ? undefined : sentAs(call);
        if (before) return before;
        own ??= keep(freeNumber(counted), call, performance.now());
        const answer = await offer(own, price).catch((): Answer => 'refused');
        if (answer === 'unheard') own.firstMs = Number.NEGATIVE_INFINITY;
        if (answer === 'taken' || answer === 'unheard') return own;
        fees.forget();
        if (answer === 'refused') continue;
        if (answer === 'used' && (await receiptOf(own))) return own;
        leave(own);
        sawUsed(own.number);
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
          sawUsed(sent.number);
          return receipt;
        }
        const now = performance.now();
        if (sent.usedMs !== undefined && now - sent.usedMs >= resendMs) return 'lost';
        if (now >= until) return 'waits';
        await pause(Math.min(pausesMs[looks] ?? 500, until - now));
      }
    },
  };
};
