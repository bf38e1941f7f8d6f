import { createHmac, hash, type KeyObject } from 'node:crypto';
import { toBase62 } from '../../ground/base62.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { uuidv5 } from '../../ground/uuid.ts';

const checksumLength = 6;
const secretLength = 43;

const checksum = (body: string): string =>
  toBase62(hash('sha256', body, 'buffer').subarray(0, 8), checksumLength);

const keyPattern = /^svc_(?:live|test)_[0-9A-Za-z]{49}$/;

/** Whether a text has the form and the checksum of a key. Other texts are refused without a lookup. */
export const isWellFormedKey = (secret: string): boolean =>
  keyPattern.test(secret) &&
  checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength);

export const hashOfKey = (secret: string): string => hash('sha256', secret, 'base64url');

/** The key that was made for a request, known by how it begins. */
export const secretOfPrefix = (secrets: readonly string[], prefix: string): string | undefined =>
  secrets.find((secret) => secret.startsWith(prefix));

export type KeyMaker = (
  commandId: string,
  test: boolean,
) => {
  keyId: string;
  /** The key; then what the same request made before the derivation key was replaced. */
  secrets: readonly [string, ...string[]];
  secretHash: string;
  prefix: string;
};

/** The id of the key that a command makes. */
export const keyIdOf = (commandId: string): string =>
  `key_${uuidv5(commandId, 'key').replaceAll('-', '')}`;

/**
 * Makes API keys: `svc_live_` or `svc_test_`, 32 bytes in base62, 6 characters of checksum. The bytes
 * are a keyed digest of the command's id, so that a repeated request is answered with the same key
 * although only its hash is stored.
 */
export const createKeyMaker = (derivationKey: RotatingKey): KeyMaker => {
  return (commandId, test) => {
    const secretWith = (key: KeyObject | Buffer): string => {
      const bytes = createHmac('sha256', key).update(commandId).digest();
      const body = `svc_${test ? 'test' : 'live'}_${toBase62(bytes, secretLength)}`;
      return `${body}${checksum(body)}`;
    };
    const [present, ...earlier] = derivationKey();
    const secret = secretWith(present);
    return {
      keyId: keyIdOf(commandId),
      secrets: [secret, ...earlier.map(secretWith)],
      secretHash: hashOfKey(secret),
      prefix: secret.slice(0, 13),
    };
  };
};
