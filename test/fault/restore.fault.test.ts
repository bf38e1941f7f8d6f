/** A service whose data was restored from a backup: nothing that the print house has seen is printed again. */
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TransactionalDb } from '../../ground/db.ts';
import { currentGeneration } from '../../infra/postgres/log-generations.ts';
import { markFolder, restFolder } from '../../infra/print/restore-marker.ts';
import { openRestores } from '../../service/wings/restores.ts';
import { call } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { copyDatabase } from '../support/postgres.ts';
import { startPrintHouse } from '../support/print-house.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually } from '../support/service-process.ts';
import { atRest, fundLiveAccount, sendOne } from '../support/some-letters.ts';

describe('a service that was restored from a backup', function () {
  this.timeout(180_000);
  let folder: string;
  let databases: Awaited<ReturnType<typeof serviceDatabase>>[];
  let env: Record<string, string>;
  let service: TestService | undefined;
  let key: string;
  let taken: Set<string>;
  let twice: string[];

  const outbox = () => join(folder, 'data', 'outbox');
  const ticketsIn = async (path: string): Promise<string[]> =>
    (await readdir(path).catch(() => []))
      .filter((name) => /^[0-9a-f-]{36}\.json$/.test(name))
      .map((name) => name.slice(0, 36));

  /** As docs/printing.md says: the one who moves the ticket prints the letter. */
  const take = async (letterIds?: string[]): Promise<string[]> => {
    const there = await ticketsIn(outbox());
    const wanted = there.filter((id) => letterIds === undefined || letterIds.includes(id));
    await mkdir(join(folder, 'printed'), { recursive: true });
    for (const id of wanted) {
      await rename(join(outbox(), `${id}.json`), join(folder, 'printed', `${id}.json`));
      if (taken.has(id)) twice.push(id);
      taken.add(id);
    }
    return wanted;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-restore-'));
    const database = await serviceDatabase();
    databases = [database];
    [taken, twice] = [new Set(), []];
    env = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      MASTER_KEY: randomBytes(32).toString('hex'),
      CANCELLATION_WINDOW_SECONDS: '0',
    };
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (restoreLookMs?: number): Promise<TestService> => {
    service = await startTestService(env, restoreLookMs === undefined ? {} : { restoreLookMs });
    return service;
  };
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const operate = async (...args: string[]) => {
    const { code, out, err } = await runOperator(env, args);
    expect(code, err).to.equal(0);
    return out;
  };
  const send = (): Promise<string> => sendOne(service?.url ?? '', key);
  const statusOf = async (letterId: string): Promise<string> =>
    String(
      (await call(service?.url ?? '', 'GET', `/api/letters/${letterId}`, { key })).body.status,
    );
  const isOut = (letterIds: string[]) =>
    eventually('the letters are handed over', async () => {
      const there = await ticketsIn(outbox());
      return letterIds.every((id) => there.includes(id));
    });

  /** Backs up the folder as `docs/deployment.md` says, and the database as it is now. */
  const backUp = async (withOutbox: boolean): Promise<void> => {
    await stop();
    databases.push(await copyDatabase(env.DATABASE_URL ?? ''));
    await cp(join(folder, 'data'), join(folder, 'backup'), {
      recursive: true,
      filter: (path) => withOutbox || path !== outbox(),
    });
  };
  const restore = async (): Promise<void> => {
    await stop();
    await rm(join(folder, 'data'), { recursive: true });
    await rename(join(folder, 'backup'), join(folder, 'data'));
    env = { ...env, DATABASE_URL: databases.at(-1)?.url ?? '' };
  };

  /** Five letters are in the outbox; a backup is made; the print house takes some; the backup is restored. */
  const loseTheDayOf = async (withOutbox: boolean) => {
    const { url } = await start();
    key = await fundLiveAccount(url, env);
    const letters: string[] = [];
    for (let n = 0; n < 5; n++) letters.push(await send());
    await isOut(letters);
    await atRest(url);
    await backUp(withOutbox);
    await start();
    const printed = await take(letters.slice(0, 3));
    expect(printed).to.have.length(3);
    await restore();
    return { printed, left: letters.slice(3) };
  };

  it('hands nothing over again before the operator decides, and then what was not printed, once', async () => {
    const { printed, left } = await loseTheDayOf(false);
    await start();
    const later = await send();
    await isOut([later]);
    await eventually('/health names it', async () => {
      const { body } = await call(service?.url ?? '', 'GET', '/health');
      const { parts = [] } = body as { parts?: { detail?: string }[] };
      return parts.some(({ detail }) => detail?.includes('operator -- restored'));
    });
    expect(await take()).to.deep.equal([later]);
    const list = await operate('restored');
    for (const id of [...printed, ...left]) expect(list).to.include(id);
    expect(list).not.to.include(later);
    expect(await operate('restored', 'printed', ...printed)).to.include(
      '2 letters are still in doubt',
    );
    expect(await operate('restored', 'not-printed', 'all')).to.include('No letter is in doubt');
    await isOut(left);
    expect((await take()).toSorted()).to.deep.equal(left.toSorted());
    expect(twice).to.deep.equal([]);
    expect(taken.size).to.equal(6);
  });

  it('answers no recall while it is in doubt, and keeps the money of what was printed', async () => {
    const { printed, left } = await loseTheDayOf(false);
    await start();
    for (const id of [printed[0], left[0]] as string[]) {
      await call(service?.url ?? '', 'POST', `/api/letters/${id}/cancel`, { key });
    }
    await eventually('the recalls were tried', async () => {
      const { body } = await call(service?.url ?? '', 'GET', '/health');
      const { reactors } = body as {
        reactors: { name: string; failing: number; parked: number }[];
      };
      const produce = reactors.find(({ name }) => name === 'produce-letters');
      // After some tries a stream is put aside.
      return produce !== undefined && produce.failing + produce.parked === 2;
    });
    for (const id of [printed[0], left[0]] as string[]) {
      expect(await statusOf(id)).to.equal('processing');
    }
    await operate('restored', 'printed', ...printed);
    await operate('restored', 'not-printed', ...left);
    await eventually(
      'the recall of what was not printed holds',
      async () => (await statusOf(left[0] ?? '')) === 'cancelled',
    );
    await eventually('the other recall is rejected', async () => {
      const { body } = await call(service?.url ?? '', 'GET', `/api/letters/${printed[0]}`, { key });
      return (body.cancellation as { status?: string } | null)?.status === 'rejected';
    });
    await take();
    expect(twice).to.deep.equal([]);
    expect(taken.has(left[0] ?? '')).to.equal(false);
  });

  it('takes restored tickets out of the reach of the print house when outbox was in the backup', async () => {
    const { printed, left } = await loseTheDayOf(true);
    expect((await ticketsIn(outbox())).length).to.equal(5);
    expect(await operate('restored', 'begin')).to.include('Tickets set aside: 5');
    expect(await ticketsIn(outbox())).to.deep.equal([]);
    await start();
    await operate('restored', 'printed', ...printed);
    await operate('restored', 'not-printed', 'all');
    await isOut(left);
    await take();
    expect(twice).to.deep.equal([]);
    expect(taken.size).to.equal(5);
  });

  it('is noticed when the database alone was restored, and the print folder is newer', async () => {
    const { url } = await start();
    key = await fundLiveAccount(url, env);
    const letter = await send();
    await isOut([letter]);
    await atRest(url);
    await stop();
    const older = await copyDatabase(env.DATABASE_URL ?? '');
    databases.push(older);
    await start();
    await take();
    await stop();
    env = { ...env, DATABASE_URL: older.url };
    await start();
    expect(await operate('restored')).to.include(letter);
  });

  it('says which letters were taken back since the backup, and prints none that is cancelled again', async () => {
    const { url } = await start();
    key = await fundLiveAccount(url, env);
    const letter = await send();
    await isOut([letter]);
    await atRest(url);
    await stop();
    const older = await copyDatabase(env.DATABASE_URL ?? '');
    databases.push(older);
    await start();
    const cancel = async (): Promise<void> => {
      const { status } = await call(service?.url ?? '', 'POST', `/api/letters/${letter}/cancel`, {
        key,
      });
      expect(status).to.equal(202);
    };
    const isCancelled = () =>
      eventually('it is cancelled', async () => (await statusOf(letter)) === 'cancelled');
    await cancel();
    await isCancelled();
    await stop();
    env = { ...env, DATABASE_URL: older.url };
    await start();
    expect(await operate('restored')).to.match(new RegExp(`${letter} .*  ticket was taken back\n`));
    await cancel();
    await operate('restored', 'not-printed', letter);
    await isCancelled();
    expect(await take()).to.deep.equal([]);
  });

  it('holds back what the hotfolder may have printed before the print partner was changed', async () => {
    const house = await startPrintHouse();
    try {
      const { url } = await start();
      key = await fundLiveAccount(url, env);
      await atRest(url);
      await stop();
      env = { ...env, CANCELLATION_WINDOW_SECONDS: '10' };
      await start();
      const letter = await send();
      await atRest(service?.url ?? '');
      await backUp(false);
      await start();
      await isOut([letter]);
      await take();
      await restore();
      env = { ...env, ...house.env, CANCELLATION_WINDOW_SECONDS: '0' };
      await start();
      const later = await send();
      await eventually('the new house has the next letter', () => house.jobs.has(later));
      expect(await operate('restored')).to.include(letter);
      expect(house.jobs.has(letter)).to.equal(false);
      await operate('restored', 'printed', letter);
      await eventually(
        'it is in production',
        async () => (await statusOf(letter)) === 'processing',
      );
      expect(house.jobs.has(letter)).to.equal(false);
    } finally {
      await house.stop();
    }
  });

  it('holds nothing back where the print house over HTTP stayed the same', async () => {
    const house = await startPrintHouse();
    try {
      env = { ...env, ...house.env };
      const { url } = await start();
      key = await fundLiveAccount(url, env);
      const letter = await send();
      await eventually('the house has it', () => house.jobs.has(letter));
      await atRest(url);
      await backUp(false);
      await restore();
      await operate('restored', 'begin');
      expect(await operate('restored')).to.include('No letter is in doubt');
    } finally {
      await house.stop();
    }
  });

  it('neither cancels nor changes a queued letter before the print house was asked for it', async () => {
    const house = await startPrintHouse();
    try {
      env = { ...env, ...house.env };
      const { url } = await start();
      key = await fundLiveAccount(url, env);
      await atRest(url);
      await stop();
      const all = env;
      const quiet = { ROLES: 'write-api,read-api,projections' };
      env = { ...env, ...quiet };
      await start();
      const [printed, other, reported] = [await send(), await send(), await send()];
      await backUp(false);
      env = all;
      await start();
      await eventually('the house has them', () => house.jobs.size === 3);
      house.print(printed);
      house.jobs.delete(other);
      await restore();
      env = { ...env, ...quiet };
      await operate('restored', 'begin');
      await start();
      const later = await send();
      const cancel = (id: string) =>
        call(service?.url ?? '', 'POST', `/api/letters/${id}/cancel`, { key });
      const change = (id: string) =>
        call(service?.url ?? '', 'PATCH', `/api/letters/${id}`, { key, body: { reference: 'b' } });
      for (const answer of [await cancel(printed), await cancel(other), await change(printed)]) {
        expect([answer.status, answer.body.code]).to.deep.equal([409, 'conflict']);
      }
      expect((await cancel(later)).status).to.equal(200);
      const { headers, raw } = house.sign({ job_id: reported, status: 'posted' });
      const report = await fetch(`${service?.url}/partner/events`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: raw,
      });
      expect([report.status, await report.json()]).to.deep.equal([
        200,
        { job_id: reported, changed: true },
      ]);
      expect((await cancel(reported)).body.code).to.equal('letter_not_cancellable');
      expect(await operate('restored')).to.include('No letter is in doubt');
      expect((await cancel(printed)).status).to.equal(202);
      expect((await cancel(other)).status).to.equal(200);
    } finally {
      await house.stop();
    }
  });

  it('takes reports about letters that the backup has as queued, and pays none of these back', async () => {
    const { url } = await start();
    key = await fundLiveAccount(url, env);
    await atRest(url);
    await stop();
    const all = env;
    env = { ...env, ROLES: 'write-api,read-api,projections' };
    await start();
    const letters = [await send(), await send(), await send()];
    const [posted, spoilt, other] = letters as [string, string, string];
    await backUp(false);
    env = all;
    await start();
    await isOut(letters);
    await take();
    await restore();
    // Outside of the hours of hand-over, due letters stay queued.
    env = { ...env, PRINT_HANDOVER: 'business-hours', PRINT_CUT_OFF: '00:01' };
    await operate('restored', 'begin');
    await start();
    for (const command of [
      ['cancel', other],
      ['advance', other, 'failed'],
    ]) {
      const { code, err } = await runOperator(env, command);
      expect(code).to.equal(1);
      expect(err).to.include(`the print house may have letter ${other}. Nothing was changed`);
    }
    const inbox = join(folder, 'data', 'inbox');
    await mkdir(inbox, { recursive: true });
    for (const [job_id, status] of [
      [posted, 'posted'],
      [spoilt, 'failed'],
    ] as const) {
      await writeFile(join(inbox, `.${status}`), JSON.stringify({ job_id, status }));
      await rename(join(inbox, `.${status}`), join(inbox, `${status}.json`));
      await eventually('it is stored', async () => (await statusOf(job_id)) === status);
    }
    const list = await operate('restored');
    expect(list).to.include(other).and.not.include(posted).and.not.include(spoilt);
    await operate('restored', 'printed', other);
    await eventually('it is in production', async () => (await statusOf(other)) === 'processing');
    expect(twice).to.deep.equal([]);
  });

  it('is not declared if another process renews the mark of the folder meanwhile', async () => {
    const { url, service: running } = await start();
    key = await fundLiveAccount(url, env);
    const letter = await send();
    await isOut([letter]);
    const { foundation } = running;
    const { readDb } = foundation.storage;
    let isOvertaken = false;
    const overtaken: TransactionalDb = {
      ...readDb,
      async query<R>(text: string, values?: unknown[]) {
        const answer = await readDb.query<R>(text, values);
        if (isOvertaken && text.includes('from reactors.log_generations')) {
          isOvertaken = false;
          await markFolder(readDb, outbox());
        }
        return answer;
      },
    };
    const storage = { ...foundation.storage, readDb: { ...readDb, ...overtaken } };
    const { look } = await openRestores({ ...foundation, storage });
    const before = await currentGeneration(readDb);
    isOvertaken = true;
    await look();
    expect(isOvertaken).to.equal(false);
    expect((await currentGeneration(readDb))?.number).to.equal(before?.number);
    expect(await ticketsIn(outbox())).to.deep.equal([letter]);
  });

  it('says that another print folder looks like a restore, and names it', async () => {
    // The service looks once, at its start: with a later look it would count as another node.
    const { service: running } = await start(3_600_000);
    const { config, log, storage } = running.foundation;
    await restFolder(storage.readDb, outbox());
    const hotfolder = join(folder, 'elsewhere');
    const said: { folder?: string; text: string }[] = [];
    await openRestores({
      ...running.foundation,
      config: { ...config, print: { ...config.print, hotfolder } },
      log: { ...log, error: (fields, text) => void said.push({ ...fields, text }) },
    });
    expect(said).to.have.length(1);
    expect(said[0]?.folder).to.equal(join(hotfolder, 'outbox'));
    expect(said[0]?.text).to.include('PRINT_HOTFOLDER names another folder');
  });

  it('does not mistake a print folder that was removed by hand for a restore at the next start', async () => {
    const { service: running } = await start();
    const { look } = await openRestores(running.foundation);
    // The service may write its mark there meanwhile.
    await rm(outbox(), { recursive: true, maxRetries: 5 });
    await look();
    await stop();
    const { service: next } = await start();
    expect((await currentGeneration(next.foundation.storage.readDb))?.number).to.equal(1n);
  });

  it('keeps letters in doubt when the log is accepted as the truth, and still notices the restore', async () => {
    const { printed, left } = await loseTheDayOf(false);
    await operate('rebuild', 'all', '--accept-log');
    await start();
    await stop();
    await operate('restored', 'not-printed', left[0] ?? '');
    await operate('rebuild', 'all', '--accept-log');
    const list = await operate('restored');
    for (const id of [...printed, left[1]]) expect(list).to.include(id);
    expect(list).not.to.include(left[0]);
  });

  it('has no letter in doubt after an ordinary restart', async () => {
    const { url } = await start();
    key = await fundLiveAccount(url, env);
    const letter = await send();
    await isOut([letter]);
    await atRest(url);
    await stop();
    await start();
    expect(await operate('restored')).not.to.include(letter);
  });

  it('lets the operator report a letter as posted, and its ticket leaves outbox', async () => {
    const { url } = await start();
    key = await fundLiveAccount(url, env);
    const [byCommand, byService] = [await send(), await send()];
    await isOut([byCommand, byService]);
    await stop();
    expect(await operate('advance', byCommand, 'posted')).to.include('was removed from outbox');
    expect(await ticketsIn(outbox())).to.deep.equal([byService]);
    expect(await readdir(outbox())).not.to.include(`${byCommand}.pdf`);
    await start();
    // The read model follows the log of the command after the start.
    await eventually('the posted letter', async () => (await statusOf(byCommand)) === 'posted');
    expect(await ticketsIn(outbox())).to.deep.equal([byService]);
  });
});
