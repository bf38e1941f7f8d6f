import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as tick } from 'node:timers/promises';
import { expect } from 'chai';
import { runCheck } from '../../ground/check.ts';
import { checkKafka } from '../../infra/kafka/check-kafka.ts';
import { type KafkaBroker, startKafka } from '../support/kafka-broker.ts';
import { administer, assertInOrder, followTopic, requireKafka } from '../support/kafka-topic.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { eventually } from '../support/service-process.ts';
import { createPublishing } from './publishing.ts';

const streams = (count: number): string[] => Array.from({ length: count }, (_, n) => `letter-${n}`);
const patienceMs = 40_000;

describe('publication to Kafka', function () {
  this.timeout(180_000);
  let broker: KafkaBroker;
  const stops: (() => Promise<void>)[] = [];

  /** A publication to a topic of its own, and the messages that come out of it. */
  const follow = async (options: Parameters<typeof createPublishing>[1] = {}) => {
    const publishing = createPublishing(broker, options);
    stops.push(() => publishing.stop());
    const read = async () => {
      const reader = await followTopic(broker, publishing.topic);
      stops.push(() => reader.stop());
      return reader;
    };
    return { publishing, read };
  };
  type Publishing = ReturnType<typeof createPublishing>;
  const done = (publishing: Publishing) =>
    eventually('everything is published', () => publishing.isDone(), patienceMs);
  const assertAllCame = async (
    publishing: Publishing,
    read: () => ReturnType<typeof followTopic>,
  ) => {
    const reader = await read();
    await eventually('all of it is read', () => reader.has(publishing.ids), patienceMs);
    assertInOrder(reader.received);
    return reader;
  };

  before(async function () {
    await requireKafka(this);
    broker = await startKafka();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });
  after(() => broker?.stop());

  it('brings every event once, in order per stream, to a topic that it makes', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    stops.push(async () => void process.off('warning', note));
    const { publishing, read } = await follow();
    publishing.start();
    for (let round = 0; round < 20; round++) await publishing.append(streams(100));
    await done(publishing);
    const { received } = await assertAllCame(publishing, read);
    expect(received).to.have.length(2_000);
    expect(new Set(received.map(({ partition }) => partition)).size).to.equal(6);
    expect(received[0]?.headers).to.deep.equal({
      'content-type': 'application/cloudevents+json; charset=UTF-8',
    });
    expect(publishing.status()?.state).to.equal('running');
    // kafkajs itself sets timers of negative times.
    expect(warnings.map(({ name }) => name)).not.to.include('TimeoutNegativeWarning');
  });

  it('waits for a broker that is down, says so, and goes on when it is there', async () => {
    const { publishing, read } = await follow();
    await broker.kill();
    publishing.start();
    await publishing.append(streams(10));
    await eventually('it says so', () =>
      publishing.status()?.incident?.error.includes('ECONNREFUSED'),
    );
    expect(publishing.saves).to.deep.equal([]);
    await broker.start();
    await done(publishing);
    await assertAllCame(publishing, read);
    expect(publishing.status()?.incident).to.equal(undefined);
  });

  it('loses nothing and keeps the order when the broker is killed while it publishes', async () => {
    const { publishing, read } = await follow();
    publishing.start();
    let killing = true;
    const writing = (async () => {
      while (killing && publishing.ids.length < 10_000) {
        await publishing.append(streams(50));
        await tick(10);
      }
    })();
    await eventually('it publishes', () => publishing.saves.length > 3, patienceMs);
    await broker.kill();
    await broker.start();
    const before = publishing.saves.length;
    await eventually('it publishes again', () => publishing.saves.length > before, patienceMs);
    killing = false;
    await writing;
    await done(publishing);
    await assertAllCame(publishing, read);
  });

  it('makes the topic again when it was deleted, and brings all that comes after', async () => {
    const { publishing, read } = await follow();
    publishing.start();
    await publishing.append(streams(5));
    await done(publishing);
    const first = publishing.ids.splice(0);
    await administer(broker, async (admin) => {
      await admin.deleteTopics({ topics: [publishing.topic] });
      // Until then the broker takes messages, which are lost with the topic.
      await eventually(
        'it is gone',
        async () => !(await admin.listTopics()).includes(publishing.topic),
      );
    });
    await publishing.append(streams(5));
    await done(publishing);
    const reader = await read();
    await eventually('all of it is read', () => reader.has(publishing.ids), patienceMs);
    expect(first.some((id) => reader.has([id]))).to.equal(false);
  });

  it('makes smaller requests when the topic takes less, and stops visibly at a message too large', async () => {
    const { publishing, read } = await follow();
    const { topic } = publishing;
    const limit = (bytes: number) =>
      administer(broker, (admin) =>
        admin.alterConfigs({
          validateOnly: false,
          resources: [
            {
              type: 2,
              name: topic,
              configEntries: [{ name: 'max.message.bytes', value: `${bytes}` }],
            },
          ],
        }),
      );
    await administer(broker, (admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] }),
    );
    await limit(6_000);
    await publishing.append(streams(50));
    await publishing.append(['letter-large'], 'x'.repeat(10_000));
    await publishing.append(streams(1));
    publishing.start();
    const stuck = await eventually('it says so', () => publishing.status()?.incident, patienceMs);
    expect(stuck.error).to.match(
      /^a message of letter-large has 1\d{4} bytes, more than the topic/,
    );
    expect(await publishing.isDone()).to.equal(false);
    await limit(1_048_576);
    await done(publishing);
    await assertAllCame(publishing, read);
  });

  it('is checked by doctor, which fails for a topic that keeps the last message of a stream only', async () => {
    const [events, credentials] = [{ name: 'checked.events' }, { name: 'checked.credentials' }];
    const check = () => runCheck(checkKafka({ server: broker, events, credentials }));
    expect(await check()).to.include({ state: 'warn' });
    const make = (topic: string, policy: string) =>
      administer(broker, (admin) =>
        admin.createTopics({
          topics: [{ topic, configEntries: [{ name: 'cleanup.policy', value: policy }] }],
        }),
      );
    await make(events.name, 'delete');
    await make(credentials.name, 'compact,delete');
    const found = await check();
    expect(found.state).to.equal('fail');
    expect(found.found).to.match(/^the topic checked.credentials is compacted/);
    await administer(broker, (admin) => admin.deleteTopics({ topics: [credentials.name] }));
    await make(credentials.name, 'delete');
    expect(await check()).to.include({ state: 'ok' });
  });

  it('gives up on a broker that takes connections and says nothing, and stops at once when told', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const stop = async (): Promise<number> => {
      const publishing = createPublishing({ brokers: [`127.0.0.1:${port}`] });
      stops.push(() => publishing.stop());
      const before = sockets.size;
      publishing.start();
      await publishing.append(streams(3));
      const stuck = await eventually('it says so', () => publishing.status()?.incident, patienceMs);
      expect(stuck.error).to.match(/^Kafka at 127.*(timed out|not connected)/);
      expect(publishing.saves).to.deep.equal([]);
      await eventually('it tries again', () => sockets.size > before + 1, patienceMs);
      return tookMs(() => publishing.stop());
    };
    try {
      expect(await leastOf(1_000, stop, 3)).to.be.below(1_000);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
