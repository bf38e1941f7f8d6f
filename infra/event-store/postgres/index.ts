import type { WrappedKey } from '../../../events/data-keys.ts';
import {
  type AppendResult,
  type EventBatch,
  type EventStore,
  EventTooLarge,
  type RecordedEvent,
  StoreUnavailable,
  type StreamAppend,
} from '../../../events/event-store.ts';
import { asPosition, type Position } from '../../../events/position.ts';
import { createBackoff } from '../../../ground/backoff.ts';
import { pause } from '../../../ground/pause.ts';
import { createAnchor } from '../anchor.ts';
import { joinReads } from '../joined.ts';
import { createTail } from '../tail.ts';
import { createCommitter, separator } from './committer.ts';
import {
  createConnection,
  createPool,
  isConnectionError,
  types,
  type WhenLost,
} from './connection.ts';
import { createStreamReader } from './stream-reader.ts';

const columns = 'stream, version, position, id, type, data, metadata';
const eventAtQuery = {
  name: 'event-at',
  text: `select ${columns} from event_log.events where position = $1`,
};
const readAllQuery = {
  name: 'read-all',
  text: `select ${columns} from event_log.events where position > $1 order by position limit $2`,
};

/**
 * What `JSON.stringify` makes of an object begins and ends like this; a text with a separator in it would
 * shift those behind it. The memory store, for tests, parses it.
 */
const isObjectText = (text: string): boolean =>
  text.startsWith('{') && text.endsWith('}') && !text.includes(separator);

/** Events that a read brings at least, if there are as many: the next reader finds them in memory. */
const sharedLimit = 1_000;

/** Subscribers look by themselves this often, in case a notification got lost. */
const pollMs = 500;

/**
 * The event store in Postgres: dense positions, group commit, append-only by trigger.
 * `eventBytes` limits data and metadata of one event together.
 */
