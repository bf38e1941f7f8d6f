import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { runCheck } from '../../ground/check.ts';
import { checkBlobs } from '../../infra/blobs/check-blobs.ts';
import { bucketUrl, createS3BlobStore, S3Error } from '../../infra/blobs/s3.ts';
import { blobStoreContract } from '../contract/blob-store.ts';
import { rejection } from '../contract/event-store.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { skip } from '../support/skip.ts';

const region = 'us-east-1';

describe('S3 blob store on a real server', () => {
  let server: S3Server | undefined;
  let bucket = '';

  before(async function () {
    this.timeout(300_000);
    server = await startS3Server().catch((error: Error) =>
      skip(this, `there is no S3 server: ${error.message.split('\n')[0]}`),
    );
  });
  after(() => server?.stop());

  const options = (more: Partial<Parameters<typeof createS3BlobStore>[0]> = {}) => ({
    endpoint: server?.endpoint ?? '',
    accessKeyId: server?.accessKeyId ?? '',
    secretAccessKey: server?.secretAccessKey ?? '',
    region,
    bucket,
    forcePathStyle: true,
    ...more,
  });

  const newBucket = async (): Promise<void> => {
    bucket = `letters-${randomBytes(6).toString('hex')}`;
    await server?.createBucket(bucket);
  };

  blobStoreContract('S3, path style', async () => {
    await newBucket();
    return { store: createS3BlobStore(options()) };
  });

  describe('beyond the contract', () => {
    beforeEach(newBucket);

    const codeOf = async (work: Promise<unknown>): Promise<string> => {
      const error = await rejection(work);
      if (!(error instanceof S3Error)) throw error;
      return error.code;
    };

    it('is tried out by doctor, which leaves nothing behind', async () => {
      const store = createS3BlobStore(options());
      const open = async () => store;
      expect(await runCheck(checkBlobs(bucket, open))).to.include({ state: 'ok' });
      expect(await Array.fromAsync(store.list(''))).to.deep.equal([]);
      const missing = createS3BlobStore(options({ bucket: 'missing' }));
      const found = await runCheck(checkBlobs('missing', async () => missing));
      expect(found.state).to.equal('fail');
      expect(found.found).to.contain('NoSuchBucket');
    });

    it('is refused with a wrong secret', async () => {
      const store = createS3BlobStore(options({ secretAccessKey: 'wrong' }));
      expect(await codeOf(store.put('a', Buffer.from('one')))).to.equal('SignatureDoesNotMatch');
      expect(await codeOf(Array.fromAsync(store.list('')))).to.equal('SignatureDoesNotMatch');
    });

    it('does not take a missing bucket for a missing blob', async () => {
      const store = createS3BlobStore(options({ bucket: 'letters-nowhere' }));
      expect(await codeOf(store.get('a'))).to.equal('NoSuchBucket');
      expect(await codeOf(store.put('a', Buffer.from('one')))).to.equal('NoSuchBucket');
      expect(await codeOf(store.delete('a'))).to.equal('NoSuchBucket');
    });

    it('lists past the thousand keys of one answer', async function () {
      this.timeout(180_000);
      const store = createS3BlobStore(options());
      const keys = Array.from({ length: 1_050 }, (_, n) => `k${String(n).padStart(4, '0')}`);
      for (let n = 0; n < keys.length; n += 50) {
        await Promise.all(keys.slice(n, n + 50).map((key) => store.put(key, Buffer.from('x'))));
      }
      expect(await Array.fromAsync(store.list('k'))).to.have.members(keys);
    });
  });
});

describe('the address of a bucket', () => {
  const url = (endpoint: string | undefined, forcePathStyle: boolean) =>
    bucketUrl({ endpoint, region: 'eu-central-1', bucket: 'letters', forcePathStyle }).href;

  it("is a host of Amazon's region, unless there is an endpoint", () => {
    expect(url(undefined, false)).to.equal('https://letters.s3.eu-central-1.amazonaws.com/');
    expect(url(undefined, true)).to.equal('https://s3.eu-central-1.amazonaws.com/letters/');
    expect(url('https://s3.example.org:9000', false)).to.equal(
      'https://letters.s3.example.org:9000/',
    );
    expect(url('https://s3.example.org/base/', true)).to.equal(
      'https://s3.example.org/base/letters/',
    );
  });
});

describe('S3 blob store and faults', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  const storeOn = async (listener: RequestListener, timeoutMs = 30_000) => {
    const server = createServer(listener);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanups.push(() => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    });
    return createS3BlobStore({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region,
      bucket: 'letters',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      forcePathStyle: true,
      timeoutMs,
    });
  };

  it('repeats what failed for a moment', async () => {
    let requests = 0;
    const store = await storeOn((request, response) => {
      requests += 1;
      if (requests === 1) request.socket.destroy();
      else response.writeHead(requests === 2 ? 503 : 200).end();
    });
    await store.put('a', Buffer.from('one'));
    expect(requests).to.equal(3);
  });

  it('gives up after four attempts, and says why', async () => {
    let requests = 0;
    const store = await storeOn((_, response) => {
      requests += 1;
      response.writeHead(500).end('<Error><Code>InternalError</Code></Error>');
    });
    const error = await rejection(store.get('a'));
    expect(error).to.be.instanceOf(S3Error).and.include({ status: 500, code: 'InternalError' });
    expect(requests).to.equal(4);
  });

  it('does not repeat what is refused', async () => {
    let requests = 0;
    const store = await storeOn((_, response) => {
      requests += 1;
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    });
    expect(await rejection(store.get('a'))).to.include({ status: 403, code: 'AccessDenied' });
    expect(requests).to.equal(1);
  });

  it('knows when an object was put, and tells one that is not there from one that is refused', async () => {
    const asked: string[] = [];
    const store = await storeOn(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      const status = { '/letters/a': 200, '/letters/b': 404 }[url ?? ''] ?? 403;
      response.writeHead(status, { 'Last-Modified': 'Fri, 20 Nov 2026 10:00:00 GMT' }).end();
    });
    expect(await store.storedAt('a')).to.equal(Date.UTC(2026, 10, 20, 10));
    expect(await store.storedAt('b')).to.equal(undefined);
    expect(await rejection(store.storedAt('c')))
      .to.be.instanceOf(S3Error)
      .and.include({ status: 403 });
    expect(asked).to.deep.equal(['HEAD /letters/a', 'HEAD /letters/b', 'HEAD /letters/c']);
  });

  it('does not wait for ever', async () => {
    const store = await storeOn(() => {}, 300);
    expect(await rejection(store.get('a'))).to.include({ code: 'TimeoutError' });
  });
});
