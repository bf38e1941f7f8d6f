import { createHash } from 'node:crypto';

/** CHOICE: fewer bytes take less than a millisecond. */
const inlineBytes = 256 * 1024;

/** SHA-256; of many bytes it is made off the event loop. */
export const digestBytes = async (bytes: Uint8Array): Promise<Buffer> => {
  if (bytes.length <= inlineBytes) return createHash('sha256').update(bytes).digest();
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
};
