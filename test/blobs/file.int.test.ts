import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openFileBlobStore } from '../../infra/blobs/file.ts';
import { blobStoreContract } from '../contract/blob-store.ts';
import { rejection } from '../contract/event-store.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'letters-test-blobs-'));

blobStoreContract('file', async () => {
  const folder = await newFolder();
  return {
    store: await openFileBlobStore(join(folder, 'a', 'blobs')),
    cleanup: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('file blob store', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const files = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it('keeps blobs in shards that nobody else may read', async () => {
    const store = await openFileBlobStore(join(folder, 'blobs'));
    await store.put('a', Buffer.from('one'));
    const [path = ''] = await files();
    expect(path).to.match(/\/blobs\/[0-9a-f]{2}\/a$/);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).to.equal(0o700);
    expect((await stat(join(folder, 'blobs'))).mode & 0o777).to.equal(0o700);
  });

  it('leaves nothing of a deleted blob', async () => {
    const store = await openFileBlobStore(folder);
    await store.put('a', Buffer.from('one'));
    await store.delete('a');
    expect(await files()).to.deep.equal([]);
  });

  it('keeps its blobs when it is opened again', async () => {
    await (await openFileBlobStore(folder)).put('a', Buffer.from('one'));
    expect(String(await (await openFileBlobStore(folder)).get('a'))).to.equal('one');
  });

  it('clears the drafts of dead processes, and leaves those being written', async () => {
    await openFileBlobStore(folder);
    const old = join(folder, 'drafts', 'old');
    const fresh = join(folder, 'drafts', 'fresh');
    await writeFile(old, 'half');
    await utimes(old, 1, 1);
    await writeFile(fresh, 'half');
    const store = await openFileBlobStore(folder);
    expect(await files()).to.deep.equal([fresh]);
    expect(await Array.fromAsync(store.list(''))).to.deep.equal([]);
  });

  it('keeps the blob that was there when a put fails, and no draft', async () => {
    const store = await openFileBlobStore(folder);
    await store.put('a', Buffer.from('one'));
    const [path = ''] = await files();
    const notBytes = { length: 1 } as unknown as Uint8Array;
    expect(await rejection(store.put('a', notBytes))).to.be.instanceOf(TypeError);
    expect(await readFile(path, 'utf8')).to.equal('one');
    expect(await files()).to.deep.equal([path]);
  });
});
