/**
 * Backup, restore and drill of a running service: the restored log is the log up to the head of the backup.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { letterStream } from '../../events/letter.ts';
import { messageOf } from '../../ground/message-of.ts';
import { type BackupNote, readNote, writeNote } from '../../infra/backup/note.ts';
import { blobPath, listedBlobs } from '../../infra/backup/save-blobs.ts';
import { createLogger } from '../../infra/log.ts';
import { isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { booksDifferences } from '../../operator/backup/books.ts';
import { backupNamed } from '../../operator/backup.ts';
import { exitCodes } from '../../operator/command.ts';
import { commandOf } from '../../operator/commands.ts';
import { walletSums } from '../../projections/wallets/query.ts';
import { readConfig } from '../../service/config/config.ts';
import { openFoundation } from '../../service/run/foundation.ts';
import { verifyLog, withFoundation } from '../support/foundation.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually } from '../support/service-process.ts';
import { atRest, fundLiveAccount, sendOne } from '../support/some-letters.ts';

const log = createLogger({ level: 'silent' });
const operatorMain = new URL('../../operator/main.ts', import.meta.url).pathname;

describe('operator backup, restore and restore-drill', function () {
  this.timeout(240_000);
  let folder = '';
  const databases: Awaited<ReturnType<typeof serviceDatabase>>[] = [];
  let env: Record<string, string> = {};
  let elsewhere: Record<string, string> = {};
  let service: TestService;
  let key = '';
  let recipient = '';
  const identity = () => join(folder, 'identity.age');
  const backups = () => join(folder, 'backups');
  /** Runs a command as the program does, in this process. */
  const operate = async (args: string[], place = env) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const command = commandOf(args);
    const run = async (): Promise<number> => {
      if (command.bare) return command.bare(place, log, print);
      const config = readConfig(place);
      if (command.apart) return command.apart(config, log, print);
      await using foundation = await openFoundation(config, log);
      return await command(foundation, print);
    };
    try {
      const code = await run();
      return { code, out: lines.join('\n'), err: '' };
    } catch (error) {
      return { code: exitCodes.refused, out: lines.join('\n'), err: messageOf(error) };
    }
  };
  const outbox = () => join(folder, 'data', 'outbox');

  const backUp = async (...more: string[]): Promise<BackupNote> => {
    const ended = await operate(['backup', '--to', backups(), '--recipient', recipient, ...more]);
    expect(ended.code, ended.err).to.equal(0);
    const note = await readNote(await backupNamed(backups()));
    if (!note) throw new Error('the backup has no note');
    return note;
  };
  const send = () => sendOne(service.url, key);
  const keepDraft = async (text: string): Promise<string> => {
    const { status, body } = await call(service.url, 'POST', '/api/send', {
      key,
      body: { ...letterBody(text), draft: true },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return String(body.letter_id);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-backup-'));
    const database = await serviceDatabase();
    databases.push(database, await emptyDatabase());
    recipient = (await operate(['backup-key', identity()])).out.trim();
    env = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      CANCELLATION_WINDOW_SECONDS: '0',
    };
    elsewhere = {
      ...env,
      DATABASE_URL: databases[1]?.url ?? '',
      DATA_DIR: join(folder, 'elsewhere'),
    };
    service = await startTestService(env);
    key = await fundLiveAccount(service.url, env);
  });
  after(async () => {
    await service?.stop();
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  let note: BackupNote;
  let erased = '';
  let kept = '';
  let underWay = '';
  let printed: string[] = [];

  it('is taken while letters are sent, and has the documents once', async () => {
    const longText = 'A long line of text. '.repeat(2_000);
    [erased, kept] = [await keepDraft(longText), await keepDraft(`${longText} Kept.`)];
    underWay = await send();
    const first = await backUp();
    const sending = (async () => {
      for (let n = 0; n < 12; n++) await send();
    })();
    note = await backUp();
    await sending;
    expect(BigInt(note.log.head) >= BigInt(first.log.head)).to.equal(true);
    expect(note.blobs.count).to.equal(2);
    expect(Number(note.books?.sumsMicro.available)).to.be.greaterThan(0);
    const sums = Object.values(note.books?.sumsMicro ?? {}).map(BigInt);
    expect(sums.reduce((all, one) => all + one, 0n)).to.equal(0n);
    const shards = await readdir(join(backups(), 'blobs'));
    const files = await Promise.all(
      shards.map((shard) => readdir(join(backups(), 'blobs', shard))),
    );
    expect(files.flat()).to.have.length(2);
    const ended = await operate(['doctor', '--json']);
    expect(ended.out).to.contain('the last backup succeeded less than an hour ago');
  });

  it('is followed by a day of which the backup knows nothing', async () => {
    const letter = await send();
    await eventually('a ticket lies in outbox', async () =>
      (await readdir(outbox())).includes(`${letter}.json`),
    );
    await atRest(service.url);
    // The print house takes all of its tickets.
    const tickets = (await readdir(outbox())).filter((name) => /^[0-9a-f-]{36}\.json$/.test(name));
    await mkdir(join(folder, 'printed'));
    for (const name of tickets) await rename(join(outbox(), name), join(folder, 'printed', name));
    printed = tickets.map((name) => name.slice(0, -'.json'.length));
    const { status } = await call(service.url, 'DELETE', `/api/letters/${erased}`, { key });
    expect(status).to.equal(200);
    await eventually('the erasure is in the journal', async () =>
      (await readFile(join(folder, 'data', 'erasures.log'), 'utf8')).includes(erased),
    );
    await service.stop();
  });

  it('refuses an occupied place, a wrong key and a damaged backup, and changes nothing', async () => {
    const from = ['restore', '--from', backups()];
    const wrong = join(folder, 'wrong.age');
    expect((await operate(['backup-key', wrong])).code).to.equal(0);
    expect((await operate(['backup-key', wrong])).err).to.contain('EEXIST');
    const refused = async (args: string[], place: Record<string, string>, why: string) => {
      const { code, err } = await operate(args, place);
      expect(err).to.contain(why);
      expect(err.trim().split('\n')).to.have.length(1);
      expect(code).to.equal(1);
    };
    await refused([...from, '--identity', identity()], env, 'is not empty');
    await refused([...from, '--identity', wrong], elsewhere, 'does not open this backup');
    const occupied = { ...elsewhere, DATABASE_URL: env.DATABASE_URL ?? '' };
    await refused([...from, '--identity', identity()], occupied, 'is not empty');
    const key = { ...elsewhere, MASTER_KEY: '11'.repeat(32) };
    await refused(from, key, 'MASTER_KEY is not the key of this backup');

    const damaged = join(folder, 'damaged');
    await cp(backups(), damaged, { recursive: true });
    const [blob] = await listedBlobs(join(await backupNamed(damaged), note.blobs.file));
    if (!blob) throw new Error('the backup has no documents');
    await writeFile(blobPath(damaged, blob), 'damaged');
    const fromDamaged = ['restore', '--from', damaged, '--identity', identity()];
    await refused(fromDamaged, elsewhere, 'was damaged');

    const older = join(folder, 'older', basename(await backupNamed(backups())));
    await cp(await backupNamed(backups()), older, { recursive: true });
    await rm(join(older, 'note.json'));
    await writeNote(older, { ...note, program: '0.0.1' });
    const fromOlder = ['restore', '--from', older, '--identity', identity()];
    await refused(fromOlder, elsewhere, 'the backup is of version 0.0.1');
    expect(await readdir(folder)).not.to.include('elsewhere');
  });

  it('lets nothing start on a place whose restore ended early', async () => {
    const database = await emptyDatabase();
    databases.push(database);
    // A folder where the journal should be ends the restore after its tables are filled.
    const half = { ...env, DATABASE_URL: database.url, DATA_DIR: join(folder, 'half') };
    const place = { ...half, ERASURE_JOURNAL: backups() };
    const ended = await operate(['restore', '--from', backups(), '--identity', identity()], place);
    expect(ended.err).to.contain('the restore is not complete');
    const { code, err } = await operate(['restored'], half);
    expect(err).to.contain(`The restore into ${half.DATA_DIR} is not complete`);
    expect(code).to.equal(1);
    const started = await startTestService(half).catch(messageOf);
    expect(started).to.contain('is not complete');
  });

  it('is restored into an empty place: the same log, wallets and documents; what was erased stays so', async () => {
    // The journal survived on a different disk.
    await mkdir(elsewhere.DATA_DIR ?? '', { recursive: true });
    const journal = join(elsewhere.DATA_DIR ?? '', 'erasures.log');
    await cp(join(folder, 'data', 'erasures.log'), journal);
    const later = { at: new Date().toISOString(), subject: letterStream(underWay) };
    await appendFile(journal, `${JSON.stringify(later)}\n`);
    const ended = await operate(
      ['restore', '--from', backups(), '--identity', identity()],
      elsewhere,
    );
    expect(ended.code, ended.err).to.equal(0);
    expect(ended.out).to.match(
      /books: \d+ accounts, \$[\d.]+ available in wallets, \$[\d.]+ held, as in the backup/,
    );
    expect(ended.out).to.contain('erasures: 1 were repeated');
    expect(ended.out).to.contain(`letter ${underWay} is under way, so it was not erased`);

    const placeOf = (at: Record<string, string>) => ({
      dataDir: at.DATA_DIR ?? '',
      databaseUrl: at.DATABASE_URL ?? '',
    });
    const upToHead = (at: Record<string, string>) =>
      withFoundation(placeOf(at), async ({ storage }) => {
        const { rows } = await storage.readDb.query<{ event: string }>(
          'select e::text as event from event_log.events e where position <= $1 order by position',
          [note.log.head],
        );
        return rows.map(({ event }) => event);
      });
    expect(await upToHead(elsewhere)).to.deep.equal(await upToHead(env));

    await withFoundation(placeOf(elsewhere), async (foundation) => {
      const { store, readDb, blobs } = foundation.storage;
      // Only the repeated erasure was appended.
      expect(await store.head()).to.equal(BigInt(note.log.head) + 1n);
      expect(await verifyLog(foundation)).to.deep.equal([]);
      expect(await walletSums(readDb)).to.have.length.greaterThan(0);
      expect(await foundation.keys.dataKeys.get(letterStream(erased))).to.equal(undefined);
      expect(await foundation.keys.dataKeys.get(letterStream(kept))).not.to.equal(undefined);
      expect(await Array.fromAsync(blobs.list(''))).to.have.length(1);
    });
  });

  it('is compared with the books of the backup, sum by sum and account by account', async () => {
    const { books } = note;
    if (!books) throw new Error('the note has no books');
    await withFoundation(
      { dataDir: elsewhere.DATA_DIR ?? '', databaseUrl: elsewhere.DATABASE_URL ?? '' },
      async ({ storage: { readDb } }) => {
        expect(await booksDifferences(readDb, note)).to.deep.equal([]);
        const move = (account: string, micro: number) =>
          readDb.query(
            `update read_models.ledger_entries set fiat_micro = fiat_micro + $2
             where (account, position) = (select account, min(position)
               from read_models.ledger_entries where account like $1 group by account limit 1)`,
            [account, micro],
          );
        await move('available:%', 1_000_000);
        const found = await booksDifferences(readDb, note);
        expect(found.join()).to.match(/the restored books have \$[\d.]+ available, the backup \$/);
        await move('available:%', -1_000_000);
        const other = { books: { ...books, sha256: 'of other balances' } };
        expect(await booksDifferences(readDb, other)).to.deep.equal([
          'balances of single accounts differ from the backup, and their sums are equal',
        ]);
        expect(await booksDifferences(readDb, note)).to.deep.equal([]);
      },
    );
  });

  it('holds back every letter that the print house took since', async () => {
    const { code, out, err } = await operate(['restored'], elsewhere);
    expect(code, err).to.equal(0);
    const inBackup = await withFoundation(
      { dataDir: elsewhere.DATA_DIR ?? '', databaseUrl: elsewhere.DATABASE_URL ?? '' },
      async ({ storage }) => {
        const { rows } = await storage.readDb.query<{ letter_id: string }>(
          `select letter_id::text from read_models.letters where status in ('queued', 'processing')`,
        );
        return rows.map(({ letter_id: id }) => id);
      },
    );
    for (const id of inBackup) expect(out).to.include(id);
    expect(inBackup.every((id) => printed.includes(id))).to.equal(true);
    const tickets = await readdir(join(elsewhere.DATA_DIR ?? '', 'outbox')).catch(() => []);
    expect(tickets.filter((name) => name.endsWith('.json'))).to.deep.equal([]);
  });

  it('erases a letter that was under way once a person has decided about it', async () => {
    const keyOf = (letterId: string) =>
      withFoundation(
        { dataDir: elsewhere.DATA_DIR ?? '', databaseUrl: elsewhere.DATABASE_URL ?? '' },
        ({ keys }) => keys.dataKeys.get(letterStream(letterId)),
      );
    expect(await keyOf(underWay)).not.to.equal(undefined);
    const posted = await operate(['advance', underWay, 'posted'], elsewhere);
    expect(posted.code, posted.err).to.equal(0);
    const { out } = await operate(['restored', 'erasures'], elsewhere);
    expect(out).to.contain('erasures: 1 were repeated');
    expect(await keyOf(underWay)).to.equal(undefined);
  });

  it('is drilled: restored next to the service, verified, and timed', async () => {
    const args = ['restore-drill', '--from', backups(), '--identity', identity(), '--in', folder];
    const { code, out, err } = await operate(args);
    expect(code, `${out}${err}`).to.equal(0);
    expect(out).to.match(/books: \d+ accounts/);
    expect(out).to.match(/OK: restored and verified in [\d.]+ s/);
    expect((await readdir(folder)).filter((name) => name.includes('drill'))).to.deep.equal([]);
    const { out: doctor } = await operate(['doctor', '--json']);
    expect(doctor).to.contain('the last restore-drill succeeded less than an hour ago');
  });

  it('leaves nothing behind after a drill is interrupted or killed', async () => {
    const place = join(folder, 'drills');
    await mkdir(place);
    const args = ['restore-drill', '--from', backups(), '--identity', identity(), '--in', place];
    /** Ends a drill while its database runs; returns the process of that. */
    const endedBy = async (signal: NodeJS.Signals): Promise<number> => {
      const child = spawn(process.execPath, [operatorMain, ...args], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      const postmaster = await eventually('the database of the drill runs', async () => {
        const [name = ''] = await readdir(place);
        const path = join(place, name, 'postgres', 'postmaster.pid');
        const text = await readFile(path, 'utf8').catch(() => '');
        expect(child.exitCode, 'the drill is not over').to.equal(null);
        const [pid = ''] = text.split('\n');
        return pid !== '' && Number(pid);
      });
      const [name = ''] = await readdir(place);
      expect(await readdir(join(place, name))).not.to.include('master.key');
      child.kill(signal);
      await ended;
      return postmaster;
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const postmaster = await endedBy(signal);
      expect(await readdir(place), signal).to.deep.equal([]);
      expect(isAlive(postmaster), signal).to.equal(false);
    }
    const postmaster = await endedBy('SIGKILL');
    expect(await readdir(place)).to.have.length(1);
    const { code, out, err } = await operate(args);
    expect(code, `${out}${err}`).to.equal(0);
    expect(await readdir(place)).to.deep.equal([]);
    expect(isAlive(postmaster)).to.equal(false);
  });

  it('refuses a folder that has backups of another service, and cleans up after a kill', async () => {
    const foreign = join(folder, 'foreign');
    const newest = await backupNamed(backups());
    const copy = join(foreign, basename(newest));
    await cp(newest, copy, { recursive: true });
    await rm(join(copy, 'note.json'));
    await writeNote(copy, { ...note, keyCheck: 'of another service' });
    await mkdir(join(foreign, '.partial-running', 'tables'), { recursive: true });
    const args = ['backup', '--to', foreign, '--recipient', recipient, '--keep', '1'];
    const { code, err } = await operate(args);
    expect(err).to.contain('has backups of another service');
    expect(code).to.equal(1);
    const left = await readdir(foreign);
    expect(left).to.have.members(['.partial-running', basename(newest)]);
    expect((await operate(['doctor', '--json'])).out).to.contain('the last backup failed');

    await mkdir(join(backups(), '.partial-killed', 'tables'), { recursive: true });
    await backUp();
    expect(await readdir(backups())).not.to.include('.partial-killed');
  });

  it('says what to do when the note of the newest backup was damaged, and changes nothing', async () => {
    const place = join(folder, 'damaged-note');
    const newest = await backupNamed(backups());
    const copy = join(place, basename(newest));
    await cp(newest, copy, { recursive: true });
    await writeFile(join(copy, 'note.json'), 'cut o');
    const { code, err } = await operate(['backup', '--to', place, '--recipient', recipient]);
    expect(err).to.contain('note.json was damaged').and.to.contain(`Move the folder ${copy} away`);
    expect(code).to.equal(1);
    expect(await readdir(place)).to.deep.equal([basename(newest)]);
  });

  it('deletes older backups, and documents that no backup has any longer', async () => {
    // The service erased the document of the deleted draft; the old backups had it.
    const newest = await backUp('--keep', '1');
    expect(newest.blobs.count).to.equal(1);
    const names = (await readdir(backups())).filter((name) => name !== 'blobs');
    expect(names).to.have.length(1);
    const shards = await readdir(join(backups(), 'blobs'));
    const files = await Promise.all(
      shards.map((shard) => readdir(join(backups(), 'blobs', shard))),
    );
    expect(files.flat()).to.have.length(1);
  });

  it('names the disk of the backups when that is full', async () => {
    const full = join(folder, 'full');
    const [{ sha256 = '' } = {}] = await listedBlobs(
      join(await backupNamed(backups()), 'documents.ndjson.gz'),
    );
    const path = blobPath(full, { sha256 });
    await mkdir(dirname(path), { recursive: true });
    await symlink('/dev/full', `${path}.draft`);
    const { code, err } = await operate(['backup', '--to', full, '--recipient', recipient]);
    expect(code).to.equal(exitCodes.refused);
    expect(err).to.match(/^the disk of \S+\/full is full \(ENOSPC: .*\): make room there or name/);
    expect(await readdir(full)).to.deep.equal(['blobs']);
  });

  it('saves a document again that was lost or cut off in the folder of the backups', async () => {
    const { blobs } = await backUp();
    const [blob] = await listedBlobs(join(await backupNamed(backups()), blobs.file));
    if (!blob) throw new Error('the backup has no documents');
    const path = blobPath(backups(), blob);
    const bytes = await readFile(path);
    for (const spoil of [() => rm(path), () => writeFile(path, bytes.subarray(1))]) {
      await spoil();
      await backUp();
      expect((await readFile(path)).equals(bytes)).to.equal(true);
    }
  });
});
