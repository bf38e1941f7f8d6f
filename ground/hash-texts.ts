import { hash } from 'node:crypto';

/** The input of a hash: reused, so that hashing makes no copy of texts on the heap. */
const input = Buffer.allocUnsafeSlow(64 * 1024);
/** In UTF-8, of a UTF-16 unit, at most. */
const bytesPerUnit = 3;

/** SHA-256 over texts in UTF-8, one after the other, in base64url. */
export const hashTexts = (...texts: string[]): string => {
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  if (units * bytesPerUnit > input.length) return hash('sha256', texts.join(''), 'base64url');
  let end = 0;
  for (const text of texts) end += input.write(text, end);
  return hash('sha256', input.subarray(0, end), 'base64url');
};
