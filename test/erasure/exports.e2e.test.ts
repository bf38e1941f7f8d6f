/** Archives of accounts whose letters and logos are erased before, while and after the archive is made. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { logoBookAggregate } from '../../commands/logos/logo-book.ts';
import { letterStream } from '../../events/letter.ts';
import { openBytes } from '../../events/sealing.ts';
import { createPartWriter } from '../../infra/exports/part-writer.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { hasJob } from '../../infra/jobs/failed-jobs.ts';
import { replayErasures } from '../../operator/restore/replay-erasures.ts';
import { exportStoreOf } from '../../service/wings/export-jobs.ts';
import { expectProblem, useService } from '../support/client.ts';
import { exportsOf, textIn } from '../support/exports.ts';
import { createPlainTextSearch } from '../support/plain-text-search.ts';
import { seeded } from '../support/seeded.ts';
import { eventually } from '../support/service-process.ts';

/** For a row of an export that a test begins by itself. */
const day = 86_400_000;

describe('the export of an account whose data are erased', function () {
  this.timeout(120_000);
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  const { begin, stateOf, ready, made, download, blobOf, uploadLogo } = exportsOf(api);

  /** Sends drafts. Returns their ids, and the name that only the letter itself has. */
  const draft = async (client: Client, name: string) => {
    const { letter_id: id } = await client.send({ to_name: name, content: name, draft: true });
    return { id, name };
  };
  const lettersIn = (files: Record<string, Uint8Array>): Set<string> =>
    new Set(
      Object.keys(files).flatMap((name) => /^letters\/[\d-]{11}([^/]+)\//.exec(name)?.[1] ?? []),
    );
  /** Repeats the erasures of a journal, as a restore does. */
  const replay = async (subject: string): Promise<number> => {
    const place = mkdtempSync(join(tmpdir(), 'letters-journal-'));
    try {
      const journal = join(place, 'erasures.log');
      await writeFile(journal, `${JSON.stringify({ at: new Date().toISOString(), subject })}\n`);
      return (await replayErasures(api.service().service.foundation, [journal])).erased;
    } finally {
      rmSync(place, { recursive: true });
    }
  };

  it('has exactly the letters that are not deleted, whenever they are', async () => {
    for (const seed of [1, 2, 3]) {
      const random = seeded(seed);
      const client = await api.register();
      const left = new Map<string, string>();
      const gone = new Map<string, string>();
      for (let n = 0; n < 9; n++) {
        const { id, name } = await draft(client, `Zylinda ${seed}${n}`);
        left.set(id, name);
      }
      const deleteOne = async (): Promise<void> => {
        const [id = '', name = ''] = [...left][Math.floor(random() * left.size)] ?? [];
        left.delete(id);
        gone.set(id, name);
        expect((await client.delete(`/api/letters/${id}`)).status).to.equal(200);
      };
      const check = async (exportId: string): Promise<void> => {
        const files = await download(client, exportId);
        const [found, wanted] = [[...lettersIn(files)].toSorted(), [...left.keys()].toSorted()];
        expect(found, `seed ${seed}`).to.deep.equal(wanted);
        const index = textIn(files, 'index.html');
        for (const name of left.values()) expect(index, `seed ${seed}`).to.include(name);
        for (const name of gone.values()) expect(index, `seed ${seed}`).not.to.include(name);
        const listed = JSON.parse(textIn(files, 'MANIFEST.json')) as { file: string }[];
        expect(listed).to.have.length(Object.keys(files).length - 1);
      };
      await deleteOne();
      const { export_id: id } = (await begin(client)).body;
      for (let n = 0; n < 4; n++) {
        await new Promise((resolve) => setTimeout(resolve, random() * 100));
        await deleteOne();
      }
      const { letters } = await ready(client, id);
      expect(letters).to.be.within(4, 8);
      await check(id);
      await deleteOne();
      await check(id);
      expect(await stateOf(client, id)).to.include({ status: 'ready', letters });
    }
  });

  it('says which letters were erased since', async () => {
    const client = await api.register();
    const { id: letterId, name } = await draft(client, 'Xaverine Pforte');
    const { export_id: id } = await made(client);
    expect(textIn(await download(client, id), 'index.html')).to.include(name);
    await client.delete(`/api/letters/${letterId}`);
    const index = textIn(await download(client, id), 'index.html');
    expect(index).to.include('[erased]').and.include('erased since the archive was made');
    expect(index).not.to.include(name).and.not.include('too long for one');
  });

  it('is stored so that the key of the archive alone opens no letter', async () => {
    const client = await api.register();
    await draft(client, 'Xaverine Pforte');
    const { export_id: id } = await made(client);
    const { storage, keys } = api.service().service.foundation;
    const blob = await blobOf(id);
    const key = await keys.dataKeys.get(blob.replace(/-part-1$/, ''));
    const stored = await storage.blobs.get(blob);
    if (!key || !stored) expect.fail('it is stored');
    const opened = openBytes(stored, key, blob);
    const search = createPlainTextSearch(['account.json', 'letter.json', 'Pforte']);
    expect(search.findIn(opened, 'part').join()).to.include('account.json');
    expect(search.findIn(opened, 'part').join()).not.to.match(/letter\.json|Pforte/);
  });

  it('has no logo that is deleted', async () => {
    const client = await api.register();
    const [logoId] = [await uploadLogo(client)];
    const { export_id: id } = await made(client);
    expect(await download(client, id)).to.include.keys(`logos/${logoId}.png`);
    expect((await client.delete(`/api/logos/${logoId}`)).status).to.equal(200);
    await eventually('the logo is erased', async () => {
      const files = await download(client, id);
      return !Object.keys(files).includes(`logos/${logoId}.png`) && 'account.json' in files;
    });
  });

  it('has no letter that a restore erases again', async () => {
    const client = await api.register();
    const { id: letterId, name } = await draft(client, 'Xaverine Pforte');
    const { export_id: id } = await made(client);
    expect(await replay(letterStream(letterId))).to.equal(1);
    const files = await download(client, id);
    expect(lettersIn(files)).to.deep.equal(new Set());
    expect(textIn(files, 'index.html')).not.to.include(name);
  });

  it('has no logo that a restore erases again', async () => {
    const client = await api.register();
    const { foundation } = api.service().service;
    const logoId = await uploadLogo(client);
    const { export_id: id } = await made(client);
    const { account_id: accountId } = client.account;
    const { state } = await foundation.commands.handler.load(logoBookAggregate, accountId);
    const { blob } = state.logos.get(logoId) ?? expect.fail('it was uploaded');
    await replay(blob);
    expect(Object.keys(await download(client, id))).not.to.include(`logos/${logoId}.png`);
  });

  /** The row of an export that no job makes. */
  const rowOf = async (client: Client) => {
    const { account_id: accountId } = client.account;
    const wanted = { exportId: randomUUID(), accountId, requestHash: 'x', documents: false };
    const at = { now: new Date(), givenUpAt: new Date(Date.now() + day) };
    const store = exportStoreOf(api.service().service.foundation);
    expect(await store.begin(wanted, at)).to.include({ isNew: true });
    return (await store.find(wanted.exportId)) ?? expect.fail('it began');
  };

  it('is removed when a restore erases its key again, so that another can be made', async () => {
    const client = await api.register();
    const { exportId, run } = await rowOf(client);
    const { dataKeys } = api.service().service.foundation.keys;
    await dataKeys.create(`export-${exportId}-${run}`);
    expectProblem(await begin(client), 409, 'export_in_progress');
    await replay(`export-${exportId}-${run}`);
    expectProblem(await client.get(`/api/exports/${exportId}`), 404, 'export_not_found');
    expect((await made(client)).letters).to.equal(0);
  });

  for (const state of ['making', 'ready', 'failed']) {
    it(`is removed if it is ${state} and from a version that sealed all letters with one key`, async () => {
      const client = await api.register();
      const { exportId, run } = await rowOf(client);
      const { keys, storage } = api.service().service.foundation;
      const subject = `export-${exportId}-${run}`;
      await keys.dataKeys.create(subject);
      await storage.blobs.put(`${subject}-1`, Buffer.from('part'));
      await storage.readDb.query(
        `update exports.exports set in_pieces = false, state = $2, part_bytes = '{4}'
         where export_id = $1`,
        [exportId, state],
      );
      expectProblem(await client.get(`/api/exports/${exportId}`), 404, 'export_not_found');
      expect((await client.get<{ data: [] }>('/api/exports')).body.data).to.deep.equal([]);
      await exportStoreOf(api.service().service.foundation).sweep(new Date());
      expect(await storage.blobs.get(`${subject}-1`)).to.equal(undefined);
      expect(await keys.dataKeys.get(subject)).to.equal(undefined);
      expect((await made(client)).letters).to.equal(0);
    });
  }

  it('is removed with its job when a process of an earlier version begins it again in a rolling upgrade', async () => {
    const client = await api.register();
    const before = await rowOf(client);
    const { storage, keys } = api.service().service.foundation;
    const store = exportStoreOf(api.service().service.foundation);
    // As the earlier version does when a letter of the account is deleted.
    const restarted = await storage.readDb.query<{ run: string }>(
      `update exports.exports set after = '', letters = 0, part_bytes = '{}', run = gen_random_uuid()
       where export_id = $1 and state = 'making' returning run`,
      [before.exportId],
    );
    const job = `export ${before.exportId}`;
    await addJob(storage.readDb, 'make-export', { exportId: before.exportId }, { key: job });
    const part = { bytes: 4, after: 'letters', letters: 0, readyUntil: new Date() };
    expect(await store.addPart(before, part)).to.equal(false);
    const facts = { madeAt: new Date().toISOString(), isLast: true };
    expect(await store.storePart(before, 1, createPartWriter(keys.dataKeys), facts)).to.equal(
      false,
    );
    // The earlier version finishes it.
    const subject = `export-${before.exportId}-${restarted.rows[0]?.run}`;
    await keys.dataKeys.create(subject);
    await storage.blobs.put(`${subject}-1`, Buffer.from('part'));
    await storage.readDb.query(
      `update exports.exports set part_bytes = '{4}', state = 'ready' where export_id = $1`,
      [before.exportId],
    );
    expectProblem(await client.get(`/api/exports/${before.exportId}`), 404, 'export_not_found');
    await store.sweep(new Date());
    expect(await storage.blobs.get(`${subject}-1`)).to.equal(undefined);
    expect(await keys.dataKeys.get(subject)).to.equal(undefined);
    await eventually('the job is gone', async () => !(await hasJob(storage.readDb, job)));
    expect((await made(client)).letters).to.equal(0);
  });
});
