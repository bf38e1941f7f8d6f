import { request } from 'node:http';
import { expect } from 'chai';
import { useService } from '../support/client.ts';

/** As it comes: the runtime's client would decompress it. */
const raw = (address: string, headers: Record<string, string> = {}) =>
  new Promise<{
    status: number | undefined;
    headers: Record<string, unknown>;
    bytes: Buffer;
  }>((resolve, reject) => {
    request(address, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          bytes: Buffer.concat(chunks),
        }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('documents that everybody reads', () => {
  const api = useService({ LIMIT_RATE_PER_ADDRESS: '1000' });
  const at = (path: string) => api.service().url + path;

  for (const path of ['/openapi.json', '/errors', '/errors/not_found', '/llms-full.txt']) {
    it(`are compressed once, and kept by their ETag: ${path}`, async () => {
      const plain = await raw(at(path));
      const { etag } = plain.headers;
      expect(plain.status).to.equal(200);
      expect(plain.headers['cache-control']).to.equal('public, max-age=300');
      expect(plain.headers.vary).to.contain('Accept-Encoding');
      for (const encoding of ['br', 'gzip']) {
        const packed = await raw(at(path), { 'Accept-Encoding': encoding });
        expect(packed.headers).to.include({ 'content-encoding': encoding, etag });
        expect(packed.bytes.length).to.be.below(plain.bytes.length);
        const unpacked = await fetch(at(path), { headers: { 'Accept-Encoding': encoding } });
        expect(Buffer.from(await unpacked.arrayBuffer()).equals(plain.bytes)).to.equal(true);
      }
      const again = await raw(at(path), { 'If-None-Match': String(etag) });
      expect([again.status, again.bytes.length]).to.deep.equal([304, 0]);
    });
  }

  it('say by OPTIONS how pages are read', async () => {
    for (const path of ['/docs', '/api-docs', '/openapi.json']) {
      const { status, headers } = await api.call('OPTIONS', path);
      expect([status, headers.get('allow')], path).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    }
  });

  it('count in the rate of the address, but for the assets of pages', async () => {
    for (const path of ['/openapi.json', '/errors', '/']) {
      expect((await raw(at(path))).headers['ratelimit-policy'], path).to.contain('"address"');
    }
  });
});
