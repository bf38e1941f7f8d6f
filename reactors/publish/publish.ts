/**
 * Publishes the log, and the log of credentials, in order: each batch is acknowledged before the place
 * moves on and the next one is read, so that a slow broker holds up nothing but this, in memory neither.
 */

import { decodeEvent } from '../../events/envelope.ts';
import type { EventBatch, EventMark } from '../../events/event-store.ts';
import type { Consumer, FollowerPorts } from '../../events/follow-log.ts';
import type { Lease } from '../../events/lease.ts';
import { asPosition, type Position } from '../../events/position.ts';
import { pause } from '../../ground/pause.ts';
import type { StoredCredential } from '../../identity/credential-log.ts';
import { credentialMessage, eventMessage, type Message } from './cloud-event.ts';

export type Publisher = {
  /**
   * Resolves when all are acknowledged; those of one key are then in this order. Gives up when `signal`
   * aborts. @throws Error when some may not be: publish all of them again
   */
  publish(messages: readonly Message[], signal: AbortSignal): Promise<void>;
  /** Ends its connections; opened again when something is published. */
  close(): void;
};

type Ports = {
  publisher: Publisher;
  checkpoints: {
    read(name: string): Promise<bigint>;
    save(name: string, position: Position, lease: Lease, last?: EventMark): Promise<void>;
  };
  baseUrl: string;
  /** The generation of the log in which the event at a position was appended. */
  logIdAt(position: bigint): string;
};

const batchLimit = 500;
/** How often the log of credentials is looked at while nothing comes. */
const lookEveryMs = 200;

/**
 * The published part of a batch. `position`: everything up to there; absent if nothing was published. `stopped`: why it
 * is not the whole batch.
 */
type Part = { messages: Message[]; position: Position | undefined; stopped?: unknown };

/** The parts that both publications share. */
const publishing = (
  name: string,
  { publisher, checkpoints }: Ports,
  partOf: (batch: EventBatch) => Part,
): Consumer => ({
  name,
  limit: batchLimit,
  place: () => checkpoints.read(name),
  async take(batch, lease) {
    const { messages, position, stopped } = partOf(batch);
    await publisher.publish(messages, lease.signal);
    if (position !== undefined) await checkpoints.save(name, position, lease, batch.events.at(-1));
    if (stopped !== undefined) throw stopped;
  },
  async finish() {
    publisher.close();
  },
});

/** Publishes every event. One that this version of the program cannot read stops it there, visibly. */
export const publishEvents = (ports: Ports): Consumer =>
  publishing('publish-events', ports, ({ events, position }) => {
    const messages: Message[] = [];
    for (const event of events) {
      try {
        const logId = ports.logIdAt(event.position);
        const message = eventMessage(decodeEvent(event), ports.baseUrl, logId);
        messages.push({ ...message, traceparent: event.traceparent });
      } catch (stopped) {
        return { messages, position: events[messages.length - 1]?.position, stopped };
      }
    }
    return { messages, position };
  });

/**
 * Publishes every credential, in the order of their log. It follows that log by its leaves, with `store` as
 * the log. Its checkpoint is the number of published leaves.
 */
export const publishCredentials = (
  ports: Ports & {
    /** Credentials from a leaf on, at most `limit`, as far as there are any. */
    range(from: number, limit: number): Promise<StoredCredential[]>;
  },
): { consumer: Consumer; store: FollowerPorts['store'] } => {
  let read: StoredCredential[] = [];
  let published: Position = 0n;

  async function* follow({ after, signal }: { after: Position; signal?: AbortSignal }) {
    const stopping = signal ?? new AbortController().signal;
    let leaves = Number(after);
    while (!stopping.aborted) {
      read = await ports.range(leaves, batchLimit);
      leaves += read.length;
      if (read.length === 0) await pause(lookEveryMs, stopping);
      else yield { events: [], position: asPosition(BigInt(leaves)) };
    }
  }

  const { read: placeOf, save } = ports.checkpoints;
  const checkpoints: Ports['checkpoints'] = {
    async read(name) {
      const leaves = await placeOf(name);
      const [last] = leaves > 0n ? await ports.range(Number(leaves) - 1, 1) : [];
      published = asPosition(last?.position ?? 0n);
      return leaves;
    },
    async save(name, leaves, lease) {
      await save(name, leaves, lease);
      published = asPosition(read.at(-1)?.position ?? published);
    },
  };
  const consumer = publishing('publish-credentials', { ...ports, checkpoints }, ({ position }) => ({
    messages: read.map((credential) =>
      credentialMessage(credential, ports.baseUrl, ports.logIdAt(credential.position)),
    ),
    position,
  }));
  return {
    store: { subscribe: follow, floor: async (leaves) => asPosition(leaves) },
    consumer: {
      ...consumer,
      // They come in batches: those that are issued together.
      collectMs: 0,
      // As of everybody else, in the log of events: that of the latest that is published. In EventStoreDB it is far from
      // the number of leaves.
      report: () => ({ position: published, seen: published }),
    },
  };
};
