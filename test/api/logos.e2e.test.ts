import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import { logoBookAggregate } from '../../commands/logos/logo-book.ts';
import { createLogos } from '../../commands/logos/logos.ts';
import { replayErasures } from '../../operator/restore/replay-erasures.ts';
import { createSweepLogos } from '../../reactors/sweep-logos.ts';
import { expectProblem, letterTo, type Sent, until, useService } from '../support/client.ts';
import { blobFiles, printedLetter } from '../support/printed-letters.ts';

type LogoJson = {
  logo_id: string;
  media_type: string;
  bytes: number;
  width: number;
  height: number;
  created_at: string;
  expires_at: string | null;
};
type List = { data: LogoJson[] };
type Balance = { storage: { used_bytes: number; quota_bytes: number } };

const image = (grey: number, width = 60, height = 20): Buffer => {
  const png = new PNG({ width, height });
  png.data.fill(grey);
  return PNG.sync.write(png);
};
const uri = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;

describe('uploaded logos', function () {
  this.timeout(180_000);
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const upload = (body: object, headers: Record<string, string> = {}, by: Client = client) =>
    by.post<LogoJson>('/api/logos', body, headers);
  const uploaded = async (grey: number, by: Client = client): Promise<LogoJson> => {
    const answer = await upload({ logo: uri(image(grey)) }, {}, by);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const storedBy = async (by: Client): Promise<number> =>
    (await by.get<Balance>('/api/balance')).body.storage.used_bytes;
  const logoFiles = async (): Promise<string[]> =>
    (await blobFiles(api.service().dataDir)).filter((name) => name.includes('logo-'));

  it('are printed on letters that name them, and shown in quotes', async () => {
    const logo = await uploaded(90);
    expect(logo).to.include({ media_type: 'image/png', width: 60, height: 20 });
    expect(logo.logo_id).to.match(/^logo_[0-9a-f]{32}$/);
    const body = letterTo('DE', { logo: logo.logo_id });
    expect((await client.post('/api/quote', body)).status).to.equal(200);
    const sent = await client.send({ logo: logo.logo_id });
    await client.advance(sent.letter_id);
    const { pdf } = await printedLetter(api.service().dataDir, sent.letter_id);
    expect(pdf.toString('latin1')).to.include('/Subtype /Image');
  });

  it('are the same when they are the same, by one request or many at once', async () => {
    const first = await uploaded(91);
    const others = await Promise.all(Array.from({ length: 5 }, () => uploaded(91)));
    for (const other of others) expect(other).to.deep.equal(first);
    const { data } = (await client.get<List>('/api/logos')).body;
    expect(data).to.deep.equal([first]);
    const news = await Promise.all(Array.from({ length: 5 }, () => uploaded(92)));
    expect(new Set(news.map(({ logo_id: id }) => id)).size).to.equal(1);
    expect(await storedBy(client)).to.equal(first.bytes + (news[0]?.bytes ?? 0));
  });

  it('take an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await upload({ logo: uri(image(93)) }, headers);
    const again = await upload({ logo: uri(image(93)) }, headers);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await upload({ logo: uri(image(94)) }, headers);
    expectProblem(other, 422, 'idempotency_key_reused');
    // Also where the first request found the image there already.
    const under = { 'Idempotency-Key': randomUUID() };
    expect((await upload({ logo: uri(image(93)) }, under)).status).to.equal(201);
    expectProblem(await upload({ logo: uri(image(95)) }, under), 422, 'idempotency_key_reused');
  });

  it('are refused where they are no PNG or JPEG of a size that can be printed', async () => {
    const svg = `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`;
    const noise = image(0, 500, 500);
    // 60 × 20 grey pixels, cut off behind the header.
    const jpegHeader = Buffer.from('ffd8ffc0000b080014003c01011100', 'hex').toString('base64');
    for (const [logo, code] of [
      [svg, 'logo_unreadable'],
      ['data:image/png;base64,AAAA', 'logo_unreadable'],
      ['logo_0123456789abcdef0123456789abcdef', 'logo_unreadable'],
      [uri(noise.subarray(0, 40)), 'logo_unreadable'],
      [`data:image/jpeg;base64,${jpegHeader}`, 'logo_unreadable'],
      [uri(image(1, 3_000, 2_000)), 'logo_too_large'],
    ] as const) {
      const answer = await upload({ logo });
      const { errors } = expectProblem(answer, 422, 'validation_failed', '/logo');
      expect(errors?.[0]?.code, logo.slice(0, 60)).to.equal(code);
    }
    expect(await storedBy(client)).to.equal(0);
  });

  it('are their own account’s alone, and by scope', async () => {
    const logo = await uploaded(96);
    const other = await api.register();
    expect((await uploaded(96, other)).logo_id).not.to.equal(logo.logo_id);
    const stranger = await api.register();
    expect((await stranger.get<List>('/api/logos')).body.data).to.deep.equal([]);
    const path = `/api/logos/${logo.logo_id}`;
    expectProblem(await stranger.delete(path), 404, 'logo_not_found');
    for (const to of ['/api/send', '/api/quote']) {
      const answer = await stranger.post(to, letterTo('DE', { logo: logo.logo_id }));
      const { errors } = expectProblem(answer, 422, 'validation_failed', '/logo');
      expect(errors?.[0]?.code).to.equal('logo_not_found');
    }
    const made = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'r',
      scope: 'read',
    });
    const reader = { ...client, ...api.as(made.body.api_key) };
    expect((await reader.get('/api/logos')).status).to.equal(200);
    const refused = await upload({ logo: uri(image(1)) }, {}, reader);
    expectProblem(refused, 403, 'scope_insufficient');
    expectProblem(await reader.delete(path), 403, 'scope_insufficient');
  });

  it('are gone when they are deleted, but for the letters that have them', async () => {
    const before = await logoFiles();
    const logo = await uploaded(97);
    expect((await logoFiles()).length).to.equal(before.length + 1);
    const draft = await client.send({ logo: logo.logo_id, draft: true });
    const path = `/api/logos/${logo.logo_id}`;
    expect((await client.delete(path)).status).to.equal(200);
    expectProblem(await client.delete(path), 404, 'logo_not_found');
    expect(await logoFiles()).to.have.members(before);
    const gone = await client.post('/api/send', letterTo('DE', { logo: logo.logo_id }));
    expectProblem(gone, 422, 'validation_failed', '/logo');
    const sent = await client.post<Sent>('/api/send', { letter_id: draft.letter_id });
    expect(sent.status, sent.text).to.equal(201);
    await client.advance(draft.letter_id);
    const { pdf } = await printedLetter(api.service().dataDir, draft.letter_id);
    expect(pdf.toString('latin1')).to.include('/Subtype /Image');
    const again = await uploaded(97);
    expect(again.logo_id).to.equal(logo.logo_id);
    expect(
      (await client.post('/api/send', letterTo('DE', { logo: again.logo_id }))).status,
    ).to.equal(201);
  });

  it('are gone when a restore repeats their erasure, and can be uploaded again', async () => {
    const { foundation } = api.service().service;
    const blobOf = async (): Promise<string> => {
      const book = await foundation.commands.handler.load(
        logoBookAggregate,
        client.account.account_id,
      );
      return [...book.state.logos.values()].map(({ blob }) => blob).join();
    };
    const logo = await uploaded(99);
    const journal = join(api.service().dataDir, 'journal');
    const line = { at: new Date().toISOString(), subject: await blobOf() };
    await writeFile(journal, `${JSON.stringify(line)}\n`);
    await replayErasures(foundation, [journal]);
    expect((await client.get<List>('/api/logos')).body.data).to.deep.equal([]);
    const isPrinted = async (): Promise<void> => {
      const { logo_id } = await uploaded(99);
      expect(logo_id).to.equal(logo.logo_id);
      const sent = await client.post('/api/send', letterTo('DE', { logo: logo_id }));
      expect(sent.status, sent.text).to.equal(201);
    };
    await isPrinted();
    // As a restore of an earlier version left it.
    const erased = await blobOf();
    await foundation.keys.dataKeys.erase(erased);
    await isPrinted();
    await until(async () => !(await logoFiles()).some((name) => name.endsWith(erased)));
  });

  it('that no logo names are swept after a day, and no other', async () => {
    const { storage, keys } = api.service().service.foundation;
    const kept = await uploaded(98);
    const orphan = `logo-${randomUUID()}`;
    const { account_id: accountId } = client.account;
    await storage.storedBytes.claim(accountId, [{ key: orphan, bytes: Buffer.alloc(10) }]);
    await storage.blobs.put(orphan, Buffer.alloc(10));
    const names = await logoFiles();
    const sweep = createSweepLogos({
      blobs: storage.blobs,
      clock: () => Date.now() + 2 * 86_400_000,
      ownerOf: storage.storedBytes.ownerOf,
      logos: {
        isKept: async (account, blob) => account !== accountId || blob !== orphan,
        expire: async () => false,
        async erase(blob) {
          await keys.dataKeys.erase(blob);
          await storage.blobs.delete(blob);
        },
      },
    });
    expect(await sweep(AbortSignal.abort())).to.equal(0);
    expect(await sweep(new AbortController().signal)).to.equal(1);
    expect(await logoFiles()).to.have.length(names.length - 1);
    expect(await storedBy(client)).to.equal(kept.bytes);
  });
});

