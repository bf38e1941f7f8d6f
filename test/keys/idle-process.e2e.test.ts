import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runOperator } from '../support/operator.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually } from '../support/service-process.ts';

describe('a process that has read no data key yet', function () {
  this.timeout(120_000);
  let dataDir = '';
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let env: Record<string, string> = {};
  let idle: TestService;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-idle-'));
    database = await serviceDatabase();
    env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
    idle = await startTestService({ ...env, ROLES: 'write-api,read-api,console' });
  });
  after(async () => {
    await idle?.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('follows a rotation of the root, by which it opens links and sessions', async () => {
    const { keyring } = idle.service.foundation.keys;
    for (const step of ['root', 'retire']) {
      const { code, out, err } = await runOperator(env, ['rotate-master', step, '--apply']);
      expect(code, out + err).to.equal(0);
    }
    const roots = await eventually('the first root is retired here', () => {
      const known = keyring.list().map(({ n, state }) => ({ n, state }));
      return known.some(({ state }) => state === 'retired') && known;
    });
    expect(roots).to.deep.equal([
      { n: 1, state: 'retired' },
      { n: 2, state: 'active' },
    ]);
  });
});
