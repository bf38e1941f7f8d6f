import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Links to the audit page of a letter. They carry their own authentication: nothing is stored. */
export type AuditLinks = {
  /** Short text for the address of the page. */
  issue(letterId: string, expiresAtSeconds: number): string;
  /** Whether the text opens the page of this letter now. */
  opens(token: string, letterId: string, nowSeconds: number): boolean;
};

/** @param key for this purpose only */
export const createAuditLinks = (key: KeyObject): AuditLinks => {
  /** 132 bits. */
  const tokenOf = (letterId: string, expiry: string): string => {
    const code = createHmac('sha256', key).update(`${letterId}\n${expiry}`).digest('base64url');
    return `${expiry}.${code.slice(0, 22)}`;
  };
  return {
    issue: (letterId, expiresAtSeconds) => tokenOf(letterId, expiresAtSeconds.toString(36)),
    opens(token, letterId, nowSeconds) {
      const [expiry = ''] = token.split('.', 1);
      const expected = Buffer.from(tokenOf(letterId, expiry));
      const given = Buffer.from(token);
      return (
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        Number.parseInt(expiry, 36) > nowSeconds
      );
    },
  };
};