describe('logos where letters are kept for a time', function () {
  this.timeout(180_000);
  const retentionDays = 30;
  const api = useService({ RETENTION_DAYS: String(retentionDays) });

  /** Runs the daily sweep as if `days` had passed. */
  const sweepIn = async (days: number): Promise<number> => {
    const { storage, keys, commands } = api.service().service.foundation;
    const clock = (): number => Date.now() + days * 86_400_000;
    const logos = createLogos({
      handler: commands.handler,
      dataKeys: keys.dataKeys,
      indexOf: keys.indexOf,
      blobs: storage.blobs,
      claim: storage.storedBytes.claim,
      clock,
      retentionDays,
      documents: { checkLogo: () => Promise.reject(new Error('nothing is uploaded here')) },
    });
    const { ownerOf } = storage.storedBytes;
    return createSweepLogos({ blobs: storage.blobs, clock, ownerOf, logos })(
      new AbortController().signal,
    );
  };

  it('go when nobody used them for so long; letters that have them keep them', async () => {
    const client = await api.register();
    const { body: logo } = await client.post<LogoJson & { expires_at: string }>('/api/logos', {
      logo: uri(image(120)),
    });
    const days = (Date.parse(logo.expires_at) - Date.parse(logo.created_at)) / 86_400_000;
    expect(days).to.be.within(retentionDays, retentionDays + 1.1);
    const draft = await client.send({ logo: logo.logo_id, draft: true });
    expect(await sweepIn(retentionDays - 1)).to.equal(0);
    expect((await client.get<List>('/api/logos')).body.data).to.deep.equal([logo]);
    expect(await sweepIn(retentionDays + 2)).to.equal(1);
    expect((await client.get<List>('/api/logos')).body.data).to.deep.equal([]);
    const { storage } = (await client.get<Balance>('/api/balance')).body;
    const refused = await client.post('/api/send', letterTo('DE', { logo: logo.logo_id }));
    expectProblem(refused, 422, 'validation_failed', '/logo');
    expect((await client.post('/api/send', { letter_id: draft.letter_id })).status).to.equal(201);
    // The draft's own copy.
    expect(storage.used_bytes).to.equal(logo.bytes);
  });
});

