import { createHash } from 'node:crypto';

/** CHOICE: fewer bytes take less than a millisecond. */
const inlineBytes = 256 * 1024;

/** SHA-256 of the parts one after the other; of many bytes it is made off the event loop. */
export const digestBytes = async (...parts: Uint8Array[]): Promise<Buffer> => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length <= inlineBytes) {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest();
  }
  const [first] = parts;
  const whole = parts.length === 1 && first ? first : Buffer.concat(parts);
  return Buffer.from(await crypto.subtle.digest('SHA-256', whole as Uint8Array<ArrayBuffer>));
};
