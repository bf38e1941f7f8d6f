import { DataKeyTaken, type WrappedKey } from '../../events/data-keys.ts';
import type {
  AppendResult,
  EventBatch,
  EventStore,
  EventToAppend,
  ExpectedVersion,
  RecordedEvent,
  StreamAppend,
} from '../../events/event-store.ts';
import {
  DuplicateEventId,
  InvalidPosition,
  StoreUnavailable,
  WrongExpectedVersion,
} from '../../events/event-store.ts';
import { asPosition, type Position } from '../../events/position.ts';
import { checkAppend } from '../../infra/event-store/check-append.ts';
import { defaultLimits } from '../../limits/table.ts';

/** Where the first event lies, and how much of the log each takes: positions have gaps, as those of files. */
const firstPosition = 97n;
const recordChars = 83;

/** Data keys as a store sees them. `has`: also of a key that was erased. */
export type KeyTable = { has(subject: string): boolean; store(key: WrappedKey): unknown };

/**
 * The event store port over an array: for tests. Positions have gaps, and one at which no event begins is
 * refused; nothing survives the process.
 * @param options.eventBytes limit of one event's `data` and `metadata`, bytes (default 256 KiB)
 * @param options.keys where the data keys are; with them it has `appendAll`
 */
export function createMemoryEventStore(
  options: { eventBytes?: number; keys?: KeyTable } = {},
): EventStore {
  const eventBytes = options.eventBytes ?? defaultLimits.eventBytes;
  const log: RecordedEvent[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  const ids = new Set<string>();
  /** How many events there are up to a position. */
  const counts = new Map<bigint, number>([[0n, 0]]);
  let nextPosition = firstPosition;
  const closing = new AbortController();
  const waiting = new Set<() => void>();

  const assertOpen = () => {
    if (closing.signal.aborted) throw new StoreUnavailable('closed');
  };

  function record(stream: string, events: EventToAppend[]): AppendResult {
    const recorded = streams.get(stream) ?? [];
    streams.set(stream, recorded);
    for (const { id, type, data, metadata } of events) {
      const version = BigInt(recorded.length);
      const position = asPosition(nextPosition);
      nextPosition += BigInt(recordChars + data.length + metadata.length);
      const event = Object.freeze({ id, type, data, metadata, stream, version, position });
      recorded.push(event);
      log.push(event);
      counts.set(position, log.length);
      ids.add(id);
    }
    for (const wake of waiting) wake();
    return lastOf(recorded);
  }

  const read = (after: Position, limit: number) => {
    const start = counts.get(after);
    if (start === undefined) throw new InvalidPosition(after);
    return log.slice(start, start + limit);
  };

  async function* subscribe(
    after: Position,
    limit: number,
    signal: AbortSignal,
    onIdle: () => void,
  ) {
    let position = after;
    while (!signal.aborted) {
      const events = read(position, limit);
      const last = events.at(-1);
      if (last === undefined) {
        onIdle();
        await nextAppend(waiting, signal);
      } else {
        position = last.position;
        yield { events, position } satisfies EventBatch;
      }
    }
  }

  const append = (appends: StreamAppend[], wrapped: WrappedKey[]): AppendResult[] => {
    assertOpen();
    for (const { stream, events } of appends) checkAppend(stream, events, eventBytes);
    const actualOf = (stream: string): ExpectedVersion =>
      streams.get(stream)?.at(-1)?.version ?? 'no-stream';
    const conflict = appends.find(({ stream, expected }) => actualOf(stream) !== expected);
    if (conflict) {
      const { stream, expected } = conflict;
      const before = appends.map((one) =>
        sameEvents(streams.get(one.stream) ?? [], one.expected, one.events),
      );
      if (before.every((one) => one !== undefined)) return before;
      throw new WrongExpectedVersion(stream, expected, actualOf(stream));
    }
    const known = appends.find(({ events }) => events.some(({ id }) => ids.has(id)));
    if (known) throw new DuplicateEventId(known.stream);
    const taken = wrapped.find(({ subject }) => options.keys?.has(subject));
    if (taken) throw new DataKeyTaken(taken.subject);
    for (const key of wrapped) options.keys?.store(key);
    return appends.map(({ stream, events }) => record(stream, events));
  };

  return {
    dense: false,
    uniqueIds: true,
    append: async (stream, expected, events) =>
      append([{ stream, expected, events }], [])[0] as AppendResult,
    ...(options.keys ? { appendAll: async (appends, keys) => append(appends, keys) } : {}),
    readStream: async (stream, { from = 0n, limit } = {}) => {
      assertOpen();
      const start = Number(from);
      const end = limit === undefined ? undefined : start + limit;
      return (streams.get(stream) ?? []).slice(start, end);
    },
    readAll: async ({ after, limit = 500 }) => {
      assertOpen();
      return read(after, limit);
    },
    subscribe: ({ after, limit = 500, signal, onIdle = () => {} }) => {
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      return subscribe(after, limit, stop, onIdle);
    },
    head: async () => {
      assertOpen();
      return log.at(-1)?.position ?? 0n;
    },
    eventAt: async (position) => log[(counts.get(position) ?? 0) - 1],
    floor: async (position) => log.findLast((event) => event.position <= position)?.position ?? 0n,
    close: async () => closing.abort(),
  };
}

const lastOf = (events: RecordedEvent[]): AppendResult => {
  const last = events.at(-1);
  if (last === undefined) throw new Error('a stream without events');
  return { version: last.version, position: last.position };
};

/** The result of the first time, if exactly these events stand behind `expected` already. */
function sameEvents(
  recorded: RecordedEvent[],
  expected: ExpectedVersion,
  events: EventToAppend[],
): AppendResult | undefined {
  const start = expected === 'no-stream' ? 0 : Number(expected) + 1;
  const there = recorded.slice(start, start + events.length);
  const same = events.every((event, index) => {
    const other = there[index];
    return event.id === other?.id && event.data === other.data && event.metadata === other.metadata;
  });
  return same ? lastOf(there) : undefined;
}

/** Resolves at the next append or when the signal aborts. */
function nextAppend(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
