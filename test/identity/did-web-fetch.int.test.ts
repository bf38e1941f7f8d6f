import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createResolver } from '../../identity/resolver.ts';
import { createDidWebFetch } from '../../infra/identity/did-web-fetch.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { testCa, testServerTls } from '../support/tls.ts';

/** Stands for the public internet here: whatever else is on the loopback counts as private. */
const publicLoopback = '127.0.0.1';
const privateLoopback = '127.0.0.2';

const cleanups: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that is reached as files.example.org:port. */
const serve = async (listener: RequestListener, host = publicLoopback, tls = true) => {
  const server = tls ? createServer(testServerTls, listener) : createPlainServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  return { port, did: `did:web:files.example.org%3A${port}`, connections: () => connections };
};

type Options = Parameters<typeof createDidWebFetch>[1];

const resolverOf = (options: Options = {}) => {
  const fetch = createDidWebFetch(async (by) => ({ standing: 'confirmed', ...by }), {
    ca: testCa,
    resolve: async () => [publicLoopback],
    isPublic: (address) => address === publicLoopback,
    ...options,
  });
  cleanups.push(() => fetch.close());
  return createResolver({ ...fetch, own: () => undefined, clock: Date.now });
};

const errorOf = async (did: string, options: Options = {}) => {
  const answer = await resolverOf(options).resolve(did);
  expect(answer.didDocument).to.equal(null);
  return answer.didResolutionMetadata.error;
};

const json = 'application/json';
const answering =
  (
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': json },
  ): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers).end(body);
  };

