import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { freePort, killLeftovers, makeDataDir, spawnService } from '../support/service-process.ts';

describe('a service with its secrets in files', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;

  before(async () => {
    database = await serviceDatabase();
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  it('works with both of its processes', async () => {
    const inFile = (name: string, value: string): string => {
      const path = join(folder.dataDir, name);
      writeFileSync(path, `${value}\n`, { mode: 0o400 });
      return path;
    };
    const service = spawnService(await freePort(), folder.dataDir, {
      DATABASE_URL_FILE: inFile('database-url', database.url),
      MASTER_KEY_FILE: inFile('master-key', '7a'.repeat(32)),
      BACKGROUND_PROCESS: 'true',
    });
    await service.ready();
    const { key } = await registerTestAccount(service.url, 'secret-files');
    const { status } = await sendLetter(service.url, key, 'secret-files', 'Hello by post.');
    expect(status).to.equal(201);
    expect((await service.terminate()).code).to.equal(0);
  });
});
