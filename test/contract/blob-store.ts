import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { BlobStore } from '../../commands/preparation/blob-store.ts';
import { rejection } from './event-store.ts';

type OpenedBlobStore = { store: BlobStore; cleanup?: () => Promise<void> };

const allOf = async (store: BlobStore, prefix: string): Promise<string[]> =>
  (await Array.fromAsync(store.list(prefix))).sort();

/** The contract of every blob store. Each test has an empty store. */
export function blobStoreContract(name: string, open: () => Promise<OpenedBlobStore>): void {
  describe(`blob store contract: ${name}`, () => {
    let opened: OpenedBlobStore;
    const store = () => opened.store;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.cleanup?.());

    readingAndWriting(store);
    deleting(store);
    listing(store);
    keys(store);
  });
}

function readingAndWriting(store: () => BlobStore): void {
  it('gives back the very bytes', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 10, 13]), randomBytes(3_000_000)]) {
      await store().put('a', bytes);
      expect((await store().get('a'))?.equals(bytes)).to.equal(true);
    }
  });

  it('takes a view of a larger buffer for what it shows', async () => {
    const view = Buffer.from('-abc-').subarray(1, 4);
    await store().put('b', view);
    expect((await store().get('b'))?.toString()).to.equal('abc');
  });

  it('knows nothing of a key that was never put', async () => {
    expect(await store().get('absent')).to.equal(undefined);
  });

  it('takes the same put again, and replaces by another', async () => {
    await store().put('a', Buffer.from('one'));
    await store().put('a', Buffer.from('one'));
    expect((await store().get('a'))?.toString()).to.equal('one');
    await store().put('a', Buffer.from('two, longer'));
    expect((await store().get('a'))?.toString()).to.equal('two, longer');
    expect(await allOf(store(), '')).to.deep.equal(['a']);
  });

  it('shows one whole put of many at once on one key', async () => {
    const puts = Array.from({ length: 10 }, (_, n) => Buffer.alloc(50_000, n));
    await Promise.all(puts.map((bytes) => store().put('a', bytes)));
    const found = await store().get('a');
    expect(puts.some((bytes) => found?.equals(bytes))).to.equal(true);
  });

  it('keeps many keys apart', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `k${n}`);
    await Promise.all(names.map((key) => store().put(key, Buffer.from(key))));
    const found = await Promise.all(names.map((key) => store().get(key)));
    expect(found.map(String)).to.deep.equal(names);
  });
}

function deleting(store: () => BlobStore): void {
  it('deletes for good, and as often as it is told', async () => {
    await store().put('a', Buffer.from('one'));
    await store().delete('a');
    await store().delete('a');
    expect(await store().get('a')).to.equal(undefined);
    expect(await allOf(store(), '')).to.deep.equal([]);
  });

  it('takes a key again after its deletion', async () => {
    await store().put('a', Buffer.from('one'));
    await store().delete('a');
    await store().put('a', Buffer.from('two'));
    expect((await store().get('a'))?.toString()).to.equal('two');
  });
}

function listing(store: () => BlobStore): void {
  it('knows when a blob was put, and of none that is not there', async () => {
    const before = Date.now();
    await store().put('a', Buffer.from('one'));
    // To the second: S3 is not more exact.
    expect(await store().storedAt('a')).to.be.within(before - 1_000, Date.now() + 1_000);
    await store().delete('a');
    expect(await store().storedAt('a')).to.equal(undefined);
  });

  it('knows how large a blob is, and of none that is not there', async () => {
    await store().put('a', Buffer.alloc(12_345, 7));
    expect(await store().sizeOf('a')).to.equal(12_345);
    await store().delete('a');
    expect(await store().sizeOf('a')).to.equal(undefined);
  });

  it('lists the keys of a prefix', async () => {
    for (const key of ['letter-1', 'letter-2', 'letters', 'quote-1']) {
      await store().put(key, Buffer.from(key));
    }
    expect(await allOf(store(), 'letter-')).to.deep.equal(['letter-1', 'letter-2']);
    expect(await allOf(store(), '')).to.have.length(4);
    expect(await allOf(store(), 'none')).to.deep.equal([]);
  });
}

function keys(store: () => BlobStore): void {
  const wrong = [
    '',
    '.',
    '..',
    '../a',
    'a/b',
    'a\\b',
    '/etc/passwd',
    'A',
    'a.b',
    'a%2e',
    'a\0',
    'ä',
  ];
  for (const key of [...wrong, '-a', 'a b', 'a\n', 'a'.repeat(129)]) {
    it(`refuses ${JSON.stringify(key.slice(0, 20))} as a key`, async () => {
      const { put, get, delete: remove, storedAt, sizeOf } = store();
      const work = [put(key, Buffer.from('x')), get(key), remove(key), storedAt(key), sizeOf(key)];
      for (const error of await Promise.all(work.map(rejection))) {
        expect(error).to.be.instanceOf(RangeError);
      }
      expect(await allOf(store(), '')).to.deep.equal([]);
    });
  }

  it('takes the longest key', async () => {
    const key = `0-_${'z'.repeat(125)}`;
    await store().put(key, Buffer.from('x'));
    expect(await allOf(store(), '0-_')).to.deep.equal([key]);
  });
}
