import type pg from 'pg';
import type { WrappedKey } from '../../../events/data-keys.ts';
import {
  type AppendResult,
  type EventStore,
  EventTooLarge,
  OtherLog,
  type RecordedEvent,
  StoreUnavailable,
  type StreamAppend,
} from '../../../events/event-store.ts';
import { asPosition, type Position } from '../../../events/position.ts';
import { createRecentEvents } from '../recent-events.ts';
import { createSameLogCheck } from '../same-log.ts';
import { shareReads } from '../shared-reads.ts';
import { createCommitter, separator } from './committer.ts';
import {
  createConnection,
  createPool,
  type Hearer,
  isConnectionError,
  types,
  unavailable,
  type WhenLost,
} from './connection.ts';
import { createStreamReader } from './stream-reader.ts';
import { createSubscribe, type Link, type Listener } from './subscribe.ts';
import { createWaker } from './waker.ts';

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
 * Objects from `JSON.stringify` begin and end like this. A text with a separator in it would shift those
 * behind it. The memory store, for tests, parses it.
 */
const isObjectText = (text: string): boolean =>
  text.startsWith('{') && text.endsWith('}') && !text.includes(separator);

/** Events that a read brings at least, if there are as many: the next reader finds them in memory. */
const sharedLimit = 1_000;

