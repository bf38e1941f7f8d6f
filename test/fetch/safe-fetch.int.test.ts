import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { OutboundError } from '../../infra/fetch/outbound-error.ts';
import {
  createSafeFetch,
  type SafeFetch,
  type SafeFetchOptions,
} from '../../infra/fetch/safe-fetch.ts';
import { until } from '../support/client.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { testCa, testServerTls } from '../support/tls.ts';

/** Stands for the public internet here: whatever else is on the loopback counts as private. */
const publicLoopback = '127.0.0.1';
const privateLoopback = '127.0.0.2';

const cleanups: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const listen = async (server: Server | ReturnType<typeof createTcpServer>, host: string) => {
  await new Promise<void>((done) => server.listen(0, host, done));
  cleanups.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return (server.address() as AddressInfo).port;
};

/** A server that is reached as https://files.example.org:port when it is on the public loopback. */
const serve = async (listener: RequestListener, host = publicLoopback) => {
  const server = createServer(testServerTls, listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(server, host);
  return { port, url: `https://files.example.org:${port}`, connections: () => connections };
};

const guarded = (options: SafeFetchOptions = {}): SafeFetch => {
  const fetch = createSafeFetch({
    ca: testCa,
    resolve: async () => [publicLoopback],
    isPublic: (address) => address === publicLoopback,
    timeoutMs: 5_000,
    ...options,
  });
  cleanups.push(() => fetch.close());
  return fetch;
};

const failure = async (call: Promise<unknown>): Promise<OutboundError> => {
  const error = await call.then(
    () => expect.fail('the call was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof OutboundError)) throw error;
  return error;
};

const failureCode = async (call: Promise<unknown>) => (await failure(call)).code;

describe('safe fetch', () => {
  it('gets a document over TLS', async () => {
    let seen: unknown;
    const { url } = await serve(({ method, headers }, response) => {
      seen = { method, host: headers.host, accept: headers.accept };
      response.setHeader('content-type', 'application/pdf').end('%PDF-');
    });
    const answer = await guarded().get(`${url}/a.pdf`, { accept: 'application/pdf' });
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.equal('application/pdf');
    expect(answer.body.toString()).to.equal('%PDF-');
    const host = url.slice('https://'.length);
    expect(seen).to.deep.equal({ method: 'GET', host, accept: 'application/pdf' });
  });

  it('posts a body and tells what came back, whatever the status', async () => {
    let received = '';
    const { url } = await serve((request, response) => {
      request.on('data', (chunk) => {
        received += chunk;
      });
      request.on('end', () => response.writeHead(500).end(`x${'y'.repeat(5_000)}`));
    });
    const answer = await guarded().post(url, { headers: { 'webhook-id': 'a' }, body: '{"a":"ä"}' });
    expect(received).to.equal('{"a":"ä"}');
    expect(answer.status).to.equal(500);
    expect(answer.body).to.equal(`x${'y'.repeat(4_095)}`);
    expect(answer.durationMs).to.be.within(0, 5_000);
  });

  it('uses connections again', async () => {
    const { url, connections } = await serve((_, response) => response.end('ok'));
    const fetch = guarded();
    for (let n = 0; n < 20; n += 1) await fetch.post(url, { headers: {}, body: 'a' });
    expect(connections()).to.be.below(4);
  });

  it('says which status stood in the way of a document', async () => {
    const { url } = await serve((_, response) => response.writeHead(404).end());
    const error = await failure(guarded().get(url));
    expect(error).to.include({ code: 'http_status', status: 404 });
  });

  it('passes proxies of the environment by', async () => {
    const proxy = createPlainServer();
    let proxied = 0;
    proxy.on('connect', (_, socket) => {
      proxied += 1;
      socket.destroy();
    });
    const before = process.env.HTTPS_PROXY;
    process.env.HTTPS_PROXY = `http://127.0.0.1:${await listen(proxy, publicLoopback)}`;
    cleanups.push(() => {
      if (before === undefined) delete process.env.HTTPS_PROXY;
      else process.env.HTTPS_PROXY = before;
    });
    const { url } = await serve((_, response) => response.end('direct'));
    expect((await guarded().get(url)).body.toString()).to.equal('direct');
    expect(proxied).to.equal(0);
  });
});

describe('safe fetch and addresses', () => {
  const strict = () => guarded({ isPublic: undefined, resolve: undefined });

  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.1', '[::1]', '[::ffff:7f00:1]']) {
    it(`does not connect to ${host}, whose address is private`, async () => {
      const { port, connections } = await serve((_, response) => response.end());
      const url = `https://${host}:${port}/`;
      expect(await failureCode(strict().get(url))).to.equal('address_not_public');
      expect(await failureCode(strict().post(url, { headers: {}, body: '' }))).to.equal(
        'address_not_public',
      );
      expect(() => strict().assertPublicUrl(url)).to.throw(OutboundError);
      expect(connections()).to.equal(0);
    });
  }

  const answers = [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fd00::1'],
    ['8.8.8.8', '127.0.0.1'],
    ['2606:4700::1111', '::1'],
    ['not an address'],
  ];
  for (const addresses of answers) {
    it(`does not connect to a name that leads to ${addresses.join(' and ')}`, async () => {
      const { port, connections } = await serve((_, response) => response.end());
      const fetch = guarded({ isPublic: undefined, resolve: async () => addresses });
      const error = await failure(fetch.get(`https://files.example.org:${port}/`));
      expect(error).to.include({ code: 'address_not_public', requestSent: false });
      for (const address of addresses) expect(error.message).not.to.include(address);
      expect(connections()).to.equal(0);
    });
  }

  it('judges at set-up where a name leads to, and lets pass one that does not resolve', async () => {
    const url = 'https://files.example.org/hook';
    const inside = guarded({ isPublic: undefined, resolve: async () => ['8.8.8.8', '10.0.0.1'] });
    const refused = await inside.assertPublicHost(url).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'address_not_public' });
    await guarded({ isPublic: undefined, resolve: async () => ['8.8.8.8'] }).assertPublicHost(url);
    const unknown = () => Promise.reject(new Error('ENOTFOUND'));
    await guarded({ isPublic: undefined, resolve: unknown }).assertPublicHost(url);
  });

  it('refuses a name that was public when it was set up and is private now', async () => {
    const inside = await serve((_, response) => response.end('secret'), privateLoopback);
    const resolved = [[publicLoopback], [privateLoopback]];
    const { url } = await serve((_, response) =>
      response.setHeader('connection', 'close').end('a'),
    );
    const fetch = guarded({ resolve: async () => resolved.shift() ?? [] });
    fetch.assertPublicUrl(url);
    expect((await fetch.get(url)).body.toString()).to.equal('a');
    const again = fetch.get(`https://files.example.org:${inside.port}/`);
    expect(await failureCode(again)).to.equal('address_not_public');
    expect(inside.connections()).to.equal(0);
  });

  it('connects to the very answer it judged, and asks once for a connection', async () => {
    const { url } = await serve(({ socket }, response) => response.end(socket.localAddress));
    let asked = 0;
    const fetch = guarded({
      resolve: async () => {
        asked += 1;
        return [asked === 1 ? publicLoopback : privateLoopback];
      },
    });
    expect((await fetch.get(url)).body.toString()).to.equal(publicLoopback);
    expect(asked).to.equal(1);
  });

  it('judges a literal address at connect too', async () => {
    const { port, connections } = await serve((_, response) => response.end());
    let judged = 0;
    const fetch = guarded({
      isPublic: () => {
        judged += 1;
        return judged === 1;
      },
    });
    const call = fetch.get(`https://127.0.0.1:${port}/`);
    expect(await failureCode(call)).to.equal('address_not_public');
    expect(connections()).to.equal(0);
  });

  it('tells a name that does not resolve', async () => {
    const unknown = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const url = 'https://files.example.org/';
    expect(await failureCode(guarded({ resolve: unknown }).get(url))).to.equal('dns_failed');
    expect(await failureCode(guarded({ resolve: async () => [] }).get(url))).to.equal('dns_failed');
  });

  it('reaches plain private servers in development', async () => {
    const server = createPlainServer((_, response) => response.end('here'));
    const port = await listen(server, publicLoopback);
    const fetch = guarded({ allowPrivate: true, resolve: undefined, isPublic: undefined });
    for (const host of ['localhost', '127.0.0.1']) {
      expect((await fetch.get(`http://${host}:${port}/`)).body.toString()).to.equal('here');
    }
  });
});

