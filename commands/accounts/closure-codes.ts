/** Codes that confirm a closure. Nothing is stored: a code is a keyed digest of the account, its address and the time. */
import { createHmac, type KeyObject } from 'node:crypto';
import { isMadeWith, type RotatingKey } from '../../ground/rotating-key.ts';

/** A code counts until the end of the period after the one in which it was sent. */
export const closureCodeEveryMs = 15 * 60_000;

export const closureCodePeriod = (nowMs: number): number => Math.floor(nowMs / closureCodeEveryMs);

/** No letter looks like a digit or like another letter. */
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const codeLength = 10;

export type ClosureCodes = ReturnType<typeof createClosureCodes>;

/** @param key 32 bytes, for this purpose only */
export const createClosureCodes = (key: RotatingKey) => {
  const codeWith = (
    one: KeyObject | Buffer,
    accountId: string,
    email: string,
    period: number,
  ): string => {
    const digest = createHmac('sha256', one)
      .update(`closure\n${accountId}\n${email.toLowerCase()}\n${period}`)
      .digest();
    const chosen = [...digest.subarray(0, codeLength)].map(
      (byte) => letters[byte % letters.length],
    );
    return `${chosen.slice(0, 5).join('')}-${chosen.slice(5).join('')}`;
  };
  return {
    codeOf: (accountId: string, email: string, period: number): string =>
      codeWith(key()[0], accountId, email, period),
    /** Spaces, hyphens and case do not matter. */
    isValid(code: string, of: { accountId: string; email: string }, nowMs: number): boolean {
      const plain = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, '');
      const given = plain(code);
      const period = closureCodePeriod(nowMs);
      return [period, period - 1].some((sentIn) =>
        isMadeWith(key, given, (one) => plain(codeWith(one, of.accountId, of.email, sentIn))),
      );
    },
  };
};
