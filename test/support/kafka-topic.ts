import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type KafkaServer, openKafkaClient } from '../../infra/kafka/client.ts';
import { prepareKafka } from './kafka-broker.ts';
import { eventually } from './service-process.ts';
import { skip } from './skip.ts';

/** For `before`: skips, with the reason in one line, where there can be no broker; in CI there must be one. */
export const requireKafka = async (test: Mocha.Context): Promise<void> => {
  test.timeout(330_000);
  const missing = await prepareKafka();
  if (missing !== undefined) skip(test, `there can be no Kafka broker: ${missing}`);
};

type Received = {
  partition: number;
  key: string;
  headers: Record<string, string>;
  /** The message, parsed. */
  event: {
    id: string;
    type: string;
    subject: string;
    sequence: string;
    position: string;
    data: Record<string, unknown>;
  };
};

/** Reads a topic from its beginning, as soon as there is one, until it is stopped. */
export const followTopic = async (server: KafkaServer, topic: string) => {
  const { kafka, cut } = openKafkaClient(server);
  const received: Received[] = [];
  const consumer = kafka.consumer({
    groupId: randomUUID(),
    retry: { retries: 1_000, maxRetryTime: 1_000 },
    sessionTimeout: 10_000,
    maxWaitTimeInMs: 100,
  });
  // A reader that joins while the topic is being made gets none of its partitions, and looks again after minutes.
  await administer(server, (admin) =>
    eventually('the topic is there, and each partition has a leader', async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      const partitions = topics.flatMap((one) => one.partitions);
      return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
    }),
  );
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [
        name,
        `${value}`,
      ]);
      received.push({
        partition,
        key: `${message.key}`,
        headers: Object.fromEntries(headers),
        event: JSON.parse(`${message.value}`),
      });
    },
  });
  return {
    received,
    /** Whether all of these messages came. */
    has(ids: readonly string[]): boolean {
      const came = new Set(received.map(({ event }) => event.id));
      return ids.every((id) => came.has(id));
    },
    async stop(): Promise<void> {
      await consumer.disconnect().catch(() => {});
      cut();
    },
  };
};

/**
 * Each stream is in one partition. A reader that skips events it has seen before reads 1, 2, 3 … without a
 * gap.
 */
export const assertInOrder = (received: readonly Received[]): void => {
  const seen = new Map<string, { partition: number; sequence: number }>();
  for (const { key, partition, event } of received) {
    const last = seen.get(key) ?? { partition, sequence: 0 };
    expect(partition, `partition of ${key}`).to.equal(last.partition);
    const sequence = Number(event.sequence);
    expect(sequence, `next of ${key}`).to.be.at.most(last.sequence + 1);
    seen.set(key, { partition, sequence: Math.max(sequence, last.sequence) });
  }
};

/** Runs something as the administrator of a broker. */
export const administer = async <T>(
  server: KafkaServer,
  work: (admin: ReturnType<ReturnType<typeof openKafkaClient>['kafka']['admin']>) => Promise<T>,
): Promise<T> => {
  const { kafka, cut } = openKafkaClient(server);
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
    cut();
  }
};
