import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Network, parseNetwork } from '../../http/client-address.ts';
import { RateLimiter } from '../../http/rate-limiter.ts';
import {
  control,
  type Example,
  paymentsOnce,
  request,
  startExample,
  until,
  validLetter,
} from './example-app.ts';

const networks = (...texts: string[]) => texts.map((text) => parseNetwork(text) as Network);

describe('rate limits', () => {
  let nowMs = 0;
  let app: Example;
  beforeEach(async () => {
    nowMs = 1_000_000;
    app = await startExample({
      clock: () => nowMs,
      limits: { ratePerCredential: 5, ratePerAddress: 3, ratePerLink: 4, rateWindowSeconds: 5 },
    });
  });
  afterEach(() => app.stop());

  const statuses = async (count: number, path: string, key?: string): Promise<number[]> => {
    const found: number[] = [];
    for (let n = 0; n < count; n += 1) found.push((await request(app, path, { key })).status);
    return found;
  };

  it('count each account, whichever of its keys is used, and say what is left', async () => {
    const { headers } = await request(app, '/who', { key: 'read' });
    expect(headers.get('ratelimit-policy')).to.equal('"account";q=5;w=5');
    expect(headers.get('ratelimit')).to.equal('"account";r=4;t=5');
    expect(await statuses(5, '/who', 'read')).to.deep.equal([200, 200, 200, 200, 429]);
    expect(await statuses(1, '/who', 'send')).to.deep.equal([429]);
    expect(await statuses(1, '/who', 'other')).to.deep.equal([200]);
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

  it('count what a link opens for the link, and without a valid token or key for the address', async () => {
    expect(await statuses(5, '/linked/a?token=right')).to.deep.equal([200, 200, 200, 200, 429]);
    const { headers } = await request(app, '/linked/b?token=right');
    expect(headers.get('ratelimit-policy')).to.equal('"link";q=4;w=5');
    expect(await statuses(2, '/linked/b?token=wrong')).to.deep.equal([200, 200]);
    expect(await statuses(2, '/linked/b?token=right', 'wrong')).to.deep.equal([401, 429]);
    expect(await statuses(1, '/linked/a?token=right', 'read')).to.deep.equal([200]);
  });

  it('leave health checks and OPTIONS alone', async () => {
    expect(new Set(await statuses(6, '/health'))).to.deep.equal(new Set([200]));
    expect(new Set(await statuses(6, 'OPTIONS /open'))).to.deep.equal(new Set([204]));
  });

  it('trust X-Forwarded-For only when told so, and then from its end', async () => {
    const from = (of: Example, address: string) =>
      request(of, '/open', { headers: { 'X-Forwarded-For': address } });
    for (const n of [1, 2, 3]) await from(app, `192.0.2.${n}`);
    expect((await from(app, '192.0.2.4')).status).to.equal(429);
    const behindProxy = await startExample({
      trustedProxies: networks('127.0.0.0/8', '192.0.2.0/24'),
      clock: () => nowMs,
      limits: { ratePerAddress: 1 },
    });
    try {
      expect((await from(behindProxy, '198.51.100.1, 203.0.113.1, 192.0.2.1')).status).to.equal(
        200,
      );
      expect((await from(behindProxy, '198.51.100.2, 203.0.113.1')).status).to.equal(429);
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
    const app = await startExample({
      limits: { concurrentRequests: 3, concurrentPublicRequests: 2 },
    });
    try {
      const gate = Promise.withResolvers<void>();
      control.gate = gate.promise;
      let under = 0;
      const start = (path: string, key?: string) => {
        under += 1;
        return request(app, path, { key });
      };
      const first = [start('/open'), start('/who', 'read'), start('/who', 'send')];
      await until(() => control.calls === under);
      for (const [path, key] of [['/open'], ['/api/proof'], ['/who', 'read']] as const) {
        const busy = await request(app, path, { key });
        expect([busy.status, busy.body.code], path).to.deep.equal([503, 'overloaded']);
        expect(busy.headers.get('retry-after')).to.equal('1');
      }
      first.push(start('/who', 'other'));
      await until(() => control.calls === under);
      gate.resolve();
      const answers = await Promise.all(first);
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
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

  it('carry out a request whose payment settles after the 503', async () => {
    const settling = Promise.withResolvers<void>();
    const app = await startExample({
      limits: { requestTimeoutMs: 50 },
      payments: paymentsOnce(settling.promise),
    });
    try {
      const headers = { 'X-Payment': 'a' };
      const answer = await request(app, 'POST /api/send', { json: validLetter, headers });
      expect(answer.status).to.equal(503);
      settling.resolve();
      await until(() => app.observed.length === 1);
      expect(app.logged).to.deep.equal([]);
      expect(control.calls).to.equal(1);
    } finally {
      await app.stop();
    }
  });
});

/** A request whose body never ends. `sent` is called with each piece of an answer. */
const unfinished = async (
  app: Example,
  options: {
    path?: string;
    key?: string;
    bytes?: number;
    /** As a proxy says it. */
    from?: string;
    answered?: (text: string) => void;
  } = {},
): Promise<Socket> => {
  const { path = '/api/send', key, bytes = 1, from, answered } = options;
  const socket = connect(app.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => answered?.(text));
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  const forwarded = from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}${forwarded}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(bytes)}`,
  );
  return socket;
};

describe('bodies in progress', () => {
  const large = { content: 'x'.repeat(30_000) };
  let app: Example;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    app = await startExample({
      limits: {
        bodyBytesInProgress: 150_000,
        publicBodyBytesInProgress: 150_000,
        bodyBytes: 60_000,
        bodyPaceMs: 60_000,
        concurrentRequests: 100,
        concurrentPublicRequests: 20,
      },
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await app.stop();
  });
  const isRefused = async (path: string, key?: string) => {
    const { status, headers, body } = await request(app, `POST ${path}`, { json: large, key });
    if (status !== 503) return false;
    expect(body.code).to.equal('overloaded');
    expect(headers.get('retry-after')).to.equal('1');
    return true;
  };

  it('hold so much memory of an account and no more; what they held is given back', async () => {
    expect(await isRefused('/api/send', 'send')).to.equal(false);
    const held = { key: 'send', bytes: 45_000 };
    sockets.push(await unfinished(app, held), await unfinished(app, held));
    await until(() => isRefused('/api/send', 'full'));
    expect(await isRefused('/api/send', 'other')).to.equal(false);
    expect(await isRefused('/public')).to.equal(false);
    for (const socket of sockets) socket.destroy();
    await until(async () => !(await isRefused('/api/send', 'send')));
  });

  it('of who shows no valid key never take the place of who does', async () => {
    for (let n = 0; n < 40; n += 1) {
      sockets.push(await unfinished(app, { path: '/public', bytes: 45_000 }));
      sockets.push(await unfinished(app, { key: 'wrong', bytes: 45_000 }));
    }
    await until(() => isRefused('/public'));
    expect(await isRefused('/api/send', 'send')).to.equal(false);
    expect((await request(app, '/health')).status).to.equal(200);
    expect((await request(app, '/who', { key: 'read' })).status).to.equal(200);
  });
});

describe('bodies of many addresses that hardly arrive', () => {
  for (const [what, limits, bytes] of [
    ['memory', { publicBodyBytesInProgress: 150_000, concurrentPublicRequests: 1_000 }, 45_000],
    ['places', { publicBodyBytesInProgress: 9_000_000, concurrentPublicRequests: 20 }, 1],
  ] as const) {
    it(`make room for one that does, in ${what}, long before they are too slow`, async () => {
      const app = await startExample({
        trustedProxies: networks('127.0.0.0/8'),
        limits: { ...limits, bodyBytes: 60_000, bodyPaceMs: 60_000, ratePerAddress: 0 },
      });
      const sockets: Socket[] = [];
      try {
        let ended = 0;
        const answered = (text: string): void => {
          if (text.includes('arrives too slowly')) ended += 1;
        };
        for (let n = 1; n <= 60; n += 1) {
          sockets.push(
            await unfinished(app, { path: '/public', from: `192.0.2.${n}`, bytes, answered }),
          );
        }
        const ask = (from: string) =>
          request(app, 'POST /public', {
            json: { content: 'x'.repeat(30_000) },
            headers: { 'X-Forwarded-For': from },
          });
        await until(async () => (await ask('198.51.100.1')).status !== 503);
        for (let n = 2; n < 12; n += 1) {
          expect((await ask(`198.51.100.${n}`)).status).not.to.equal(503);
        }
        expect(ended).to.be.within(1, 40);
      } finally {
        for (const socket of sockets) socket.destroy();
        await app.stop();
      }
    });
  }
});

describe('a client that leaves while its body comes', () => {
  const isObserved = (app: Example) => until(() => app.observed.length > 0);

  it('is neither logged nor counted as an error of the service', async () => {
    const app = await startExample();
    try {
      const socket = await unfinished(app, { path: '/public' });
      await request(app, '/open');
      app.observed.length = 0;
      socket.destroy();
      await isObserved(app);
      expect(app.observed).to.deep.equal([{ operation: 'verify', status: 499 }]);
      expect(app.logged).to.deep.equal([]);
    } finally {
      await app.stop();
    }
  });

  it('is not either when it has left before the body is read', async () => {
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<void>();
    const app = await startExample({
      authenticate: async () => {
        asked.resolve();
        await known.promise;
        return { accountId: 'acc_1', keyId: 'key_1', scope: 'full', test: false };
      },
    });
    try {
      const socket = await unfinished(app, { key: 'full' });
      await asked.promise;
      socket.destroy();
      await once(socket, 'close');
      for (let n = 0; n < 3; n += 1) await request(app, '/open');
      app.observed.length = 0;
      known.resolve();
      await isObserved(app);
      expect(app.observed).to.deep.equal([{ operation: 'send_letter', status: 499 }]);
      expect(app.logged).to.deep.equal([]);
    } finally {
      await app.stop();
    }
  });
});

describe('a body that arrives too slowly', () => {
  const slow = { bodyPaceMs: 200, bodyBytesPerSecond: 10_000 };

  it('is answered 408 and its connection closed, with a key or without', async () => {
    const app = await startExample({ limits: slow });
    try {
      for (const key of [undefined, 'send']) {
        let received = '';
        const path = key === undefined ? '/public' : '/api/send';
        const socket = await unfinished(app, { path, key, answered: (text) => (received += text) });
        await once(socket, 'close');
        expect(received).to.match(/^HTTP\/1\.1 408 /);
        expect(received).to.include('"code":"request_timeout"');
        expect(received.toLowerCase()).to.include('connection: close');
      }
      expect(control.calls).to.equal(0);
      expect(app.logged).to.deep.equal([]);
    } finally {
      await app.stop();
    }
  });

  it('is told from one that takes its time and comes fast enough', async () => {
    const app = await startExample({ limits: slow });
    try {
      const piece = Buffer.from(JSON.stringify({ content: 'x' }).padEnd(4_000, ' '));
      const pieces = async function* () {
        yield piece;
        for (let n = 0; n < 8; n += 1) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          yield Buffer.alloc(4_000, ' ');
        }
      };
      const { status } = await request(app, 'POST /public', {
        key: 'send',
        method: 'POST',
        body: pieces() as unknown as NonNullable<RequestInit['body']>,
        duplex: 'half',
        headers: { 'Content-Type': 'application/json' },
      } as RequestInit);
      expect(status).to.equal(200);
    } finally {
      await app.stop();
    }
  });
});
