import { createHmac, type KeyObject } from 'node:crypto';
import { isMadeWith, type RotatingKey } from '../ground/rotating-key.ts';

/** Opens a page for everyone who has a link to it. */
export type LinkTokens = {
  /** 132 bits, the same for the same id. */
  tokenOf(id: string): string;
  opens(token: string, id: string): boolean;
};

/** @param key for this purpose only */
export const createLinkTokens = (key: RotatingKey): LinkTokens => {
  const tokenWith = (one: KeyObject | Buffer, id: string): string =>
    createHmac('sha256', one).update(id).digest('base64url').slice(0, 22);
  return {
    tokenOf: (id) => tokenWith(key()[0], id),
    opens: (token, id) => isMadeWith(key, token, (one) => tokenWith(one, id)),
  };
};
