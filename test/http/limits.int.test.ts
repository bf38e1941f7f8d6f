import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { RateLimiter } from '../../infra/http/rate-limiter.ts';
import { control, type Example, request, startExample, until } from './example-app.ts';

describe('rate limits', () => {
  let nowMs = 0;
  let app: Example;
  beforeEach(async () => {
    nowMs = 1_000_000;
    app = await startExample({
      clock: () => nowMs,
      limits: { ratePerCredential: 5, ratePerAddress: 3, rateWindowSeconds: 5 },
    });
  });
  afterEach(() => app.stop());

  const statuses = async (count: number, path: string, key?: string): Promise<number[]> => {
    const found: number[] = [];
    for (let n = 0; n < count; n += 1) found.push((await request(app, path, { key })).status);
    return found;
  };

  it('count each credential by itself and say what is left', async () => {
    const { headers } = await request(app, '/who', { key: 'read' });
    expect(headers.get('ratelimit-policy')).to.equal('"credential";q=5;w=5');
    expect(headers.get('ratelimit')).to.equal('"credential";r=4;t=5');
    expect(await statuses(5, '/who', 'read')).to.deep.equal([200, 200, 200, 200, 429]);
    expect(await statuses(1, '/who', 'send')).to.deep.equal([200]);
  });

  it('answer 429 with Retry-After, and serve again after that time', async () => {
    await statuses(3, '/open');
    const { status, headers, body } = await request(app, '/open');
    expect([status, body.code]).to.deep.equal([429, 'rate_limited']);
    expect(headers.get('ratelimit')).to.equal('"address";r=0;t=7');
    expect(headers.get('retry-after')).to.equal('7');
    nowMs += 7_000;
    expect(await statuses(1, '/open')).to.deep.equal([200]);
  });

  it('charge a wrong key and an unknown path to the address', async () => {
    expect(await statuses(2, '/who', 'wrong')).to.deep.equal([401, 401]);
    expect(await statuses(2, '/nowhere')).to.deep.equal([404, 429]);
    expect(await statuses(1, '/who', 'wrong')).to.deep.equal([429]);
    expect(await statuses(1, '/who', 'read')).to.deep.equal([200]);
  });

  it('leave health checks and OPTIONS alone', async () => {
    expect(new Set(await statuses(6, '/health'))).to.deep.equal(new Set([200]));
    expect(new Set(await statuses(6, 'OPTIONS /open'))).to.deep.equal(new Set([204]));
  });

  it('trust X-Forwarded-For only when told so, and then its last entry', async () => {
    const from = (of: Example, address: string) =>
      request(of, '/open', { headers: { 'X-Forwarded-For': address } });
    for (const n of [1, 2, 3]) await from(app, `192.0.2.${n}`);
    expect((await from(app, '192.0.2.4')).status).to.equal(429);
    const behindProxy = await startExample({
      trustProxy: true,
      clock: () => nowMs,
      limits: { ratePerAddress: 1 },
    });
    try {
      expect((await from(behindProxy, '192.0.2.9, 192.0.2.1')).status).to.equal(200);
      expect((await from(behindProxy, '192.0.2.8, 192.0.2.1')).status).to.equal(429);
      expect((await from(behindProxy, '2001:db8:1:2::1')).status).to.equal(200);
      expect((await from(behindProxy, '2001:db8:1:2:3::7')).status).to.equal(429);
    } finally {
      await behindProxy.stop();
    }
  });
});

describe('RateLimiter', () => {
  it('never lets a key have more than its limit in any window, and only waits as long as it says', () => {
    let nowMs = 0;
    const limiter = new RateLimiter({ windowSeconds: 5, clock: () => nowMs });
    for (let n = 0; n < 10; n += 1) expect(limiter.take('a', 10).allowed).to.equal(true);
    for (let round = 0; round < 20; round += 1) {
      const refused = limiter.take('a', 10);
      expect(refused.allowed).to.equal(false);
      nowMs += refused.seconds * 1000;
      expect(limiter.take('a', 10).allowed).to.equal(true);
      while (limiter.take('a', 10).allowed);
    }
  });

  it('remembers a bounded number of keys', () => {
    const limiter = new RateLimiter({ windowSeconds: 5, clock: () => 0, maxKeys: 100 });
    for (let n = 0; n < 10_000; n += 1) limiter.take(`key ${n}`, 10);
    expect(limiter.size).to.be.at.most(200);
  });

  it('forgets a key that was away for two windows', () => {
    let nowMs = 0;
    const limiter = new RateLimiter({ windowSeconds: 5, clock: () => nowMs });
    while (limiter.take('a', 10).allowed);
    nowMs += 10_000;
    expect(limiter.take('a', 10)).to.deep.equal({ allowed: true, remaining: 9, seconds: 5 });
  });
});

describe('load limits', () => {
  it('answer 503 to more requests at once than allowed', async () => {
    const app = await startExample({ limits: { concurrentRequests: 2 } });
    try {
      const gate = Promise.withResolvers<void>();
      control.gate = gate.promise;
      const first = [request(app, '/open?a'), request(app, '/who', { key: 'read' })];
      let busy = await request(app, '/api/proof');
      const deadlineMs = performance.now() + 3_000;
      while (busy.status === 200 && performance.now() < deadlineMs)
        busy = await request(app, '/api/proof');
      expect([busy.status, busy.body.code]).to.deep.equal([503, 'overloaded']);
      expect(busy.headers.get('retry-after')).to.equal('1');
      gate.resolve();
      expect((await Promise.all(first)).map(({ status }) => status)).to.deep.equal([200, 200]);
      expect((await request(app, '/open')).status).to.equal(200);
    } finally {
      await app.stop();
    }
  });

  it('answer 503 for a handler that takes too long, and survive its late end', async () => {
    const app = await startExample({ limits: { requestTimeoutMs: 50 } });
    try {
      const gate = Promise.withResolvers<void>();
      control.gate = gate.promise;
      const { status, headers, body } = await request(app, '/open');
      expect([status, body.code]).to.deep.equal([503, 'overloaded']);
      expect(headers.get('x-request-id')).to.equal(body.request_id);
      expect(app.observed).to.deep.equal([]);
      gate.resolve();
      await until(() => app.observed.length === 1);
      expect(app.observed[0]?.status).to.equal(503);
      expect(app.logged).to.deep.equal([]);
    } finally {
      await app.stop();
    }
  });
});

describe('bodies in progress', () => {
  let app: Example;
  beforeEach(async () => {
    app = await startExample({ limits: { bodyBytesInProgress: 100_000, bodyBytes: 60_000 } });
  });
  afterEach(() => app.stop());

  /** A request whose body never ends. */
  const unfinished = async (bytes: number): Promise<Socket> => {
    const socket = connect(app.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /api/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer send\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(bytes)}`,
    );
    return socket;
  };

  it('hold so much memory together and no more; what they held is given back', async () => {
    const large = { json: { content: 'x'.repeat(30_000) }, key: 'send' };
    const isRefused = async () => {
      const { status, headers, body } = await request(app, 'POST /api/send', large);
      if (status !== 503) return false;
      expect(body.code).to.equal('overloaded');
      expect(headers.get('retry-after')).to.equal('1');
      return true;
    };
    expect(await isRefused()).to.equal(false);
    const held = [await unfinished(45_000), await unfinished(45_000)];
    await until(isRefused);
    for (const socket of held) socket.destroy();
    await until(async () => !(await isRefused()));
  });
});
