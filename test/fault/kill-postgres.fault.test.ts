import { expect } from 'chai';
import { creditWallet, verifyLog, withFoundation } from '../support/foundation.ts';
import { injected } from '../support/injected.ts';
import { registerTestAccount, startClients, type TestAccount } from '../support/letter-client.ts';
import { auditMoney } from '../support/log-audit.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import {
  atRest,
  embeddedIn,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  spawnService,
} from '../support/service-process.ts';

describe('a PostgreSQL that is killed under load', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;

  after(async () => {
    await killLeftovers();
    await folder.remove();
  });

  it('keeps what was acknowledged, and the service comes back by itself with 503 at most', async () => {
    const service = spawnService(await freePort(), dataDir, {
      LIMIT_RESERVATION_PATIENCE_MS: '2000',
    });
    await service.ready();
    const place = () => ({ dataDir, databaseUrl: embeddedIn(dataDir)?.url ?? '' });
    const accounts: TestAccount[] = [];
    for (let n = 0; n < 4; n++) {
      accounts.push(await registerTestAccount(service.url, `bereft-${n}`));
    }
    await withFoundation(place(), async (foundation) => {
      for (const { accountId } of accounts) {
        await creditWallet(foundation.commands, accountId, 1_000_000_000n);
      }
    });
    const keys = accounts.map(({ key }) => key);
    const clients = startClients({ url: () => service.url, keys, clients: 8, name: 'pg' });
    for (let round = 0; round < 3; round++) {
      const before = clients.sent.length;
      await eventually('letters are sent', () => clients.sent.length >= before + 40);
      const found = embeddedIn(dataDir);
      // Process 0 would be this one and its whole group.
      if (!found) throw new Error('no PostgreSQL runs');
      process.kill(found.pid, 'SIGKILL');
      injected('PostgreSQL restarted');
    }
    const before = clients.sent.length;
    await eventually('letters are sent again', () => clients.sent.length >= before + 40);
    await clients.stop();
    expect(clients.unexpected).to.deep.equal([]);
    expect(clients.statuses.get(0), 'requests without an answer').to.equal(undefined);
    expect(clients.slowestMs()).to.be.below(15_000);

    await atRest(service.url);
    const { databaseUrl } = place();
    const audit = await eventually('the money adds up', () => auditMoney(databaseUrl));
    const acknowledged = clients.sent.map(({ letterId }) => letterId);
    expect([...audit.letters.keys()].toSorted()).to.deep.equal(acknowledged.toSorted());
    await assertReadModelsEqual(databaseUrl, audit);
    expect(await withFoundation(place(), verifyLog)).to.deep.equal([]);
    expect((await service.terminate()).code).to.equal(0);
  });
});
