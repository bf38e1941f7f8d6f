import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Opens a page for everyone who has a link to it. */
export type LinkTokens = {
  /** 132 bits, the same for the same id. */
  tokenOf(id: string): string;
  opens(token: string, id: string): boolean;
};

/** @param key for this purpose only */
export const createLinkTokens = (key: KeyObject): LinkTokens => {
  const tokenOf = (id: string): string =>
    createHmac('sha256', key).update(id).digest('base64url').slice(0, 22);
  return {
    tokenOf,
    opens(token, id) {
      const expected = Buffer.from(tokenOf(id));
      const given = Buffer.from(token);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
};
