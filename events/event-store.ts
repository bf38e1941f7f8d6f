import type { Position } from './position.ts';

export type { Position } from './position.ts';

/**
 * The event store port. Three adapters: memory (tests), Postgres (default), EventStoreDB.
 * One contract suite (`test/contract/event-store.ts`) holds for all of them.
 *
 * - Versions are 0-based and per stream. Positions are opaque, comparable and grow along the log; only those
 *   that the store gave are ever handed back to it.
 * - `data` and `metadata` are JSON texts, written by `JSON.stringify` from objects (not arrays, not
 *   scalars). They come back byte for byte, so that a hash over them holds on every adapter.
 */
import type { TraceParent } from '../ground/tracing.ts';
import type { WrappedKey } from './data-keys.ts';

/** An event as it is stored. */
export type EventToAppend = {
  /** UUID, unique in the whole store. */
  id: string;
  type: string;
  data: string;
  metadata: string;
};

export type RecordedEvent = EventToAppend & {
  stream: string;
  version: bigint;
  position: Position;
  /** The trace that appended it, if known. Not a part of the event. */
  traceparent?: TraceParent;
};

/** An event by where it stands: while it stands there, the log is the same up to there. */
export type EventMark = Pick<RecordedEvent, 'id' | 'position'>;

/** `'no-stream'`: the stream must not exist yet. A bigint: its last event must have this version. */
export type ExpectedVersion = bigint | 'no-stream';

/** The events to append to one stream. */
export type StreamAppend = { stream: string; expected: ExpectedVersion; events: EventToAppend[] };

export type AppendResult = {
  /** Version of the last event that was appended. */
  version: bigint;
  /** Position of the last event that was appended. */
  position: Position;
};

/** Holds a dense log to its promise. @throws Error when it has a gap behind `after` */
export const assertContiguous = (after: Position, events: readonly RecordedEvent[]): void => {
  for (const [n, { position }] of events.entries()) {
    const expected = after + BigInt(n) + 1n;
    if (position !== expected) {
      throw new Error(`position ${expected} is missing, the log goes on at ${position}`);
    }
  }
};

/** A batch of events in log order. `position` is how far the reader has got, events or not. */
export type EventBatch = { events: RecordedEvent[]; position: Position };

export type EventStore = {
  /**
   * Appends all events or none, durably, and only if the stream is at `expected`.
   * The same events, byte for byte, at the same expected version again: the first result again,
   * nothing appended. Known ids with other bytes are a wrong version or a duplicate id; without
   * `uniqueIds` only those that this process can know.
   * An unknown outcome (lost reply) is resolved inside by trying the same append again.
   * @throws WrongExpectedVersion, DuplicateEventId, EventTooLarge, StoreUnavailable
   */
  append(stream: string, expected: ExpectedVersion, events: EventToAppend[]): Promise<AppendResult>;

  /**
   * Appends to several streams, each named once, in one commit: all of it or nothing, as `append` does
   * to one. Data keys of subjects that never had one become durable in the same commit. Results come in
   * the order of the streams; WrongExpectedVersion names the first that does not fit. Absent where the
   * store has no such commit: nothing may depend on it.
   * @throws as `append`; DataKeyTaken
   */
  appendAll?(appends: StreamAppend[], keys: WrappedKey[]): Promise<AppendResult[]>;

  /** Events of one stream from version `from` (default 0n) on, at most `limit`. No stream: `[]`. */
  readStream(stream: string, options?: { from?: bigint; limit?: number }): Promise<RecordedEvent[]>;

  /**
   * Events of the whole log with `position > after`, in order, at most `limit` (default 500).
   * @throws InvalidPosition where the store can tell that it did not give `after`
   */
  readAll(options: { after: Position; limit?: number }): Promise<RecordedEvent[]>;

  /**
   * Every event after `after`, now and as they come, each exactly once per subscription, in order. Reconnects by
   * itself; ends only when `signal` aborts or the store is closed. `onIncident` is called each time that nothing
   * can be read at the moment, with the reason; `onIdle` whenever everything has been delivered and the
   * subscription listens. A slow subscriber does not delay others.
   * @throws InvalidPosition as `readAll`; OtherLog when the store comes back with another log, or without events
   * that it delivered before
   */
  subscribe(options: {
    after: Position;
    limit?: number;
    signal?: AbortSignal;
    onIncident?: (error: unknown) => void;
    onIdle?: () => void;
  }): AsyncIterable<EventBatch>;

  /** Position of the last event, `0n` for an empty log. */
  head(): Promise<Position>;

  /** Resolves when the store has answered a question that costs it as little as possible. Absent: `head` is one. */
  ping?(): Promise<void>;

  /** The event at a position; undefined where none begins. */
  eventAt(position: bigint): Promise<RecordedEvent | undefined>;

  /**
   * The last position at or before `position` after which one may read: for a checkpoint that an older
   * version computed and that may lie in the middle of an event.
   */
  floor(position: bigint): Promise<Position>;

  /** Whether positions are 1, 2, 3 … without a gap, so that a reader can assert contiguity. */
  readonly dense: boolean;

  /**
   * Whether an id that the log has anywhere is refused. If not, two processes that append the same ids with
   * other bytes at the same moment both get a success. Events that may be appended twice then need new ids
   * each time.
   */
  readonly uniqueIds: boolean;

  /**
   * SQL that reads the sealed part of the event at a position, which is SQL itself. Only of a store whose
   * log lies in the database of the read models, so that these need not repeat it.
   */
  readonly sealedSql?: (position: string) => string;

  /** Ends reads, finishes accepted appends, then releases connections. */
  close(): Promise<void>;
};

/** The stream is not at the expected version. `actual` is its version, or `'no-stream'`. */
export class WrongExpectedVersion extends Error {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  readonly actual: ExpectedVersion;
  constructor(stream: string, expected: ExpectedVersion, actual: ExpectedVersion) {
    super(`stream ${stream} is at ${actual}, expected ${expected}`);
    this.name = 'WrongExpectedVersion';
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** An event id exists already elsewhere in the store. Of the adapters only those with `uniqueIds` throw it. */
export class DuplicateEventId extends Error {
  readonly stream: string;
  constructor(stream: string) {
    super(`an event id for stream ${stream} exists already`);
    this.stream = stream;
    this.name = 'DuplicateEventId';
  }
}

/** `data` and `metadata` together are larger than the limit. */
export class EventTooLarge extends Error {
  constructor(type: string, bytes: number, limit: number) {
    super(`event ${type} has ${bytes} bytes, the limit is ${limit}`);
    this.name = 'EventTooLarge';
  }
}

/** No event begins at a position: the store did not give it. `floor` finds the one before. */
export class InvalidPosition extends Error {
  constructor(position: bigint) {
    super(`there is no event at position ${position} of the log`);
    this.name = 'InvalidPosition';
  }
}

/** The log is not the one that was followed, or has lost its end. */
export class OtherLog extends Error {
  constructor(known: EventMark, found: Pick<RecordedEvent, 'id'> | undefined) {
    super(
      `the event log is not the one that was followed until now: at position ${known.position} it had ` +
        `event ${known.id} and now has ${found ? `event ${found.id}` : 'none'}; ` +
        'restore the log that has it and start the service again',
    );
    this.name = 'OtherLog';
  }
}

/** The store could not be reached; whether the append happened is not known after retries. */
export class StoreUnavailable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`event store unavailable: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'StoreUnavailable';
  }
}
