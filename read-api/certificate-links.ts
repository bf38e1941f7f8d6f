import type { RotatingKey } from '../ground/rotating-key.ts';
import { createLinkTokens, type LinkTokens } from './link-tokens.ts';

/** The target of the code on a certificate: a page that every holder of the certificate may read. */
export type CertificateLinks = {
  /** The path of the page, with a token that nobody can guess. */
  pathOf(letterId: string): string;
  opens: LinkTokens['opens'];
};

/** @param key for this purpose only */
export const createCertificateLinks = (key: RotatingKey): CertificateLinks => {
  const { tokenOf, opens } = createLinkTokens(key);
  // Copying a line that ends in a hyphen out of a PDF drops the hyphen.
  const printable = (path: string): string => (path.endsWith('-') ? `${path}&` : path);
  return {
    pathOf: (letterId) => printable(`/verify/${letterId}?token=${tokenOf(letterId)}`),
    opens,
  };
};