describe('safe fetch and redirects', () => {
  const redirecting = (to: (port: number) => string) =>
    serve((request, response) => {
      if (request.url === '/end') response.end('there');
      else {
        const { port } = request.socket.address() as AddressInfo;
        response.writeHead(302, { location: to(port) }).end();
      }
    });

  it('follows one within the origin', async () => {
    for (const to of [() => '/end', (port: number) => `https://files.example.org:${port}/end`]) {
      const { url } = await redirecting(to);
      expect((await guarded().get(`${url}/start`)).body.toString()).to.equal('there');
    }
  });

  const elsewhere: ((port: number) => string)[] = [
    () => 'https://169.254.169.254/latest/meta-data/',
    () => 'http://169.254.169.254/latest/meta-data/',
    (port) => `http://files.example.org:${port}/end`,
    (port) => `https://hooks.example.org:${port}/end`,
    () => 'https://files.example.org:1/end',
    (port) => `https://a:b@files.example.org:${port}/end`,
    () => '//hooks.example.org/end',
    () => 'file:///etc/passwd',
    () => 'https://',
  ];
  for (const to of elsewhere) {
    it(`does not follow one to ${to(443)}`, async () => {
      const { url, connections } = await redirecting(to);
      const error = await failure(guarded().get(url));
      expect(error).to.include({ code: 'redirect_refused', status: 302 });
      expect(connections()).to.equal(1);
    });
  }

  it('gives up on an endless chain', async () => {
    let requests = 0;
    const { url } = await serve((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/again' }).end();
    });
    expect(await failureCode(guarded({ maxRedirects: 2 }).get(url))).to.equal('redirect_refused');
    expect(requests).to.equal(3);
  });

  it('does not follow one of a post', async () => {
    const { url } = await redirecting(() => '/end');
    expect((await guarded().post(url, { headers: {}, body: 'a' })).status).to.equal(302);
  });
});

