/**
 * Transactions of one key. A number is used for one call. A transaction that is not mined for a while is sent
 * again with its number and a higher fee until one of them is mined, so that no later number waits for ever.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateKeyAccount, PublicClient, TransactionReceipt } from 'viem';
import { atFirstUse } from '../../../ground/at-first-use.ts';
import { createFees } from './fees.ts';
import type { Answer } from './node-answers.ts';
import { createNumbers } from './numbers.ts';
import { createOpenTransactions, longAgo } from './open-transactions.ts';
import { type Call, createPoolReader } from './pool.ts';
import { createSender, type Sent } from './sender.ts';

/** Tries to send a call: another process may sign with the same key, and take the number first. */
const attempts = 5;
/** How long a call is waited for that was sent long ago. */
const againMs = 2_000;
/** Pauses between looks at a receipt; the last is repeated. */
const pausesMs = [20, 40, 80, 160, 320, 500];
type TransactionPorts = {
  client: PublicClient;
  account: PrivateKeyAccount;
  chainId: number;
  /** How long a transaction waits to be mined before it is sent again. */
  resendMs: number;
  warn: (line: string) => void;
  /** Gets each transaction that was mined in vain when nobody waited for it any more. */
  failed?: (call: Call, receipt: TransactionReceipt) => void;
};

/** Says once that the node takes nothing, until it does again. */
const createNoteAnswer = (warn: (line: string) => void) => {
  /** Whether the node refused the last one that it was handed. */
  let refused = false;

  return (answer: Answer): void => {
    if (answer === 'refused' && !refused) {
      warn(
        'x402: the node refuses our transactions; look whether the address of X402_SIGNER_KEY has ETH',
      );
    }
    refused = answer === 'refused';
  };
};

type Sending = ReturnType<typeof createSender> & {
  numbers: ReturnType<typeof createNumbers>;
  fees: ReturnType<typeof createFees>;
  open: ReturnType<typeof createOpenTransactions>;
  noteAnswer: (answer: Answer) => void;
};

const sendOnce = async (
  { fees, numbers, open, offer, receiptOf, noteAnswer }: Sending,
  call: Call,
): Promise<Sent | undefined> => {
  let own: Sent | undefined;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [price, counted] = await Promise.all([fees.now(), own ? 0 : numbers.counted()]);
    const before = own ? undefined : open.find(call);
    if (before) return before;
    own ??= open.keep(numbers.free(counted), call);
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
    open.leave(own);
    numbers.sawUsed(own.number);
    own = undefined;
  }
  if (own) open.leave(own);
  return undefined;
};

export type Transactions = ReturnType<typeof createTransactions>;

export const createTransactions = (ports: TransactionPorts) => {
  const { client, resendMs, warn, failed } = ports;
  const { address } = ports.account;
  const count = (blockTag: 'latest' | 'pending') =>
    client.getTransactionCount({ address, blockTag });
  const numbers = createNumbers({
    count: () => count('pending'),
    isGiven: (number) => open.isGiven(number),
  });
  const fees = createFees(client);
  const inPool = createPoolReader({ client, address });
  const sender = createSender(ports);
  const open = createOpenTransactions({
    ...sender,
    address,
    count,
    fees,
    inPool,
    resendMs,
    warn,
    failed,
  });
  const { use: begin } = atFirstUse(open.adopt);
  const sending = { ...sender, numbers, fees, open, noteAnswer: createNoteAnswer(warn) };

  return {
    adopt: open.adopt,

    /** The fees that a transaction offers for its gas now. */
    fees: () => fees.now(),

    /** Sends nothing again any more. */
    close: open.close,

    /** The call, if it is on its way, sent by this process or by one before it. */
    async find(call: Pick<Call, 'to' | 'data'>): Promise<Sent | undefined> {
      await begin();
      return open.find(call);
    },

    /** Sends a call once, however often it is asked for. Undefined: no node took it. */
    async send(call: Call): Promise<Sent | undefined> {
      await begin();
      return sendOnce(sending, call);
    },

    /**
     * The receipt of whichever of its transactions is mined; `waits`: none is, within these ms of the first;
     * `lost`: none will be, its number was used for another.
     */
    async mined(sent: Sent, withinMs: number): Promise<TransactionReceipt | 'waits' | 'lost'> {
      const until = Math.max(sent.firstMs + withinMs, performance.now() + againMs);
      for (let looks = 0; ; looks++) {
        const receipt = await sender.receiptOf(sent);
        if (receipt) {
          open.leave(sent);
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
