/** The way between the service and PostgreSQL fails in every way: nothing is lost, doubled or stuck. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { EventToAppend } from '../../events/event-store.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createPostgresQuestion } from '../../infra/postgres/liveness-probe.ts';
import { creditWallet, verifyLog, withFoundation } from '../support/foundation.ts';
import { registerTestAccount, startClients, type TestAccount } from '../support/letter-client.ts';
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
import { type Mode, startTcpProxy } from '../support/tcp-proxy.ts';

describe('a bad way to the database', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  const accounts: TestAccount[] = [];
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  let service: ServiceProcess;
  const acknowledged: string[] = [];

  before(async () => {
    database = await freshDatabase();
    proxy = await startTcpProxy(database.url);
    service = spawnService(await freePort(), dataDir, {
      DATABASE_URL: proxy.url,
      LIMIT_RESERVATION_PATIENCE_MS: '2000',
    });
    await service.ready();
    for (let n = 0; n < 4; n++) {
      accounts.push(await registerTestAccount(service.url, `proxied-${n}`));
    }
    const place = { dataDir, databaseUrl: database.url };
    await withFoundation(place, async (foundation) => {
      for (const { accountId } of accounts) {
        await creditWallet(foundation.commands, accountId, 1_000_000_000n);
      }
    });
  });

  after(async () => {
    await killLeftovers();
    await proxy.stop();
    await database.drop();
    await folder.remove();
  });

  /** Sends under load, with the way bad in the middle; every request has an answer within `mostMs`. */
  const sendThrough = async (
    name: Mode | 'cut',
    bad: (statuses: Map<number, number>) => Promise<void>,
    mostMs: number,
  ): Promise<Map<number, number>> => {
    const keys = accounts.map(({ key }) => key);
    const clients = startClients({
      url: () => service.url,
      keys,
      clients: 6,
      name,
      timeoutMs: mostMs,
    });
    await eventually('letters are sent', () => clients.sent.length >= 20);
    await bad(clients.statuses);
    proxy.set('pass');
    const before = clients.sent.length;
    await eventually('letters are sent again', () => clients.sent.length >= before + 20, mostMs);
    await clients.stop();
    expect(clients.unexpected).to.deep.equal([]);
    expect(clients.statuses.get(0), 'requests without an answer').to.equal(undefined);
    expect(clients.slowestMs()).to.be.below(mostMs);
    for (const { letterId } of clients.sent) if (letterId) acknowledged.push(letterId);
    return clients.statuses;
  };

  it('that is cut again and again costs nothing but time', async () => {
    await sendThrough(
      'cut',
      async () => {
        for (let n = 0; n < 10; n++) {
          proxy.cutAll();
          await eventually('it is back', async () => (await fetch(`${service.url}/ready`)).ok);
        }
      },
      10_000,
    );
  });

  it('that is cut after the commit and before its answer doubles nothing', async () => {
    const before = proxy.cuts();
    await sendThrough(
      'cut-after-append',
      async () => {
        proxy.set('cut-after-append');
        await eventually('three answers are lost', () => proxy.cuts() >= before + 3);
      },
      10_000,
    );
  });

  it('that is slow is only slow', async () => {
    await sendThrough(
      'delay',
      async () => {
        proxy.set('delay');
        const done = acknowledged.length;
        await eventually('a while has passed', async () => {
          const response = await fetch(`${service.url}/ready`);
          return response.ok && acknowledged.length >= done;
        });
      },
      10_000,
    );
  });

  it('that is closed on one side is opened again', async () => {
    await sendThrough('half-close', async () => proxy.set('half-close'), 10_000);
  });

  it('that refuses is answered with 503 and Retry-After, and used again when it is back', async () => {
    const statuses = await sendThrough(
      'refuse',
      async (answered) => {
        proxy.set('refuse');
        await eventually('sends are answered with 503', () => answered.has(503));
      },
      15_000,
    );
    expect([...statuses.keys()].toSorted()).to.deep.equal([201, 503]);
  });

  it('that swallows everything does not hold anybody for ever', async () => {
    await sendThrough(
      'drop',
      async () => {
        proxy.set('drop');
        await eventually('a request is given up', async () => {
          const response = await fetch(`${service.url}/ready`);
          await response.arrayBuffer();
          return response.status === 503;
        });
      },
      32_000,
    );
  });

  it('leaves every acknowledged letter once, charged once, in a log that verifies', async () => {
    await atRest(service.url);
    const audit = await eventually('the money adds up', () => auditMoney(database.url));
    expect(new Set(acknowledged).size).to.equal(acknowledged.length);
    expect([...audit.letters.keys()].toSorted()).to.deep.equal(acknowledged.toSorted());
    await assertReadModelsEqual(database.url, audit);
    const place = { dataDir, databaseUrl: database.url };
    expect(await withFoundation(place, verifyLog)).to.deep.equal([]);
    expect((await service.terminate()).code).to.equal(0);
  });
});

