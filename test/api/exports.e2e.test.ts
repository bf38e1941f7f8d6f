import { spawnSync } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { decodeEvent, openPersonal } from '../../events/envelope.ts';
import { type LetterEvent, letterStream } from '../../events/letter.ts';
import type { ExportRow } from '../../infra/exports/export-store.ts';
import { createPartWriter } from '../../infra/exports/part-writer.ts';
import { addJobs } from '../../infra/jobs/add-job.ts';
import { defaultLimits } from '../../limits/table.ts';
import { commandOf } from '../../operator/commands.ts';
import type { Export } from '../../presenters/export.ts';
import { createMakeExport, type Part } from '../../reactors/make-export.ts';
import { writingAccount } from '../../service/wings/export-account.ts';
import { exportStoreOf, exportTask } from '../../service/wings/export-jobs.ts';
import { writingLetters } from '../../service/wings/export-letters.ts';
import { body, drawPdf, goodLetter } from '../documents/preflight/samples.ts';
import { expectProblem, useService } from '../support/client.ts';
import { exportsOf, logoImage, textIn } from '../support/exports.ts';
import { createPlainTextSearch } from '../support/plain-text-search.ts';
import { eventually } from '../support/service-process.ts';

type ExportJson = Static<typeof Export>;

/** The limits are low: an export has everything even where one request does not. */
const entriesOfRequest = 3;
const eventsOfRequest = 20;

type Described = Parameters<Awaited<ReturnType<Part['piece']>>['describe']>[0];

/** Keeps the text of each file, part by part. */
const partOf = (files: Record<string, string[]>, letters: Described[] = []): Part => ({
  piece: async () => ({
    isSealed: true,
    async add(file, content) {
      const whole = typeof content === 'string' || content instanceof Uint8Array;
      let text = '';
      for await (const piece of whole ? [content] : content) {
        text += Buffer.from(piece).toString('utf8');
      }
      files[file] = [...(files[file] ?? []), text];
    },
    describe: (letter) => void letters.push(letter),
  }),
  bytes: () => 0,
});

