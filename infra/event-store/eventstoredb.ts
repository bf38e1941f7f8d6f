import { type Credentials, EventStoreDBClient } from '@eventstore/db-client';
import { defaultLimits } from '../../contract/limits.ts';
import type { Log } from '../../contract/log.ts';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { checkAppend } from './check-append.ts';
import { appendOnce } from './eventstoredb/append.ts';
import {
  createLimiter,
  type RetryOptions,
  reasonOf,
  retrying,
  within,
} from './eventstoredb/calls.ts';
import { createKnown } from './eventstoredb/known.ts';
import {
  eventAt,
  floorPosition,
  lastRecord,
  readAll,
  readHead,
  readStream,
} from './eventstoredb/reads.ts';
import { createSharedSubscription } from './eventstoredb/shared-subscription.ts';
import { subscription } from './eventstoredb/subscription.ts';
import { joinReads } from './joined.ts';

export type EventStoreDbOptions = {
  /** `esdb://user:password@host:2113?tls=true`; without TLS the server gets no credentials. */
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
  log?: Pick<Log, 'warn'>;
};

/** Events that the subscription brings at most at once. */
const subscriptionBatch = 500;

const defaultRetry: RetryOptions = { giveUpAfterMs: 20_000, minDelayMs: 50, maxDelayMs: 2_000 };

/**
 * The event store port over an EventStoreDB or KurrentDB server. Position = commit position of the
 * log, not dense. Reading the whole log needs a user who may (`$admins`).
 * @throws Error if the connection string cannot work
 */
export function createEventStoreDb(options: EventStoreDbOptions): EventStore {
  const { connectionString, timeoutMs = 10_000, maxWaiting = 10_000 } = options;
  const eventBytes = options.eventBytes ?? defaultLimits.eventBytes;
  const log = options.log ?? { warn: () => {} };
  const retry = { ...defaultRetry, ...options.retry };
  const credentials = credentialsOf(connectionString, log);
  const client = EventStoreDBClient.connectionString(connectionString);
  const appends = createLimiter(options.maxInFlight ?? 64, maxWaiting);
  const reads = createLimiter(options.maxReads ?? 24, maxWaiting);
  const closing = new AbortController();
  const source = { client, timeoutMs };

  const assertOpen = () => {
    if (closing.signal.aborted) throw new StoreUnavailable('closed');
  };
  const reading = <T>(what: string, read: () => Promise<T>): Promise<T> =>
    reads.run(() => retrying(what, { ...retry, log }, read));
  const known = createKnown();
  const seen = (events: RecordedEvent[]): RecordedEvent[] => {
    for (const { position } of events) known.saw(position);
    return events;
  };
  const appendOptions = {
    ...source,
    ...{ credentials, known },
    // Not tried again by itself: a read back that fails is tried again with its append.
    readStream: (stream: string, from: bigint, limit: number) =>
      reads.run(() => readStream(source, stream, { from, limit })),
  };
  const follow = createSharedSubscription({
    retry,
    onEvents: seen,
    open: (options) => subscription({ ...options, client, retry, limit: subscriptionBatch }),
    // Not tried again by themselves: who follows is told of each failure.
    last: () => reads.run(() => lastRecord(source)),
    eventAt: (position) => reads.run(() => eventAt(source, position)),
    page: joinReads((after, limit) => reads.run(() => readAll(source, { after, limit }))),
  });
  let closed: Promise<void> | undefined;

  return {
    dense: false,
    append: async (stream, expected, events) => {
      assertOpen();
      checkAppend(stream, events, eventBytes);
      return appends.run(() =>
        retrying(`append to ${stream}`, { ...retry, log }, (attempts) =>
          appendOnce(appendOptions, { stream, expected, events }, attempts > 0),
        ),
      );
    },
    readStream: async (stream, range = {}) => {
      assertOpen();
      return seen(await reading(`read of ${stream}`, () => readStream(source, stream, range)));
    },
    readAll: async ({ after, limit = 500 }) => {
      assertOpen();
      return seen(await reading('read of the log', () => readAll(source, { after, limit })));
    },
    subscribe: ({ after, limit = 500, signal, onTrouble }) => {
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const told =
        onTrouble ??
        ((error) => log.warn({ reason: reasonOf(error) }, 'subscription is made again'));
      return follow({ after, limit, stop, onTrouble: told });
    },
    head: async () => {
      assertOpen();
      const head = await reading('read of the head', () => readHead(source));
      known.saw(head);
      return head;
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
      closed ??= appends.idle().then(() => reads.idle().then(() => release(client)));
      return closed;
    },
  };
}

/**
 * The credentials to pass with every append. Their presence alone keeps the client on the classic
 * append call; without TLS the client leaves them out of what it sends.
 */
function credentialsOf(connectionString: string, log: Pick<Log, 'warn'>): Credentials {
  if (/[?&]throwOnAppendFailure=false/i.test(connectionString)) {
    throw new Error('the EventStoreDB connection string must not set throwOnAppendFailure=false');
  }
  const [, user, password] = /^[^:]+:\/\/([^:@/]+):([^@]+)@/.exec(connectionString) ?? [];
  const insecure = /[?&]tls=false/i.test(connectionString);
  if (insecure && user !== undefined) {
    log.warn({}, 'EventStoreDB without TLS: the user and password are not sent to the server');
  }
  if (user !== undefined && password !== undefined) {
    return { username: decodeURIComponent(user), password: decodeURIComponent(password) };
  }
  if (insecure) return { username: 'not', password: 'sent' };
  throw new Error('the EventStoreDB connection string needs user:password@ (or tls=false)');
}

/** Cancels what is open and closes the connection, which the client itself has no call for. */
async function release(client: EventStoreDBClient): Promise<void> {
  await within(5_000, client.dispose()).catch(() => {});
  // biome-ignore lint/complexity/useLiteralKeys: the way TypeScript offers to a protected member
  await within(1_000, client['getChannel']())
    .then((channel) => channel.close())
    .catch(() => {});
}