describe('did:web over the network', () => {
  it('fetches the document from where the method says', async () => {
    const seen: unknown[] = [];
    const { did, port } = await serve(({ url, headers, method }, response) => {
      const folder = url === '/.well-known/did.json' ? '' : ':user:alice';
      seen.push({ url, method, host: headers.host });
      response
        .writeHead(200, { 'content-type': 'application/did+json; charset=utf-8' })
        .end(JSON.stringify({ id: `${did}${folder}` }));
    });
    const { resolve } = resolverOf();
    expect((await resolve(did)).didDocument).to.deep.equal({ id: did });
    expect((await resolve(`${did}:user:alice`)).didDocument?.id).to.equal(`${did}:user:alice`);
    const host = `files.example.org:${port}`;
    expect(seen).to.deep.equal([
      { url: '/.well-known/did.json', method: 'GET', host },
      { url: '/user/alice/did.json', method: 'GET', host },
    ]);
  });

  it('takes JSON media types only', async () => {
    const types = ['application/did+ld+json', 'application/ld+json', 'application/did', json];
    for (const type of types) {
      const served = await serve((_, response) => {
        response.writeHead(200, { 'content-type': type }).end(JSON.stringify({ id: served.did }));
      });
      expect((await resolverOf().resolve(served.did)).didDocument?.id, type).to.equal(served.did);
    }
    for (const type of [
      'text/html',
      'text/plain',
      'application/jsonp',
      'application/octet-stream',
    ]) {
      const { did } = await serve(answering('{}', { 'content-type': type }));
      expect(await errorOf(did), type).to.equal('invalidDidDocument');
    }
    const { did } = await serve(answering('{}', {}));
    expect(await errorOf(did)).to.equal('invalidDidDocument');
  });

  it('tells what is not there from what is gone and what is wrong', async () => {
    const status = (code: number) => serve((_, response) => response.writeHead(code).end());
    expect(await errorOf((await status(404)).did)).to.equal('notFound');
    expect(await errorOf((await status(500)).did)).to.equal('notFound');
    expect(await errorOf((await status(410)).did)).to.equal('deactivated');
    expect(await errorOf((await serve(answering('not json'))).did)).to.equal('invalidDidDocument');
    const latin1 = Buffer.from('{"id":"\xe4"}', 'latin1');
    expect(await errorOf((await serve(answering(latin1))).did)).to.equal('invalidDidDocument');
    expect(await errorOf((await serve(answering('{"id":"did:web:a.b"}'))).did)).to.equal(
      'notFound',
    );
  });

  it('takes 64 KiB and no more, packed or endless', async () => {
    const sized = (bytes: number) => (id: string) => {
      const start = JSON.stringify({ id, x: '' }).slice(0, -2);
      return `${start}${'a'.repeat(bytes - start.length - 2)}"}`;
    };
    const fits = await serve((_, response) => {
      response.writeHead(200, { 'content-type': json }).end(sized(65_536)(fits.did));
    });
    expect((await resolverOf().resolve(fits.did)).didDocument?.id).to.equal(fits.did);
    const over = await serve(answering(sized(65_537)('did:web:a.b')));
    expect(await errorOf(over.did)).to.equal('invalidDidDocument');
    const packed = gzipSync(Buffer.alloc(10_000_000, ' '));
    const bomb = await serve(
      answering(packed, { 'content-type': json, 'content-encoding': 'gzip' }),
    );
    expect(await errorOf(bomb.did)).to.equal('invalidDidDocument');
    const endless = await serve((_, response) => {
      response.writeHead(200, { 'content-type': json });
      const pour = () => {
        while (response.write(' '.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    });
    expect(await errorOf(endless.did)).to.equal('invalidDidDocument');
  });

  it('follows no redirect, not even to itself', async () => {
    let requests = 0;
    const inside = await serve(answering('{}'), privateLoopback);
    for (const target of ['/did.json', `https://127.0.0.2:${inside.port}/`, 'http://127.0.0.2/']) {
      const { did } = await serve((_, response) => {
        requests += 1;
        response.writeHead(302, { location: target }).end();
      });
      expect(await errorOf(did), target).to.equal('notFound');
    }
    expect(requests).to.equal(3);
    expect(inside.connections()).to.equal(0);
  });

  it('opens no connection to a private address, in whatever notation or by whatever name', async () => {
    const { port, connections } = await serve(answering('{}'));
    const plain = await serve(answering('{}'), publicLoopback, false);
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.1',
      '127.1',
      'localhost',
      '%5B::1%5D',
    ];
    for (const host of hosts) {
      for (const target of [port, plain.port]) {
        const error = await errorOf(`did:web:${host}%3A${target}`, {
          isPublic: undefined,
          resolve: undefined,
        });
        expect(error, host).to.equal('invalidDid');
      }
    }
    const addresses = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '0.0.0.0',
    ];
    for (const address of addresses) {
      const error = await errorOf(`did:web:inside.example.org%3A${port}`, {
        isPublic: undefined,
        resolve: async () => [address],
      });
      expect(error, address).to.equal('notFound');
    }
    expect(connections()).to.equal(0);
    expect(plain.connections()).to.equal(0);
  });

  it('is not turned by a name that changes its address between two look-ups', async () => {
    const inside = await serve(answering('{}'), privateLoopback);
    let asked = 0;
    const rebinding = async () => {
      asked += 1;
      return [asked % 2 === 1 ? publicLoopback : privateLoopback];
    };
    const { resolve } = resolverOf({ resolve: rebinding });
    for (let n = 0; n < 6; n += 1) {
      const { didDocument } = await resolve(`did:web:files.example.org%3A${inside.port}:n${n}`);
      expect(didDocument).to.equal(null);
    }
    const both = { resolve: async () => [publicLoopback, privateLoopback] };
    expect(await errorOf(inside.did, both)).to.equal('notFound');
    expect(asked).to.be.at.least(2);
    expect(inside.connections()).to.equal(0);
  });

  it('gives up on a host that is silent', async () => {
    const { did } = await serve(() => {});
    const giveUp = async (): Promise<void> => {
      expect(await errorOf(did, { timeoutMs: 300 })).to.equal('notFound');
    };
    expect(await leastOf(3_000, () => tookMs(giveUp))).to.be.below(3_000);
  });

  it('gives up after 2 seconds on a host that does not finish to connect', async () => {
    const mute = createTcpServer(() => {});
    await new Promise<void>((done) => mute.listen(0, publicLoopback, done));
    const open = new Set<Socket>();
    mute.on('connection', (socket) => {
      open.add(socket);
      socket.on('error', () => {});
    });
    cleanups.push(() => {
      for (const socket of open) socket.destroy();
      return new Promise((done) => mute.close(done));
    });
    const { port } = mute.address() as AddressInfo;
    const took = await leastOf(4_500, (n) =>
      tookMs(async () => {
        const did = `did:web:files.example.org%3A${port}:n${n}`;
        expect(await errorOf(did)).to.equal('notFound');
      }),
    );
    expect(took).to.be.within(1_500, 4_500);
  });

  it('fetches 32 documents at a time, leaves room for the next caller, and tells the others to come back', async () => {
    const waiting: (() => void)[] = [];
    const { did, port } = await serve((_, response) => {
      waiting.push(() => response.writeHead(404).end());
      if (waiting.length === 32) for (const finish of waiting) finish();
    });
    const { resolve } = resolverOf();
    const callers = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const asked = callers.flatMap((account) =>
      Array.from({ length: 33 }, async (_, n) => {
        const answer = await resolve(`${did}:${account}${n}`, { by: { account } });
        return { account, error: answer.didResolutionMetadata.error };
      }),
    );
    const answers = await Promise.all(asked);
    const fetched = callers.map(
      (one) => answers.filter((a) => a.account === one && a.error === 'notFound').length,
    );
    expect(fetched).to.deep.equal([16, 8, 4, 2, 1, 1, 0]);
    const busy = answers.filter(({ error }) => error === 'internalError');
    expect(busy).to.have.lengthOf(answers.length - 32);
    expect(port).to.be.above(1_024);
  });
});