describe('safe fetch and time', () => {
  const impatient = () => guarded({ timeoutMs: 300 });
  const within = async (call: () => Promise<unknown>, limitMs: number) => {
    let error: Awaited<ReturnType<typeof failure>> | undefined;
    const fail = async (): Promise<void> => {
      error = await failure(call());
    };
    expect(await leastOf(limitMs, () => tookMs(fail))).to.be.below(limitMs);
    return error;
  };

  it('ends a body that drips', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200);
      const dripping = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(dripping));
    });
    expect(await within(() => impatient().get(url), 2_000)).to.include({ code: 'timed_out' });
    const posted = () => impatient().post(url, { headers: {}, body: 'a' });
    expect(await within(posted, 2_000)).to.include({ code: 'timed_out', requestSent: true });
    const call = { headers: {}, body: 'a', statusOnly: true };
    expect(await impatient().post(url, call)).to.include({ status: 200, body: '' });
  });

  it('ends headers that drip', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const dripping = setInterval(() => socket.write('a: b\r\n'), 20);
        socket.on('close', () => clearInterval(dripping)).on('error', () => {});
      }),
      publicLoopback,
    );
    const fetch = guarded({ allowPrivate: true, timeoutMs: 300 });
    const error = await within(() => fetch.get(`http://127.0.0.1:${port}/`), 2_000);
    expect(error).to.include({ code: 'timed_out' });
  });

  it('ends a TLS handshake, a name server and a chain of slow redirects', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => {}).resume());
    const port = await listen(silent, publicLoopback);
    const url = `https://files.example.org:${port}/`;
    const handshake = await within(() => impatient().get(url), 2_000);
    expect(handshake).to.include({ code: 'timed_out', requestSent: false });

    const deaf = guarded({ timeoutMs: 300, resolve: () => new Promise(() => {}) });
    expect(await within(() => deaf.get(url), 2_000)).to.include({ code: 'timed_out' });

    const slow = await serve((_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 120);
    });
    const chain = () => guarded({ timeoutMs: 300, maxRedirects: 100 }).get(slow.url);
    expect(await within(chain, 2_000)).to.include({ code: 'timed_out' });
  });

  it('sends a post at once, however many others the host has not answered yet', async () => {
    let held = 0;
    const { url } = await serve((request, response) => {
      if (request.url === '/slow') held += 1;
      else response.end('at once');
    });
    const fetch = guarded({ timeoutMs: 10_000 });
    const slow = Array.from({ length: 150 }, () =>
      failure(fetch.post(`${url}/slow`, { headers: {}, body: 'a' })),
    );
    await until(async () => held === slow.length, 5_000);
    const answer = await fetch.post(`${url}/fast`, { headers: {}, body: 'a', timeoutMs: 5_000 });
    expect(answer.body).to.equal('at once');
  });

  it('ends a post that waits for a free connection to its host, and never sends it', async () => {
    const held: (() => void)[] = [];
    const { url } = await serve((_, response) => void held.push(() => response.end()));
    const fetch = guarded({ timeoutMs: 10_000, maxConnections: 2 });
    const answered = [1, 2].map(() => fetch.post(url, { headers: {}, body: 'a' }));
    await until(async () => held.length === 2, 5_000);
    const late = await failure(fetch.post(url, { headers: {}, body: 'a', timeoutMs: 200 }));
    expect(late).to.include({ code: 'timed_out', requestSent: false });
    for (const finish of held) finish();
    expect((await Promise.all(answered)).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(held).to.have.length(2);
  });

  it('lets a post have a shorter time of its own', async () => {
    const { url } = await serve(() => {});
    const call = () =>
      guarded({ timeoutMs: 60_000 }).post(url, { headers: {}, body: 'a', timeoutMs: 200 });
    expect(await within(call, 2_000)).to.include({ code: 'timed_out', requestSent: true });
  });
});

