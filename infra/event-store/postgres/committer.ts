/**
 * The group committer: many independent appends in one call, one transaction, one fsync.
 * While a batch is being written the next one gathers.
 */
import type pg from 'pg';
import { DataKeyTaken, type WrappedKey } from '../../../events/data-keys.ts';
import {
  type AppendResult,
  DuplicateEventId,
  type EventToAppend,
  type ExpectedVersion,
  type RecordedEvent,
  StoreUnavailable,
  type StreamAppend,
  WrongExpectedVersion,
} from '../../../events/event-store.ts';
import { asPosition } from '../../../events/position.ts';
import type { createConnection } from './connection.ts';

/** Appended together or not at all: a part for each stream, and the data keys it needs. */
type Request = {
  parts: StreamAppend[];
  keys: WrappedKey[];
  bytes: number;
  resolve: (results: AppendResult[]) => void;
  reject: (error: unknown) => void;
};

type Row = {
  outcome: 'ok' | 'wrong_version' | 'not_alone';
  version: bigint;
  position: bigint | null;
};

const maxRequests = 512;
const maxBytes = 8 * 1024 * 1024;
const maxWaiting = 20_000;
/** Stands between texts in one parameter. JSON never holds it raw. */
export const separator = '\u001e';

/** As keys.assert_roots says it. */
const rootRetired = 'KR001';

const toNumber = (version: ExpectedVersion): bigint => (version === 'no-stream' ? -1n : version);
const toExpected = (version: bigint): ExpectedVersion => (version < 0n ? 'no-stream' : version);

const query = {
  name: 'append',
  text: 'select outcome, last_version as version, last_position as position from event_log.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)',
};

const texts = (values: string[]): string => values.join(separator);
const numbers = (values: (number | bigint | string)[]): string => `{${values.join()}}`;

const write = async (client: pg.Client, batch: Request[]): Promise<Row[]> => {
  const parts = batch.flatMap((request) => request.parts);
  const events = parts.flatMap((part) => part.events);
  const keys = batch.flatMap((request) => request.keys);
  const values = [
    numbers(batch.flatMap((request, n) => request.parts.map(() => n + 1))),
    texts(parts.map((part) => part.stream)),
    numbers(parts.map((part) => toNumber(part.expected))),
    numbers(parts.map((part) => part.events.length)),
    numbers(parts.flatMap((part, n) => part.events.map(() => n + 1))),
    numbers(parts.flatMap((part) => part.events.map((_, nth) => nth + 1))),
    numbers(events.map((event) => event.id)),
    texts(events.map((event) => event.type)),
    texts(events.map((event) => event.data)),
    texts(events.map((event) => event.metadata)),
    numbers(batch.flatMap((request, n) => request.keys.map(() => n + 1))),
    texts(keys.map((key) => key.subject)),
    texts(keys.map((key) => key.wrapped)),
    numbers(keys.map((key) => key.root)),
  ];
  const { rows } = await client.query<Row>({ ...query, values });
  return rows;
};

/** The events of a part as they stand in the log now, the last one at `version` and `position`. */
const recorded = ({ stream, events }: StreamAppend, last: AppendResult): RecordedEvent[] => {
  const count = BigInt(events.length);
  return events.map((event: EventToAppend, nth) => {
    const back = count - 1n - BigInt(nth);
    const position = asPosition(last.position - back);
    return { ...event, stream, version: last.version - back, position };
  });
};

/** Why a request was not stored. `rows`: those of its parts. */
const conflictIn = (parts: StreamAppend[], rows: Row[]): WrongExpectedVersion => {
  const at = rows.findIndex((row) => row.outcome === 'wrong_version');
  const { stream, expected } = parts[at] as StreamAppend;
  return new WrongExpectedVersion(stream, expected, toExpected((rows[at] as Row).version));
};

/** The error of a request that failed alone: the constraint says which of its values existed before. */
const failureOf = ({ parts, keys }: Request, error: unknown): unknown => {
  const {
    constraint,
    detail = '',
    code,
  } = error as {
    constraint?: string;
    detail?: string;
    code?: string;
  };
  const isNamed = (value: string): boolean => detail.includes(`=(${value})`);
  if (constraint === 'events_id') {
    const part = parts.find(({ events }) => events.some(({ id }) => isNamed(id))) ?? parts[0];
    return new DuplicateEventId(part?.stream ?? '');
  }
  if (constraint === 'data_keys_pkey') {
    return new DataKeyTaken(
      (keys.find(({ subject }) => isNamed(subject)) ?? keys[0])?.subject ?? '',
    );
  }
  if (code === rootRetired) {
    return new StoreUnavailable('the keys of the service were just changed; try again', error);
  }
  return error;
};

export const createCommitter = (ports: {
  connection: Pick<ReturnType<typeof createConnection>, 'use'>;
  /** Called with the committed events, in log order. */
  onCommit: (events: RecordedEvent[]) => void;
}) => {
  let waiting: Request[] = [];
  let running: Promise<void> | undefined;

  /** Takes the next batch: at most one request per stream, so that each is judged by the stored events. */
  const take = (): Request[] => {
    const batch: Request[] = [];
    const left: Request[] = [];
    const streams = new Set<string>();
    let bytes = 0;
    for (const request of waiting) {
      const fits =
        batch.length < maxRequests &&
        !request.parts.some((part) => streams.has(part.stream)) &&
        (batch.length === 0 || bytes + request.bytes <= maxBytes);
      // A stream whose earlier request waits must wait as well.
      for (const part of request.parts) streams.add(part.stream);
      if (!fits) {
        left.push(request);
        continue;
      }
      batch.push(request);
      bytes += request.bytes;
    }
    waiting = left;
    return batch;
  };

  const settle = (batch: Request[], rows: Row[]): void => {
    const committed: RecordedEvent[] = [];
    let next = 0;
    for (const { parts, resolve, reject } of batch) {
      const own = rows.slice(next, next + parts.length);
      next += parts.length;
      if (own.some((row) => row.outcome !== 'ok')) {
        reject(conflictIn(parts, own));
        continue;
      }
      const results = own as AppendResult[];
      parts.forEach((part, n) => {
        committed.push(...recorded(part, results[n] as AppendResult));
      });
      resolve(results.map(({ version, position }) => ({ version, position })));
    }
    ports.onCommit(committed);
  };

  /** A batch that fails as a whole is tried one by one, so that only the bad request fails. */
  const commit = async (batch: Request[]): Promise<void> => {
    try {
      settle(batch, await ports.connection.use((client) => write(client, batch)));
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) {
        for (const request of batch) await commit([request]);
        return;
      }
      for (const request of batch) request.reject(failureOf(request, error));
    }
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) await commit(take());
    running = undefined;
  };

  return {
    append(parts: StreamAppend[], keys: WrappedKey[], bytes: number): Promise<AppendResult[]> {
      return new Promise((resolve, reject) => {
        if (waiting.length >= maxWaiting) {
          reject(new StoreUnavailable('too many appends are waiting'));
          return;
        }
        waiting.push({ parts, keys, bytes, resolve, reject });
        // Begins after the current turn, so that requests that arrive together are written together.
        running ??= Promise.resolve().then(run);
      });
    },
    /** Resolves when nothing is waiting or being written. */
    async drain(): Promise<void> {
      while (running) await running;
    },
  };
};