export const createPostgresEventStore = async (options: {
  url: string;
  eventBytes?: number;
  /** How long an append waits for a database that is away before it fails. */
  patienceMs?: number;
  readers?: number;
  whenLost?: WhenLost;
  onError?: (error: unknown) => void;
}): Promise<EventStore> => {
  const { url, eventBytes = 256 * 1024, patienceMs = 5_000, whenLost } = options;
  const tail = createTail();
  /** The database was, or a connection to it: it may have come back with a backup. */
  let wasAway = false;
  const wakers = new Set<() => void>();
  const closing = new AbortController();

  /** The furthest position that this process has heard of. */
  let knownHead = 0n;
  const wake = (head: bigint): void => {
    if (head > knownHead) knownHead = head;
    for (const waker of wakers) waker();
  };

  const writer = createConnection({
    url,
    applicationName: 'letters-append',
    patienceMs,
    whenLost,
  });
  const pool = createPool({
    url,
    whenLost,
    applicationName: 'letters-read-log',
    max: options.readers ?? 4,
    onError(error) {
      wasAway = true;
      options.onError?.(error);
    },
    config: { connectionTimeoutMillis: patienceMs, types },
  });

  const committer = createCommitter({
    connection: writer,
    onCommit(events) {
      // One by one: what was stored before, and is answered again, lies elsewhere.
      for (const event of events) {
        const { position } = event;
        tail.push({ after: asPosition(position - 1n), events: [event], position });
      }
      wake(events.at(-1)?.position ?? 0n);
    },
  });

  const listener = createConnection({
    url,
    whenLost,
    applicationName: 'letters-listen',
    patienceMs,
    async onConnect(client) {
      client.on('notification', ({ payload }) => wake(BigInt(payload ?? 0)));
      await client.query('listen event_log');
    },
  });

  const query = async <R extends object>(text: object, values: unknown[]): Promise<R[]> => {
    try {
      const result = await pool.query<R>({ ...(text as { text: string }), values });
      return result.rows;
    } catch (error) {
      if (isConnectionError(error))
        throw new StoreUnavailable('the database does not answer', error);
      throw error;
    }
  };

  const readStream = createStreamReader(query);

  const readShared = joinReads(async (after, limit) => {
    const events = await query<RecordedEvent>(readAllQuery, [after, limit]);
    const last = events.at(-1);
    if (last && events[0]?.position === after + 1n) {
      tail.push({ after, events, position: last.position });
    }
    return events;
  });

  const readAll = async (after: Position, limit: number): Promise<RecordedEvent[]> => {
    const known = tail.read(after, limit);
    if (known) return known.events;
    const events = await readShared(after, Math.max(limit, sharedLimit));
    return events.length > limit ? events.slice(0, limit) : events;
  };

  const eventAt = async (position: bigint): Promise<RecordedEvent | undefined> =>
    (await query<RecordedEvent>(eventAtQuery, [position]))[0];
  const anchor = createAnchor({ eventAt });

  /** Resolves when something was appended behind `position`; to false when only time went by. */
  const nextWake = (position: bigint, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const done = (heard: boolean): void => {
        clearTimeout(timer);
        wakers.delete(check);
        signal.removeEventListener('abort', giveUp);
        resolve(heard);
      };
      const check = (): void => {
        if (knownHead > position) done(true);
      };
      const giveUp = (): void => done(false);
      const timer = setTimeout(giveUp, pollMs);
      wakers.add(check);
      signal.addEventListener('abort', giveUp, { once: true });
      check();
    });

  const subscribe = async function* (
    after: Position,
    limit: number,
    signal: AbortSignal,
    onTrouble: (error: unknown) => void,
    onIdle: () => void,
  ): AsyncGenerator<EventBatch> {
    let position = after;
    const backoff = createBackoff({ firstMs: 50, mostMs: 2_000 });
    while (!signal.aborted) {
      try {
        listener.get().catch(() => {});
        if (wasAway) await anchor.check();
        wasAway = false;
        const events = await readAll(position, limit);
        backoff.reset();
        const last = events.at(-1);
        anchor.keep(last);
        if (last) {
          position = last.position;
          yield { events, position };
        }
        // At the end of what is known there is nothing to read, but for what nobody told of.
        if (position >= knownHead && !signal.aborted) {
          onIdle();
          await nextWake(position, signal);
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        wasAway = true;
        onTrouble(error);
        await pause(backoff.nextMs(), signal);
      }
    }
  };

  /** Bytes of what is appended to one stream. @throws EventTooLarge */
  const sizeOf = ({ events }: StreamAppend): number => {
    if (events.length === 0) throw new Error('an append needs an event');
    let total = 0;
    for (const { type, data, metadata } of events) {
      const bytes = Buffer.byteLength(data) + Buffer.byteLength(metadata);
      if (bytes > eventBytes) throw new EventTooLarge(type, bytes, eventBytes);
      if (!isObjectText(data) || !isObjectText(metadata)) {
        throw new TypeError(`data and metadata of event ${type} must be JSON texts of objects`);
      }
      total += bytes;
    }
    return total;
  };

  const appendAll = async (
    appends: StreamAppend[],
    keys: WrappedKey[],
  ): Promise<AppendResult[]> => {
    const bytes = appends.reduce((sum, append) => sum + sizeOf(append), 0);
    return committer.append(appends, keys, bytes);
  };

  return {
    dense: true,
    uniqueIds: true,
    // Cut out of the JSON text, since parsing it takes longer than the rest of the query. What was sealed
    // has no quotes, and those within other members are escaped.
    sealedSql: (position) =>
      `select split_part(split_part(e.metadata, '"sealed":"', 2), '"', 1)
       from event_log.events e where e.position = ${position}`,
    async append(stream, expected, events) {
      const [result] = await appendAll([{ stream, expected, events }], []);
      return result as AppendResult;
    },
    appendAll,
    readStream: (stream, { from = 0n, limit = 1_000_000 } = {}) =>
      readStream({ stream, from, limit }),
    readAll: ({ after, limit = 500 }) => readAll(after, limit),
    subscribe({ after, limit = 500, signal, onTrouble, onIdle = () => {} }) {
      const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      return subscribe(after, limit, ended, onTrouble ?? options.onError ?? (() => {}), onIdle);
    },
    async head() {
      const text = 'select position from event_log.head';
      const [head] = await query<{ position: Position }>({ text }, []);
      return head?.position ?? 0n;
    },
    eventAt,
    // Every number is one at which one can begin.
    floor: async (position) => asPosition(position > 0n ? position : 0n),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await committer.drain();
      await Promise.all([writer.close(), listener.close(), pool.end()]);
    },
  };
};
