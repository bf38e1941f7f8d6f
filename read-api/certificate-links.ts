import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What the code on a certificate leads to: a page that whoever holds the certificate may read. */
export type CertificateLinks = {
  /** The path of the page, with a token that nobody can guess. */
  pathOf(letterId: string): string;
  opens(token: string, letterId: string): boolean;
};

/** @param key for this purpose only */
export const createCertificateLinks = (key: KeyObject): CertificateLinks => {
  /** 132 bits. */
  const tokenOf = (letterId: string): string =>
    createHmac('sha256', key).update(letterId).digest('base64url').slice(0, 22);
  return {
    pathOf: (letterId) => `/verify/${letterId}?token=${tokenOf(letterId)}`,
    opens(token, letterId) {
      const expected = Buffer.from(tokenOf(letterId));
      const given = Buffer.from(token);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
};
