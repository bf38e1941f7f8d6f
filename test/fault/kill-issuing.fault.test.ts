/** `kill -9` between the append of events and their credentials, and while those are being stored. */
import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { verifyLog, withFoundation } from '../support/foundation.ts';
import { registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  atRest,
  freePort,
  killLeftovers,
  makeDataDir,
  programEnv,
  spawnService,
} from '../support/service-process.ts';

describe('issuing credentials that is killed', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let port: number;
  const settings = () => ({
    DATABASE_URL: database.url,
    // Work that a crash left between wallet and letter is undone soon.
    LIMIT_RESERVATION_PATIENCE_MS: '2000',
  });
  const place = () => ({ dataDir, databaseUrl: database.url });

  before(async () => {
    database = await serviceDatabase();
    port = await freePort();
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const issueAndDie = (batch: number, when: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const script = new URL('../support/issue-and-die.ts', import.meta.url).pathname;
      const child = spawn(process.execPath, [script, String(batch), when], {
        env: { ...programEnv, DATA_DIR: dataDir, DATABASE_URL: place().databaseUrl },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (signal === 'SIGKILL') resolve();
        else reject(new Error(`it ended with ${code ?? signal}`));
      });
    });

  const issued = () =>
    withFoundation(place(), async ({ storage: { credentials } }) => {
      const all = await credentials.range(0, 10_000);
      return { jwts: all.map(({ jwt }) => jwt), size: (await credentials.checkpoint())?.size ?? 0 };
    });

  it('leaves each event one credential, in order, with the same bytes', async () => {
    // Events that were appended, and whose credentials nobody came to issue.
    const without = spawnService(port, dataDir, { ...settings(), CREDENTIALS: 'false' });
    await without.ready();
    const { key } = await registerTestAccount(without.url, 'issuing');
    for (let n = 0; n < 30; n++) {
      expect((await sendLetter(without.url, key, `letter-${n}`)).status).to.equal(201);
    }
    await without.kill();
    expect(await issued()).to.deep.equal({ jwts: [], size: 0 });

    let before: string[] = [];
    for (const [batch, when] of [
      [1, 'before'],
      [1, 'during'],
      [2, 'after'],
      [2, 'during'],
      [3, 'before'],
      [1, 'during'],
    ] as const) {
      await issueAndDie(batch, when);
      const { jwts, size } = await issued();
      // Whole batches, each with its checkpoint, or nothing of them.
      expect(size).to.equal(jwts.length);
      expect(jwts.length % 7).to.equal(0);
      expect(jwts.slice(0, before.length)).to.deep.equal(before);
      before = jwts;
    }
    expect(before.length).to.be.at.least(28);

    const service = spawnService(port, dataDir, settings());
    await service.ready();
    await sendLetter(service.url, key, 'letter-after');
    await atRest(service.url);
    const { jwts } = await issued();
    expect(jwts.slice(0, before.length)).to.deep.equal(before);
    expect(jwts.length).to.be.above(before.length);
    expect(await withFoundation(place(), verifyLog)).to.deep.equal([]);
    expect((await service.terminate()).code).to.equal(0);
  });

  it('keeps up with what is sent, and goes on where it was, when the whole service dies', async () => {
    let service = spawnService(port, dataDir, settings());
    await service.ready();
    const { key } = await registerTestAccount(service.url, 'issuing-2');
    for (let round = 0; round < 3; round++) {
      const sending = Array.from({ length: 25 }, (_, n) =>
        sendLetter(service.url, key, `round-${round}-${n}`).catch(() => undefined),
      );
      await Promise.race(sending);
      await service.kill();
      await Promise.all(sending);
      service = spawnService(port, dataDir, settings());
      await service.ready();
    }
    await atRest(service.url);
    expect(await withFoundation(place(), verifyLog)).to.deep.equal([]);
    expect((await service.terminate()).code).to.equal(0);
  });
});
