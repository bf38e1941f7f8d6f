/** Backup and restore next to files that lie outside the data folder, and that survived. */
import { randomUUID } from 'node:crypto';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accountStream } from '../../events/account.ts';
import { letterStream } from '../../events/letter.ts';
import { clocksDifferMs } from '../../ground/clock.ts';
import { erasuresIn } from '../../infra/keys/erasure-journal.ts';
import { replayErasures, savedJournal } from '../../operator/restore/replay-erasures.ts';
import { withFoundation } from '../support/foundation.ts';
import { call, letterBody, registerTestAccount } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually } from '../support/service-process.ts';
import { atRest } from '../support/some-letters.ts';

describe('a restore next to files that survived', function () {
  this.timeout(180_000);
  let folder = '';
  let recipient = '';
  let env: Record<string, string> = {};
  const databases: Awaited<ReturnType<typeof serviceDatabase>>[] = [];
  const done = async (place: Record<string, string>, args: string[]): Promise<string> => {
    const { code, out, err } = await runOperator(place, args);
    expect(code, out + err).to.equal(0);
    return out;
  };
  const backUp = () =>
    done(env, ['backup', '--to', join(folder, 'backups'), '--recipient', recipient]);
  const restoreArgs = (): string[] => {
    const identity = join(folder, 'identity.age');
    return ['restore', '--from', join(folder, 'backups'), '--identity', identity];
  };
  /** An empty place. */
  const elsewhere = async (name: string): Promise<Record<string, string>> => {
    const database = await emptyDatabase();
    databases.push(database);
    return { ...env, DATABASE_URL: database.url, DATA_DIR: join(folder, name) };
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-survivors-'));
    const database = await serviceDatabase();
    databases.push(database);
    env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') };
    recipient = (await done(env, ['backup-key', join(folder, 'identity.age')])).trim();
    await withFoundation({ dataDir: join(folder, 'data'), databaseUrl: database.url }, () =>
      Promise.resolve(),
    );
  });
  afterEach(async () => {
    for (const one of databases.splice(0)) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps a report of the print house that was not read yet, and refuses another one of its name', async () => {
    const inbox = join(folder, 'hotfolder', 'inbox');
    const report = join(inbox, 'report-1.json');
    env.PRINT_HOTFOLDER = join(folder, 'hotfolder');
    await mkdir(inbox, { recursive: true });
    await writeFile(report, '{"job_id":"x"}');
    await backUp();

    await writeFile(report, '{"job_id":"y"}');
    const place = await elsewhere('other');
    const refused = await runOperator(place, restoreArgs());
    expect(refused.err).to.match(/report-1\.json differs from the report .*nothing was changed/);
    expect(refused.code).to.equal(1);
    expect(await readdir(folder)).not.to.include('other');

    await writeFile(report, '{"job_id":"x"}');
    await done(place, restoreArgs());
    expect(await readFile(report, 'utf8')).to.equal('{"job_id":"x"}');

    await rm(report);
    await done(await elsewhere('missing'), restoreArgs());
    expect(await readFile(report, 'utf8')).to.equal('{"job_id":"x"}');
    expect(await readdir(inbox)).to.deep.equal(['report-1.json']);
  });

  it('lists print files of letters that were sent after the backup, and removes them', async () => {
    const outbox = join(folder, 'hotfolder', 'outbox');
    env.PRINT_HOTFOLDER = join(folder, 'hotfolder');
    await mkdir(outbox, { recursive: true });
    await backUp();
    const [left, taken] = [randomUUID(), randomUUID()];
    for (const name of [`${left}.json`, `${left}.pdf`, `${taken}.pdf`]) {
      await writeFile(join(outbox, name), name);
    }
    const place = await elsewhere('sent');
    await done(place, restoreArgs());
    const listed = await done(place, ['restored']);
    expect(listed).to.contain(`${left}  unknown to the restored log  ticket was in outbox\n`);
    expect(listed).to.contain(`${taken}  unknown to the restored log\n`);
    const refused = await runOperator(place, ['restored', 'remove', randomUUID()]);
    expect(refused.err).to.match(/is not unknown to the log, .* nothing was changed/);
    await done(place, ['restored', 'remove', 'all']);
    const names = await readdir(outbox, { recursive: true });
    expect(names.filter((one) => one.includes(left) || one.includes(taken))).to.deep.equal([]);
  });

  it('repeats the erasures of before the journal moved to a different disk', async () => {
    const subjects = ['export-1', 'export-2', 'export-3'];
    const [saved = '', before = '', after = ''] = subjects;
    const journal = join(folder, 'different-disk', 'erasures.log');
    const isErased = (place: Record<string, string>) =>
      withFoundation(
        { dataDir: place.DATA_DIR ?? '', databaseUrl: place.DATABASE_URL ?? '' },
        async ({ keys }) => {
          const found = await Promise.all(subjects.map((one) => keys.dataKeys.get(one)));
          return found.map((key) => key === undefined);
        },
      );
    await withFoundation(
      { dataDir: join(folder, 'data'), databaseUrl: env.DATABASE_URL ?? '' },
      async ({ keys }) => {
        for (const subject of subjects) await keys.dataKeys.create(subject);
      },
    );
    expect(await isErased(env)).to.deep.equal([false, false, false]);
    const at = new Date().toISOString();
    const line = (subject: string): string => `${JSON.stringify({ at, subject })}\n`;
    await writeFile(join(folder, 'data', 'erasures.log'), line(saved));
    env.ERASURE_JOURNAL = journal;
    await backUp();
    expect(await savedJournal(join(folder, 'backups'))).to.equal(line(saved));

    // The journals that survived have further erasures.
    const place = await elsewhere('moved');
    await mkdir(place.DATA_DIR ?? '');
    await writeFile(join(place.DATA_DIR ?? '', 'erasures.log'), line(before));
    await mkdir(join(folder, 'different-disk'), { recursive: true });
    await writeFile(journal, line(after));
    expect(await done(place, restoreArgs())).to.contain('erasures: 3 were repeated');
    expect(await isErased(place)).to.deep.equal([true, true, true]);
    expect(await done(place, ['restored', 'erasures'])).to.contain('erasures: 0 were repeated');
  });

  it('forgets the keys of what the restored log does not know, which may come into being again', async () => {
    const subjects = [
      letterStream(randomUUID()),
      letterStream(randomUUID()),
      accountStream('acct_unknown'),
      'topup-1',
    ];
    const [withKey = '', , account = '', payment = ''] = subjects;
    const place = { dataDir: join(folder, 'data'), databaseUrl: env.DATABASE_URL ?? '' };
    await withFoundation(place, async (foundation) => {
      const { dataKeys } = foundation.keys;
      await dataKeys.create(withKey);
      await dataKeys.create(account);
      await dataKeys.create(payment);
      await dataKeys.erase(payment);
      const at = new Date().toISOString();
      const lines = subjects.map((subject) => `${JSON.stringify({ at, subject })}\n`);
      await writeFile(join(folder, 'journal'), lines.join(''));
      const replayed = await replayErasures(foundation, [join(folder, 'journal')], at);
      expect(replayed).to.deep.equal({ erased: 4, underWay: [], closing: [] });
      for (const subject of subjects) {
        expect(await dataKeys.get(subject), subject).to.equal(undefined);
      }
      for (const subject of subjects) await dataKeys.create(subject);
    });
  });

  it('accepts a repeated send whose letter was made and deleted after the backup', async () => {
    env.ERASURE_JOURNAL = join(folder, 'journal');
    const send = async (url: string, key: string) => {
      const body = { ...letterBody('Hello.'), draft: true };
      const answer = await call(url, 'POST', '/api/send', {
        key,
        body,
        headers: { 'Idempotency-Key': 'again' },
      });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return String(answer.body.letter_id);
    };
    const before = await startTestService(env);
    const { key } = await registerTestAccount(before.url, 'again');
    await backUp();
    const letterId = await send(before.url, key);
    const path = `/api/letters/${letterId}`;
    expect((await call(before.url, 'DELETE', path, { key })).status).to.be.within(200, 204);
    await atRest(before.url);
    await before.stop();

    const place = await elsewhere('restored');
    await done(place, restoreArgs());
    const restored = await startTestService(place);
    try {
      expect(await send(restored.url, key)).to.equal(letterId);
      const { foundation } = restored.service;
      expect(await foundation.keys.dataKeys.get(letterStream(letterId))).not.to.equal(undefined);
      expect((await call(restored.url, 'DELETE', path, { key })).status).to.be.within(200, 204);
      expect((await call(restored.url, 'GET', path, { key })).status).to.equal(410);
      await atRest(restored.url);
    } finally {
      await restored.stop();
    }
  });

  it('does not erase what came into being again after its erasure', async () => {
    const place = { dataDir: join(folder, 'data'), databaseUrl: env.DATABASE_URL ?? '' };
    await withFoundation(place, async (foundation) => {
      const { accounts } = foundation.commands;
      const { dataKeys } = foundation.keys;
      const { accountId } = await accounts.register(
        {
          kind: 'email',
          name: 'again@example.com',
          scope: 'full',
          test: false,
          requestHash: randomUUID(),
        },
        { commandId: randomUUID(), actor: 'anonymous' },
      );
      const subject = accountStream(accountId);
      const at = new Date(Date.now() - 2 * clocksDifferMs).toISOString();
      await writeFile(join(folder, 'journal'), `${JSON.stringify({ at, subject })}\n`);
      const replayed = await replayErasures(foundation, [join(folder, 'journal')]);
      expect(replayed).to.deep.equal({ erased: 0, underWay: [], closing: [] });
      expect(await dataKeys.get(subject)).not.to.equal(undefined);
    });
  });

  it('erases again what a process erased whose clock was behind that of the database', async () => {
    const place = { dataDir: join(folder, 'data'), databaseUrl: env.DATABASE_URL ?? '' };
    await withFoundation(place, async (foundation) => {
      const { dataKeys } = foundation.keys;
      const [kept, forgotten] = ['topup-1', 'topup-2'];
      await dataKeys.create(kept);
      const at = new Date(Date.now() - clocksDifferMs / 2).toISOString();
      const lines = [kept, forgotten].map((subject) => `${JSON.stringify({ at, subject })}\n`);
      await writeFile(join(folder, 'journal'), lines.join(''));
      const since = new Date().toISOString();
      const replayed = await replayErasures(foundation, [join(folder, 'journal')], since);
      expect(replayed).to.deep.equal({ erased: 2, underWay: [], closing: [] });
      expect(await dataKeys.get(kept)).to.equal(undefined);
    });
  });

  it('erases letters for the reason that the journal has', async () => {
    const service = await startTestService(env);
    try {
      const { key } = await registerTestAccount(service.url, 'reasons');
      const letters: string[] = [];
      for (const reason of ['deleted', 'retention', undefined]) {
        const { body } = await call(service.url, 'POST', '/api/send', {
          key,
          body: { ...letterBody('Hello.'), draft: true },
        });
        const letterId = String(body.letter_id);
        letters.push(letterId);
        const subject = letterStream(letterId);
        // An earlier letter with this id was deleted.
        const at = new Date(Date.now() - 2 * clocksDifferMs).toISOString();
        const lines = [
          { at, subject, reason: 'deleted' },
          { at: new Date().toISOString(), subject, reason },
        ];
        for (const line of lines) {
          await appendFile(join(folder, 'journal'), `${JSON.stringify(line)}\n`);
        }
      }
      await replayErasures(service.service.foundation, [join(folder, 'journal')]);
      await atRest(service.url);
      const answers = await Promise.all(
        letters.map(async (letterId) => {
          const answer = await call(service.url, 'GET', `/api/letters/${letterId}`, { key });
          return [answer.status, answer.body.code ?? answer.body.to_name];
        }),
      );
      const [deleted = '', retained = ''] = letters;
      expect(answers).to.deep.equal([
        [410, 'letter_deleted'],
        [200, '[erased]'],
        [200, '[erased]'],
      ]);
      const journal = await readFile(join(folder, 'data', 'erasures.log'), 'utf8');
      const reasons = new Map(erasuresIn(journal).map(({ subject, reason }) => [subject, reason]));
      expect(reasons.get(letterStream(deleted))).to.equal('deleted');
      expect(reasons.get(letterStream(retained))).to.equal('retention');
    } finally {
      await service.stop();
    }
  });

  it('leaves the UCANs of an account that is closed again to its erasure', async () => {
    env.ACCOUNT_ERASURE_DAYS = '0';
    const leave = async (url: string, key: string, letterId: string): Promise<void> => {
      await call(url, 'POST', `/api/letters/${letterId}/cancel`, { key });
      await eventually(
        'the account is erased',
        async () => (await call(url, 'GET', '/api/balance', { key })).status === 401,
      );
      await atRest(url);
    };
    let service = await startTestService(env);
    const { key, accountId } = await registerTestAccount(service.url, 'leaving');
    const ask = async (path: string, body: object) =>
      (await call(service.url, 'POST', path, { key, body })).body;
    const { did } = await ask('/api/identity/did', {});
    const { cid } = await ask('/api/identity/ucan', { scope: 'send', audience: did });
    const { letter_id } = await ask('/api/send', letterBody('Hello.'));
    await backUp();
    await call(service.url, 'DELETE', '/api/account', { key, body: { confirm: accountId } });
    await leave(service.url, key, String(letter_id));
    await service.stop();

    const place = await elsewhere('closed-again');
    await mkdir(String(place.DATA_DIR), { recursive: true });
    await copyFile(join(folder, 'data', 'erasures.log'), join(`${place.DATA_DIR}`, 'erasures.log'));
    expect(await done(place, restoreArgs())).to.contain(`account ${accountId} is closed again`);
    expect(await done(place, ['verify'])).to.include('OK: everything holds.');
    await done(place, ['restored', 'not-printed', 'all']);
    service = await startTestService(place);
    try {
      const isKeyThere = async () =>
        (await service.service.foundation.keys.dataKeys.get(`ucan-${cid}`)) !== undefined;
      expect(await isKeyThere()).to.equal(true);
      await leave(service.url, key, String(letter_id));
      await eventually('the key of the UCAN is destroyed', async () => !(await isKeyThere()));
      expect(await done(place, ['verify'])).to.include('OK: everything holds.');
    } finally {
      await service.stop();
    }
  });
});
