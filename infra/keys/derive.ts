import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** A key for one purpose, derived from a root (HKDF-SHA-256, RFC 5869). 32 bytes. */
export const deriveKey = (root: Buffer, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', root, '', `letters/${purpose}`, 32)));

/** A keyed digest under which a personal value can be found again. base64url, 43 characters. */
export const createIndexer =
  (key: KeyObject) =>
  (kind: string, value: string): string =>
    createHmac('sha256', key).update(`${kind}\n${value}`).digest('base64url');
