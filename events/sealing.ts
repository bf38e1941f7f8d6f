/** How personal and secret data is stored: readable with its data key, and at its place only. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { drawRandom } from '../ground/random.ts';
import type { RotatingKey } from '../ground/rotating-key.ts';
import type { DataKey } from './data-keys.ts';

const ivBytes = 12;

const tagBytes = 16;

const assertLongEnough = ({ length }: Uint8Array): void => {
  if (length < ivBytes + tagBytes) throw new Error('what was sealed is too short');
};

/**
 * AES-256-GCM: iv ‖ ciphertext ‖ tag. `context` is authenticated, not stored.
 * @param plain also in parts, which are sealed one after the other
 */
export const sealBytes = (
  plain: string | Uint8Array | readonly Uint8Array[],
  key: DataKey,
  context: string,
): Buffer => {
  const iv = drawRandom(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context));
  const body =
    typeof plain === 'string'
      ? [cipher.update(plain, 'utf8')]
      : (plain instanceof Uint8Array ? [plain] : plain).map((part) => cipher.update(part));
  const last = cipher.final();
  return Buffer.concat([iv, ...body, last, cipher.getAuthTag()]);
};

/** Undoes `sealBytes`. @throws when the key, the context or a byte is wrong */
export const openBytes = (bytes: Uint8Array, key: DataKey, context: string): Buffer => {
  assertLongEnough(bytes);
  const end = bytes.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(end));
  const plain = decipher.update(bytes.subarray(ivBytes, end));
  // In this mode nothing is left to give: it only throws.
  decipher.final();
  return plain;
};

/** `sealBytes` in base64url. */
export const seal = (plain: string | Buffer, key: DataKey, context: string): string =>
  sealBytes(plain, key, context).toString('base64url');

/** Undoes `seal`. @throws when the key, the context or a byte is wrong */
export const open = (sealed: string, key: DataKey, context: string): Buffer =>
  openBytes(Buffer.from(sealed, 'base64url'), key, context);

/** Undoes `seal` by the present key or an earlier one. Undefined where none of them opens it. */
export const openWithAny = (
  sealed: string,
  key: RotatingKey,
  context: string,
): Buffer | undefined => {
  for (const one of key()) {
    try {
      return open(sealed, one, context);
    } catch {
      // Sealed with another one, or changed.
    }
  }
  return undefined;
};
