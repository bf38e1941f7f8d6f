/** Commands of root on the data of a service that another user runs. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { giveAllToOwner, giveToOwner } from '../../infra/host/give-to-owner.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually } from '../support/service-process.ts';
import { fundLiveAccount } from '../support/some-letters.ts';

/** Of an ordinary user, who runs the service under systemd. */
const owner = 1;

/** Paths in a folder that the owner of the folder does not own. */
const foreignIn = async (folder: string): Promise<string[]> => {
  const paths = (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
  const found = await Promise.all(paths.map(async (path) => ({ path, ...(await stat(path)) })));
  return found.flatMap(({ path, uid }) => (uid === owner ? [] : [path]));
};

// Only root can make files of another user.
const ofRoot = process.getuid?.() === 0 ? describe : () => undefined;
ofRoot('operator, run by root', function () {
  this.timeout(120_000);
  let folder = '';
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let env: Record<string, string> = {};
  let service: TestService;
  let key = '';
  const give = (): void => void spawnSync('chown', ['-R', `${owner}:${owner}`, folder]);
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runOperator(env, args);
    expect(code, out + err).to.equal(0);
    return out;
  };
  /** In production. Its text is too long for an event, so it is a document. */
  const produced = async (): Promise<string> => {
    const text = Array.from(
      { length: 1_000 },
      (_, n) => `Line ${n} of a long letter, to be posted.`,
    );
    const sent = await call(service.url, 'POST', '/api/send', {
      key,
      body: letterBody(text.join('\n')),
    });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
    const id = String(sent.body.letter_id);
    await eventually('the hand-over', async () => {
      const { body } = await call(service.url, 'GET', `/api/letters/${id}`, { key });
      return (body.production as { state?: string } | null)?.state === 'with_partner' || undefined;
    });
    return id;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-root-'));
    database = await serviceDatabase();
    env = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      CANCELLATION_WINDOW_SECONDS: '0',
    };
    service = await startTestService(env);
    key = await fundLiveAccount(service.url, env);
  });
  afterEach(async () => {
    await service.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('leaves every file in the data folder to the owner of the folder', async () => {
    const letterId = await produced();
    // The service of this test is root's too, and would print the letter that is sent again.
    await service.stop();
    give();
    await done('advance', letterId, 'posted');
    await done('resend', letterId);
    await done('restored', 'begin');
    await done('rotate-master', 'kek', '--apply');
    expect(await foreignIn(join(folder, 'data'))).to.deep.equal([]);
  });

  it('leaves every file of a backup to the owner of the folder of backups', async () => {
    await produced();
    const backups = join(folder, 'backups');
    const recipient = (await done('backup-key', join(folder, 'identity.age'))).trim();
    spawnSync('install', ['-d', backups]);
    give();
    await done('backup', '--to', backups, '--recipient', recipient);
    expect(await readdir(backups)).to.have.length(2);
    expect(await foreignIn(backups)).to.deep.equal([]);
  });

  it('gives away nothing that the owner of a folder put a link to', async () => {
    const [mine, ofRoot] = [join(folder, 'mine'), join(folder, 'of-root')];
    for (const path of [mine, ofRoot, join(ofRoot, 'inner')]) await mkdir(path);
    await writeFile(join(ofRoot, 'inner', 'secret'), 'secret');
    spawnSync('chown', [`${owner}:${owner}`, mine]);
    await symlink(join(ofRoot, 'inner', 'secret'), join(mine, 'draft'));
    giveToOwner(join(mine, 'draft'));
    await symlink(ofRoot, join(mine, 'backup'));
    expect(await giveAllToOwner(join(mine, 'backup')).catch(String)).to.include('Error');
    await mkdir(join(mine, 'theirs'));
    spawnSync('chown', [`${owner}:${owner}`, join(mine, 'theirs')]);
    expect(await giveAllToOwner(join(mine, 'theirs')).catch(String)).to.include('was replaced');
    await mkdir(join(mine, 'new'));
    await symlink(ofRoot, join(mine, 'new', 'link'));
    await giveAllToOwner(join(mine, 'new'));
    expect((await stat(join(mine, 'new'))).uid).to.equal(owner);
    const paths = [ofRoot, join(ofRoot, 'inner'), join(ofRoot, 'inner', 'secret')];
    for (const path of paths) expect((await stat(path)).uid, path).to.equal(0);
  });
});
