import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { digestBytes } from '../../ground/digest-bytes.ts';

describe('the digest of bytes', () => {
  for (const size of [0, 100, 256 * 1024, 256 * 1024 + 1, 3_000_000]) {
    it(`is SHA-256 of all parts in their order: ${size} bytes`, async () => {
      const bytes = randomBytes(size);
      const digest = (...parts: Buffer[]): Buffer => {
        const hash = createHash('sha256');
        for (const part of parts) hash.update(part);
        return hash.digest();
      };
      const salt = Buffer.from('salt');
      expect(await digestBytes(bytes)).to.deep.equal(digest(bytes));
      expect(await digestBytes(salt, bytes)).to.deep.equal(digest(salt, bytes));
      const part = bytes.subarray(0, size >> 1);
      expect(await digestBytes(part)).to.deep.equal(digest(part));
    });
  }
});
