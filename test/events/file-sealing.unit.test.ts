import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { inlineSealBytes, openFile, sealFile } from '../../events/file-sealing.ts';
import { open, openBytes, seal, sealBytes } from '../../events/sealing.ts';

const raw = Buffer.alloc(32, 1);
const keys = { 'a key object': createSecretKey(raw), 'the bytes of a key': raw };
const sizes = [0, 1, inlineSealBytes, inlineSealBytes + 1, 3_000_000];

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a sealed file', () => {
  for (const [name, key] of Object.entries(keys)) {
    for (const size of sizes) {
      it(`of ${size} bytes has the format of what is sealed at once, with ${name}`, async () => {
        const plain = randomBytes(size);
        const sealed = await sealFile(plain, key, 'blob-1');
        expect(sealed.length).to.equal(size + 28);
        expect(openBytes(sealed, key, 'blob-1').equals(plain)).to.equal(true);
        expect(open(sealed.toString('base64url'), key, 'blob-1').equals(plain)).to.equal(true);
        const before = Buffer.from(seal(plain, key, 'blob-1'), 'base64url');
        expect((await openFile(before, key, 'blob-1')).equals(plain)).to.equal(true);
        const bytes = sealBytes(plain, key, 'blob-1');
        expect((await openFile(bytes, key, 'blob-1')).equals(plain)).to.equal(true);
      });
    }
  }

  it('is never sealed the same twice', async () => {
    for (const size of sizes) {
      const plain = Buffer.alloc(size);
      const [one, other] = [await sealFile(plain, raw, 'x'), await sealFile(plain, raw, 'x')];
      expect(one.equals(other), `${size} bytes`).to.equal(false);
    }
  });

  it('is not opened with another key or context, when a byte changed or when it was cut', async () => {
    for (const size of sizes) {
      const sealed = await sealFile(randomBytes(size), raw, 'blob-1');
      const changed = (at: number): Buffer => {
        const copy = Buffer.from(sealed);
        copy[at] = (copy[at] ?? 0) ^ 1;
        return copy;
      };
      const wrong = [
        openFile(sealed, Buffer.alloc(32, 2), 'blob-1'),
        openFile(sealed, raw, 'blob-2'),
        openFile(sealed, raw, ''),
        ...[0, 11, 12, sealed.length - 17, sealed.length - 16, sealed.length - 1].map((at) =>
          openFile(changed(at), raw, 'blob-1'),
        ),
        ...[0, 12, 27, sealed.length - 1].map((end) =>
          openFile(sealed.subarray(0, end), raw, 'blob-1'),
        ),
      ];
      for (const failure of await Promise.all(wrong.map(failureOf))) {
        expect(failure, `${size} bytes`).to.be.an.instanceOf(Error);
      }
    }
  });
});