/** Size of an append to one stream, bytes. @throws EventTooLarge */
const sizeOf = (eventBytes: number, { events }: StreamAppend): number => {
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

type Query = <R extends object>(text: object, values: unknown[]) => Promise<R[]>;

const createQuery =
  (pool: pg.Pool): Query =>
  async <R extends object>(text: object, values: unknown[]): Promise<R[]> => {
    try {
      const result = await pool.query<R>({ ...(text as { text: string }), values });
      return result.rows;
    } catch (error) {
      throw isConnectionError(error) ? unavailable(error) : error;
    }
  };

/** Reads the log: events in memory from there, the rest in pages that concurrent readers share. */
const createReadAll = (query: Query, recent: ReturnType<typeof createRecentEvents>) => {
  const readShared = shareReads(async (after, limit) => {
    const events = await query<RecordedEvent>(readAllQuery, [after, limit]);
    const last = events.at(-1);
    if (last && events[0]?.position === after + 1n) {
      recent.push({ after, events, position: last.position });
    }
    return events;
  });

  return async (after: Position, limit: number): Promise<RecordedEvent[]> => {
    const known = recent.read(after, limit);
    if (known) return known.events;
    const events = await readShared(after, Math.max(limit, sharedLimit));
    return events.length > limit ? events.slice(0, limit) : events;
  };
};

type Options = {
  url: string;
  eventBytes?: number;
  /** How long an append waits for a database that is away before it fails. */
  patienceMs?: number;
  readers?: number;
  whenLost?: WhenLost;
  /** Listens on a connection that is open anyway. Absent: on one of its own. */
  listen?: (hearer: Hearer) => void;
  onError?: (error: unknown) => void;
};

/** Hears of what others append, from the first subscription on. */
const createListener = (
  { url, patienceMs = 5_000, whenLost, listen }: Options,
  { wake, onLost }: { wake: (head: bigint) => void; onLost: () => void },
): Listener => {
  const channel = 'event_log';
  const heard = (payload: string | undefined): void => wake(BigInt(payload ?? 0));
  if (listen) {
    let isListening = false;
    return {
      async get() {
        if (isListening) return;
        isListening = true;
        listen({ channel, heard, onLost });
      },
      close: () => Promise.resolve(),
    };
  }
  return createConnection({
    url,
    whenLost,
    applicationName: 'letters-listen',
    patienceMs,
    onLost,
    async onConnect(client) {
      client.on('notification', ({ payload }) => heard(payload));
      await client.query(`listen ${channel}`);
    },
  });
};

/** @throws StoreUnavailable where the server has another log than before */
const assertSameLog = async (
  client: pg.Client,
  { check }: ReturnType<typeof createSameLogCheck>,
): Promise<void> => {
  const eventAt = async (position: bigint): Promise<RecordedEvent | undefined> =>
    (await client.query<RecordedEvent>({ ...eventAtQuery, values: [position] })).rows[0];
  await check(eventAt).catch((error: unknown) => {
    throw error instanceof OtherLog ? new StoreUnavailable(error.message, error) : error;
  });
};

/** Connections to append, to read, and to hear of what others append. */
const connect = (
  options: Options,
  {
    recent,
    wake,
    link,
    sameLog,
  }: {
    recent: ReturnType<typeof createRecentEvents>;
    wake: (head: bigint) => void;
    link: Link;
    sameLog: ReturnType<typeof createSameLogCheck>;
  },
) => {
  const { url, patienceMs = 5_000, whenLost, readers = 4, onError } = options;
  const onLost = (): void => {
    link.losses++;
    sameLog.doubt();
  };
  const writer = createConnection({
    url,
    applicationName: 'letters-append',
    patienceMs,
    whenLost,
    onLost,
  });
  const pool = createPool({
    url,
    whenLost,
    applicationName: 'letters-read-log',
    max: readers,
    onError(error) {
      onLost();
      onError?.(error);
    },
    config: { connectionTimeoutMillis: patienceMs, types },
  });

  const committer = createCommitter({
    // This process may follow nothing, and would append to another log.
    connection: {
      use: (work) =>
        writer.use(async (client) => {
          if (sameLog.isInDoubt()) await assertSameLog(client, sameLog);
          return work(client);
        }),
    },
    onCommit(events) {
      // One by one: events that were stored before, and are answered again, have other positions.
      for (const event of events) {
        const { position } = event;
        recent.push({ after: asPosition(position - 1n), events: [event], position });
        sameLog.keep(event);
      }
      wake(events.at(-1)?.position ?? 0n);
    },
  });

  const listener = createListener(options, { wake, onLost });
  return { writer, pool, committer, listener };
};

/**
 * The event store in Postgres: dense positions, group commit, append-only by trigger.
 * `eventBytes` limits data and metadata of one event together.
 */
export const createPostgresEventStore = async (options: Options): Promise<EventStore> => {
  const { eventBytes = 256 * 1024 } = options;
  const recent = createRecentEvents();
  const link: Link = { losses: 0, checked: 0 };
  const closing = new AbortController();
  const { wake, nextWake, knownHead } = createWaker();

  const eventAt = async (position: bigint): Promise<RecordedEvent | undefined> =>
    (await query<RecordedEvent>(eventAtQuery, [position]))[0];
  const sameLog = createSameLogCheck({ eventAt });
  const { writer, pool, committer, listener } = connect(options, { recent, wake, link, sameLog });
  const query = createQuery(pool);
  const readStream = createStreamReader(query);
  const readAll = createReadAll(query, recent);

  const subscribe = createSubscribe({ listener, sameLog, readAll, link, nextWake, knownHead });

  const appendAll = async (
    appends: StreamAppend[],
    keys: WrappedKey[],
  ): Promise<AppendResult[]> => {
    const bytes = appends.reduce((sum, append) => sum + sizeOf(eventBytes, append), 0);
    return committer.append(appends, keys, bytes);
  };

  return {
    dense: true,
    uniqueIds: true,
    // Cut out of the JSON text, since parsing it takes longer than the rest of the query. Sealed text
    // contains no quotes, and quotes within other members are escaped.
    sealedSql: (position) =>
      `select split_part(split_part(e.metadata, '"sealed":"', 2), '"', 1)
       from event_log.events e where e.position = ${position}`,
    async append(stream, expected, events) {
      const [result] = await appendAll([{ stream, expected, events }], []);
      return result as AppendResult;
    },
    appendAll,
    async readStream(stream, { from = 0n, limit = 1_000_000 } = {}) {
      const events = await readStream({ stream, from, limit });
      sameLog.keep(events.at(-1));
      return events;
    },
    readAll: ({ after, limit = 500 }) => readAll(after, limit),
    subscribe({ after, limit = 500, signal, onIncident, onIdle = () => {} }) {
      const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      return subscribe(after, limit, ended, onIncident ?? options.onError ?? (() => {}), onIdle);
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
