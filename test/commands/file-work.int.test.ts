import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createFileWork, inlineFileBytes } from '../../commands/preparation/file-work.ts';
import { open, openBytes, seal, sealBytes } from '../../events/sealing.ts';
import { joinShared } from '../../ground/shared-bytes.ts';
import { createWorkerPool, type WorkerPool } from '../../limits/worker-pool.ts';

const raw = Buffer.alloc(32, 1);
const keys = { 'a key object': createSecretKey(raw), 'the bytes of a key': raw };
const sizes = [0, 1, inlineFileBytes, inlineFileBytes + 1, 3_000_000];

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a whole document', () => {
  let pool: WorkerPool;
  before(() => {
    pool = createWorkerPool({ threads: 1 });
  });
  after(() => pool.close());
  const work = () => createFileWork(pool);

  for (const [name, key] of Object.entries(keys)) {
    for (const size of sizes) {
      it(`of ${size} bytes has the format of anything that is sealed, with ${name}`, async () => {
        const plain = randomBytes(size);
        const sealed = await work().seal([plain], key, 'blob-1');
        expect(sealed.length).to.equal(size + 28);
        expect(openBytes(sealed, key, 'blob-1').equals(plain)).to.equal(true);
        expect(open(sealed.toString('base64url'), key, 'blob-1').equals(plain)).to.equal(true);
        const before = Buffer.from(seal(plain, key, 'blob-1'), 'base64url');
        expect((await work().open(before, key, 'blob-1')).equals(plain)).to.equal(true);
        const bytes = sealBytes(plain, key, 'blob-1');
        expect((await createFileWork().open(bytes, key, 'blob-1')).equals(plain)).to.equal(true);
      });
    }
  }

  it('is sealed and hashed in its parts, whether their memory is shared or not', async () => {
    const parts = [Buffer.from('{}\n'), randomBytes(1_000_000), joinShared(randomBytes(700_000))];
    const whole = Buffer.concat(parts);
    const sealed = await work().seal(parts, raw, 'blob-1');
    expect((await work().open(sealed, raw, 'blob-1')).equals(whole)).to.equal(true);
    const digest = createHash('sha256').update(whole).digest();
    expect((await work().digest(parts)).equals(digest)).to.equal(true);
    expect((await createFileWork().digest(parts)).equals(digest)).to.equal(true);
    expect(parts.map(({ length }) => length)).to.deep.equal([3, 1_000_000, 700_000]);
  });

  it('is never sealed the same twice', async () => {
    for (const size of sizes) {
      const plain = Buffer.alloc(size);
      const [one, other] = [
        await work().seal([plain], raw, 'x'),
        await work().seal([plain], raw, 'x'),
      ];
      expect(one.equals(other), `${size} bytes`).to.equal(false);
    }
  });

  it('is not opened with another key or context, when a byte changed or when it was cut', async () => {
    for (const size of [0, inlineFileBytes, 300_000]) {
      const sealed = await work().seal([randomBytes(size)], raw, 'blob-1');
      const copy = (): Buffer => Buffer.from(sealed);
      const changed = (at: number): Buffer => {
        const bytes = copy();
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes;
      };
      const { open: opened } = work();
      const wrong = [
        opened(copy(), Buffer.alloc(32, 2), 'blob-1'),
        opened(copy(), raw, 'blob-2'),
        opened(copy(), raw, ''),
        ...[0, 11, 12, sealed.length - 17, sealed.length - 16, sealed.length - 1].map((at) =>
          opened(changed(at), raw, 'blob-1'),
        ),
        ...[0, 12, 27, sealed.length - 1].map((end) =>
          opened(copy().subarray(0, end), raw, 'blob-1'),
        ),
      ];
      for (const failure of await Promise.all(wrong.map(failureOf))) {
        expect(failure, `${size} bytes`).to.be.an.instanceOf(Error);
      }
    }
  });
});
