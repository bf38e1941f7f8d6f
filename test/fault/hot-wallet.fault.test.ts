import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { creditWallet, verifyLog, withFoundation } from '../support/foundation.ts';
import { registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { auditLog, auditMoney } from '../support/log-audit.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  atRest,
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  programEnv,
  spawnService,
} from '../support/service-process.ts';

describe('a hot wallet', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  const place = () => ({ dataDir, databaseUrl: database.url });

  before(async () => {
    database = await serviceDatabase();
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  it('with money for 100 letters pays for exactly 100 of 200 that are sent at once', async () => {
    const service = spawnService(await freePort(), dataDir, {
      ...oneProcess,
      DATABASE_URL: database.url,
    });
    await service.ready();
    const { key, accountId } = await registerTestAccount(service.url, 'hot');
    await withFoundation(place(), (foundation) =>
      creditWallet(foundation.commands, accountId, 63_000_000n),
    );
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => sendLetter(service.url, key, `hot-${n}`)),
    );
    const count = (status: number): number =>
      answers.filter((answer) => answer.status === status).length;
    expect([count(201), count(402)]).to.deep.equal([100, 100]);
    await atRest(service.url);
    const audit = await auditMoney(database.url);
    expect(audit.letters.size).to.equal(100);
    expect(audit.wallets.get(accountId)?.available).to.equal(0n);
    await assertReadModelsEqual(database.url, audit);
    expect((await service.terminate()).code).to.equal(0);
  });

  /** Reserves and releases until the end, or until it kills itself right after an event of this type. */
  const spend = (accountId: string, run: string, dieAfter: string): Promise<string | null> =>
    new Promise((resolve, reject) => {
      const script = new URL('../support/spend-and-die.ts', import.meta.url).pathname;
      const child = spawn(process.execPath, [script, accountId, run, dieAfter], {
        env: { ...programEnv, DATA_DIR: dataDir, DATABASE_URL: database.url },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === 0 || signal) resolve(signal);
        else reject(new Error(`it ended with code ${code}`));
      });
    });

  it('closes its books under load, whatever is killed on the way', async () => {
    const accountId = 'acct_books';
    expect(await spend(accountId, 'a', 'WalletPeriodClosed')).to.equal('SIGKILL');
    expect((await auditLog(database.url)).wallets.get(accountId)?.periods).to.equal(1);
    expect(await spend(accountId, 'b', 'WalletPeriodOpened')).to.equal('SIGKILL');
    expect(await spend(accountId, 'c', 'never')).to.equal(null);
    const wallet = (await auditLog(database.url)).wallets.get(accountId);
    expect(wallet?.periods).to.equal(2);
    let held = 0n;
    for (const { amount } of wallet?.held.values() ?? []) held += amount;
    expect(wallet?.available).to.equal((wallet?.granted ?? 0n) - held);
    // Every acknowledged command is there: those of run c are in the new period
    const told = readFileSync(join(dataDir, 'acknowledged'), 'utf8').trim().split('\n');
    expect(told.length).to.be.above(5_000);
    await withFoundation(place(), async (foundation) => {
      const { store } = foundation.storage;
      const reserved = new Set<string>();
      for (const period of [0, 1]) {
        for (const event of await store.readStream(`wallet-${accountId}-${period}`)) {
          if (event.type === 'FundsReserved') reserved.add(JSON.parse(event.data).attemptId);
        }
      }
      expect(told.filter((attemptId) => !reserved.has(attemptId))).to.deep.equal([]);
      expect(new Set(told).size).to.equal(told.length);
      expect(await verifyLog(foundation)).to.deep.equal([]);
    });
  });
});
