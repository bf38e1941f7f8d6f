import { randomUUID } from 'node:crypto';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import type { SendOptions } from '../../commands/letters/accept-letter.ts';
import { settleWallet } from '../../commands/letters/follow-up.ts';
import {
  createKnownRecipients,
  type RecipientIndex,
} from '../../commands/letters/known-recipients.ts';
import { type Letter, letterAggregate } from '../../commands/letters/letter.ts';
import type { SendContext } from '../../commands/letters/pay-letter.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import { createIsOrdered } from '../../commands/payments/order.ts';
import { bothAsIs } from '../../commands/preparation/check-letter.ts';
import type { CheckedPdf, Documents } from '../../commands/preparation/documents.ts';
import { createFileWork } from '../../commands/preparation/file-work.ts';
import { createLetterFiles } from '../../commands/preparation/letter-files.ts';
import type { LetterInput } from '../../commands/preparation/letter-input.ts';
import { createOpenText } from '../../commands/preparation/open-text.ts';
import type { HandOverAt } from '../../commands/preparation/release.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import type { Wallet } from '../../commands/wallets/state.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import type { EventStore } from '../../events/event-store.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { Discount } from '../../money/discount.ts';
import { usualPrices } from '../../postal/pricing.ts';
import type { Address } from '../../postal/types.ts';
import { digest } from './digest.ts';
import { withAppend, withAppendAll } from './faulty-store.ts';
import { createMemoryBlobs } from './memory-blobs.ts';
import { createMemoryDataKeys } from './memory-data-keys.ts';
import { createMemoryEventStore } from './memory-event-store.ts';

export const account = 'acct_1';
const start = Date.parse('2026-11-03T09:00:00.000Z');
const paris: Address = {
  name: 'Ada Lovelace',
  line1: '10 rue de la Paix',
  city: 'Paris',
  postalCode: '75002',
  country: 'FR',
};
export const newYork: Address = {
  name: 'Ada Lovelace',
  line1: '350 5th Ave',
  city: 'New York',
  state: 'NY',
  postalCode: '10118',
  country: 'US',
};

export const letterTo = (
  to: Partial<Address> = {},
  more: Partial<LetterInput> = {},
): LetterInput => ({
  to: { ...paris, ...to },
  from: { ...paris, name: 'Bob', line1: '12 rue de la Paix' },
  content: { kind: 'text', text: 'Bonjour,\n\nà bientôt.' },
  autoFix: false,
  placement: 'stamp',
  stationery: {},
  color: false,
  duplex: true,
  acceptAddressAsIs: bothAsIs(false),
  ...more,
});

const createMemoryRecipients = (): RecipientIndex => {
  const noted: { letterId: string; accountId: string; digest: string }[] = [];
  return {
    note: async (letterId, accountId, digest) =>
      void noted.unshift({ letterId, accountId, digest }),
    lettersTo: async (accountId, digest, limit) =>
      noted
        .filter((one) => one.accountId === accountId && one.digest === digest)
        .slice(0, limit)
        .map(({ letterId }) => letterId),
  };
};

/** The same for tests that need not control it. */
export const documentsOf = (): Documents => createFakeDocuments().documents;

/** A fake of browser, preflight and network: documents with the number of pages that a test sets. */
const createFakeDocuments = () => {
  const fake = {
    htmlPages: 1,
    removed: [] as string[],
    checked: { pages: 1, findings: [] } as CheckedPdf,
    fetched: [] as string[],
  };
  const documents: Documents = {
    openText: createOpenText({ metrics: fontMetrics(), limits: defaultLimits }),
    checkLogo: async () => ({ width: 1, height: 1 }),
    async fetchPdf(url) {
      fake.fetched.push(url);
      return Buffer.from(`%PDF ${url}`);
    },
    printHtml: async () => ({
      pages: fake.htmlPages,
      removed: fake.removed,
      overflows: [],
      scale: 1,
      smallestTypePt: 11,
      shrunkImages: [],
      fixedElements: [],
      hiddenText: [],
      isReadable: true,
      emptyPages: [],
    }),
    checkPdf: async () => fake.checked,
  };
  return { fake, documents };
};

