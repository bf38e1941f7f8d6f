import type { KeyObject } from 'node:crypto';
import { createLinkTokens, type LinkTokens } from './link-tokens.ts';

/** What the code on a certificate leads to: a page that whoever holds the certificate may read. */
export type CertificateLinks = {
  /** The path of the page, with a token that nobody can guess. */
  pathOf(letterId: string): string;
  opens: LinkTokens['opens'];
};

/** @param key for this purpose only */
export const createCertificateLinks = (key: KeyObject): CertificateLinks => {
  const { tokenOf, opens } = createLinkTokens(key);
  return { pathOf: (letterId) => `/verify/${letterId}?token=${tokenOf(letterId)}`, opens };
};
