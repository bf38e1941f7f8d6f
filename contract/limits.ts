/**
 * Every limit of the service, in one place. Each is overridable by an environment variable
 * `LIMIT_<NAME IN UPPER SNAKE CASE>` (see infra/config.ts) and enforced with its own error code.
 */
export const defaultLimits = {
  contentBytes: 500_000,
  pages: 60,
  /** A PDF letter, 10 MiB. */
  documentBytes: 10 * 1024 * 1024,
  bodyBytes: 2 * 1024 * 1024,
  /** Of all bodies that are being read or worked on; beyond it requests are answered 503. */
  bodyBytesInProgress: 32 * 1024 * 1024,
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
  requestTimeoutMs: 30_000,
  /** Requests in progress at once; more are answered 503. */
  concurrentRequests: 1_000,
  /** A reservation whose letter does not come within this was left by a crash: it is released. */
  reservationPatienceMs: 30_000,
  quoteMinutes: 15,
  exchangeRateDays: 400,
};

export type Limits = typeof defaultLimits;
