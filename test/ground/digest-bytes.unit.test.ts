import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { digestBytes } from '../../ground/digest-bytes.ts';

describe('the digest of bytes', () => {
  for (const size of [0, 100, 256 * 1024, 256 * 1024 + 1, 3_000_000]) {
    it(`is SHA-256: ${size} bytes`, async () => {
      const bytes = randomBytes(size);
      for (const part of [bytes, bytes.subarray(0, size >> 1)]) {
        const expected = createHash('sha256').update(part).digest();
        expect(await digestBytes(part)).to.deep.equal(expected);
      }
    });
  }
});
