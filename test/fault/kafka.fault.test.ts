import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import type { RecordedEvent } from '../../events/event-store.ts';
import { withFoundation } from '../support/foundation.ts';
import { type KafkaBroker, startKafka } from '../support/kafka-broker.ts';
import { assertInOrder, followTopic, requireKafka } from '../support/kafka-topic.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { call, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  spawnService,
} from '../support/service-process.ts';

type Health = {
  status: string;
  parts?: { name: string; status: string; detail?: string }[];
  reactors: { name: string; position: string }[];
};

const healthOf = async (url: string): Promise<Health> =>
  (await call(url, 'GET', '/health')).body as Health;
const publicationOf = ({ parts = [] }: Health) => parts.find(({ name }) => name === 'publishing');

describe('a service that publishes to Kafka', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  let broker: KafkaBroker;
  let database: Awaited<ReturnType<typeof serviceDatabase>> | undefined;

  before(async function () {
    await requireKafka(this);
    broker = await startKafka();
    database = await serviceDatabase();
  });
  afterEach(killLeftovers);
  after(async () => {
    await database?.drop();
    await folder.remove();
    await broker?.stop();
  });

  const urlOfDatabase = (): string => database?.url ?? '';
  const start = async (brokers: string[]) => {
    const service = spawnService(await freePort(), dataDir, {
      DATABASE_URL: urlOfDatabase(),
      KAFKA_BROKERS: brokers.join(),
      CANCELLATION_WINDOW_SECONDS: '0',
      LIMIT_RESERVATION_PATIENCE_MS: '2000',
    });
    await service.ready();
    return service;
  };
  const inLog = (): Promise<{ events: RecordedEvent[]; saved: bigint }> =>
    withFoundation({ dataDir, databaseUrl: urlOfDatabase() }, async ({ storage }) => {
      const { rows } = await storage.readDb.query<{ position: bigint }>(
        `select position from reactors.checkpoints where name = 'publish-events'`,
      );
      const events = await storage.store.readAll({ after: 0n, limit: 100_000 });
      return { events, saved: rows[0]?.position ?? 0n };
    });

  it('killed while it publishes, brings every event and credential, and its place is never ahead', async () => {
    let service = await start(broker.brokers);
    const { key } = await registerTestAccount(service.url, 'kafka');
    const reader = await followTopic(broker, 'letters.events');
    for (let round = 0; round < 2; round++) {
      const sending = Array.from({ length: 25 }, (_, n) =>
        sendLetter(service.url, key, `round-${round}-${n}`).catch(() => undefined),
      );
      await Promise.race(sending);
      await service.killGroup();
      await Promise.all(sending);
      const { events, saved } = await inLog();
      const claimed = events.filter(({ position }) => position <= saved).map(({ id }) => id);
      await eventually('what it took for published is there', () => reader.has(claimed));
      service = await start(broker.brokers);
    }
    await atRest(service.url);
    const { events } = await eventually('its place is at the end of the log', async () => {
      const found = await inLog();
      return found.saved === found.events.at(-1)?.position && found;
    });
    await eventually('every event is read', () => reader.has(events.map(({ id }) => id)));
    const credentials = await followTopic(broker, 'letters.credentials');
    const ids = events.map(({ id }) => `urn:uuid:${id}`);
    await eventually('every credential is read', () => credentials.has(ids));
    assertInOrder(reader.received);
    assertInOrder(credentials.received);
    const everything = JSON.stringify([reader.received, credentials.received]);
    expect(everything).not.to.match(/mustermann|heidestr|hauptstr|beispiel|hello|example\.com/i);
    const health = await healthOf(service.url);
    expect(publicationOf(health)).to.deep.equal({ name: 'publishing', status: 'ok' });
    await Promise.all([reader.stop(), credentials.stop()]);
    expect((await service.terminate()).code).to.equal(0);
  });

  it('sends letters as fast as ever while the broker says nothing, and says that it waits', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const service = await start([`127.0.0.1:${port}`]);
    try {
      const { key } = await registerTestAccount(service.url, 'silent');
      const send = async (reference: string): Promise<void> => {
        expect((await sendLetter(service.url, key, reference)).status).to.equal(201);
      };
      const slowestOf40 = async (round: number): Promise<number> => {
        const sentMs: number[] = [];
        for (let n = 0; n < 40; n++) sentMs.push(await tookMs(() => send(`silent-${round}-${n}`)));
        return Math.max(...sentMs);
      };
      // A letter that waited for an answer of Kafka would wait for seconds.
      expect(await leastOf(2_500, slowestOf40, 5)).to.be.below(2_500);
      // On a busy machine another part may be degraded before.
      await eventually('it says so', async () => {
        const found = await healthOf(service.url);
        expect(publicationOf(found)?.detail).to.match(
          /^publish-events has made no progress since 20/,
        );
        return found.status === 'degraded';
      });
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).to.match(/^publication_stuck [12]$/m);
      expect(Number(/^publication_lag_seconds (\S+)$/m.exec(metrics)?.[1])).to.be.above(1);
      const { code, ms } = await service.terminate();
      expect(code).to.equal(0);
      expect(ms).to.be.below(8_000);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
