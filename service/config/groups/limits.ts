import { defaultLimits, highestLimits, type Limits } from '../../../contract/limits.ts';
import { integer } from '../config-parsers.ts';
import { group, plain, type Setting } from '../group.ts';

const meanings: Record<keyof Limits, string> = {
  contentBytes: 'text or HTML of a letter, bytes',
  pages: 'pages of a letter',
  documentBytes: 'a PDF document, bytes',
  bodyBytes:
    'maximum size of any body, bytes; for send and quote, maximum size apart from the document',
  bodyBytesInProgress:
    'bodies of all accounts in progress together, bytes; a single account can use about half of it, and less when others upload; beyond its share it gets 503',
  publicBodyBytesInProgress: 'the same for requests without a key, shared by address',
  bodyBytesPerSecond: 'minimum speed of an upload, bytes a second; slower uploads get 408',
  bodyPaceMs: 'the time over which that speed is measured, ms',
  metadataPairs: 'pairs of metadata; at most 50',
  metadataKeyChars: 'characters of a metadata key',
  metadataValueChars: 'characters of a metadata value',
  referenceChars: 'characters of a reference; at most 500',
  idempotencyKeyChars: 'characters of an Idempotency-Key',
  eventBytes: 'one stored event, bytes',
  pageSize: 'rows of a page; at most 1000',
  sendDateDays: 'how many days ahead `send_date` may be; at most 3650',
  apiKeysPerAccount: 'active keys of an account',
  rateWindowSeconds: 'window of the rate limits',
  ratePerCredential: 'requests per window and account, across all its keys and UCANs; 0: no limit',
  ratePerAddress: 'requests per window and address without a key; 0: no limit',
  registrationsPerHour: 'accounts that an address may register in an hour; 0: no limit',
  registrationsPerDay: 'accounts that an address may register in 24 hours; 0: no limit',
  requestTimeoutMs: 'maximum time of a request, ms',
  concurrentRequests: 'requests of accounts at once, shared like bodies; further requests get 503',
  concurrentPublicRequests: 'the same for requests without a key, shared by address',
  waitingReads: 'reads of an account that may wait for `X-Min-Log-Position` at once',
  waitingPrintJobs:
    'about how many live letters may wait in production while a print partner is down; other letters stay `queued`',
  reservationPatienceMs: 'how long a reservation waits for its letter before it is undone, ms',
  smtpTimeoutMs: 'maximum time to hand one mail to the mail server, ms',
  walletLowCents:
    '`wallet.low` is sent when a charge takes the available balance below this, US cents; 0: never',
  quoteMinutes: 'how long a quote is valid',
  offerMinutes: 'how long an offer can be accepted',
  commitmentHours: 'how long the price of an accepted offer is valid, hours; at most 1440',
  offerQuantity: 'letters that one offer covers',
  ucanBytes: 'an encoded UCAN token',
  ucanDepth: 'tokens on the path from a UCAN to its root',
  ucanProofs: 'proofs in the chain of a UCAN',
  ucanCaveats: 'caveats in one UCAN',
  ucanLifetimeSeconds: 'maximum lifetime of a UCAN that is issued here',
  exchangeRateDays: 'maximum age of an exchange rate used for prices',
  auditSubscriptionsPerAccount: 'audit webhooks of an account',
  liveLettersPerDay: 'letters that a live account may send in 24 hours',
  testLettersPerDay: 'letters that a test account may send in 24 hours',
  draftsPerAccount: 'drafts that an account may have at once',
  storedBytesPerAccount:
    'documents and logos that an account may keep in the blob store together, bytes; beyond it 429 `quota_exceeded`',
  deliveryDays: 'how long finished webhook deliveries and their attempts are kept; at most 36500',
  statementEntries: 'maximum entries in a wallet statement',
  auditEvents: 'maximum events in the history of a letter that is shown or bundled at once',
};

const keys = Object.keys(meanings) as (keyof Limits)[];

const nameOf = (key: keyof Limits): string =>
  `LIMIT_${key.replaceAll(/([A-Z])/g, '_$1').toUpperCase()}`;

const settingOf = (key: keyof Limits): Setting<number> => {
  // A rate of 0 is no limit, a low mark of 0 is none; of everything else there is at least one.
  const mayBeZero = /^(ratePer|registrationsPer|walletLowCents)/.test(key);
  const least = mayBeZero ? 0 : 1;
  const most = highestLimits[key] ?? 2 ** 31 - 1;
  return plain(integer(least, most), String(defaultLimits[key]), meanings[key]);
};

export const limits = group({
  settings: Object.fromEntries(keys.map((key) => [nameOf(key), settingOf(key)])),
  prefixes: ['LIMIT_'],
  read: (set) => {
    const limits = { ...defaultLimits };
    for (const key of keys) limits[key] = set[nameOf(key)] ?? limits[key];
    return { limits };
  },
});