describe('safe fetch and size', () => {
  it('takes a document of exactly the limit, and none of a byte more', async () => {
    const { url } = await serve((request, response) => {
      const chunked = request.url === '/chunked';
      const body = Buffer.alloc(1_001, 'a');
      response.writeHead(200, chunked ? {} : { 'content-length': body.length }).end(body);
    });
    const fetch = guarded();
    for (const path of ['/', '/chunked']) {
      const taken = await fetch.get(`${url}${path}`, { maxBytes: 1_001 });
      expect(taken.body.length).to.equal(1_001);
      const refused = fetch.get(`${url}${path}`, { maxBytes: 1_000 });
      expect(await failureCode(refused)).to.equal('too_large');
    }
  });

  it('stops an endless body early', async () => {
    let sent = 0;
    const { url } = await serve((_, response) => {
      const chunk = Buffer.alloc(65_536);
      const pour = () => {
        while (response.write(chunk)) sent += chunk.length;
        sent += chunk.length;
      };
      response.on('drain', pour);
      pour();
    });
    expect(await failureCode(guarded().get(url, { maxBytes: 100_000 }))).to.equal('too_large');
    expect(sent).to.be.below(20_000_000);
    const posted = await guarded().post(url, { headers: {}, body: 'a' });
    expect(posted.body.length).to.equal(4_096);
  });

  const packers = { gzip: gzipSync, deflate: deflateSync };
  for (const [encoding, pack] of Object.entries(packers)) {
    it(`counts what ${encoding} unpacks to`, async () => {
      const { url } = await serve((_, response) => {
        response.setHeader('content-encoding', encoding).end(pack(Buffer.alloc(1_000, 'a')));
      });
      expect((await guarded().get(url)).body.toString()).to.equal('a'.repeat(1_000));
      expect(await failureCode(guarded().get(url, { maxBytes: 999 }))).to.equal('too_large');
    });
  }

  it('does not unpack brotli', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-encoding', 'br').end(brotliCompressSync('a letter'));
    });
    const error = await failure(guarded().get(url));
    expect(error).to.include({ code: 'bad_response' });
    expect(error.message).to.include('content-encoding br');
  });

  it('stops a decompression bomb of a gigabyte', async () => {
    const { url } = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      const packing = createGzip();
      packing.pipe(response);
      const zeros = Buffer.alloc(1_048_576);
      let left = 1_024;
      const pour = () => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!packing.write(zeros)) return packing.once('drain', pour);
        }
        return packing.end();
      };
      pour();
    });
    const rssBefore = process.memoryUsage().rss;
    expect(await failureCode(guarded().get(url, { maxBytes: 1_000_000 }))).to.equal('too_large');
    expect(process.memoryUsage().rss - rssBefore).to.be.below(200_000_000);
  });

  it('refuses headers without end', async () => {
    const { url } = await serve((_, response) => {
      for (let n = 0; n < 40; n += 1) response.setHeader(`a-${n}`, 'b'.repeat(1_000));
      response.end();
    });
    expect(await failureCode(guarded().get(url))).to.equal('too_large');
  });

  it('takes some interim answers, and stops interim answers without end', async () => {
    const few = await serve((_, response) => {
      for (let n = 0; n < 10; n += 1) response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('%PDF-');
    });
    expect((await guarded().get(few.url)).body.toString()).to.equal('%PDF-');
    let sent = 0;
    const { url } = await serve((_, response) => {
      const { socket } = response;
      const answers = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000));
      const pour = () => {
        do sent += answers.length;
        while (socket?.writable && socket.write(answers));
      };
      socket?.on('drain', pour).on('error', () => {});
      pour();
    });
    const error = await failure(guarded().get(url));
    expect(error).to.include({ code: 'bad_response', requestSent: true });
    expect(error.message).to.include('interim answers');
    expect(await failureCode(guarded().post(url, { headers: {}, body: 'a' }))).to.equal(
      'bad_response',
    );
    expect(sent).to.be.below(20_000_000);
  });
});

