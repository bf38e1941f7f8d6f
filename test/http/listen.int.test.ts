import { connect } from 'node:net';
import { expect } from 'chai';
import {
  control,
  type Example,
  rawExchange,
  request,
  startExample,
  until,
  validLetter,
} from './example-app.ts';

const head = (line: string, headers: string[] = []): string =>
  [line, 'Host: x', ...headers, '', ''].join('\r\n');
const closing = 'Connection: close';
const key = 'Authorization: Bearer send';
const json = 'Content-Type: application/json';

const statusesOf = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));

describe('HTTP server', () => {
  describe('on a bare socket', () => {
    let app: Example;
    beforeEach(async () => {
      app = await startExample();
    });
    afterEach(() => app.stop());
    /** Starts it again with short time limits, for requests that never end. */
    const startImpatient = async (): Promise<void> => {
      await app.stop();
      app = await startExample({}, { requestTimeoutMs: 300, headersTimeoutMs: 200 });
    };

    it('answers pipelined requests in their order', async () => {
      const letter = JSON.stringify(validLetter);
      const received = await rawExchange(app, [
        head('POST /api/send HTTP/1.1', [json, key, `Content-Length: ${letter.length}`]) + letter,
        head('GET /nowhere HTTP/1.1'),
        head('GET /open HTTP/1.1', [closing]),
      ]);
      expect(statusesOf(received)).to.deep.equal([201, 404, 200]);
    });

    it('refuses bytes that are not UTF-8', async () => {
      const body = Buffer.concat([
        Buffer.from('{"to_name":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}'),
      ]);
      const headers = [json, key, closing, `Content-Length: ${body.length}`];
      const received = await rawExchange(app, [head('POST /api/send HTTP/1.1', headers), body]);
      expect(statusesOf(received)).to.deep.equal([400]);
      expect(received).to.contain('"code":"invalid_encoding"');
    });

    it('lets a client go that hangs up in the middle of its body', async () => {
      const start = head('POST /api/send HTTP/1.1', [json, key, 'Content-Length: 100']);
      await rawExchange(app, [start, '{"to_name"'], { end: true });
      await until(() => app.observed.length === 1);
      expect(app.observed[0]).to.deep.equal({ operation: 'send_letter', status: 499 });
      expect(app.logged).to.deep.equal([]);
    });

    it('answers 431 to huge headers and 400 to what is no HTTP, as problem documents', async () => {
      const huge = await rawExchange(app, [
        head('GET /open HTTP/1.1', [`X-A: ${'a'.repeat(20_000)}`]),
      ]);
      expect(statusesOf(huge)).to.deep.equal([431]);
      expect(huge).to.contain('application/problem+json');
      expect(statusesOf(await rawExchange(app, ['nonsense\r\n\r\n']))).to.deep.equal([400]);
    });

    it('says what is wrong with a request without Host, or with an unknown Expect', async () => {
      const asked: [string, number, string][] = [
        ['GET /open HTTP/1.1\r\n\r\n', 400, 'no Host header'],
        [head('GET /open HTTP/1.1', ['Expect: xx']), 417, '100-continue'],
        ['nonsense\r\n\r\n', 400, 'not an HTTP/1.1 request'],
      ];
      for (const [sent, status, sentence] of asked) {
        const received = await rawExchange(app, [sent]);
        expect(statusesOf(received), received).to.deep.equal([status]);
        expect(received).to.contain('application/problem+json').and.to.contain(sentence);
        expect(received).to.contain('"type":"http://letters.example/errors/invalid_header"');
      }
      const former = await rawExchange(app, ['GET /open HTTP/1.0\r\n\r\n']);
      expect(statusesOf(former)).to.deep.equal([200]);
    });

    it('names path and request id in every refusal of the parser, as all problem documents do', async () => {
      await startImpatient();
      const asked: [string[], string, RegExp][] = [
        [['GET /open?to=Erika HTTP/1.1\r\nX-Request-Id: mine-1\r\n\r\n'], '/open', /^mine-1$/],
        [[head('GET /open HTTP/1.1', ['Expect: xx', 'X-Request-Id: mine-2'])], '/open', /^mine-2$/],
        [[head(`GET /open?q=1 HTTP/1.1`, [`X-A: ${'a'.repeat(20_000)}`])], '/open', /^req_/],
        [[`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`], '/', /^req_/],
        [['GET http://x.example/open?q=1 HTTP/1.1\r\nHost x\r\n\r\n'], '/open', /^req_/],
        [['nonsense\r\n\r\n'], '/', /^req_/],
        [['GET /open HTTP/1.1\r\nHost:'], '/', /^req_/],
        [
          [head('POST /api/send HTTP/1.1', [json, key, 'Content-Length: 100']), '{'],
          '/api/send',
          /^req_/,
        ],
        [
          [head('POST /api/send HTTP/1.1', [json, key, 'Transfer-Encoding: chunked']), 'zz\r\n'],
          '/api/send',
          /^req_/,
        ],
      ];
      const ids = new Set<string>();
      for (const [sent, instance, id] of asked) {
        const received = await rawExchange(app, sent);
        const [headers = '', body = ''] = received.split('\r\n\r\n', 2);
        const problem = JSON.parse(body) as { instance: string; request_id: string };
        expect(problem, received).to.include({ instance });
        expect(problem.request_id).to.match(id);
        expect(headers.toLowerCase()).to.contain(`x-request-id: ${problem.request_id}`);
        ids.add(problem.request_id);
      }
      expect(ids).to.have.property('size', asked.length);
    });

    it('answers 400 to a broken percent-encoding and survives strange targets', async () => {
      const get = (target: string) =>
        rawExchange(app, [head(`GET ${target} HTTP/1.1`, [closing])]).then(statusesOf);
      expect(await get('/api/letters/%zz')).to.deep.equal([400]);
      expect(await get('http://other.example/open')).to.deep.equal([200]);
      for (const target of ['//', '/../../etc/passwd', '/api/letters/%00', '/\\', '*']) {
        expect((await get(target))[0], target).to.be.within(400, 404);
      }
    });

    it('answers 408 to clients that are too slow, with headers or with a body', async () => {
      await startImpatient();
      const slowHeaders = await rawExchange(app, ['GET /open HTTP/1.1\r\nHost:']);
      expect(statusesOf(slowHeaders)).to.deep.equal([408]);
      const start = head('POST /api/send HTTP/1.1', [json, key, 'Content-Length: 100']);
      const slowBody = await rawExchange(app, [start, '{']);
      expect(statusesOf(slowBody)).to.deep.equal([408]);
      expect(slowBody).to.contain('request_timeout');
    });

    it('does not give a malformed request the answer of the request before it', async () => {
      const gate = Promise.withResolvers<void>();
      control.gate = gate.promise;
      const received = await rawExchange(app, [head('GET /open HTTP/1.1'), 'nonsense\r\n\r\n']);
      gate.resolve();
      expect(received).to.equal('');
      await until(() => app.observed.length === 1);
    });
  });

  describe('that refuses a body before it has come', () => {
    const bytes = 8 * 1024 * 1024;
    /** Reads only after everything was sent, as Python's urllib does; `undefined`: the connection was reset. */
    const sendThenRead = async (app: Example, headers: string[]): Promise<string | undefined> => {
      const socket = connect(app.port, '127.0.0.1');
      const failed = new Promise<undefined>((resolve) => {
        socket.once('error', () => resolve(undefined));
      });
      const exchange = async (): Promise<string> => {
        socket.write(head('POST /api/send HTTP/1.1', [json, ...headers]));
        await new Promise((resolve) => socket.write(Buffer.alloc(bytes, ' '), resolve));
        return (await socket.setEncoding('utf8').toArray()).join('');
      };
      return Promise.race([exchange(), failed]);
    };
    const length = `Content-Length: ${bytes}`;

    it('gets its answer through to a client that closes the connection', async () => {
      const app = await startExample();
      try {
        const cases: [string[], number][] = [
          [[closing, length, 'Authorization: Bearer nonsense'], 401],
          [[closing, length, key], 413],
        ];
        for (const [headers, status] of cases) {
          const received = await sendThenRead(app, headers);
          expect(statusesOf(received ?? 'reset')).to.deep.equal([status]);
          expect(received).to.match(/connection: close/i);
        }
      } finally {
        await app.stop();
      }
    });

    it('reads only so much of it', async () => {
      const bounds = [
        { options: { drainedBytes: bytes / 2 }, sent: bytes },
        { options: { requestTimeoutMs: 300 }, sent: 1 },
      ];
      for (const { options, sent } of bounds) {
        const app = await startExample({}, options);
        try {
          const endless = head('POST /api/send HTTP/1.1', [
            ...[json, closing, 'Authorization: Bearer nonsense'],
            'Content-Length: 1000000000',
          ]);
          const received = await rawExchange(app, [endless, Buffer.alloc(sent, ' ')]);
          expect(statusesOf(received)).to.deep.equal([401]);
        } finally {
          await app.stop();
        }
      }
    });
  });

  describe('that stops', () => {
    it('ends idle connections, finishes what runs and says that it closes', async () => {
      const app = await startExample();
      const idle = connect(app.port, '127.0.0.1');
      const idleEnded = new Promise((resolve) => idle.once('close', resolve));
      idle.resume().on('error', () => {});
      await request(app, '/open');
      const gate = Promise.withResolvers<void>();
      control.gate = gate.promise;
      control.seen = undefined;
      const running = rawExchange(app, [head('GET /open HTTP/1.1')]);
      await until(() => control.seen !== undefined);
      const stopped = app.stop();
      await idleEnded;
      gate.resolve();
      const received = await running;
      expect(statusesOf(received)).to.deep.equal([200]);
      expect(received).to.match(/connection: close/i);
      await stopped;
      const refused = await request(app, '/open').catch(() => 'refused');
      expect(refused).to.equal('refused');
    });

    it('cuts what does not end in time', async () => {
      const app = await startExample({}, { stopMs: 50 });
      control.gate = new Promise(() => {});
      const running = rawExchange(app, [head('GET /open HTTP/1.1')]);
      await until(() => control.seen !== undefined);
      await app.stop();
      expect(await running).to.equal('');
    });
  });

  it('refuses to start on a port that is taken', async () => {
    const app = await startExample();
    try {
      const { listen } = await import('../../http/listen.ts');
      const { default: Koa } = await import('koa');
      const error = await listen(new Koa(), app.port, { host: '127.0.0.1' }).catch((e) => e);
      expect(error).to.have.property('code', 'EADDRINUSE');
    } finally {
      await app.stop();
    }
  });
});
