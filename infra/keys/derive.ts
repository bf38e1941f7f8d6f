import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** A key for one purpose, derived from the master key (HKDF-SHA-256, RFC 5869). 32 bytes. */
export const deriveKey = (masterKey: Buffer, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', `letters/${purpose}`, 32)));

/** A keyed digest under which a personal value can be found again. base64url, 43 characters. */
export const createIndexer = (masterKey: Buffer) => {
  const key = deriveKey(masterKey, 'index');
  return (kind: string, value: string): string =>
    createHmac('sha256', key).update(`${kind}\n${value}`).digest('base64url');
};
