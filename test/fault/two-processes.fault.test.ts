/** Two whole services on one database: any number of processes are correct together. */
import { expect } from 'chai';
import { creditWallet, withFoundation } from '../support/foundation.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import {
  call,
  letterBody,
  registerTestAccount,
  sendLetter,
  startClients,
} from '../support/letter-client.ts';
import { auditMoney } from '../support/log-audit.ts';
import { freshDatabase } from '../support/postgres.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

describe('two service processes on one database', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let first: ServiceProcess;
  let second: ServiceProcess;

  const start = async (): Promise<ServiceProcess> =>
    spawnService(await freePort(), folder.dataDir, {
      DATABASE_URL: database.url,
      CANCELLATION_WINDOW_SECONDS: '0',
      LIMIT_RESERVATION_PATIENCE_MS: '2000',
    });

  before(async () => {
    database = await freshDatabase();
    [first, second] = [await start(), await start()];
    await Promise.all([first.ready(), second.ready()]);
  });

  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const isKnown = (service: ServiceProcess, key: string): Promise<true> =>
    eventually('the key is known', async () => {
      const { status } = await call(service.url, 'GET', '/api/balance', { key });
      return status === 200;
    });

  it('charge one wallet exactly, whoever of them is asked', async () => {
    const { key, accountId } = await registerTestAccount(first.url, 'shared');
    await isKnown(second, key);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        sendLetter((n % 2 ? first : second).url, key, `shared-${n}`, `Letter ${n}`),
      ),
    );
    const queued = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 402);
    // $100.00 pays for 61 letters of $1.63; others may lose the race for the wallet, and say so
    expect(answers.every(({ status }) => [201, 402, 409].includes(status))).to.equal(true);
    expect(queued.length).to.be.at.most(61);
    if (refused.length > 0) expect(queued.length).to.equal(61);
    const audit = await auditMoney(database.url);
    const wallet = audit.wallets.get(accountId);
    expect(wallet?.held.size).to.equal(queued.length);
    expect(wallet?.available).to.equal(100_000_000n - BigInt(queued.length) * 1_630_000n);
  });

  it('make one letter of requests with one Idempotency-Key to both at once', async () => {
    const { key, accountId } = await registerTestAccount(first.url, 'twice');
    await isKnown(second, key);
    for (let n = 0; n < 30; n++) {
      const answers = await Promise.all(
        [first, second, first, second].map(({ url }) => sendLetter(url, key, `same-${n}`, 'Once.')),
      );
      const ids = new Set(
        answers.filter(({ status }) => status === 201).map(({ body }) => body.letter_id),
      );
      expect(ids.size, `letters of key ${n}`).to.equal(1);
      expect(answers.every(({ status }) => status === 201 || status === 409)).to.equal(true);
    }
    const audit = await auditMoney(database.url);
    const wallet = audit.wallets.get(accountId);
    expect(wallet?.available).to.equal(100_000_000n - 30n * 1_630_000n);
  });

  it('refuse a key within a second of its revocation by the other', async () => {
    const { key } = await registerTestAccount(first.url, 'revoker');
    const revoke = async (n: number): Promise<number> => {
      const made = await call(first.url, 'POST', '/auth/keys', {
        key,
        body: { label: `lost ${n}`, scope: 'send' },
      });
      expect(made.status).to.equal(201);
      const lost = String(made.body.api_key);
      await isKnown(second, lost);
      const revoked = await call(first.url, 'DELETE', `/auth/keys/${made.body.id}`, { key });
      expect(revoked.status).to.be.oneOf([200, 204]);
      return tookMs(() =>
        eventually(
          'the other process refuses the key',
          async () => (await call(second.url, 'GET', '/api/balance', { key: lost })).status === 401,
        ),
      );
    };
    expect(await leastOf(1_000, revoke)).to.be.below(1_000);
  });

  it('are replaced one after the other, as in an upgrade, and no request fails', async () => {
    const accounts = [
      await registerTestAccount(first.url, 'rolling-0'),
      await registerTestAccount(first.url, 'rolling-1'),
    ];
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    await withFoundation(place, async ({ commands }) => {
      for (const { accountId } of accounts)
        await creditWallet(commands, accountId, 1_000_000_000_000n);
    });
    // As a proxy does it: a process is asked once it is ready, and no longer when it is about to end.
    let serving = [first, second];
    let turn = 0;
    const url = (): string => serving[++turn % serving.length]?.url ?? '';
    const keys = accounts.map(({ key }) => key);
    const clients = startClients({ url, keys, clients: 2, name: 'rolling', restMs: 80 });
    const goesOn = async (): Promise<void> => {
      const before = clients.sent.length;
      await eventually('letters are sent', () => clients.sent.length >= before + 20);
    };
    const replace = async (old: ServiceProcess, next: ServiceProcess): Promise<ServiceProcess> => {
      await next.ready();
      serving = [...serving.filter((one) => one !== old), next];
      await goesOn();
      expect((await old.terminate()).code).to.equal(0);
      await goesOn();
      return next;
    };
    const [third, fourth] = [await start(), await start()];
    first = await replace(first, third);
    second = await replace(second, fourth);
    await clients.stop();

    const failed = [...clients.statuses.keys()].filter((status) => status === 0 || status >= 500);
    expect(failed, 'requests without an answer, or with a server error').to.deep.equal([]);
    expect(clients.unexpected).to.deep.equal([]);
    const audit = await auditMoney(database.url);
    const acknowledged = clients.sent.map(({ letterId }) => letterId);
    expect(new Set(acknowledged).size).to.equal(acknowledged.length);
    expect([...audit.letters.keys()]).to.include.members(acknowledged);
  });

  it('take over projections and reactors when the other is killed', async () => {
    const { key } = await registerTestAccount(second.url, 'survivor');
    await isKnown(first, key);
    await first.kill();
    const sent = await call(second.url, 'POST', '/api/send', { key, body: letterBody('On.') });
    expect(sent.status).to.equal(201);
    // The window is 0 s: production is started by a reactor, and shown by a projection
    await eventually('the letter is in production', async () => {
      const path = `/api/letters/${sent.body.letter_id}`;
      const { body } = await call(second.url, 'GET', path, { key });
      return body.status !== 'queued' && body.status !== undefined;
    });
  });

  it('leave a log that verifies and read models that equal their rebuild', async () => {
    await eventually('every letter is in production', async () => {
      const { letters } = await auditMoney(database.url);
      return [...letters.values()].every(({ status }) => status !== 'queued');
    });
    await atRest(second.url);
    await assertReadModelsEqual(database.url, await auditMoney(database.url));
  });
});
