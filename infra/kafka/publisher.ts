/**
 * Publishes to one topic of Kafka: acknowledged by all replicas that are in sync, in order per key, by an
 * idempotent producer that has one request under way at a time. After a failure it begins with a new
 * producer, so messages that were acknowledged in part come again.
 */
import kafkajs, { type Producer } from 'kafkajs';
import { messageOf } from '../../ground/message-of.ts';
import { type Message, messageContentType } from '../../reactors/publish/cloud-event.ts';
import type { Publisher } from '../../reactors/publish/publish.ts';
import { type KafkaServer, openKafkaClient } from './client.ts';

const { KafkaJSAggregateError, KafkaJSProtocolError, Partitioners } = kafkajs;

/** `partitions` and the rest hold for a topic that is made; one that is there stays as it is. */
type KafkaTopic = {
  name: string;
  partitions: number;
  /** Absent: as the broker has it. */
  replication?: number;
  /** Absent: messages are kept for ever. */
  retentionMs?: number;
};

/** Of a request, in characters: well below the 1 MiB that brokers take, so that it fits into a batch. */
const maxRequest = 512 * 1024;
/** Message size that our topics accept; the largest message is an event of 256 KiB. */
const maxMessageBytes = 1024 * 1024;

const headers = { 'content-type': messageContentType };

const tooLarge = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const isTooLarge = (error: unknown): boolean =>
  error instanceof KafkaJSProtocolError && tooLarge.has(error.type);

/** Kafka's own error, unwrapped from the errors of the client. */
const reasonOf = (error: unknown): string => {
  if (error instanceof KafkaJSAggregateError) return error.errors.map(reasonOf).join('; ');
  return messageOf(error);
};

/** The first messages that fit into one request of this number of characters; at least one. */
const countFor = (messages: readonly Message[], from: number, limit: number): number => {
  let size = 0;
  let count = 0;
  for (let n = from; n < messages.length; n++) {
    size += messages[n]?.value.length ?? 0;
    if (count > 0 && size > limit) break;
    count++;
  }
  return count;
};

/** @throws Error where the topic is missing and the broker does not create it */
const makeTopic = async (
  { kafka }: ReturnType<typeof openKafkaClient>,
  { name, partitions, replication = -1, retentionMs = -1 }: KafkaTopic,
): Promise<void> => {
  const admin = kafka.admin();
  try {
    await admin.connect();
    // A user who may not create topics is refused even where the topic exists.
    if ((await admin.listTopics()).includes(name)) return;
    const configEntries = [
      { name: 'retention.ms', value: String(retentionMs) },
      { name: 'max.message.bytes', value: String(maxMessageBytes) },
    ];
    await admin.createTopics({
      topics: [
        { topic: name, numPartitions: partitions, replicationFactor: replication, configEntries },
      ],
    });
  } catch (error) {
    if (!(error instanceof KafkaJSAggregateError)) throw error;
    const why = reasonOf(error);
    throw new Error(
      `the user sees no topic ${name}, and it could not be created (${why}): create it, or allow the user to write to it`,
      { cause: error },
    );
  } finally {
    await admin.disconnect();
  }
};

export const createKafkaPublisher = (server: KafkaServer, topic: KafkaTopic): Publisher => {
  type Open = { producer: Producer; cut(): void };
  let open: Open | undefined;
  let requestSize = maxRequest;

  const connect = async (signal: AbortSignal): Promise<Open> => {
    const client = openKafkaClient(server);
    signal.addEventListener('abort', client.cut, { once: true });
    try {
      await makeTopic(client, topic);
      const producer = client.kafka.producer({
        createPartitioner: Partitioners.DefaultPartitioner,
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        retry: { retries: 3 },
      });
      await producer.connect();
      return { producer, cut: client.cut };
    } catch (error) {
      client.cut();
      throw error;
    } finally {
      signal.removeEventListener('abort', client.cut);
    }
  };

  const close = (): void => {
    open?.cut();
    open = undefined;
  };

  const send = async (messages: readonly Message[], signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    open ??= await connect(signal);
    signal.throwIfAborted();
    const { producer, cut } = open;
    signal.addEventListener('abort', cut, { once: true });
    try {
      await producer.send({
        topic: topic.name,
        acks: -1,
        messages: messages.map(({ key, value, traceparent }) => ({
          key,
          value,
          headers: traceparent === undefined ? headers : { ...headers, traceparent },
        })),
      });
    } finally {
      signal.removeEventListener('abort', cut);
    }
  };

  /** Smaller requests from now on. @throws Error when it was a single message */
  const shrink = (messages: readonly Message[]): void => {
    const [first] = messages;
    if (messages.length === 1 && first) {
      throw new Error(
        `a message of ${first.key} has ${Buffer.byteLength(first.value)} bytes, more than the topic ` +
          `${topic.name} takes: raise its max.message.bytes to ${maxMessageBytes}`,
      );
    }
    requestSize = Math.ceil(requestSize / 2);
  };

  return {
    async publish(messages, signal) {
      let done = 0;
      while (done < messages.length) {
        const part = messages.slice(done, done + countFor(messages, done, requestSize));
        try {
          await send(part, signal);
          done += part.length;
        } catch (error) {
          close();
          if (!isTooLarge(error)) {
            const where = server.brokers.join(', ');
            throw new Error(`Kafka at ${where}: ${reasonOf(error)}`, { cause: error });
          }
          shrink(part);
        }
      }
    },
    close,
  };
};