describe('safe fetch and broken servers', () => {
  it('refuses a certificate of an unknown authority, or for another name', async () => {
    const { port, url } = await serve((_, response) => response.end());
    const untrusting = guarded({ ca: undefined });
    expect(await failureCode(untrusting.get(url))).to.equal('tls_failed');
    const misnamed = guarded().post(`https://other.example.org:${port}/`, {
      headers: {},
      body: '',
    });
    expect(await failure(misnamed)).to.include({ code: 'tls_failed', requestSent: false });
  });

  it('tells a port where nobody listens, and that nothing was sent', async () => {
    const server = createTcpServer();
    const port = await listen(server, publicLoopback);
    await new Promise((done) => server.close(done));
    const call = guarded().post(`https://files.example.org:${port}/`, { headers: {}, body: 'a' });
    expect(await failure(call)).to.include({ code: 'connect_failed', requestSent: false });
  });

  it('tells a connection that broke after the request, and that it was sent', async () => {
    const { url } = await serve((request) => request.socket.destroy());
    const call = guarded().post(url, { headers: {}, body: 'a' });
    expect(await failure(call)).to.include({ code: 'connect_failed', requestSent: true });
  });

  it('refuses a packing that is unknown or corrupt, and an answer that is not HTTP', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/raw') request.socket.end('SSH-2.0-OpenSSH\r\n\r\n');
      else response.setHeader('content-encoding', request.url?.slice(1) ?? '').end('not packed');
    });
    for (const path of ['/zstd', '/gzip,gzip', '/gzip', '/br', '/raw']) {
      expect(await failureCode(guarded().get(`${url}${path}`)), path).to.equal('bad_response');
    }
  });

  it('refuses a status below 200 that nobody asked for', async () => {
    const { url } = await serve((request) =>
      request.socket.end(
        `HTTP/1.1 ${request.url?.slice(1)} No\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n`,
      ),
    );
    for (const status of ['100', '101']) {
      const call = guarded().post(`${url}/${status}`, { headers: {}, body: 'a' });
      expect(await failure(call), status).to.include({ code: 'bad_response', requestSent: true });
    }
  });

  it('refuses a body that ends before its length', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('a');
      response.socket?.end();
    });
    expect(['connect_failed', 'bad_response']).to.include(await failureCode(guarded().get(url)));
  });
});
