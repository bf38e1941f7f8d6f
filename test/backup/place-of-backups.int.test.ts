/** A folder of backups: which is the newest, what stands next to them, and where it may be. */
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { messageOf } from '../../ground/message-of.ts';
import { completeBackups, readNote, writeNote } from '../../infra/backup/note.ts';
import { createLogger } from '../../infra/log.ts';
import { backupNamed } from '../../operator/backup.ts';
import { commandOf } from '../../operator/commands.ts';
import { readConfig } from '../../service/config/config.ts';
import { withFoundation } from '../support/foundation.ts';
import { runOperator } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';

const log = createLogger({ level: 'silent' });

describe('a folder of backups', function () {
  this.timeout(180_000);
  let folder = '';
  let recipient = '';
  let env: Record<string, string> = {};
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  const backups = () => join(folder, 'backups');
  const dataDir = () => join(folder, 'data');
  const backUp = async (to = backups(), ...more: string[]) => {
    const lines: string[] = [];
    const { apart } = commandOf(['backup', '--to', to, '--recipient', recipient, ...more]);
    if (!apart) throw new Error('backup needs the whole service');
    const code = await apart(readConfig(env), log, (line) => void lines.push(line));
    return { code, path: lines[0] ?? '' };
  };
  const made = async (...more: string[]): Promise<string> => {
    const { code, path } = await backUp(backups(), ...more);
    expect(code).to.equal(0);
    return path;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-backups-'));
    database = await freshDatabase();
    env = { DATABASE_URL: database.url, DATA_DIR: dataDir() };
    recipient = (await runOperator(env, ['backup-key', join(folder, 'identity.age')])).out.trim();
    await withFoundation({ dataDir: dataDir(), databaseUrl: database.url }, () =>
      Promise.resolve(),
    );
  });
  afterEach(async () => {
    await rm(backups(), { recursive: true, force: true });
  });
  after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the backup that was made last as its newest, also after one of a clock that was ahead', async () => {
    const first = await made();
    const ahead = join(backups(), basename(first).replace(/^\d{4}/, '2099'));
    await rename(first, ahead);
    const second = await made();
    expect(await backupNamed(backups())).to.equal(second);
    const third = await made('--keep', '2');
    expect(await completeBackups(backups())).to.deep.equal(
      [second, third].map((one) => basename(one)),
    );
    const fourth = await made('--keep', '1');
    expect(await completeBackups(backups())).to.deep.equal([basename(fourth)]);
  });

  /** A backup of an earlier build, whose notes have no number. */
  const madeBefore = async (from: string, name: string, at?: string): Promise<void> => {
    const { number: _, unnumbered: __, ...note } = (await readNote(from)) ?? {};
    await cp(from, join(backups(), name), { recursive: true });
    await rm(join(backups(), name, 'note.json'));
    await writeNote(join(backups(), name), { ...note, ...(at ? { at } : {}) } as never);
  };

  it('has backups of a rollback to an earlier version where they were made, whatever their clocks said', async () => {
    const first = await made();
    // The clock of the rollback was behind at first, then ahead.
    const rolledBack = ['2001-01-01T00-00-00.000Z', '2098-01-01T00-00-00.000Z'];
    for (const name of rolledBack) await madeBefore(first, name, '2001-01-01T00:00:00.000Z');
    expect(basename(await backupNamed(backups()))).to.equal(rolledBack[1]);
    const second = await made();
    expect((await readNote(second))?.number).to.equal(2);
    const again = '2000-01-01T00-00-00.000Z';
    await madeBefore(first, again);
    const order = [basename(first), ...rolledBack, basename(second), again];
    expect(await completeBackups(backups())).to.deep.equal(order);
    const third = await made('--keep', '2');
    expect(await completeBackups(backups())).to.deep.equal([again, basename(third)]);
  });

  it('has backups without a number by their times next to some whose notes do not list them', async () => {
    const first = await made();
    const { unnumbered: _, ...note } = (await readNote(first)) ?? {};
    await rm(join(first, 'note.json'));
    await writeNote(first, note as never);
    const [older, newer] = ['2001-01-01T00-00-00.000Z', '2098-01-01T00-00-00.000Z'];
    await madeBefore(first, newer, '2098-01-01T00:00:00.000Z');
    await madeBefore(first, older, '2001-01-01T00:00:00.000Z');
    expect(await completeBackups(backups())).to.deep.equal([older, basename(first), newer]);
  });

  it('has backups of earlier versions, which have no number, by their names and before those made later', async () => {
    const first = await made();
    const names = [
      '2026-01-02T00-00-00.000Z',
      '2026-01-01T00-00-00.000Z',
      '2099-01-01T00-00-00.000Z',
    ];
    for (const name of names) await madeBefore(first, name);
    await rm(first, { recursive: true });
    expect(await completeBackups(backups())).to.deep.equal(names.toSorted());
    const last = await made();
    expect(await completeBackups(backups())).to.deep.equal([...names.toSorted(), basename(last)]);
  });

  it('passes over no backup whose note cannot be read', async () => {
    const first = await made();
    const second = await made();
    await writeFile(join(second, 'note.json'), '');
    expect(await backupNamed(backups())).to.equal(second);
    const refused = await backUp().catch(messageOf);
    expect(refused).to.contain(`${join(second, 'note.json')} was damaged`);
    expect(await readdir(backups())).to.include(basename(first));
  });

  it('may have other files next to the backups', async () => {
    const first = await made();
    await writeFile(`${first}.tar.gz`, 'a copy for another machine');
    await mkdir(join(backups(), '2026-01-01T00-00-00-copies'));
    expect(await backupNamed(backups())).to.equal(first);
    const second = await made('--keep', '1');
    expect(await completeBackups(backups())).to.deep.equal([basename(second)]);
    expect(await readdir(backups())).to.include(`${basename(first)}.tar.gz`);
  });

  it('is not in the data folder, whatever the path to it says', async () => {
    await mkdir(join(dataDir(), 'inside'), { recursive: true });
    const link = join(folder, 'link');
    await symlink(join(dataDir(), 'inside'), link);
    await symlink(dataDir(), join(folder, 'data-link'));
    for (const to of [dataDir(), join(dataDir(), 'new'), link, join(link, 'new', 'one')]) {
      expect(await backUp(to).catch(messageOf), to).to.contain('is in the data folder');
    }
    env = { ...env, DATA_DIR: join(folder, 'data-link') };
    expect(await backUp(link).catch(messageOf)).to.contain('is in the data folder');
    expect(await readdir(join(dataDir(), 'inside'))).to.deep.equal([]);
  });
});