describe('the export of an account', function () {
  this.timeout(240_000);
  const api = useService({
    LIMIT_STATEMENT_ENTRIES: `${entriesOfRequest}`,
    LIMIT_AUDIT_EVENTS: `${eventsOfRequest}`,
  });
  type Client = Awaited<ReturnType<typeof api.register>>;
  const { begin, stateOf, made, download, blobOf, uploadLogo } = exportsOf(api);

  it('is an archive that a person reads and a program verifies without the service', async () => {
    const client = await api.register();
    const words = { to_name: 'Dr. Xaverine Pforte', content: 'Ein Export enthält diesen Satz.' };
    const { letter_id: id } = await client.send(words);
    await client.send({ ...words, draft: true });
    const { letter_id: deleted } = await client.send({ content: 'Gelöscht.', draft: true });
    await client.delete(`/api/letters/${deleted}`);
    await eventually('the credentials are issued', async () => {
      const { body } = await client.get<{ complete: boolean }>(`/api/identity/audit/${id}`);
      return body.complete;
    });
    const { export_id: exportId, letters, parts } = await made(client);
    expect([letters, parts]).to.deep.equal([2, 1]);
    const files = await download(client, exportId);

    const index = textIn(files, 'index.html');
    expect(index).to.include('Dr. Xaverine Pforte').and.include(client.account.account_id);
    for (const [, link = ''] of index.matchAll(/href="([^"]+)"/g)) {
      expect(Object.keys(files), 'links lead to files').to.include(link);
    }
    const folder = Object.keys(files)
      .find((name) => name.includes(id))
      ?.replace(/\/[^/]+$/, '');
    expect(textIn(files, `${folder}/letter.txt`)).to.equal(words.content);
    expect(textIn(files, `${folder}/letter.pdf`).slice(0, 5)).to.equal('%PDF-');
    const letter = JSON.parse(textIn(files, `${folder}/letter.json`));
    expect(letter).to.include({ letter_id: id, to_name: words.to_name, content: words.content });
    expect(textIn(files, 'statement.csv')).to.include(id);
    const account = JSON.parse(textIn(files, 'account.json'));
    expect(account).to.include({ name: client.email, account_id: client.account.account_id });
    const all = Object.values(files).map((bytes) => Buffer.from(bytes).toString('latin1'));
    expect(all.join('')).not.to.include(client.key).and.not.include(deleted);

    const manifest = JSON.parse(textIn(files, 'MANIFEST.json')) as {
      file: string;
      sha256: string;
    }[];
    expect(manifest.map(({ file }) => file)).to.have.members(
      Object.keys(files).filter((name) => name !== 'MANIFEST.json'),
    );
    for (const { file, sha256 } of manifest) {
      expect(hash('sha256', files[file] as Uint8Array, 'hex'), file).to.equal(sha256);
    }
    const place = mkdtempSync(join(tmpdir(), 'letters-export-'));
    try {
      writeFileSync(join(place, 'verify-audit.mjs'), textIn(files, 'verify-audit.mjs'));
      writeFileSync(join(place, 'audit.zip'), files[`${folder}/audit.zip`] as Uint8Array);
      const run = spawnSync(process.execPath, ['verify-audit.mjs', 'audit.zip'], {
        cwd: place,
        encoding: 'utf8',
      });
      expect(run.status, run.stdout + run.stderr).to.equal(0);
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  it('has a PDF as it was sent and as it is printed, so that its commitment can be checked', async () => {
    const client = await api.register();
    const [plain, wide] = [await goodLetter(), await drawPdf(body, { size: [215.9, 279.4] })];
    const pdfOf = (pdf: Buffer) => ({ content: undefined, document: pdf.toString('base64') });
    const sent = [
      { pdf: plain, ...(await client.send(pdfOf(plain))) },
      { pdf: wide, ...(await client.send({ ...pdfOf(wide), auto_fix: true })) },
    ];
    const { export_id: exportId } = await made(client);
    const files = await download(client, exportId);
    for (const { pdf, letter_id: id } of sent) {
      const file = (name: string) =>
        Object.entries(files).find(([path]) => path.endsWith(`${id}/${name}`))?.[1];
      expect(Buffer.from(file('original.pdf') ?? []).equals(pdf)).to.equal(true);
      expect(Buffer.from(file('letter.pdf') ?? []).equals(pdf)).to.equal(false);
      const { salt, commitment } = (
        await client.get<{ document: { salt: string; commitment: string } }>(`/api/proof/${id}`)
      ).body.document;
      expect(hash('sha256', Buffer.concat([Buffer.from(salt), pdf]), 'base64url')).to.equal(
        commitment,
      );
    }
    const { export_id: other } = await made(client, { documents: false });
    const names = Object.keys(await download(client, other));
    expect(names.filter((name) => name.endsWith('.pdf'))).to.deep.equal([]);
  });

  it('has everything that is stored about the account: each subject with a key is in it', async () => {
    const { foundation } = api.service().service;
    const subjects = async (): Promise<string[]> => {
      const { rows } = await foundation.storage.readDb.query<{ subject: string }>(
        'select subject from keys.data_keys where wrapped is not null',
        [],
      );
      return rows.map(({ subject }) => subject);
    };
    const before = new Set(await subjects());
    const client = await api.register();
    const policy = await client.put('/api/policy', {
      rules: [{ effect: 'allow' }],
      approvals: { quorum: 1, approvers: ['freigabe@example.com'], expires_in_hours: 24 },
    });
    expect(policy.status, policy.text).to.equal(200);
    const logoId = await uploadLogo(client);
    const audience = 'did:web:empfang.example';
    const ucan = await client.post<{ cid: string; ucan: string }>('/api/identity/ucan', {
      scope: 'read',
      audience,
    });
    expect(ucan.status, ucan.text).to.be.within(200, 201);
    const wish = { intent: 'transactional', to_country: 'DE' };
    const offer = await client.post<{ offer_id: string }>('/api/anp/offer', wish);
    const tier = { offer_id: offer.body.offer_id, tier: 'economy' };
    const { body: accepted } = await client.post<{ commitment_id: string }>(
      '/api/anp/accept',
      tier,
    );
    await client.send({ content: 'Ein ganzer Brief.' });
    await commandOf(['block', client.email, '--reason', 'Verdacht'])(foundation, () => undefined);

    const { export_id: exportId } = await made(client, { documents: false });
    const files = await download(client, exportId);
    const events = textIn(files, 'events.ndjson');
    const stream = `commitment-${accepted.commitment_id}`;
    for (const text of [client.email, 'freigabe@example.com', audience, '"Verdacht"', stream]) {
      expect(events).to.include(text);
    }
    expect(files[`logos/${logoId}.png`]).to.deep.equal(new Uint8Array(logoImage));
    const letter = Object.keys(files).find((name) => /^letters.*events\.ndjson$/.test(name));
    expect(textIn(files, letter ?? '')).to.include('Ein ganzer Brief.');
    const index = textIn(files, 'index.html');
    for (const [, link = ''] of index.matchAll(/href="([^"]+)"/g)) {
      expect(Object.keys(files)).to.include(link);
    }

    const all = Object.values(files).map((bytes) => Buffer.from(bytes).toString('utf8'));
    const left = (await subjects()).filter(
      (subject) => !before.has(subject) && !all.some((text) => text.includes(subject)),
    );
    expect(left.filter((subject) => !subject.startsWith('export-'))).to.deep.equal([]);
    expect(events).not.to.include(ucan.body.ucan);
  });

  it('has the whole statement, which may be too long for a request', async () => {
    const client = await api.register();
    const sent: string[] = [];
    for (let n = 0; n < entriesOfRequest; n++) sent.push((await client.send()).letter_id);
    expectProblem(await client.get('/api/balance/statement'), 422, 'statement_too_long');
    const { export_id: id } = await made(client, { documents: false });
    const statement = textIn(await download(client, id), 'statement.csv');
    const lines = statement.trimEnd().split('\r\n');
    expect(lines[0]).to.match(/^time,id,type/);
    expect(lines[1]).to.include(',opening_balance,');
    expect(lines.at(-1)).to.include(',closing_balance,');
    for (const letter of sent) expect(statement).to.include(letter);
    expect(lines.at(-1)?.split(',')[4]).to.equal(lines.at(-2)?.split(',')[4]);
  });

  it('goes on with the files about the account in the next part', async () => {
    const client = await api.register();
    for (let n = 0; n < entriesOfRequest; n++) await client.send({});
    await made(client, { documents: false });
    const write = writingAccount(api.service().service.foundation);
    const files: Record<string, string[]> = {};
    let rest: string | undefined = '';
    let parts = 0;
    while (rest !== undefined) {
      // Full after each piece.
      rest = await write(partOf(files), client.account.account_id, rest, () => true);
      parts++;
    }
    expect(parts).to.be.within(4, 100);
    expect(files['account.json']).to.have.length(1);
    const [first = '', second = '', ...others] = files['statement.csv'] ?? [];
    expect(others).to.deep.equal([]);
    expect(first).to.include(',opening_balance,').and.not.include(',closing_balance,');
    expect(second).to.include(',closing_balance,').and.not.include(',opening_balance,');
    const events = (files['events.ndjson'] ?? []).join('').trimEnd().split('\n');
    const ids = events.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(events.join('')).to.include(client.email).and.include('FundsReserved');
  });

  it('continues the events of a letter with a long history in the next part', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send({ draft: true });
    await client.patch(`/api/letters/${letterId}`, { to_line1: 'Hauptstr. 5' });
    const { foundation } = api.service().service;
    const stream = letterStream(letterId);
    const [, stored] = await foundation.storage.store.readStream(stream);
    if (!stored) expect.fail('the draft was changed');
    const key = await foundation.keys.dataKeys.get(stream);
    const { type, data, personal } = openPersonal(decodeEvent(stored), key) as LetterEvent & {
      type: 'LetterUpdated';
    };
    const again: LetterEvent[] = Array.from({ length: 250 }, () => ({ type, data, personal }));
    for (let n = 0; n < 2; n++) {
      const context = { commandId: randomUUID(), actor: 'test' };
      await foundation.commands.handler.handle(letterAggregate, letterId, context, () => again);
    }
    const write = writingLetters({ ...foundation, baseUrl: api.service().url });
    const files: Record<string, string[]> = {};
    const { account_id: accountId } = client.account;
    const of = { exportId: 'export-1', accountId, documents: true, state: 'making' as const };
    const row = { ...of, after: '', letters: 0, partBytes: [] };
    const letters: Described[] = [];
    const part = (from: string) =>
      write(partOf(files, letters), letterId, row, { from, isFull: () => true });
    const first = await part('');
    expect(letters[0]).to.include({ continues: true });
    expect(Object.keys(files).map((file) => file.split('/')[2])).to.not.include('letter.pdf');
    const second = await part(first?.rest ?? expect.fail('it continues'));
    expect(second?.rest).to.equal(undefined);
    expect(letters[1]).to.deep.include({ continues: false });
    expect(letters[1]?.files).to.deep.equal(['events.ndjson', 'letter.pdf']);
    const folder = letters[0]?.folder;
    expect(files[`${folder}/letter.json`]).to.have.length(1);
    const events = (files[`${folder}/events.ndjson`] ?? []).join('').trimEnd().split('\n');
    const versions = events.map((line) => (JSON.parse(line) as { version: number }).version);
    expect(versions).to.deep.equal(Array.from({ length: 502 }, (_, n) => n));
  });

  it('has a letter whose history is too long for a bundle, without the bundle', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send({ draft: true });
    const { letter_id: short } = await client.send({ draft: true });
    for (let n = 0; n < eventsOfRequest; n++) {
      const changed = await client.patch(`/api/letters/${letterId}`, {
        to_line1: `Hauptstr. ${n}`,
      });
      expect(changed.status, changed.text).to.equal(200);
    }
    const { export_id: id } = await made(client, { documents: false });
    const files = await download(client, id);
    const of = (letter: string): string[] =>
      Object.keys(files).flatMap((name) =>
        name.includes(letter) ? [name.split('/')[2] ?? ''] : [],
      );
    expect(of(short)).to.include('audit.zip');
    expect(of(letterId)).to.have.members(['letter.json', 'letter.txt', 'events.ndjson']);
    expect(textIn(files, 'index.html')).to.include('too long for one');
  });

  it('leaves PDFs out where they are not wanted, and goes on while the account is closing', async () => {
    const client = await api.register();
    await client.send();
    const closing = await api.call(
      'DELETE',
      '/api/account',
      { confirm: client.account.account_id },
      { key: client.key },
    );
    expect(closing.status, closing.text).to.equal(202);
    const { export_id: id } = await made(client, { documents: false });
    const names = Object.keys(await download(client, id));
    expect(names.some((name) => name.endsWith('letter.txt'))).to.equal(true);
    expect(names.some((name) => name.endsWith('.pdf'))).to.equal(false);
  });

  it('has no page but its own that a browser runs', async () => {
    const client = await api.register();
    const content = '<!doctype html><p>Hello</p><script>document.title = 1</script>';
    await client.send({ content, content_type: 'html' });
    const files = await download(client, (await made(client, { documents: false })).export_id);
    const text = Object.keys(files).find((name) => name.endsWith('/letter.html.txt')) ?? '';
    expect(textIn(files, text)).to.equal(content);
    expect(Object.keys(files).filter((name) => /html?$/.test(name))).to.deep.equal(['index.html']);
  });

  it('is made once at a time, and is the account’s alone', async () => {
    const client = await api.register();
    const { readDb } = api.service().service.foundation.storage;
    const other = randomUUID();
    await readDb.query(
      `insert into exports.exports (export_id, account_id, request_hash, documents, state, requested_at, expires_at, in_pieces)
       values ($1, $2, 'x', true, 'making', now(), now() + interval '1 day', true)`,
      [other, client.account.account_id],
    );
    const refused = expectProblem(await begin(client), 409, 'export_in_progress');
    expect(refused).to.include({ export_id: other });
    const zip = { Accept: 'application/zip' };
    const listed = async (by: Client) =>
      (await by.get<{ data: ExportJson[] }>('/api/exports')).body.data;
    expect(await listed(client)).to.deep.equal([await stateOf(client, other)]);
    expectProblem(await client.get(`/api/exports/${other}`, zip), 409, 'export_not_ready');
    const stranger = await api.register();
    expect(await listed(stranger)).to.deep.equal([]);
    const sender = await api.newKey(client, 'send');
    expectProblem(await sender.get('/api/exports'), 403, 'scope_insufficient');
    expectProblem(await stranger.get(`/api/exports/${other}`), 404, 'export_not_found');
    await readDb.query(`update exports.exports set state = 'failed' where export_id = $1`, [other]);
    expectProblem(await client.get(`/api/exports/${other}`, zip), 409, 'export_not_ready');
    const { export_id: id } = await made(client);
    expectProblem(await client.get(`/api/exports/${id}?part=2`, zip), 404, 'export_not_found');
    await eventually('the archive before is removed', async () => {
      const { status } = await client.get(`/api/exports/${other}`);
      return status === 404;
    });
    expect(await listed(client)).to.deep.equal([await stateOf(client, id)]);
  });

  it('is not made again by a repetition after another archive replaced it', async () => {
    const client = await api.register();
    const key = randomUUID();
    const first = await begin(client, {}, key);
    const isReady = (id: string) =>
      eventually(
        'the archive is ready',
        async () => (await stateOf(client, id)).status === 'ready',
      );
    await isReady(first.body.export_id);
    const { export_id: second } = await made(client, { documents: false });
    await eventually('the archive before is removed', async () => {
      const { status } = await client.get(`/api/exports/${first.body.export_id}`);
      return status === 404;
    });
    const again = await begin(client, {}, key);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.text).to.equal(first.text);
    expectProblem(await begin(client, { documents: false }, key), 422, 'idempotency_key_reused');
    expect((await client.get(`/api/exports/${first.body.export_id}`)).status).to.equal(404);
    expect((await stateOf(client, second)).status).to.equal('ready');
  });

  it('does not begin without its job, so that another can be asked for', async () => {
    const client = await api.register();
    const { readDb } = api.service().service.foundation.storage;
    await readDb.query(
      `create function work.refuse() returns trigger language plpgsql as
       $$ begin raise exception 'refused' using errcode = '57P01'; end $$`,
    );
    await readDb.query(
      `create trigger refuse before insert on work.jobs for each row
       when (new.key like 'export %') execute function work.refuse()`,
    );
    try {
      expect((await begin(client)).status).to.equal(503);
    } finally {
      await readDb.query('drop function work.refuse() cascade');
    }
    expect((await made(client)).letters).to.equal(0);
  });

  it('leaves the slots of other background jobs free', async () => {
    const { foundation } = api.service().service;
    const { blobs, readDb } = foundation.storage;
    const most = defaultLimits.exportsAtOnce;
    const now = new Date();
    const begun: { accountId: string; exportId: string }[] = [];
    for (let n = 0; n < most + 2; n++) {
      const { account_id: accountId } = (await api.register()).account;
      const wanted = { exportId: randomUUID(), accountId, requestHash: 'x', documents: false };
      const givenUpAt = new Date(now.getTime() + 86_400_000);
      await exportStoreOf(foundation).begin(wanted, { now, givenUpAt });
      begun.push(wanted);
    }
    const { put } = blobs;
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let waiting = 0;
    blobs.put = async (...stored) => {
      waiting++;
      await opened;
      return put(...stored);
    };
    try {
      const jobs = begun.map(({ exportId }) => ({
        key: `export ${exportId}`,
        payload: { exportId },
      }));
      await addJobs(readDb, exportTask, jobs);
      await eventually('parts are about to be stored', () => waiting >= most);
      const { rows } = await readDb.query(
        'select 1 from work.jobs where task = $1 and claim is not null',
        [exportTask],
      );
      expect(rows).to.have.length(most);
    } finally {
      blobs.put = put;
      open();
    }
    await eventually('all are made', async () => {
      const states = await Promise.all(
        begun.map(({ exportId }) => exportStoreOf(foundation).find(exportId)),
      );
      return states.every((one) => one?.state === 'ready');
    });
  });

  it('lies encrypted in the store, and is removed when it expires', async () => {
    const client = await api.register();
    const word = 'Ausfuhrgeheimnis';
    await client.send({ content: word });
    const { export_id: id } = await made(client);
    const { storage } = api.service().service.foundation;
    const blob = await blobOf(id);
    const stored = await storage.blobs.get(blob);
    const search = createPlainTextSearch([word, 'letter.json']);
    expect(search.findIn(stored ?? expect.fail('it is stored'), 'part')).to.deep.equal([]);
    await storage.readDb.query(
      `update exports.exports set expires_at = now() - interval '1 second' where export_id = $1`,
      [id],
    );
    await exportStoreOf(api.service().service.foundation).sweep(new Date());
    expectProblem(await client.get(`/api/exports/${id}`), 404, 'export_not_found');
    expect(await storage.blobs.get(blob)).to.equal(undefined);
  });

  it('keeps the part of the run that recorded it when another run was held up meanwhile', async () => {
    const { account } = await api.register();
    const store = exportStoreOf(api.service().service.foundation);
    const exportId = randomUUID();
    const wanted = { exportId, accountId: account.account_id, requestHash: 'x', documents: false };
    await store.begin(wanted, { now: new Date(), givenUpAt: new Date(Date.now() + 86_400_000) });
    const row = (await store.find(exportId)) ?? expect.fail('it began');
    const { dataKeys } = api.service().service.foundation.keys;
    /** A run that makes its part once `held` resolves. */
    const run = (text: string, held?: Promise<void>) =>
      createMakeExport({
        ...store,
        clock: Date.now,
        find: async () => row,
        lettersAfter: async () => [],
        openPart: () => createPartWriter(dataKeys),
        async writeAccount({ piece }) {
          await (await piece()).add(text, text);
          await held;
          return undefined;
        },
        writeLetter: async () => undefined,
        sizeOf: async (of: ExportRow, part) => (await store.readPart(of, part))?.pieces.length,
        enqueue: async () => undefined,
        pause: async () => undefined,
      })({ exportId }, { signal: new AbortController().signal, lastAttempt: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = run('late', promise);
    await run('first');
    resolve();
    await late;
    const stored = await store.readPart(row, 1);
    expect(stored?.pieces[0]?.files.map(({ file }) => file)).to.deep.equal(['first']);
  });
});
