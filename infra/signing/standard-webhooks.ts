/**
 * Standard Webhooks: HMAC-SHA256 over `id.timestamp.body` (`v1`), and Ed25519 over the same (`v1a`).
 * Source: the specification of Standard Webhooks (github.com/standard-webhooks/standard-webhooks).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const secretPrefix = 'whsec_';
/** The specification's bounds. */
const minSecretBytes = 24;
const maxSecretBytes = 64;
const maxIdChars = 256;
/** Of two secrets in rotation and some to spare; more in one header is an attempt to make us work. */
const maxSignatures = 16;
const macBytes = 32;

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Without a full stop, which separates the signed parts. */
const idPattern = /^[\x21-\x2d\x2f-\x7e]+$/;

type WebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

export type WebhookProblem =
  | 'headers_missing'
  | 'headers_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_wrong';

type WebhookVerification =
  | { ok: true; id: string; timestampS: number }
  | { ok: false; code: WebhookProblem };

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string =>
  `${secretPrefix}${randomBytes(macBytes).toString('base64')}`;

/** @throws RangeError for text that is not `whsec_` and 24 to 64 bytes in base64 */
const keyOf = (secret: string): Buffer => {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : '';
  const key = base64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.alloc(0);
  if (key.length < minSecretBytes || key.length > maxSecretBytes) {
    throw new RangeError(
      `a webhook secret is ${secretPrefix} and ${minSecretBytes} to ${maxSecretBytes} bytes in base64`,
    );
  }
  return key;
};

/**
 * Holds a configured secret to its shape.
 * @throws RangeError that does not hold the secret
 */
export function assertWebhookSecret(secret: string): void {
  keyOf(secret);
}

const macOf = (secret: string, id: string, timestampS: number, body: string | Uint8Array): Buffer =>
  createHmac('sha256', keyOf(secret)).update(`${id}.${timestampS}.`).update(body).digest();

const isId = (id: string): boolean => id.length <= maxIdChars && idPattern.test(id);

/**
 * The headers that prove a webhook. Of two secrets in rotation both sign, so that a receiver may know
 * either.
 * @param webhook.id stays the same over all attempts
 * @param webhook.timestampS of this attempt, in seconds since the epoch
 * @throws RangeError for an id with a full stop or without visible ASCII, and for a malformed secret
 */
export function signWebhook(webhook: {
  id: string;
  timestampS: number;
  body: string | Uint8Array;
  secrets: readonly string[];
  /** Each adds an asymmetric signature: the 64 bytes of Ed25519 over the signed text. */
  ed25519?: readonly ((data: string) => Buffer)[] | undefined;
}): WebhookHeaders {
  const { id, timestampS, body, secrets, ed25519 = [] } = webhook;
  if (!isId(id)) throw new RangeError(`${id.slice(0, maxIdChars)} is not a webhook id`);
  if (!Number.isSafeInteger(timestampS)) throw new RangeError(`${timestampS} is not in seconds`);
  if (secrets.length === 0) throw new RangeError('a webhook needs a secret');
  const signatures = secrets.map(
    (secret) => `v1,${macOf(secret, id, timestampS, body).toString('base64')}`,
  );
  for (const sign of ed25519) {
    const signature = sign(`${id}.${timestampS}.${Buffer.from(body).toString('utf8')}`);
    signatures.push(`v1a,${signature.toString('base64')}`);
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
  };
}

const single = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value : '';

const candidatesIn = (header: string): Buffer[] =>
  header
    .split(' ')
    .slice(0, maxSignatures)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'))
    .filter((mac) => mac.length === macBytes);

/** Compares every pair, so that the time does not tell which secret or signature was right. */
const anyEqual = (expected: Buffer[], candidates: Buffer[]): boolean => {
  let equal = 0;
  for (const mac of expected) {
    for (const candidate of candidates) equal += Number(timingSafeEqual(mac, candidate));
  }
  return equal > 0;
};

/**
 * Judges a webhook that came in. Signatures of other versions are passed over. A repeated delivery is
 * valid again: who must not obey twice keeps the ids that it saw for twice the tolerance.
 * @param webhook.headers with names in lower case, as Node has them
 * @param webhook.body the bytes as they came
 * @throws RangeError for a malformed secret
 */
export function verifyWebhook(webhook: {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string | Uint8Array;
  secrets: readonly string[];
  nowS: number;
  toleranceS?: number;
}): WebhookVerification {
  const { headers, body, secrets, nowS, toleranceS = 300 } = webhook;
  const id = single(headers['webhook-id']);
  const timestamp = single(headers['webhook-timestamp']);
  const signature = single(headers['webhook-signature']);
  if (!id || !timestamp || !signature) return { ok: false, code: 'headers_missing' };
  if (!isId(id) || !/^\d{1,12}$/.test(timestamp)) return { ok: false, code: 'headers_malformed' };
  const timestampS = Number(timestamp);
  if (timestampS < nowS - toleranceS) return { ok: false, code: 'timestamp_too_old' };
  if (timestampS > nowS + toleranceS) return { ok: false, code: 'timestamp_too_new' };
  const expected = secrets.map((secret) => macOf(secret, id, timestampS, body));
  if (!anyEqual(expected, candidatesIn(signature))) return { ok: false, code: 'signature_wrong' };
  return { ok: true, id, timestampS };
}
