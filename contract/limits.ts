/**
 * Every limit of the service, in one place. Each is overridable by an environment variable
 * `LIMIT_<NAME IN UPPER SNAKE CASE>` (see service/config/groups/limits.ts) and enforced with its own error code.
 */
export const defaultLimits = {
  contentBytes: 500_000,
  pages: 60,
  /** A PDF letter, 10 MiB. */
  documentBytes: 10 * 1024 * 1024,
  bodyBytes: 2 * 1024 * 1024,
  /** Of all bodies of accounts that are being read or worked on; an account that has its share gets 503. */
  bodyBytesInProgress: 64 * 1024 * 1024,
  /** The same of who has no account, by address; when it is full, the body that hardly arrives makes room. */
  publicBodyBytesInProgress: 8 * 1024 * 1024,
  /** A body must bring as many bytes a second, over any `bodyPaceMs` of its way; a slower one gets 408. */
  bodyBytesPerSecond: 1_024,
  bodyPaceMs: 5_000,
  metadataPairs: 20,
  metadataKeyChars: 40,
  metadataValueChars: 500,
  referenceChars: 120,
  idempotencyKeyChars: 255,
  eventBytes: 256 * 1024,
  pageSize: 100,
  sendDateDays: 180,
  apiKeysPerAccount: 50,
  rateWindowSeconds: 5,
  ratePerCredential: 150,
  ratePerAddress: 30,
  /** New accounts of an address. */
  registrationsPerHour: 60,
  registrationsPerDay: 200,
  requestTimeoutMs: 30_000,
  /** Requests of accounts in progress at once; an account that has its share gets 503. */
  concurrentRequests: 1_000,
  /** The same of who has no account, by address. */
  concurrentPublicRequests: 250,
  /** Reads of an account that wait for `X-Min-Log-Position` at once; more get 503 at once. */
  waitingReads: 50,
  /** A reservation whose letter does not come within this was left by a crash: it is released. */
  reservationPatienceMs: 30_000,
  /** Hand-overs that wait for the print partner; beyond it live letters stay queued. */
  waitingPrintJobs: 1_000,
  /** A whole talk with the mail server. */
  smtpTimeoutMs: 30_000,
  /**
   * CHOICE: when a charge takes the available balance below this, the account gets one notification. USD cents.
   */
  walletLowCents: 1_000,
  quoteMinutes: 15,
  /** Until then an offer can be accepted. */
  offerMinutes: 15,
  /** Until then letters can be sent at the price of a commitment. */
  commitmentHours: 24,
  /** Letters of one offer. */
  offerQuantity: 10_000,
  exchangeRateDays: 400,
  /** Longest history of a letter that is shown or bundled, in events. */
  auditEvents: 10_000,
  /** Of a wallet's statement. */
  statementEntries: 100_000,
  /** Of audit webhooks. */
  auditSubscriptionsPerAccount: 20,
  /** Letters that a live account may send in 24 hours; an operator can say otherwise for one. */
  liveLettersPerDay: 100_000,
  testLettersPerDay: 20_000,
  /** Drafts that an account may have at once. */
  draftsPerAccount: 10_000,
  /** Documents and logos of an account in the blob store, bytes: 20 GiB; an operator can say otherwise for one. */
  storedBytesPerAccount: 20 * 1024 ** 3,
  /** How long deliveries of webhooks that ended, and their attempts, are kept. */
  deliveryDays: 90,
  /** A UCAN token, encoded. */
  ucanBytes: 16 * 1024,
  /** Tokens on the longest way from a UCAN to its root, both included. */
  ucanDepth: 8,
  /** Different proofs in the chain of a UCAN. */
  ucanProofs: 32,
  /** Caveats in all capabilities of one UCAN, which bounds the work to compare it with its proofs. */
  ucanCaveats: 64,
  /** The longest that a UCAN issued here may live: 90 days. */
  ucanLifetimeSeconds: 90 * 86_400,
};

export type Limits = typeof defaultLimits;

/** How far a limit can be raised where something else ends before 2³¹ − 1 does. */
export const highestLimits: Partial<Limits> = {
  /** As far as a JSON number is exact. */
  storedBytesPerAccount: Number.MAX_SAFE_INTEGER,
  /** As many digests of pairs an event of a letter holds (events/letter.ts). */
  metadataPairs: 50,
  /** The longest reference that an event of a wallet holds (events/wallet.ts). */
  referenceChars: 500,
  /** CHOICE: each row of a page is decrypted and held in memory. */
  pageSize: 1_000,
  /** Ten years: beyond, holidays are guesses. */
  sendDateDays: 3_650,
  /** CHOICE: sixty days, as long as books carry what was spent (commands/wallets/books.ts). */
  commitmentHours: 1_440,
  /** A hundred years, as RETENTION_DAYS; the database counts no further back than some thousands. */
  deliveryDays: 36_500,
};