export const plainly: SendOptions = { draft: false, holdWithoutFunds: false };

/**
 * The commands over a store in memory, or the one that is given, the real postal knowledge and the real
 * font. `oneCommit`: the store in memory appends to several streams at once.
 */
export const createLetterWorld = ({
  oneCommit = false,
  store,
  handOverAt,
}: {
  oneCommit?: boolean;
  store?: EventStore;
  handOverAt?: HandOverAt;
} = {}) => {
  const dataKeys = createMemoryDataKeys();
  const inner: EventStore =
    store ?? createMemoryEventStore(oneCommit ? { keys: dataKeys.table } : {});
  const blobs = createMemoryBlobs();
  const files = createLetterFiles({
    blobs,
    dataKeys,
    claim: async () => {},
    work: createFileWork(),
  });
  const { fake, documents } = createFakeDocuments();
  const time = { now: start };
  const recipients = createMemoryRecipients();
  const clock = (): number => time.now;
  /** The current discount of every account. */
  const discount: { now: Discount | undefined } = { now: undefined };
  const discountOf = async (): Promise<Discount | undefined> => discount.now;
  /** Faults that a test puts between the commands and the store. */
  const faults: {
    append?: Parameters<typeof withAppend>[1];
    appendAll?: Parameters<typeof withAppendAll>[1];
  } = {};
  const faulty = withAppendAll(
    withAppend(inner, (next, ...call) =>
      faults.append ? faults.append(next, ...call) : next(...call),
    ),
    (next, ...call) => (faults.appendAll ? faults.appendAll(next, ...call) : next(...call)),
  );
  /** As if the service ran once more on the same data. */
  const process = (store: EventStore = faulty) => {
    const handler = createCommandHandler({ store, dataKeys, clock });
    const letters = createSendLetter({
      isKnownRecipient: createKnownRecipients({ handler, indexOf: digest, index: recipients }),
      isOrdered: createIsOrdered({ handler }),
      handler,
      dataKeys,
      clock,
      metrics: letterFont().metrics,
      logos: { read: async () => Buffer.alloc(0) },
      documents,
      files,
      limits: defaultLimits,
      prices: () => usualPrices,
      discountOf,
      cancellationWindowMs: 300_000,
      ...(handOverAt ? { handOverAt } : {}),
      indexOf: digest,
    });
    return { handler, letters };
  };
  const main = process();
  const context = (): { commandId: string; actor: string } => ({
    commandId: randomUUID(),
    actor: 'operator',
  });

  return {
    ...main,
    store: inner,
    dataKeys,
    blobs,
    files,
    documents,
    recipients,
    indexOf: digest,
    /** The documents of the next letters. */
    fake,
    clock,
    time,
    discount,
    discountOf,
    faults,
    process,
    context,
    /** A request under an Idempotency-Key; its content tells it from other requests. */
    asked: (key: string, what: unknown = '', more: Partial<SendContext> = {}): SendContext => ({
      commandId: uuidv5('0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11', key),
      actor: 'key:1',
      accountId: account,
      test: false,
      requestHash: digest('request', JSON.stringify(what)),
      repeatable: true,
      ...more,
    }),
    fund: (cents: bigint, bucket: 'crypto' | 'fiat' = 'fiat') =>
      main.handler.handle(walletAggregate, account, context(), (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
        ...creditFunds(wallet, {
          type: 'CreditFunds',
          receipt: { method: 'operator', id: randomUUID() },
          bucket,
          amountMicro: cents * 10_000n,
        }),
      ]),
    wallet: async (): Promise<Wallet> =>
      (await process().handler.load(walletAggregate, account)).state,
    letter: async (letterId: string): Promise<Letter> =>
      (await process().handler.load(letterAggregate, letterId)).state,
    settle: (letterId: string) => settleWallet(main, letterId, context(), account),
  };
};

export type LetterWorld = ReturnType<typeof createLetterWorld>;

export const centsOf = (amounts: { crypto: bigint; fiat: bigint }): bigint =>
  (amounts.crypto + amounts.fiat) / 10_000n;
