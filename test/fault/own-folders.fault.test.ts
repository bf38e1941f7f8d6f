/** Nodes with a DATA_DIR each, as in "Three nodes" of docs/deployment.md: documents in a shared store, print house over HTTP. */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, until } from '../support/client.ts';
import { copyDatabase } from '../support/postgres.ts';
import { startPrintHouse } from '../support/print-house.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

describe('nodes with a data folder each', function () {
  this.timeout(180_000);
  const masterKey = randomBytes(32).toString('hex');
  let folder: string;
  let databases: Awaited<ReturnType<typeof serviceDatabase>>[];
  let house: Awaited<ReturnType<typeof startPrintHouse>>;
  let nodes: TestService[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-nodes-'));
    databases = [await serviceDatabase()];
    house = await startPrintHouse();
    nodes = [];
  });
  const stopAll = async (): Promise<void> => {
    for (const node of nodes.splice(0).toReversed()) await node.stop();
  };
  afterEach(async () => {
    await stopAll();
    await house.stop();
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (name: string): Promise<TestService> => {
    const env = {
      ...house.env,
      DATABASE_URL: databases.at(-1)?.url ?? '',
      MASTER_KEY: masterKey,
      DATA_DIR: join(folder, name),
      ERASURE_JOURNAL: join(folder, 'erasures.log'),
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'letters@example.com',
    };
    const node = await startTestService(env, { restoreLookMs: 500 });
    nodes.push(node);
    return node;
  };
  const dbOf = (node: TestService) => node.service.foundation.storage.readDb;
  const generations = async (node: TestService): Promise<number> =>
    (await dbOf(node).query('select from reactors.log_generations')).rows.length;
  const marks = async (node: TestService): Promise<string[]> =>
    (
      await dbOf(node).query<{ mark: string }>('select mark from reactors.folder_marks order by 1')
    ).rows.map(({ mark }) => mark);
  /** Each node has looked twice. */
  const looked = async (node: TestService, folders: number): Promise<void> => {
    for (let n = 0; n < 2; n++) {
      const before = await marks(node);
      await until(async () => {
        const now = await marks(node);
        return now.filter((mark) => !before.includes(mark)).length >= folders;
      });
    }
  };

  it('do not take each other for a restore, and keep the mails that wait', async () => {
    const one = await start('one');
    await clientOf(() => one).register('live');
    const mails = async () =>
      (await dbOf(one).query("select from work.jobs where task like '%mail%'")).rows.length;
    await until(async () => (await mails()) > 0);
    const waiting = await mails();
    await start('two');
    await looked(one, 2);
    expect(await generations(one)).to.equal(1);
    expect(await mails()).to.equal(waiting);
  });

  it('do not mistake an outdated copy of the data folder of another node for a restore', async () => {
    const one = await start('one');
    await looked(one, 1);
    await cp(join(folder, 'one'), join(folder, 'copy'), { recursive: true });
    await looked(one, 1);
    await looked(await start('copy'), 2);
    expect(await generations(one)).to.equal(1);
  });

  it('notice a restore of their database, and declare it once', async () => {
    await start('one');
    await looked(await start('two'), 2);
    await stopAll();
    const backup = await copyDatabase(databases[0]?.url ?? '');
    await start('one');
    await looked(await start('two'), 2);
    await stopAll();
    databases.push(backup);
    const restored = await start('one');
    expect(await generations(restored)).to.equal(2);
    await start('two');
    await looked(restored, 2);
    expect(await generations(restored)).to.equal(2);
  });

  it('notice a restore of the database and the data folder of all of them', async () => {
    const one = await start('one');
    await looked(one, 1);
    await stopAll();
    databases.push(await copyDatabase(databases[0]?.url ?? ''));
    const restored = await start('empty');
    expect(await generations(restored)).to.equal(2);
  });
});
