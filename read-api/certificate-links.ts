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
  // Who copies a line that ends in a hyphen out of a PDF copies it without.
  const printable = (path: string): string => (path.endsWith('-') ? `${path}&` : path);
  return {
    pathOf: (letterId) => printable(`/verify/${letterId}?token=${tokenOf(letterId)}`),
    opens,
  };
};
