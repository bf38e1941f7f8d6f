import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import { defaultLimits } from '../../limits/table.ts';
import { checkAppend } from './check-append.ts';
import { appendOnce } from './eventstoredb/append.ts';
import { createLimiter, never, type RetryOptions, retrying } from './eventstoredb/calls.ts';
import { openClient, releaseClient } from './eventstoredb/client.ts';
import { createHeadReader } from './eventstoredb/head.ts';
import {
  eventAt,
  floorPosition,
  lastRecord,
  readAll,
  readStream,
  recordAt,
} from './eventstoredb/reads.ts';
import { createSeenPositions } from './eventstoredb/seen-positions.ts';
import { createSharedSubscription } from './eventstoredb/shared-subscription.ts';
import { subscription } from './eventstoredb/subscription.ts';
import { createSameLogCheck } from './same-log.ts';
import { shareReads } from './shared-reads.ts';

export type EventStoreDbOptions = {
  /** `esdb://user:password@host:2113`, see `parseConnectionString`. */
  connectionString: string;
  /** Limit of one event's `data` and `metadata`, bytes (default 256 KiB). */
  eventBytes?: number;
  /** Appends in progress at once (default 64). */
  maxInFlight?: number;
  /** Reads in progress at once (default 24). Servers take about 100 calls per connection. */
  maxReads?: number;
  /** Calls that may wait for their turn; more are refused (default 10 000). */
  maxWaiting?: number;
  /** Deadline of one try (default 10 s). */
  timeoutMs?: number;
  /** When and how often a call is tried again (default: 20 s in all, 50 ms to 2 s apart). */
  retry?: Partial<RetryOptions>;
  log?: Pick<Log, 'warn' | 'error'>;
};

/** Calls that work in between do not end an incident that is not over. */
const calmMs = 5_000;
/** Events that the subscription brings at most at once. */
const subscriptionBatch = 500;

const defaultRetry: RetryOptions = { giveUpAfterMs: 20_000, minDelayMs: 50, maxDelayMs: 2_000 };

/**
 * The event store port over an EventStoreDB or KurrentDB server. Position = commit position of the
 * log, not dense. Reading the whole log needs a user who may (`$admins`).
 * @throws WrongConnectionString
 */
export function createEventStoreDb(options: EventStoreDbOptions): EventStore {
  const { connectionString, timeoutMs = 10_000, maxWaiting = 10_000 } = options;
  const eventBytes = options.eventBytes ?? defaultLimits.eventBytes;
  const log = options.log ?? { warn: () => {}, error: () => {} };
  // While the server is away many callers try often: that is one incident, not hundreds.
  const incident = createIncident(log, { part: 'event store' }, { calmMs });
  const retry = { ...defaultRetry, ...options.retry };
  const { client, caller } = openClient(connectionString, log);
  const appends = createLimiter(options.maxInFlight ?? 64, maxWaiting);
  const reads = createLimiter(options.maxReads ?? 24, maxWaiting);
  const closing = new AbortController();
  const source = { client, timeoutMs, closing: closing.signal };
  const readHead = createHeadReader(source);

  const assertOpen = () => {
    if (closing.signal.aborted) throw new StoreUnavailable('closed');
  };
  const tried = { ...retry, caller, incident, closing: closing.signal };
  const reading = <T>(what: string, read: () => Promise<T>): Promise<T> =>
    reads.run(() => retrying(what, tried, read));
  /** Does not retry by itself: followers get each failure. */
  const readingOnce = <T>(what: string, read: () => Promise<T>): Promise<T> =>
    reads.run(() => retrying(what, { ...tried, giveUpAfterMs: 0 }, read));
  const known = createSeenPositions();
  const sameLog = createSameLogCheck({ eventAt: (position) => recordAt(source, position) });
  const seen = (events: RecordedEvent[]): RecordedEvent[] => {
    for (const event of events) {
      known.saw(event.position);
      sameLog.keep(event);
    }
    return events;
  };
  const appendOptions = {
    client,
    timeoutMs,
    known,
    // Not tried again by itself: a read back that fails is tried again with its append.
    readStream: (stream: string, from: bigint, limit: number) =>
      reads.run(() => readStream({ ...source, closing: never }, stream, { from, limit })),
  };
  const follow = createSharedSubscription({
    retry,
    onEvents: seen,
    open: (options) =>
      subscription({ ...options, client, caller, retry, timeoutMs, limit: subscriptionBatch }),
    last: () =>
      readingOnce('reading the log', async () => (await lastRecord(source))?.position ?? 0n),
    sameLog: {
      keep: sameLog.keep,
      check: () => readingOnce('reading the log', () => sameLog.check()),
    },
    page: shareReads((after, limit) =>
      readingOnce('reading the log', () => readAll(source, { after, limit })),
    ),
  });
  let closed: Promise<void> | undefined;

  return {
    dense: false,
    uniqueIds: false,
    append: async (stream, expected, events) => {
      assertOpen();
      checkAppend(stream, events, eventBytes);
      const result = await appends.run(() =>
        retrying(`append to ${stream}`, { ...retry, caller, incident }, async (attempts) => {
          // The server was away, and may have come back with another log.
          if (attempts > 0) await sameLog.check();
          return appendOnce(appendOptions, { stream, expected, events }, attempts > 0);
        }),
      );
      const last = events.at(-1);
      if (last) sameLog.keep({ id: last.id, position: result.position });
      return result;
    },
    readStream: async (stream, range = {}) => {
      assertOpen();
      return seen(await reading(`read of ${stream}`, () => readStream(source, stream, range)));
    },
    readAll: async ({ after, limit = 500 }) => {
      assertOpen();
      return seen(await reading('read of the log', () => readAll(source, { after, limit })));
    },
    subscribe: ({ after, limit = 500, signal, onIncident, onIdle = () => {} }) => {
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const told =
        onIncident ?? ((error: unknown) => incident.report(error, 'subscription is made again'));
      return follow({ after, limit, stop, onIncident: told, onIdle });
    },
    head: async () => {
      assertOpen();
      const head = await reading('read of the head', readHead);
      known.saw(head);
      return head;
    },
    ping: async () => {
      assertOpen();
      await reading('question to the log', async () => {
        await sameLog.check();
        // The events of other processes show, too, when the server comes back without them.
        sameLog.keep(await lastRecord(source));
      });
    },
    eventAt: async (position) => {
      assertOpen();
      return reading('read of an event', () => eventAt(source, position));
    },
    floor: async (position) => {
      assertOpen();
      return reading('read of a place in the log', () => floorPosition(source, position));
    },
    close: () => {
      closing.abort();
      // Appends first: they may still read back.
      closed ??= appends.idle().then(() => reads.idle().then(() => releaseClient(client)));
      return closed;
    },
  };
}
