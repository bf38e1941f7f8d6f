import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { openFileBlobStore } from '../../infra/blobs/file.ts';
import { consoleAt, type Shown } from '../console/console-client.ts';
import { goodLetter } from '../documents/preflight/samples.ts';
import { startDocumentServer } from '../support/document-server.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { createPlainTextSearch } from '../support/plain-text-search.ts';
import {
  embeddedIn,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

/** Words that nobody writes by chance. Each is personal somewhere. */
const plants = {
  name: 'Xaverplantagenet',
  company: 'Quarzmondverlag',
  street: 'Quendelpfadgasse',
  sender: 'Zwirbelabsender',
  text: 'Mondscheingeheimnis',
  html: 'Sternenstaubbrief',
  pdf: 'Nebelkerzendokument',
  long: 'Langzeiterinnerung',
  reference: 'Aktenzeichenwolke',
  metadataKey: 'wolkenschluessel',
  metadata: 'Regenbogenwert',
  email: 'verborgenepost',
  notify: 'heimlichermelder',
  webhook: 'geheimerhakenpfad',
  label: 'Schluesselbezeichnung',
  agent: 'Agentenrufname',
  idempotency: 'Wiederholungskennung',
};
const search = createPlainTextSearch(Object.values(plants));

const letter = (more: object) => ({
  ...letterBody(`Sehr geehrte Damen, ${plants.text}.`),
  to_name: `Dr. ${plants.name}`,
  to_company: plants.company,
  to_line1: `${plants.street} 17`,
  from_name: plants.sender,
  reference: plants.reference,
  metadata: { [plants.metadataKey]: plants.metadata },
  service: 'de_einschreiben',
  ...more,
});

const operator = async (dataDir: string, ...args: string[]) => {
  const { code, out, err } = await runOperator({ DATA_DIR: dataDir }, args);
  return { code, output: `${out}${err}` };
};

/** Every row of every table there is, as text. */
const dumpOf = async (dataDir: string): Promise<string> => {
  const client = new pg.Client(embeddedIn(dataDir)?.url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      parts.push(name, ...rows.map(({ row }) => row));
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
};

/** Data keys of letters that are still there. */
const letterKeysIn = async (dataDir: string): Promise<string[]> => {
  const client = new pg.Client(embeddedIn(dataDir)?.url);
  await client.connect();
  try {
    const { rows } = await client.query<{ subject: string }>(
      `select subject from keys.data_keys where subject like 'letter-%' and wrapped is not null`,
    );
    return rows.map(({ subject }) => subject);
  } finally {
    await client.end();
  }
};

/** Starts the service as if `days` had passed. Each 5 s of the machine are an hour more: time is trusted after one. */
const daysAhead = (days: number): Record<string, string> => {
  const program = `
    import os from 'node:os';
    import { syncBuiltinESMExports } from 'node:module';
    const [now, uptime] = [Date.now, os.uptime];
    const hoursMs = () => Math.floor(performance.now() / 5_000) * 3_600_000;
    Date.now = () => now() + ${days * 86_400_000} + hoursMs();
    os.uptime = () => uptime() + hoursMs() / 1_000;
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
};

describe('what is personal', function () {
  this.timeout(300_000);
  this.bail(true);
  const { dataDir, remove } = makeDataDir();
  let web: Awaited<ReturnType<typeof startDocumentServer>>;
  let port = 0;
  let service: ServiceProcess;
  const logs: string[] = [];

  const start = async (env: Record<string, string> = {}): Promise<void> => {
    service = spawnService(port, dataDir, {
      LOG_LEVEL: 'trace',
      ALLOW_PRIVATE_FETCH: 'true',
      CANCELLATION_WINDOW_SECONDS: '0',
      BACKGROUND_PROCESS: 'true',
      // There is no server there: mails wait, and their failures are logged.
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'letters@example.com',
      ...env,
    });
    // Twice its time: the database is made, and two processes start, on a machine that may be busy.
    await service.ready().catch(() => service.ready());
  };
  const stop = async (): Promise<void> => {
    await service.terminate();
    logs.push(service.output());
  };
  const ask = async (key: string | undefined, method: string, path: string, body?: object) => {
    const headers = { 'Idempotency-Key': `${plants.idempotency}-${Math.random()}` };
    const options = { key, ...(body ? { body } : {}), ...(method === 'POST' ? { headers } : {}) };
    const answer = await call(service.url, method, path, options);
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 299);
    return answer.body;
  };
  const send = async (key: string, more: object = {}): Promise<string> =>
    String((await ask(key, 'POST', '/api/send', letter(more))).letter_id);
  const quote = (key: string, more: object) => ask(key, 'POST', '/api/quote', letter(more));
  const show = async (key: string, letterId: string) =>
    (await call(service.url, 'GET', `/api/letters/${letterId}`, { key })).body;
  const filesFor = (letterId: string): string[] =>
    ['simulator', 'outbox', 'blobs']
      .map((name) => join(dataDir, name))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.includes(letterId))
          .map((name) => join(folder, name)),
      );

  const printed = (folder: 'simulator' | 'outbox', letterId: string) =>
    eventually(`${letterId} is printed`, () =>
      existsSync(join(dataDir, folder, `${letterId}.json`)),
    );

  before(async () => {
    web = await startDocumentServer();
    port = await freePort();
    await start();
  });
  after(async () => {
    await killLeftovers();
    await web.stop();
    await remove();
  });

  it('would be found by this search, however it were encoded', () => {
    const word = plants.text;
    const folder = mkdtempSync(join(tmpdir(), 'letters-search-'));
    const forms = {
      text: word.toUpperCase(),
      'UTF-16LE': Buffer.from(word, 'utf16le'),
      'UTF-16BE': Buffer.from(word, 'utf16le').swap16(),
      hex: Buffer.from(word).toString('hex'),
      base64: Buffer.from(`${word} and more`).toString('base64'),
    };
    try {
      for (const [form, bytes] of Object.entries(forms)) {
        const path = join(folder, 'file');
        writeFileSync(path, Buffer.concat([Buffer.from('before '), Buffer.from(bytes)]));
        expect(search.findInFolder(folder)).to.deep.equal([`${path}: ${word} (${form})`]);
      }
      for (const before of ['', 'x', 'xy', 'xyz']) {
        const encoded = Buffer.from(Buffer.from(`${before}${word}!`).toString('base64url'));
        expect(search.findIn(encoded, 'p')).to.deep.equal([`p: ${word} (base64)`]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  /** By their outcome. */
  const letters = { deleted: [] as string[], retained: [] as string[], kept: [] as string[] };
  let test = '';
  let live = '';
  let liveLetter = '';

  it('is accepted in every kind of letter, setting and key', async () => {
    const account = await ask(undefined, 'POST', '/auth/register', {
      email: `${plants.email}@example.com`,
      mode: 'test',
    });
    test = String(account.api_key);
    await ask(undefined, 'POST', '/auth/agent', {
      agent_id: `${plants.agent}-7`,
      agent_name: plants.agent,
      mode: 'test',
    });
    // A second registration makes a mail with a recovery link.
    const body = { email: `${plants.email}@example.com`, mode: 'test' };
    expect((await call(service.url, 'POST', '/auth/register', { body })).status).to.equal(409);
    await ask(test, 'PUT', '/api/settings', {
      webhook_url: `https://127.0.0.1:9/${plants.webhook}`,
      notification_email: `${plants.notify}@example.org`,
    });
    await ask(test, 'POST', '/auth/keys', { label: plants.label, scope: 'read' });
    const document = Buffer.concat([await goodLetter(), Buffer.from(`\n% ${plants.pdf}\n`)]);
    const url = web.serve(`/${plants.pdf}.pdf`, document);
    const kinds: object[] = [
      {},
      { content: `${plants.long} `.repeat(3_000) },
      { content: `<p>${plants.html}</p>` },
      { content: undefined, document_url: url },
    ];
    for (const kind of kinds) {
      await quote(test, kind);
      letters.deleted.push(await send(test, { ...kind, draft: true }));
      letters.retained.push(await send(test, { ...kind, draft: true }));
      const letterId = await send(test, kind);
      await printed('simulator', letterId);
      await ask(test, 'POST', `/api/test/letters/${letterId}/advance`, { to: 'delivered' });
      letters.retained.push(letterId);
    }
    const failed = await send(test, { to_name: 'Test Print Failure' });
    await eventually('it fails', async () => (await show(test, failed)).status === 'failed');
    letters.deleted.push(failed);
    const silent = await send(test, { service: 'de_standardbrief' });
    await printed('simulator', silent);
    await ask(test, 'POST', `/api/test/letters/${silent}/advance`, { to: 'in_transit' });
    const returned = await send(test);
    // Production may change the letter at the same moment.
    await eventually('it is returned', () =>
      ask(test, 'POST', `/api/test/letters/${returned}/advance`, { event: 'returned' }),
    );
    letters.retained.push(silent, returned);
    letters.kept.push(
      await send(test),
      await send(test, { content: `${plants.long} `.repeat(3_000) }),
    );
  });

  it('goes to the print house in a live letter', async () => {
    const account = await ask(undefined, 'POST', '/auth/register', {
      email: `${plants.email}@example.net`,
      mode: 'live',
    });
    live = String(account.api_key);
    const reference = `${plants.reference} 8841`;
    const paid = await operator(
      dataDir,
      ...['credit', String(account.account_id), '50.00', '--reference', reference],
    );
    expect(paid.code, paid.output).to.equal(0);
    liveLetter = await send(live);
    await printed('outbox', liveLetter);
    const moved = await operator(
      dataDir,
      ...['advance', liveLetter, 'delivered', '--evidence', 'signature'],
    );
    expect(moved.code, moved.output).to.equal(0);
    for (const letterId of letters.kept) await printed('simulator', letterId);
  });

  it('is shown by the console, and is in no address and no title of its pages', async () => {
    const person = await consoleAt(() => service.url).signIn(test);
    const [letterId = ''] = letters.kept;
    const recipient = { to_name: `Dr. ${plants.name}`, to_line1: `${plants.street} 17` };
    const visits: [page: Shown, shows: string][] = [
      [await person.get(`/letters/${letterId}`), plants.name],
      [await person.get('/keys'), plants.label],
      [await person.get('/settings'), plants.notify],
      [await person.post('/letters', { text: plants.reference }), letterId],
      [await person.post('/letters/recipient', recipient), plants.street],
      [await person.post('/write', { ...recipient, content: plants.text }), plants.text],
    ];
    for (const [page, shows] of visits) {
      expect(page.text, String(page.status)).to.contain(shows);
      const outside = [
        ...(page.text.match(/(?:href|action|src)="[^"]*"|<title>[^<]*/g) ?? []),
        page.headers.get('location') ?? '',
      ];
      expect(search.findIn(Buffer.from(outside.join('\n')), 'page')).to.deep.equal([]);
    }
  });

  it('is never plain where the service keeps it, but in the files for printing', async () => {
    expect(filesFor(letters.retained[1] ?? '')).to.have.length.greaterThan(1);
    expect(filesFor('quote-')).to.have.length(4);
    const shown = await show(test, letters.retained[0] ?? '');
    expect(JSON.stringify(shown)).to.contain(plants.name).and.to.contain(plants.reference);
    expect(search.findIn(Buffer.from(await dumpOf(dataDir)), 'rows')).to.deep.equal([]);
    await stop();
    expect(search.findInFolder(dataDir, ['simulator', 'outbox'])).to.deep.equal([]);
    expect(search.findIn(Buffer.from(logs.join('')), 'log')).to.deep.equal([]);
  });

  it('is gone with the keys, documents and files of what was deleted or kept for long enough', async () => {
    await start();
    for (const letterId of letters.deleted) await ask(test, 'DELETE', `/api/letters/${letterId}`);
    await stop();
    const orphan = `${randomUUID()}-${randomUUID()}`;
    const blobs = await openFileBlobStore(join(dataDir, 'blobs'));
    await blobs.put(orphan, Buffer.from('of a request that died'));
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const file of filesFor(orphan)) utimesSync(file, twoDaysAgo, twoDaysAgo);
    await start({ ...daysAhead(400), RETENTION_DAYS: '30' });
    await eventually('the orphan is gone', async () => !(await blobs.get(orphan)));
    await eventually('no document of a quote is left', () => filesFor('quote-').length === 0);
    const gone: [string, string][] = [...letters.deleted, ...letters.retained].map((letterId) => [
      test,
      letterId,
    ]);
    gone.push([live, liveLetter]);
    for (const [key, letterId] of gone) {
      const isErased = async () => {
        const { to_name, code } = await show(key, letterId);
        return to_name === '[erased]' || code === 'letter_deleted';
      };
      await eventually('the letter is erased', isErased);
      await eventually('its files are gone', () => filesFor(letterId).length === 0);
      const text = JSON.stringify([
        await show(key, letterId),
        await ask(key, 'GET', `/api/proof/${letterId}`),
        (await call(service.url, 'GET', `/api/track/${letterId}`, { key })).body,
      ]);
      expect(search.findIn(Buffer.from(text), letterId)).to.deep.equal([]);
    }
    const keys = await letterKeysIn(dataDir);
    expect(keys).to.have.members(letters.kept.map((letterId) => `letter-${letterId}`));
  });

  it('stays in what may still be printed', async () => {
    for (const letterId of letters.kept) {
      expect((await show(test, letterId)).to_name).to.contain(plants.name);
      expect(filesFor(letterId)).to.have.length.greaterThan(1);
    }
  });

  it('does not come back by a rebuild, and the log is whole without it', async () => {
    const rebuilt = await operator(dataDir, 'rebuild', 'all');
    expect(rebuilt.code, rebuilt.output).to.equal(0);
    for (const letterId of letters.deleted) {
      expect(await show(test, letterId)).to.include({ status: 410, code: 'letter_deleted' });
    }
    for (const letterId of letters.retained) {
      expect(await show(test, letterId)).to.include({
        to_name: '[erased]',
        from_line1: '[erased]',
        content: '[erased]',
        reference: '[erased]',
      });
    }
    const verified = await operator(dataDir, 'verify');
    expect(verified.code, verified.output).to.equal(0);
  });

  it('is nowhere afterwards: no row, file, page of the database or line of the log', async () => {
    expect(search.findIn(Buffer.from(await dumpOf(dataDir)), 'rows')).to.deep.equal([]);
    await stop();
    const files = letters.kept.flatMap((id) => [`${id}.pdf`, `${id}.json`]);
    expect(
      readdirSync(join(dataDir, 'simulator')).filter(
        (name) => !name.startsWith('.') && !files.includes(name),
      ),
    ).to.deep.equal([]);
    expect(readdirSync(join(dataDir, 'simulator', '.drafts'))).to.deep.equal([]);
    expect(
      readdirSync(join(dataDir, 'outbox')).filter((name) => name.endsWith('.pdf')),
    ).to.deep.equal([]);
    expect(search.findInFolder(dataDir)).to.deep.equal([]);
    expect(search.findIn(Buffer.from(logs.join('')), 'log')).to.deep.equal([]);
  });
});
