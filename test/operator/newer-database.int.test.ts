/** Commands that work on the stores alone, on a database that a newer program upgraded. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { messageOf } from '../../ground/message-of.ts';
import { readNote } from '../../infra/backup/note.ts';
import { createLogger } from '../../infra/log.ts';
import { schemaFiles } from '../../infra/schema/migrate.ts';
import { backupNamed } from '../../operator/backup.ts';
import { commandOf } from '../../operator/commands.ts';
import { readConfig } from '../../service/config/config.ts';
import { withFoundation } from '../support/foundation.ts';
import { runOperator } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';

const log = createLogger({ level: 'silent' });

const root = join(import.meta.dirname, '..', '..');
/** Folders that no program in production reads. */
const unread = ['.git', 'bench', 'clients', 'deploy', 'node_modules', 'test'];

/** This program with one more schema file. Returns the path of its operator's program. */
const newerProgram = async (folder: string): Promise<string> => {
  for (const name of await readdir(root)) {
    if (!unread.includes(name)) await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'infra', 'schema', '999-newer.sql'),
    `create schema if not exists newer;
     create table newer.things (n int primary key);
     alter table keys.roots add column newer text;`,
  );
  return join(folder, 'operator', 'main.ts');
};

describe('an operator command on the stores alone', function () {
  this.timeout(180_000);
  let folder = '';
  let recipient = '';
  let env: Record<string, string> = {};
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  const backups = () => join(folder, 'backups');
  const query = async <R extends pg.QueryResultRow>(text: string): Promise<R[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return (await client.query<R>(text).finally(() => client.end())).rows;
  };
  /** Runs a command as the program does; `said`: its lines, or why it was refused. */
  const operate = async (args: string[]) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    try {
      const { apart } = commandOf(args);
      if (!apart) throw new Error(`${args[0]} needs the whole service`);
      return { code: await apart(readConfig(env), log, print), said: lines.join('\n') };
    } catch (error) {
      return { code: 1, said: messageOf(error) };
    }
  };
  const backUp = () =>
    operate(['backup', '--to', backups(), '--recipient', recipient, '--keep', '1']);
  const commands = (): string[][] => [
    ['backup', '--to', backups(), '--recipient', recipient],
    ['restore-drill', '--from', backups(), '--in', folder],
    ['rotate-master', 'root', '--apply'],
    ['copy-log', '--from', 'postgres', '--to', 'esdb://localhost:1'],
  ];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-newer-'));
    database = await freshDatabase();
    env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') };
    recipient = (await runOperator(env, ['backup-key', join(folder, 'identity.age')])).out.trim();
    await withFoundation({ dataDir: join(folder, 'data'), databaseUrl: database.url }, () =>
      Promise.resolve(),
    );
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is refused after a newer program recorded its events', async () => {
    await query(
      `update read_models.followed_log set program = '9.9.9', event_versions = '{"NewerEvent": 1}'`,
    );
    for (const args of commands()) {
      const { code, said } = await operate(args);
      expect(said, args[0]).to.contain('is older than the database');
      expect(code).to.equal(1);
    }
    expect(await query('select n from keys.roots')).to.have.length(1);
    expect(await query('select from operation.command_runs')).to.deep.equal([]);
    expect(await readdir(folder)).not.to.include('backups');
  });

  it('is refused while a restore fills the data folder', async () => {
    await mkdir(join(folder, 'data'), { recursive: true });
    await writeFile(join(folder, 'data', 'restore-unfinished'), '');
    for (const args of commands()) {
      const { code, said } = await operate(args);
      expect(said, args[0]).to.contain('is not complete');
      expect(code).to.equal(1);
    }
  });

  it('backs up no tables that it could not restore, and keeps the backups of before', async () => {
    const first = await backUp();
    expect(first.code, first.said).to.equal(0);
    const made = await backupNamed(backups());
    const ours = schemaFiles().map(({ number }) => number);
    expect((await readNote(made))?.schema).to.deep.equal(ours);
    // The newer program changed no event and no read model, so that this one goes on.
    await query(`alter table keys.roots add column newer text;
      insert into migrations.applied (number, subject) values (999, 'newer')`);
    const { code, said } = await backUp();
    expect(said).to.contain('the tables are of a newer version (schema file 999)');
    expect(code).to.equal(1);
    expect(await backupNamed(backups())).to.equal(made);
    const [run] = await query<{ succeeded: boolean }>(
      `select succeeded from operation.command_runs where command = 'backup'`,
    );
    expect(run?.succeeded).to.equal(false);
  });

  it('backs up with the newer program after the service went back to the older one', async () => {
    const newer = await newerProgram(join(folder, 'newer'));
    const identity = join(folder, 'identity.age');
    const run = (place: Record<string, string>, ...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [newer, ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...place },
      });
      expect(status, stdout + stderr).to.equal(0);
      return stdout;
    };
    run(env, 'verify');
    // The older program goes on with the tables of the newer one.
    await withFoundation({ dataDir: join(folder, 'data'), databaseUrl: database.url }, () =>
      Promise.resolve(),
    );
    expect((await backUp()).said).to.contain('the tables are of a newer version');
    run(env, 'backup', '--to', backups(), '--recipient', recipient);
    run(env, 'restore-drill', '--from', backups(), '--identity', identity, '--in', folder);
  });
});