describe('the connection that says whether the database answers', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;

  before(async () => {
    database = await freshDatabase();
    proxy = await startTcpProxy(database.url);
  });
  after(async () => {
    await proxy.stop();
    await database.drop();
  });

  it('also hears of appends, again after it was cut, and is given up when it is silent', async () => {
    const question = createPostgresQuestion(proxy.url);
    const store = await createPostgresEventStore({ url: database.url });
    const heard: string[] = [];
    let losses = 0;
    const append = () =>
      store.append(`heard-${randomUUID()}`, 'no-stream', [
        { id: randomUUID(), type: 'Tested', data: '{}', metadata: '{}' },
      ]);
    const ask = () => question.ask().catch(() => {});
    /** Questions are asked again and again, as the probe does. */
    const hears = (position: bigint) =>
      eventually('the append is heard of', async () => {
        await ask();
        return heard.includes(String(position));
      });
    try {
      await ask();
      question.listen({
        channel: 'event_log',
        heard: (payload = '') => heard.push(payload),
        onLost: () => losses++,
      });
      await ask();
      await hears((await append()).position);
      proxy.cutAll();
      await eventually('the loss is noticed', () => losses === 1);
      await ask();
      await hears((await append()).position);
      proxy.set('drop');
      let answered = false;
      const unanswered = ask().then(() => {
        answered = true;
      });
      await append();
      expect(answered).to.equal(false);
      question.giveUp();
      await unanswered;
      expect(losses).to.equal(2);
      proxy.set('pass');
      await ask();
      await hears((await append()).position);
    } finally {
      await store.close();
      await question.close();
    }
  });
});

describe('a batch of appends with bad ones in it', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;

  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('stores the good ones and fails each bad one alone', async () => {
    const store = await createPostgresEventStore({ url: database.url });
    try {
      const event = (): EventToAppend => ({
        id: randomUUID(),
        type: 'Tested',
        data: JSON.stringify({ odd: '\u0000 \u001e \ud800 "{},' }),
        metadata: '{}',
      });
      const taken = event();
      await store.append('taken', 'no-stream', [taken]);
      const bad: EventToAppend[] = [
        { ...event(), data: '{"cut' },
        { ...event(), data: '[]' },
        { ...event(), id: taken.id },
        { ...event(), id: 'no uuid' },
        { ...event(), data: JSON.stringify({ long: 'x'.repeat(300_000) }) },
      ];
      const results = await Promise.allSettled(
        Array.from({ length: 500 }, (_, n) =>
          store.append(`batch-${n}`, 'no-stream', [bad[n / 100] ?? event()]),
        ),
      );
      const failed = results.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
      expect(failed).to.deep.equal([0, 100, 200, 300, 400]);
      const log = await store.readAll({ after: 0n, limit: 1_000 });
      expect(log.map(({ position }) => Number(position))).to.deep.equal(
        Array.from({ length: 496 }, (_, index) => index + 1),
      );
    } finally {
      await store.close();
    }
  });
});
