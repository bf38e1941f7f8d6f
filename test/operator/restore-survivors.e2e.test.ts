/** Backup and restore next to files that lie outside the data folder, and that survived. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withFoundation } from '../support/foundation.ts';
import { runOperator } from '../support/operator.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';

describe('a restore next to files that survived', function () {
  this.timeout(120_000);
  let folder = '';
  let recipient = '';
  let env: Record<string, string> = {};
  const databases: Awaited<ReturnType<typeof freshDatabase>>[] = [];
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
    const database = await freshDatabase();
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
    expect(refused.err).to.match(/report-1\.json is another report .*nothing was changed/);
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
});
