import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { drawPdf, body as textBody } from '../documents/preflight/samples.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, call, letterBody } from '../support/letter-client.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type ServiceProcess, spawnService } from '../support/service-process.ts';

/** CHOICE: of CPU, whatever a request carries. */
const mostMs = 20;
const tries = 6;
const largeMib = 9;

const textOf = (word: string, bytes = 480_000): string =>
  word.repeat(Math.floor(bytes / Buffer.byteLength(word)));

const texts: Record<string, string> = {
  Latin: 'Sehr geehrte Frau Müller, vielen Dank für Ihr Schreiben. ',
  Myanmar: 'မြန်မာဘာသာစကား ကြောင်းကို ',
  Khmer: 'ភាសាខ្មែរ ស្ត្រី ',
  Hangul: '안녕하세요 대한민국 ',
  Devanagari: 'नमस्ते क्षत्रिय हिन्दी ',
  Arabic: 'مرحبا بالعالم العربية ',
  'both directions': 'abc שלום 123 مرحبا def ',
  kana: 'こんにちは世界',
  'mixed scripts': 'a漢नشm한က ',
  'a short text that is shaped': '',
};

/** A chunk of a PNG file. */
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};

/** Four million pixels of 64 bits in 31 kB. */
const widePng = (shade: number): Buffer => {
  const side = 2_000;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([16, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(side * (1 + side * 8), 0);
  rows.fill(shade, 1, 9);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** A PDF of `largeMib`, each time another. */
const largePdf = (): Promise<Buffer> =>
  drawPdf((doc) => {
    const data = doc.ref({ Filter: 'ASCIIHexDecode' });
    data.end(randomBytes(largeMib * 1024 ** 2));
    textBody(doc);
  });

const asJson = (letter: object, pdf: Buffer): { body: string; type: string } => ({
  body: JSON.stringify({ ...letter, document: pdf.toString('base64') }),
  type: 'application/json',
});

const asForm = async (letter: object, pdf: Buffer): Promise<{ body: Buffer; type: string }> => {
  const form = new FormData();
  form.set('letter', JSON.stringify(letter));
  form.set('document', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'letter.pdf');
  const request = new Request('http://127.0.0.1/', { method: 'POST', body: form });
  const type = request.headers.get('Content-Type') ?? '';
  return { body: Buffer.from(await request.arrayBuffer()), type };
};

describe('the thread that answers requests', function () {
  this.timeout(180_000);
  let service: ServiceProcess;
  let dataDir: string;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let callers = 0;
  let idleShare = 0;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-'));
    database = await freshDatabase();
    service = spawnService(await freePort(), dataDir, {
      DATABASE_URL: database.url,
      TRUSTED_PROXIES: '127.0.0.1',
      LIMIT_REQUEST_TIMEOUT_MS: '60000',
    });
    await service.ready();
    const idle = await timed(() => delay(2_000));
    idleShare = idle.workedMs / idle.tookMs;
  });
  after(async () => {
    await service?.killGroup();
    await rm(dataDir, { recursive: true, force: true });
    await database?.drop();
  });

  /** An account of its own, at an address of its own: each has its own budget. */
  const newCaller = async () => {
    const n = ++callers;
    const headers = { 'X-Forwarded-For': `198.51.100.${n}` };
    const body = { email: `caller-${n}@example.com`, mode: 'test' };
    const registered = await call(service.url, 'POST', '/auth/register', { headers, body });
    expect(registered.status).to.equal(201);
    const key = String(registered.body.api_key);
    const ask = (method: string, path: string, sent?: object): Promise<Answer> =>
      call(service.url, method, path, {
        ...{ key, headers, timeoutMs: 60_000 },
        ...(sent ? { body: sent } : {}),
      });
    const upload = (path: string, type: string, body: string | Buffer): Promise<Response> =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { ...headers, Authorization: `Bearer ${key}`, 'Content-Type': type },
        body: typeof body === 'string' ? body : new Uint8Array(body),
        signal: AbortSignal.timeout(60_000),
      });
    return Object.assign(ask, { upload });
  };

  /** CPU time of the main thread of the service, ms. */
  const workedMs = async (): Promise<number> => {
    const { pid } = service;
    const stat = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
    return Number(stat.split(' ')[0]) / 1e6;
  };

  const timed = async (work: () => Promise<unknown>) => {
    const [before, began] = [await workedMs(), performance.now()];
    await work();
    return { workedMs: (await workedMs()) - before, tookMs: performance.now() - began };
  };

  /** What a request takes beyond what the idle thread does anyway: the least of several tries. */
  const leastOf = async (work: (n: number) => Promise<unknown>): Promise<number> => {
    const taken: number[] = [];
    for (let n = 0; n < tries; n++) {
      const { workedMs: worked, tookMs } = await timed(() => work(n));
      taken.push(worked - tookMs * idleShare);
    }
    return Math.min(...taken);
  };

  for (const [name, word] of Object.entries(texts)) {
    it(`sets no long text: ${name}`, async () => {
      const asks = await Promise.all(Array.from({ length: tries }, newCaller));
      const content = word === '' ? textOf('안녕하세요 ', 3_000) : textOf(word);
      const body = letterBody(content);
      const ms = await leastOf(async (n) => {
        const answer = await asks[n]?.('POST', '/api/quote', body);
        expect(answer?.status).to.be.oneOf([200, 422]);
      });
      expect(ms).to.be.below(mostMs);
    });
  }

  it('reads no pixels of a logo', async () => {
    const ask = await newCaller();
    const ms = await leastOf(async (n) => {
      const logo = `data:image/png;base64,${widePng(n).toString('base64')}`;
      const { status, body } = await ask('POST', '/api/quote', {
        ...letterBody('With a logo.'),
        logo,
      });
      expect(status, JSON.stringify(body)).to.equal(200);
    });
    expect(ms).to.be.below(mostMs);
  });

  it('draws no long letter, also for a preview', async () => {
    const ask = await newCaller();
    const content = textOf('မြန်မာဘာသာစကား ', 60_000);
    const quoted = await ask('POST', '/api/quote', letterBody(content));
    expect(quoted.status, JSON.stringify(quoted.body)).to.equal(200);
    const { pathname } = new URL(String(quoted.body.preview_url));
    const preview = await leastOf(async () => {
      expect((await rawGet(ask, pathname)).status).to.equal(200);
    });
    expect(preview).to.be.below(mostMs);
  });

  const rawGet = async (ask: Awaited<ReturnType<typeof newCaller>>, path: string) =>
    ask('GET', path).catch((error: unknown) => {
      if (error instanceof SyntaxError) return { status: 200 };
      throw error;
    });

  it('cleans no long HTML, and stamps none', async () => {
    const ask = await newCaller();
    const rows = '<tr><td style="color:#123456">Position</td><td>12,50</td></tr>'.repeat(600);
    const body = letterBody(`<table>${rows}</table>`);
    const ms = await leastOf(async () => {
      const { status } = await ask('POST', '/api/quote', body);
      expect(status).to.be.oneOf([200, 422]);
    });
    expect(ms).to.be.below(mostMs);
  });

  for (const path of ['/api/quote', '/api/send']) {
    for (const [kind, pack] of Object.entries({ base64: asJson, 'a form': asForm })) {
      it(`neither digests nor encrypts a large PDF: ${path}, in ${kind}`, async () => {
        const { content: _, ...letter } = letterBody('') as Record<string, unknown>;
        const costOf = async (pdf: Buffer, expected: number): Promise<number> => {
          const ask = await newCaller();
          const { body, type } = await pack(letter, pdf);
          const { workedMs: worked, tookMs } = await timed(async () => {
            const answer = await ask.upload(path, type, body);
            expect(answer.status, await answer.text()).to.equal(expected);
          });
          return worked - tookMs * idleShare;
        };
        const receiving: number[] = [];
        const whole: number[] = [];
        for (let n = 0; n < tries; n++) {
          const pdf = await largePdf();
          // It is received and parsed, and then refused by its first bytes.
          receiving.push(await costOf(Buffer.alloc(pdf.length, 'no PDF '), 422));
          whole.push(await costOf(pdf, path === '/api/send' ? 201 : 200));
        }
        const most = mostMs + Math.min(...receiving);
        expect(Math.min(...whole)).to.be.below(most);
      });
    }
  }
});
