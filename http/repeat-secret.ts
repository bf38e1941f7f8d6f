import { repeatedForMs, secretNotRepeated } from '../contract/secret-answers.ts';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const hex = /^[0-9a-f]{32,}$/i;
const base64 = /^[A-Za-z0-9+/_-]{22,}={0,2}$/;

const distinct = (text: string): number => new Set(text).size;

const kindOf = (char: string): string => {
  if (/[a-z]/.test(char)) return 'lower';
  if (/[A-Z]/.test(char)) return 'upper';
  return /\d/.test(char) ? 'digit' : 'other';
};

/**
 * How often neighbours are of different kinds: about 0.65 in random base64, 0.47 in random hex, and far less in
 * words and dates. One of a million random keys in hex has fewer than two changes in 32 digits.
 */
const changes = (text: string): number => {
  const kinds = [...text].map(kindOf);
  const differing = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]);
  return differing.length / (kinds.length - 1);
};

/** Whether a key looks like 122 random bits or more: a UUID of version 4, 32 hex digits, 22 of base64. */
export const isUnguessable = (key: string): boolean => {
  if (uuidV4.test(key)) return distinct(key.toLowerCase()) >= 9;
  if (hex.test(key)) return distinct(key.toLowerCase()) >= 9 && changes(key) >= 0.06;
  return base64.test(key) && distinct(key) >= 12 && changes(key) >= 0.4;
};

type Repeated = {
  /** When the answer was given first. */
  answeredAt: string;
  nowMs: number;
  anonymous: boolean;
  idempotencyKey: string;
  /** Advice for callers without the secret, by operation. */
  instead: string | undefined;
};

/**
 * Refuses to repeat an answer with a secret after it can no longer have been lost in transit, and refuses
 * callers without a credential whose key could be guessed.
 * @throws AppError secret_not_repeated
 */
export const assertRepeatable = (repeated: Repeated): void => {
  const { answeredAt, nowMs, anonymous, idempotencyKey, instead } = repeated;
  if (nowMs - Date.parse(answeredAt) > repeatedForMs) {
    throw secretNotRepeated(answeredAt, { instead });
  }
  if (anonymous && !isUnguessable(idempotencyKey)) {
    const why =
      'it is repeated only if its Idempotency-Key cannot be guessed, such as a random UUID';
    throw secretNotRepeated(answeredAt, { why, instead });
  }
};
