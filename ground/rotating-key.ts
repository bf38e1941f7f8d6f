import { type KeyObject, timingSafeEqual } from 'node:crypto';

/** A key of 32 bytes that is replaced after a leak: the present one, then those whose work still counts. */
export type RotatingKey = () => readonly [KeyObject | Buffer, ...(KeyObject | Buffer)[]];

const isSame = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Whether a text is what `make` makes of the present key, or of one whose work still counts. */
export const isMadeWith = (
  key: RotatingKey,
  given: string,
  make: (key: KeyObject | Buffer) => string,
): boolean => key().some((one) => isSame(given, make(one)));
