/**
 * Every limit of the service, one row each. `docs/operations.md` shows this table. An operator sets a limit by
 * `LIMIT_<NAME IN UPPER SNAKE CASE>`, or by the name that its row gives.
 */
import type { ErrorCode } from '../contract/errors.ts';

type Limit = {
  /** The number that holds unless the operator sets another. */
  usual: number;
  unit: string;
  /** The party that shares the number: within a process, unless it says `service`. */
  of: string;
  means: string;
  /** Why the number is what it is. */
  why: string;
  /** The lowest and the highest number that can be set: 1 and 2³¹ − 1 unless the row says otherwise. */
  least?: number;
  most?: number;
  /** The name of its setting where that does not begin with `LIMIT_`; false: it cannot be set. */
  setting?: string | false;
} & (
  | { error: ErrorCode }
  /** The effect beyond the limit where no caller gets an error. */
  | { instead: string }
);

export const limitTable = {
  // Requests
  rateWindowSeconds: {
    usual: 5,
    unit: 'seconds',
    of: 'service',
    error: 'rate_limited',
    means: 'window of the rate limits',
    why: 'short enough to retry within one call, long enough for a burst',
  },
  ratePerCredential: {
    usual: 150,
    unit: 'requests',
    of: 'account, in the service',
    error: 'rate_limited',
    means: 'requests per window and account, across all its keys and UCANs; 0: no limit',
    why: '30 requests a second send 100,000 letters in an hour',
    least: 0,
  },
  ratePerAddress: {
    usual: 30,
    unit: 'requests',
    of: 'address, in the service',
    error: 'rate_limited',
    means: 'requests per window and address without a key; 0: no limit',
    why: 'people and agents who look around need a few requests a second',
    least: 0,
  },
  registrationsPerHour: {
    usual: 60,
    unit: 'accounts',
    of: 'address, in the service',
    error: 'rate_limited',
    means: 'accounts that an address may register in an hour; 0: no limit',
    why: 'an office or a test suite behind one address registers fewer',
    least: 0,
  },
  registrationsPerDay: {
    usual: 200,
    unit: 'accounts',
    of: 'address, in the service',
    error: 'rate_limited',
    means: 'accounts that an address may register in 24 hours; 0: no limit',
    why: 'each account takes rows and keys that stay',
    least: 0,
  },
  requestTimeoutMs: {
    usual: 30_000,
    unit: 'ms',
    of: 'request',
    error: 'overloaded',
    means: 'maximum time of a request, ms',
    why: 'proxies and clients give up after 30 to 60 s',
  },
  concurrentRequests: {
    usual: 1_000,
    unit: 'requests',
    of: 'all accounts, shared by account',
    error: 'overloaded',
    means: 'requests of accounts at once, shared like bodies; further requests get 503',
    why: 'more at once only wait for each other',
  },
  concurrentPublicRequests: {
    usual: 250,
    unit: 'requests',
    of: 'all callers without a key, shared by address',
    error: 'overloaded',
    means: 'the same for requests without a key, shared by address',
    why: 'a quarter of what accounts have: strangers come second',
  },
  waitingReads: {
    usual: 50,
    unit: 'reads',
    of: 'account',
    error: 'read_model_behind',
    means:
      'reads of an account that may wait at once for `X-Min-Log-Position` or for its own writes',
    why: 'a waiting read costs only memory, but may wait 2 s',
  },

  // Bodies
  bodyBytes: {
    usual: 2 * 1024 * 1024,
    unit: 'bytes',
    of: 'request',
    error: 'body_too_large',
    means:
      'maximum size of any body, bytes; for send and quote, maximum size apart from the document',
    why: 'four times the longest text, and room for all other fields',
  },
  bodyBytesInProgress: {
    usual: 64 * 1024 * 1024,
    unit: 'bytes',
    of: 'all accounts, shared by account',
    error: 'overloaded',
    means:
      'bodies of all accounts in progress together, bytes; a single account can use about half of it, and less when others upload; beyond its share it gets 503',
    why: 'memory of the process; four documents of 10 MiB in base64',
  },
  publicBodyBytesInProgress: {
    usual: 8 * 1024 * 1024,
    unit: 'bytes',
    of: 'all callers without a key, shared by address',
    error: 'overloaded',
    means: 'the same for requests without a key, shared by address',
    why: 'operations without a key take small bodies',
  },
  bodyBytesPerSecond: {
    usual: 1_024,
    unit: 'bytes a second',
    of: 'request',
    error: 'request_timeout',
    means: 'minimum speed of an upload, bytes a second; slower uploads get 408',
    why: 'slower than any working connection',
  },
  bodyPaceMs: {
    usual: 5_000,
    unit: 'ms',
    of: 'request',
    error: 'request_timeout',
    means: 'the time over which that speed is measured, ms',
    why: 'a mobile connection may pause for some seconds',
  },
  contentBytes: {
    usual: 500_000,
    unit: 'bytes',
    of: 'letter',
    error: 'body_too_large',
    means: 'text or HTML of a letter, bytes',
    why: 'the text of 60 full pages, also in scripts of two bytes a letter',
  },
  documentBytes: {
    usual: 10 * 1024 * 1024,
    unit: 'bytes',
    of: 'letter',
    error: 'body_too_large',
    means: 'a PDF document, bytes',
    why: '60 pages with some pictures',
  },
  pages: {
    usual: 60,
    unit: 'pages',
    of: 'letter',
    error: 'too_many_pages',
    means: 'pages of a letter',
    why: 'contracts and reports fit; longer documents are parcels',
  },
  metadataPairs: {
    usual: 20,
    unit: 'pairs',
    of: 'letter',
    error: 'validation_failed',
    means: 'pairs of metadata; at most 50',
    why: 'an event of a letter holds 50 digests of pairs (events/letter.ts)',
    most: 50,
  },
  metadataKeyChars: {
    usual: 40,
    unit: 'characters',
    of: 'letter',
    error: 'validation_failed',
    means: 'characters of a metadata key',
    why: 'names, not texts',
  },
  metadataValueChars: {
    usual: 500,
    unit: 'characters',
    of: 'letter',
    error: 'validation_failed',
    means: 'characters of a metadata value',
    why: 'a URL or a sentence fits',
  },
  referenceChars: {
    usual: 120,
    unit: 'characters',
    of: 'letter',
    error: 'validation_failed',
    means: 'characters of a reference; at most 500',
    why: 'file numbers are shorter; an event of a wallet holds 500 characters (events/wallet.ts)',
    most: 500,
  },
  idempotencyKeyChars: {
    usual: 255,
    unit: 'characters',
    of: 'request',
    error: 'invalid_header',
    means: 'characters of an Idempotency-Key',
    why: 'four UUIDs with a prefix fit',
  },
  eventBytes: {
    usual: 256 * 1024,
    unit: 'bytes',
    of: 'event',
    error: 'event_too_large',
    means: 'one stored event, bytes',
    why: 'events are read by the thousand',
  },
  pageSize: {
    usual: 100,
    unit: 'rows',
    of: 'request',
    error: 'validation_failed',
    means: 'rows of a page; at most 1000',
    why: 'each row is decrypted and held in memory',
    most: 1_000,
  },
  sendDateDays: {
    usual: 180,
    unit: 'days',
    of: 'letter',
    error: 'validation_failed',
    means: 'how many days ahead `send_date` may be; at most 3650',
    why: 'prices and addresses change; holidays after ten years are guesses',
    most: 3_650,
  },
  auditEvents: {
    usual: 10_000,
    unit: 'events',
    of: 'request',
    error: 'audit_too_long',
    means: 'maximum events in the history of a letter that is shown or bundled at once',
    why: 'a bundle is built in memory',
  },
  statementEntries: {
    usual: 100_000,
    unit: 'entries',
    of: 'request',
    error: 'statement_too_long',
    means: 'maximum entries in a wallet statement',
    why: 'entries of a busy month; longer times are several statements',
  },

  // Time and places in threads and browsers
  textTimeMs: {
    usual: 2_000,
    unit: 'ms of CPU time',
    of: 'account; without standing also its addresses',
    error: 'rate_limited',
    means: 'CPU time for long texts and drawn letters that a caller may owe',
    why: 'four of the slowest texts, which take half a second each',
  },
  textTimeFreeMs: {
    usual: 20,
    unit: 'ms of CPU time',
    of: 'text',
    error: 'rate_limited',
    means: 'CPU time for one text or letter that is not counted',
    why: 'ten pages take less',
    least: 0,
  },
  textTimeRefillSeconds: {
    usual: 20,
    unit: 'seconds',
    of: 'account; without standing also its addresses',
    error: 'rate_limited',
    means: 'the time in which the whole of `LIMIT_TEXT_TIME_MS` comes back',
    why: 'one caller takes at most a tenth of a core',
  },
  documentTimeMs: {
    usual: 20_000,
    unit: 'ms',
    of: 'account; without standing also its addresses',
    error: 'rate_limited',
    means: 'time in threads and browsers that a caller may owe',
    why: 'two documents that run into their time limit of 10 s',
  },
  documentTimeFreeMs: {
    usual: 2_000,
    unit: 'ms',
    of: 'document',
    error: 'rate_limited',
    means: 'time in a thread or browser for one document that is not counted',
    why: 'ordinary documents take less, also on a busy machine',
    least: 0,
  },
  documentTimeRefillSeconds: {
    usual: 60,
    unit: 'seconds',
    of: 'account; without standing also its addresses',
    error: 'rate_limited',
    means: 'the time in which the whole of `LIMIT_DOCUMENT_TIME_MS` comes back',
    why: 'one caller takes at most a third of a thread',
  },
  workerThreads: {
    usual: 3,
    unit: 'threads',
    of: 'process, in turns by caller',
    error: 'overloaded',
    means: 'tasks in worker threads at once; one more thread is kept for brief tasks',
    why: 'one for a slow document, one for the next free caller, one for those who pay',
    setting: false,
  },
  tasksWaitingPerThread: {
    usual: 16,
    unit: 'tasks',
    of: 'process, shared by caller',
    error: 'overloaded',
    means: 'tasks that may wait for each thread',
    why: 'a longer queue would take longer than a caller waits (15 s)',
    setting: false,
  },
  browsers: {
    usual: 3,
    unit: 'browsers',
    of: 'process, in turns by caller',
    error: 'overloaded',
    means: 'HTML letters that are printed at once',
    why: 'as for threads; each takes up to 1 GB while it works',
    setting: false,
  },
  lettersWaitingForBrowsers: {
    usual: 32,
    unit: 'letters',
    of: 'process, shared by caller',
    error: 'overloaded',
    means: 'HTML letters that may wait for a browser',
    why: 'a longer queue would take longer than a caller waits',
    setting: false,
  },
  documentFetches: {
    usual: 24,
    unit: 'documents',
    of: 'process',
    error: 'overloaded',
    means: 'documents of `document_url` that are fetched at once',
    why: 'each may hold `LIMIT_DOCUMENT_BYTES` in memory',
    setting: false,
  },
  didFetches: {
    usual: 32,
    unit: 'documents',
    of: 'process',
    error: 'overloaded',
    means: 'DID documents that are fetched at once',
    why: 'a slow host holds its place for up to 5 s',
    setting: false,
  },

  // Quotas of accounts
  liveLettersPerDay: {
    usual: 100_000,
    unit: 'letters',
    of: 'live account, in the service',
    error: 'quota_exceeded',
    means: 'letters that a live account may send in 24 hours',
    why: 'bounds what a stolen key can send; an operator can set another for an account',
  },
  testLettersPerDay: {
    usual: 20_000,
    unit: 'letters',
    of: 'test account, in the service',
    error: 'quota_exceeded',
    means: 'letters that a test account may send in 24 hours',
    why: 'a load test fits; test letters cost us the same as live ones until they are printed',
  },
  draftsPerAccount: {
    usual: 10_000,
    unit: 'drafts',
    of: 'account, in the service',
    error: 'quota_exceeded',
    means: 'drafts that an account may have at once',
    why: 'drafts are free, and kept for 90 days',
  },
  storedBytesPerAccount: {
    usual: 20 * 1024 ** 3,
    unit: 'bytes',
    of: 'account, in the service',
    error: 'quota_exceeded',
    means:
      'documents and logos that an account may keep in the blob store together, bytes; beyond it 429 `quota_exceeded`',
    why: '2,000 of the largest documents; the highest number is as far as JSON is exact',
    most: Number.MAX_SAFE_INTEGER,
  },
  apiKeysPerAccount: {
    usual: 50,
    unit: 'keys',
    of: 'account, in the service',
    error: 'key_limit_reached',
    means: 'active keys of an account',
    why: 'one for each program and stage',
  },
  sessionsPerKey: {
    usual: 20,
    unit: 'sessions',
    of: 'key or UCAN, in the service',
    instead: 'the oldest session ends',
    means: 'people who are signed in to the console with the same key or UCAN at once',
    why: 'one person uses a few browsers',
  },
  consoleLinksPerKey: {
    usual: 20,
    unit: 'links',
    of: 'key or UCAN, in the service',
    instead: 'the oldest unused link ends',
    means: 'links to the console that a key or UCAN has made and nobody has used yet',
    why: 'an agent hands its human one link at a time',
  },
  requestsPerAccount: {
    usual: 1_000,
    unit: 'requests',
    of: 'account, in the service',
    instead: 'the oldest requests are removed within 10 minutes',
    means: 'requests of an account that its log keeps',
    why: 'enough to find what a program did in the last hours',
  },
  requestLogDays: {
    usual: 7,
    unit: 'days',
    of: 'service',
    instead: 'older requests are removed',
    means: 'days for which the log of requests keeps a request',
    why: 'a failure of the weekend is looked at on Monday',
    most: 90,
  },
  auditSubscriptionsPerAccount: {
    usual: 20,
    unit: 'webhooks',
    of: 'account, in the service',
    error: 'subscription_limit_reached',
    means: 'audit webhooks of an account',
    why: 'each gets every event of the account',
  },
  logosPerAccount: {
    usual: 100,
    unit: 'logos',
    of: 'account, in the service',
    error: 'logo_limit_reached',
    means: 'logos that an account may have at once',
    why: 'one stream holds them all',
    setting: false,
  },
  auditLinksPerLetter: {
    usual: 100,
    unit: 'links',
    of: 'letter, in the service',
    error: 'audit_link_limit_reached',
    means: 'audit links of a letter that are open at once',
    why: 'the stream of the letter holds them all',
    setting: false,
  },
  unpaidTransfersPerAccount: {
    usual: 5,
    unit: 'top-ups',
    of: 'account, in the service',
    error: 'topup_limit_reached',
    means: 'USDC top-ups of an account that wait for a transfer',
    why: 'each takes an amount that nobody else can use meanwhile',
    setting: false,
  },
  walletLowCents: {
    usual: 1_000,
    unit: 'US cents',
    of: 'account, in the service',
    instead: 'the account gets `wallet.low` once',
    means:
      '`wallet.low` is sent when a charge takes the available balance below this, US cents; 0: never',
    why: 'some letters can still be sent until the money is there',
    least: 0,
  },

  // Offers and prices
  quoteMinutes: {
    usual: 15,
    unit: 'minutes',
    of: 'quote',
    error: 'quote_expired',
    means: 'how long a quote is valid',
    why: 'exchange rates move little in that time',
  },
  offerMinutes: {
    usual: 15,
    unit: 'minutes',
    of: 'offer',
    error: 'offer_expired',
    means: 'how long an offer can be accepted',
    why: 'exchange rates move little in that time',
  },
  commitmentHours: {
    usual: 24,
    unit: 'hours',
    of: 'commitment',
    error: 'commitment_expired',
    means: 'how long the price of an accepted offer is valid, hours; at most 1440',
    why: 'books carry what was spent for sixty days (commands/wallets/books.ts)',
    most: 1_440,
  },
  offerQuantity: {
    usual: 10_000,
    unit: 'letters',
    of: 'offer',
    error: 'validation_failed',
    means: 'letters that one offer covers',
    why: 'larger volumes are a contract',
  },
  exchangeRateDays: {
    usual: 400,
    unit: 'days',
    of: 'service',
    error: 'exchange_rate_stale',
    means: 'maximum age of an exchange rate used for prices',
    why: 'rates come with the program, which is updated at least once a year',
  },

  // Tokens
  ucanBytes: {
    usual: 16 * 1024,
    unit: 'bytes',
    of: 'token',
    error: 'ucan_invalid',
    means: 'an encoded UCAN token',
    why: 'as much as fits into the headers of a request',
  },
  ucanDepth: {
    usual: 8,
    unit: 'tokens',
    of: 'token',
    error: 'ucan_invalid',
    means: 'tokens on the path from a UCAN to its root',
    why: 'each is one signature to check',
  },
  ucanProofs: {
    usual: 32,
    unit: 'proofs',
    of: 'token',
    error: 'ucan_invalid',
    means: 'proofs in the chain of a UCAN',
    why: 'each is one signature to check',
  },
  ucanCaveats: {
    usual: 64,
    unit: 'caveats',
    of: 'token',
    error: 'delegation_invalid',
    means: 'caveats in one UCAN',
    why: 'bounds the work to compare a UCAN with its proofs',
  },
  ucanLifetimeSeconds: {
    usual: 90 * 86_400,
    unit: 'seconds',
    of: 'token',
    error: 'validation_failed',
    means: 'maximum lifetime of a UCAN that is issued here',
    why: '90 days: a lost token ends by itself',
  },

  // Payments and the mech
  gasPerPayer: {
    usual: 250_000,
    unit: 'gas',
    of: 'payer, in the service',
    error: 'payment_unavailable',
    means: 'gas that all transactions of a payer on their way may take, and each payment at most',
    why: 'three times an ordinary transfer; enough for wallet contracts that check one signature',
    setting: 'X402_MAX_GAS',
    least: 60_000,
    most: 5_000_000,
  },
  paymentsPerPayer: {
    usual: 4,
    unit: 'payments',
    of: 'payer',
    instead: 'further payments wait in the process',
    means: 'payments of one payer that a process settles at once',
    why: 'further ones would only wait for their gas in the database',
    setting: false,
  },
  mechLettersPerDay: {
    usual: 100,
    unit: 'letters',
    of: 'the mech, in the service',
    error: 'mech_cap_reached',
    means: 'letters that the mech may send in a day (UTC)',
    why: 'bounds what a fault of the marketplace can cost; set it to your volume',
    setting: 'MECH_DAILY_LETTERS',
    least: 0,
    most: 1_000_000,
  },
  mechXdaiPerDay: {
    usual: 5,
    unit: 'xDAI',
    of: 'the mech, in the service',
    error: 'mech_cap_reached',
    means: 'price of all its requests in a day, in xDAI',
    why: 'bounds what a fault of the marketplace can cost; set it to your volume',
    setting: 'MECH_DAILY_XDAI',
  },

  // Background work
  waitingPrintJobs: {
    usual: 1_000,
    unit: 'letters',
    of: 'service',
    instead: 'live letters stay `queued`',
    means:
      'about how many live letters may wait in production while a print partner is down; other letters stay `queued`',
    why: 'queued letters can still be cancelled',
  },
  letterRendering: {
    usual: 32,
    unit: 'letters',
    of: 'process',
    instead: 'further letters wait',
    means: 'letters that production renders at once',
    why: 'enough to keep a print partner busy',
    setting: false,
  },
  callsPerPrintPartner: {
    usual: 64,
    unit: 'calls',
    of: 'print partner',
    instead: 'further calls wait',
    means: 'calls that a print partner answers at once',
    why: 'a slow partner must not hold all connections',
    setting: false,
  },
  renderedBytes: {
    usual: 64 * 1024 * 1024,
    unit: 'bytes',
    of: 'process',
    instead: 'rendering waits',
    means: 'rendered letters that wait for their print partner',
    why: 'memory of the background process',
    setting: false,
  },
  deliveriesPerWebhook: {
    usual: 16,
    unit: 'deliveries',
    of: 'webhook, in the service',
    instead: 'further deliveries wait',
    means: 'deliveries under way to one webhook',
    why: 'a slow receiver delays only its own deliveries',
    setting: false,
  },
  deliveriesPerFailingWebhook: {
    usual: 2,
    unit: 'deliveries',
    of: 'webhook, in the service',
    instead: 'further deliveries wait',
    means: 'the same after three failures in a row',
    why: 'enough to notice that it works again',
    setting: false,
  },
  mailConnections: {
    usual: 16,
    unit: 'mails',
    of: 'process',
    instead: 'further mails are sent within half a minute',
    means: 'mails that are handed over at once',
    why: 'mail servers refuse many connections of one client',
    setting: false,
  },
  smtpTimeoutMs: {
    usual: 30_000,
    unit: 'ms',
    of: 'mail',
    instead: 'the mail is tried again later',
    means: 'maximum time to hand one mail to the mail server, ms',
    why: 'greylisting servers answer late',
  },
  reservationPatienceMs: {
    usual: 30_000,
    unit: 'ms',
    of: 'reservation',
    instead: 'the reservation is released',
    means: 'how long a reservation waits for its letter before it is undone, ms',
    why: 'a request takes at most 30 s: one that takes longer was ended by a crash',
  },
  deliveryDays: {
    usual: 90,
    unit: 'days',
    of: 'delivery',
    instead: 'it is deleted',
    means: 'how long finished webhook deliveries and their attempts are kept; at most 36500',
    why: 'long enough to look into a complaint',
    most: 36_500,
  },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof limitTable;

/** The number of each limit. */
export type Limits = Record<LimitName, number>;

export const limitNames = Object.keys(limitTable) as LimitName[];

/** A row, without what is special about it. */
export const limitRow = (name: LimitName): Limit => limitTable[name];

export const defaultLimits = Object.fromEntries(
  limitNames.map((name) => [name, limitTable[name].usual]),
) as Limits;

/** The name of the setting of a limit; undefined where it cannot be set. */
export const settingOf = (name: LimitName): string | undefined => {
  const { setting = `LIMIT_${name.replaceAll(/([A-Z])/g, '_$1').toUpperCase()}` } = limitRow(name);
  return setting || undefined;
};
