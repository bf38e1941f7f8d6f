import { hash } from 'node:crypto';

/** The input of a hash. The buffer is reused, so that hashing copies no texts to the heap. */
const input = Buffer.allocUnsafeSlow(64 * 1024);
/** The most bytes of UTF-8 for one UTF-16 code unit. */
const bytesPerUnit = 3;

/** SHA-256 over the joined texts in UTF-8, as base64url. */
export const hashTexts = (...texts: string[]): string => {
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  if (units * bytesPerUnit > input.length) return hash('sha256', texts.join(''), 'base64url');
  let end = 0;
  for (const text of texts) end += input.write(text, end);
  return hash('sha256', input.subarray(0, end), 'base64url');
};
