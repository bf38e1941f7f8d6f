/** How what is personal or secret is stored: readable with its data key, and at its place only. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { drawRandom } from '../contract/random.ts';
import type { DataKey } from './data-keys.ts';

const ivBytes = 12;

/** AES-256-GCM, base64url(iv ‖ ciphertext ‖ tag). `context` is authenticated, not stored. */
export const seal = (plain: string | Buffer, key: DataKey, context: string): string => {
  const iv = drawRandom(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  const last = cipher.final();
  return Buffer.concat([iv, body, last, cipher.getAuthTag()]).toString('base64url');
};

/** Undoes `seal`. @throws when the key, the context or a byte is wrong */
export const open = (sealed: string, key: DataKey, context: string): Buffer => {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < 28) throw new Error('what was sealed is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
    authTagLength: 16,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(bytes.length - 16));
  const plain = decipher.update(bytes.subarray(12, bytes.length - 16));
  // In this mode nothing is left to give: it only throws.
  decipher.final();
  return plain;
};
