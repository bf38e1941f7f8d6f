/** Files are sealed as `sealing.ts` seals: the same bytes, and off the event loop where they are many. */
import { createSecretKey, type webcrypto } from 'node:crypto';
import { drawRandom } from '../ground/random.ts';
import type { DataKey } from './data-keys.ts';
import { ivBytes, openBytes, sealBytes, tagBytes } from './sealing.ts';

/** CHOICE: fewer bytes take less than a millisecond. */
export const inlineSealBytes = 256 * 1024;

const cryptoKeyOf = (key: DataKey, usage: 'encrypt' | 'decrypt'): webcrypto.CryptoKey =>
  (Buffer.isBuffer(key) ? createSecretKey(key) : key).toCryptoKey('AES-GCM', false, [usage]);

const algorithmOf = (iv: Uint8Array, context: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: Buffer.from(context),
  tagLength: tagBytes * 8,
});

/** iv ‖ ciphertext ‖ tag, like `sealBytes`. */
export const sealFile = async (plain: Buffer, key: DataKey, context: string): Promise<Buffer> => {
  if (plain.length <= inlineSealBytes) return sealBytes(plain, key, context);
  const iv = drawRandom(ivBytes);
  const algorithm = algorithmOf(iv, context);
  const body = await crypto.subtle.encrypt(algorithm, cryptoKeyOf(key, 'encrypt'), plain);
  return Buffer.concat([iv, Buffer.from(body)]);
};

/** Undoes `sealFile`. @throws when the key, the context or a byte is wrong */
export const openFile = async (sealed: Buffer, key: DataKey, context: string): Promise<Buffer> => {
  if (sealed.length <= inlineSealBytes) return openBytes(sealed, key, context);
  const algorithm = algorithmOf(sealed.subarray(0, ivBytes), context);
  const body = sealed.subarray(ivBytes);
  return Buffer.from(await crypto.subtle.decrypt(algorithm, cryptoKeyOf(key, 'decrypt'), body));
};
