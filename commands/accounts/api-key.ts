import { createHmac, hash } from 'node:crypto';
import type { DataKey } from '../../events/data-keys.ts';
import { toBase62 } from '../../ground/base62.ts';
import { uuidv5 } from '../../ground/uuid.ts';

const checksumLength = 6;
const secretLength = 43;

const checksum = (body: string): string =>
  toBase62(hash('sha256', body, 'buffer').subarray(0, 8), checksumLength);

const keyPattern = /^svc_(?:live|test)_[0-9A-Za-z]{49}$/;

/** Whether a text has the form and the checksum of a key: what does not is refused without a lookup. */
export const isWellFormedKey = (secret: string): boolean =>
  keyPattern.test(secret) &&
  checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength);

export const hashOfKey = (secret: string): string => hash('sha256', secret, 'base64url');

export type KeyMaker = (
  commandId: string,
  test: boolean,
) => { keyId: string; secret: string; secretHash: string; prefix: string };

/**
 * Makes API keys: `svc_live_` or `svc_test_`, 32 bytes in base62, 6 characters of checksum. The bytes
 * are a keyed digest of the command's id, so that a repeated request is answered with the same key
 * although only its hash is stored.
 */
export const createKeyMaker = (derivationKey: DataKey): KeyMaker => {
  return (commandId, test) => {
    const bytes = createHmac('sha256', derivationKey).update(commandId).digest();
    const body = `svc_${test ? 'test' : 'live'}_${toBase62(bytes, secretLength)}`;
    const secret = `${body}${checksum(body)}`;
    const keyId = `key_${uuidv5(commandId, 'key').replaceAll('-', '')}`;
    return { keyId, secret, secretHash: hashOfKey(secret), prefix: secret.slice(0, 13) };
  };
};
