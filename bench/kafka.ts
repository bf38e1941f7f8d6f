/**
 * k) Publication to Kafka, compared with a bare kafkajs producer that sends the same messages, and its delay
 * at 2,000 events a second. Events, checkpoint and broker are real.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import type { DomainEvent } from '../events/definition.ts';
import { decodeEvent, encodeEvent } from '../events/envelope.ts';
import type { EventStore } from '../events/event-store.ts';
import { followLog } from '../events/follow-log.ts';
import { noLeases } from '../events/lease.ts';
import { createPostgresEventStore } from '../infra/event-store/postgres/index.ts';
import { type KafkaServer, openKafkaClient } from '../infra/kafka/client.ts';
import { createKafkaPublisher } from '../infra/kafka/publisher.ts';
import { createReadDb } from '../infra/postgres/read-db.ts';
import { migrate } from '../infra/schema/migrate.ts';
import { eventMessage, type Message } from '../reactors/publish/cloud-event.ts';
import { type Publisher, publishEvents } from '../reactors/publish/publish.ts';
import { prepareKafka, startKafka } from '../test/support/kafka-broker.ts';
import { queued } from '../test/support/letter-samples.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, below, formatTable, type Target, tenth, whole } from './report.ts';
import { startCluster } from './stage.ts';

const events = 60_000;
const perSecond = 2_000;
const tickMs = 20;
const callers = 64;
const batch = 500;
const baseUrl = 'https://letters.example';
const logId = 'b8f7c1de-0d6e-4b6b-9a3f-5f1d7c2e9a10';
const quiet = { warn: () => {}, error: console.error };

/** A letter that was queued and is in production. */
const appendLetter = async (store: EventStore): Promise<void> => {
  const stream = `letter-${randomUUID()}`;
  const { type, data } = queued();
  const processing = { partner: 'simulator', jobId: 'job', source: 'simulator' };
  const both: DomainEvent[] = [
    { type, data },
    { type: 'LetterProcessingStarted', data: processing },
  ];
  let prev = '';
  const encoded = both.map((event, index) => {
    const at = new Date().toISOString();
    const cause = { id: randomUUID(), at, command: randomUUID(), actor: 'operator' };
    const place = { stream, version: BigInt(index), prev };
    const one = encodeEvent(event, place, cause, undefined);
    prev = one.hash;
    return one.event;
  });
  await store.append(stream, 'no-stream', encoded);
};

const fill = async (store: EventStore): Promise<void> => {
  let left = events / 2;
  const fillOne = async (): Promise<void> => {
    while (left-- > 0) await appendLetter(store);
  };
  await Promise.all(Array.from({ length: callers }, fillOne));
};

type Measured = { perSecond: number; cpuUs: number };

/** Runs `work` for `count` events: events per second, and the cost of each in this process. */
const measure = async (count: number, work: () => Promise<void>): Promise<Measured> => {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuUs: (user + system) / count };
};

/** The same messages, ready made, from memory. */
const sendBare = async (server: KafkaServer, topic: string, messages: Message[]): Promise<void> => {
  const { kafka, cut } = openKafkaClient(server);
  const producer = kafka.producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  for (let n = 0; n < messages.length; n += batch) {
    await producer.send({ topic, acks: -1, messages: messages.slice(n, n + batch) });
  }
  await producer.disconnect();
  cut();
};

const checkpointTable = 'create table checkpoint (name text primary key, position bigint not null)';
const saveCheckpoint = `insert into checkpoint values ($1, $2)
  on conflict (name) do update set position = excluded.position`;

export const runKafka = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const missing = await prepareKafka();
  if (missing !== undefined) {
    print(`  left out: ${missing}`);
    return { targets: [], problems: [] };
  }
  const cluster = await startCluster();
  const { url } = cluster;
  const db = createReadDb({ url, max: 2, applicationName: 'bench', onError: quiet.error });
  await migrate(url);
  const store = await createPostgresEventStore({ url, onError: quiet.error });
  const broker = await startKafka();
  try {
    await db.query(checkpointTable);
    await fill(store);
    const topic = (name: string) => ({ name, partitions: 6, replication: 1 });
    const acked = new Set<string>();
    const lagMs: number[] = [];
    const publisher = createKafkaPublisher(broker, topic('ours'));
    const watched: Publisher = {
      ...publisher,
      async publish(messages, signal) {
        await publisher.publish(messages, signal);
        for (const { value } of messages) {
          const { id, time } = JSON.parse(value) as { id: string; time: string };
          acked.add(id);
          lagMs.push(Date.now() - Date.parse(time));
        }
      },
    };
    const follow = (through: Publisher, name: string) => {
      const consumer = publishEvents({
        publisher: through,
        baseUrl,
        logIdAt: () => logId,
        checkpoints: {
          read: async () => (name === 'lag' ? store.head() : 0n),
          save: async (_name, position) => void (await db.query(saveCheckpoint, [name, position])),
        },
      });
      return followLog(consumer, { store, leases: noLeases, log: quiet });
    };
    const untilHead = async (follower: ReturnType<typeof followLog>): Promise<void> => {
      const head = await store.head();
      while (follower.status().position < head) await delay(2);
    };

    const messages: Message[] = [];
    for (let after = await store.floor(0n); messages.length < events; ) {
      const some = await store.readAll({ after, limit: 5_000 });
      messages.push(...some.map((event) => eventMessage(decodeEvent(event), baseUrl, logId)));
      after = some.at(-1)?.position ?? after;
    }
    const bareTopic = createKafkaPublisher(broker, topic('bare'));
    await bareTopic.publish(messages.slice(0, 5_000), new AbortController().signal);
    bareTopic.close();
    const bare = await measure(events, () => sendBare(broker, 'bare', messages));

    const ours = await measure(events, async () => {
      const follower = follow(publisher, 'ours');
      await untilHead(follower);
      await follower.stop();
    });

    const follower = follow(watched, 'lag');
    const appended = store.head();
    let sent = 0;
    const began = performance.now();
    while (performance.now() - began < options.seconds * 1_000) {
      const due = ((performance.now() - began) / 1_000) * perSecond - sent;
      const letters = Math.floor(due / 2);
      sent += letters * 2;
      await Promise.all(Array.from({ length: letters }, () => appendLetter(store)));
      await delay(tickMs);
    }
    await untilHead(follower);
    await follower.stop();
    await appended;
    lagMs.sort((a, b) => a - b);
    const lag = (share: number): number => lagMs[Math.floor(share * (lagMs.length - 1))] ?? 0;

    print(
      formatTable({
        columns: ['who', 'per s', 'CPU an event, µs'],
        rows: [
          [
            'letters: read, mapped, published, place saved',
            whole(ours.perSecond),
            tenth(ours.cpuUs),
          ],
          ['bare kafkajs producer, the same messages', whole(bare.perSecond), tenth(bare.cpuUs)],
        ],
      }),
    );
    const rate = sent / options.seconds;
    print(
      `  at ${whole(rate)} events/s behind by: p50 ${lag(0.5)} ms, p99 ${lag(0.99)} ms, most ${lag(1)} ms`,
    );
    return {
      targets: [
        atLeast('q) events published to Kafka', 10_000, ours.perSecond, '/s'),
        below('q) behind at 2,000 events/s, p99', 1_000, lag(0.99), ' ms'),
      ],
      problems: acked.size >= sent ? [] : [`${sent - acked.size} events were not published`],
    };
  } finally {
    await broker.stop();
    await store.close();
    await db.close();
    await cluster.stop();
  }
};