describe('the bytes that an account stores', function () {
  this.timeout(180_000);
  const quota = 100_000;
  const api = useService({ LIMIT_STORED_BYTES_PER_ACCOUNT: String(quota) });
  const text = 'Wort '.repeat(8_000);
  const bytes = Buffer.byteLength(text);
  const letter = (more: object = {}) => letterTo('DE', { content: text, draft: true, ...more });

  it('are as many as the quota says, however many come at once, and none is charged above it', async () => {
    const client = await api.register();
    const balance = async () =>
      (await client.get<Balance & { available: number }>('/api/balance')).body;
    expect((await balance()).storage).to.deep.equal({ used_bytes: 0, quota_bytes: quota });
    const { available } = await balance();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.post<Sent>('/api/send', letter({ draft: false }))),
    );
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted).to.have.length(Math.floor(quota / bytes));
    for (const answer of answers.filter((one) => !accepted.includes(one))) {
      const problem = expectProblem(answer, 429, 'quota_exceeded');
      expect(problem.detail).to.include(String(quota)).and.include('Delete letters');
    }
    const spent = accepted.reduce((sum, { body }) => sum + body.price.total, 0);
    await until(async () => {
      const left = (await balance()).available;
      return Math.abs(available - spent - left) < 0.005;
    }, 20_000);
    expect((await balance()).storage.used_bytes).to.equal(accepted.length * bytes);
  });

  it('leave a quote above the quota its price, and promise no picture that is not kept', async () => {
    const client = await api.register();
    type Quoted = { total: number; preview_url: string | null };
    const quote = async (content: string) =>
      (await client.post<Quoted>('/api/quote', letterTo('DE', { content }))).body;
    const kept = await quote(text);
    expect(kept.preview_url).to.be.a('string');
    const { pathname } = new URL(kept.preview_url ?? '');
    expect((await client.get(pathname)).status).to.equal(200);
    const above = await quote(text.repeat(2));
    expect(above.total).to.be.above(kept.total);
    expect(above.preview_url).to.equal(null);
  });

  it('have room again when letters are deleted, and as the operator says', async () => {
    const client = await api.register();
    const first = await client.post<Sent>('/api/send', letter());
    expect((await client.post('/api/send', letter())).status).to.equal(201);
    expectProblem(await client.post('/api/send', letter()), 429, 'quota_exceeded');
    await client.delete(`/api/letters/${first.body.letter_id}`);
    await until(async () => (await client.post('/api/send', letter())).status === 201);
    expectProblem(await client.post('/api/send', letter()), 429, 'quota_exceeded');
    const { foundation } = api.service().service;
    const { commandOf } = await import('../../operator/commands.ts');
    const { account_id: id } = client.account;
    await commandOf(['quotas', id, '--bytes', '1000000'])(foundation, () => {});
    await until(async () => (await client.post('/api/send', letter())).status === 201);
    const quoted = await client.post('/api/quote', letter({ draft: undefined }));
    expect(quoted.status, quoted.text).to.equal(200);
  });
});
