import { defaultLimits, highestLimits, type Limits } from '../../../contract/limits.ts';
import { integer } from '../config-parsers.ts';
import { group, plain, type Setting } from '../group.ts';

const meanings: Record<keyof Limits, string> = {
  contentBytes: 'text or HTML of a letter, bytes',
  pages: 'pages of a letter',
  documentBytes: 'a PDF document, bytes',
  bodyBytes: 'the most of any body, bytes; of send and quote that much besides the document',
  bodyBytesInProgress:
    'bodies of all accounts in progress together, bytes; about half of it for one account while it is alone, and less the more there are; beyond its share it is answered 503',
  publicBodyBytesInProgress: 'the same of requests without a key, shared by address',
  bodyBytesPerSecond: 'bytes a second that a body must bring; slower ones are answered 408',
  bodyPaceMs: 'over which time that is measured, ms',
  metadataPairs: 'pairs of metadata; at most 50',
  metadataKeyChars: 'characters of a metadata key',
  metadataValueChars: 'characters of a metadata value',
  referenceChars: 'characters of a reference; at most 500',
  idempotencyKeyChars: 'characters of an Idempotency-Key',
  eventBytes: 'one stored event, bytes',
  pageSize: 'rows of a page; at most 1000',
  sendDateDays: 'days that `send_date` may lie ahead; at most 3650',
  apiKeysPerAccount: 'active keys of an account',
  rateWindowSeconds: 'window of the rate limits',
  ratePerCredential:
    'requests per window and account, whatever keys and UCANs it uses; 0: no limit',
  ratePerAddress: 'requests per window and address without a key; 0: no limit',
  registrationsPerHour: 'accounts that an address registers in an hour; 0: no limit',
  registrationsPerDay: 'accounts that an address registers in 24 hours; 0: no limit',
  requestTimeoutMs: 'time of a request, ms',
  concurrentRequests: 'requests of accounts at once, shared as bodies are; more are answered 503',
  concurrentPublicRequests: 'the same of requests without a key, shared by address',
  waitingReads: 'reads of an account that wait for `X-Min-Log-Position` at once',
  waitingPrintJobs:
    'live letters that wait in production for a print partner that is down; about so many, the others stay `queued`',
  reservationPatienceMs: 'how long a reservation waits for its letter before it is undone, ms',
  smtpTimeoutMs: 'time for handing one mail to the mail server, ms',
  walletLowCents:
    '`wallet.low` is told when a charge takes what is available below this, US cents; 0: never',
  quoteMinutes: 'how long a quote holds',
  offerMinutes: 'how long an offer can be accepted',
  commitmentHours: 'how long the price of an accepted offer holds, hours; at most 1440',
  offerQuantity: 'letters that one offer is for',
  ucanBytes: 'an encoded UCAN token',
  ucanDepth: 'tokens on the way from a UCAN to its root',
  ucanProofs: 'proofs in the chain of a UCAN',
  ucanCaveats: 'caveats in one UCAN',
  ucanLifetimeSeconds: 'the longest life of a UCAN that is issued here',
  exchangeRateDays: 'age of an exchange rate beyond which nothing is priced',
  auditSubscriptionsPerAccount: 'audit webhooks of an account',
  liveLettersPerDay: 'letters that a live account may send in 24 hours',
  testLettersPerDay: 'letters that a test account may send in 24 hours',
  draftsPerAccount: 'drafts that an account may have at once',
  storedBytesPerAccount:
    'documents and logos that an account keeps in the blob store together, bytes; beyond it 429 `quota_exceeded`',
  deliveryDays:
    'how long finished deliveries of webhooks, and their attempts, are kept; at most 36500',
  statementEntries: 'entries of a statement of a wallet',
  auditEvents: 'events in the history of a letter that is shown or bundled at once',
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
