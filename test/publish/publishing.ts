import { randomUUID } from 'node:crypto';
import { encodeEvent } from '../../events/envelope.ts';
import { type Follower, followLog } from '../../events/follow-log.ts';
import type { Position } from '../../events/position.ts';
import type { KafkaServer } from '../../infra/kafka/client.ts';
import { createKafkaPublisher } from '../../infra/kafka/publisher.ts';
import { type Publisher, publishEvents } from '../../reactors/publish/publish.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const at = '2026-11-21T10:00:00.123Z';
const quiet = { warn: () => {}, error: () => {} };

/** A log in memory and its publication to a topic. */
export const createPublishing = (
  server: KafkaServer,
  options: { topic?: string; over?: (publisher: Publisher) => Publisher } = {},
) => {
  const { topic = `events-${randomUUID()}`, over = (publisher) => publisher } = options;
  const store = createMemoryEventStore();
  const heads = new Map<string, { version: bigint; prev: string }>();
  const ids: string[] = [];
  const saves: bigint[] = [];
  let saved = 0n;
  let follower: Follower | undefined;

  return {
    topic,
    store,
    /** Ids of the appended events, in order. */
    ids,
    /** Places that were saved. */
    saves,
    /** Appends an event to each of these streams; `text` makes it longer. */
    async append(streams: readonly string[], text = 'recipient'): Promise<void> {
      for (const stream of streams) {
        const { version, prev } = heads.get(stream) ?? { version: -1n, prev: '' };
        const place = { stream, version: version + 1n, prev };
        const cause = { id: randomUUID(), at, command: randomUUID(), actor: 'operator' };
        const event = { type: 'LetterUpdated', data: { terms: sampleTerms(), changed: [text] } };
        const encoded = encodeEvent(event, place, cause, undefined);
        await store.append(stream, version < 0n ? 'no-stream' : version, [encoded.event]);
        heads.set(stream, { version: place.version, prev: encoded.hash });
        ids.push(cause.id);
      }
    },
    start(): void {
      const publisher = over(
        createKafkaPublisher(server, { name: topic, partitions: 6, replication: 1 }),
      );
      const checkpoints = {
        read: async () => saved,
        save: async (_name: string, position: bigint) => {
          saved = position;
          saves.push(position);
        },
      };
      const consumer = publishEvents({
        publisher,
        checkpoints,
        baseUrl: 'https://letters.example',
        logIdAt: () => 'b8f7c1de-0d6e-4b6b-9a3f-5f1d7c2e9a10',
      });
      follower = followLog(consumer, { store, log: quiet });
    },
    status: () => follower?.status(),
    async isDone(): Promise<boolean> {
      const head: Position = await store.head();
      return saved === head;
    },
    async stop(): Promise<void> {
      await follower?.stop();
    },
  };
};
