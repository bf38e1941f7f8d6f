/**
 * The group committer: many independent appends in one call, one transaction, one fsync.
 * While a batch is being written the next one gathers.
 */
import type pg from 'pg';
import {
  type AppendResult,
  DuplicateEventId,
  type EventToAppend,
  type ExpectedVersion,
  type RecordedEvent,
  StoreUnavailable,
  WrongExpectedVersion,
} from '../../../events/event-store.ts';
import { asPosition } from '../../../events/position.ts';
import type { createConnection } from './connection.ts';

type Request = {
  stream: string;
  expected: bigint;
  events: EventToAppend[];
  bytes: number;
  resolve: (result: AppendResult) => void;
  reject: (error: unknown) => void;
};

type Row = { outcome: 'ok' | 'wrong_version'; version: bigint; position: bigint | null };

const maxRequests = 512;
const maxBytes = 8 * 1024 * 1024;
const maxWaiting = 20_000;
const separator = '\u001e';

const toExpected = (version: bigint): ExpectedVersion => (version < 0n ? 'no-stream' : version);

const query = {
  name: 'append',
  text: 'select outcome, last_version as version, last_position as position from event_log.append($1, $2, $3, $4, $5, $6, $7, $8, $9)',
};

const write = async (client: pg.Client, batch: Request[]): Promise<Row[]> => {
  const events = batch.flatMap((request) => request.events);
  const values = [
    batch.map((request) => request.stream).join(separator),
    `{${batch.map((request) => request.expected).join()}}`,
    `{${batch.map((request) => request.events.length).join()}}`,
    `{${batch.flatMap((request, n) => request.events.map(() => n + 1)).join()}}`,
    `{${batch.flatMap((request) => request.events.map((_, nth) => nth + 1)).join()}}`,
    `{${events.map((event) => event.id).join()}}`,
    events.map((event) => event.type).join(separator),
    events.map((event) => event.data).join(separator),
    events.map((event) => event.metadata).join(separator),
  ];
  const { rows } = await client.query<Row>({ ...query, values });
  return rows;
};

export const createCommitter = (ports: {
  connection: ReturnType<typeof createConnection>;
  /** Called with what was committed, in log order. */
  onCommit: (events: RecordedEvent[]) => void;
}) => {
  let waiting: Request[] = [];
  let running: Promise<void> | undefined;

  /** Takes the next batch: at most one request per stream, so that each is judged on what is stored. */
  const take = (): Request[] => {
    const batch: Request[] = [];
    const left: Request[] = [];
    const streams = new Set<string>();
    let bytes = 0;
    for (const request of waiting) {
      const fits =
        batch.length < maxRequests &&
        !streams.has(request.stream) &&
        (batch.length === 0 || bytes + request.bytes <= maxBytes);
      // A stream whose earlier request waits must wait as well.
      streams.add(request.stream);
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
    batch.forEach((request, index) => {
      const row = rows[index];
      if (row?.outcome === 'ok' && row.position !== null) {
        const { version, position } = row;
        const count = BigInt(request.events.length);
        request.events.forEach((event, nth) => {
          const back = count - 1n - BigInt(nth);
          committed.push({
            ...event,
            stream: request.stream,
            version: version - back,
            position: asPosition(position - back),
          });
        });
        request.resolve({ version, position: asPosition(position) });
      } else {
        const actual = row?.version ?? -1n;
        request.reject(
          new WrongExpectedVersion(
            request.stream,
            toExpected(request.expected),
            toExpected(actual),
          ),
        );
      }
    });
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
      const duplicate = (error as { constraint?: string }).constraint === 'events_id';
      for (const request of batch) {
        request.reject(duplicate ? new DuplicateEventId(request.stream) : error);
      }
    }
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) await commit(take());
    running = undefined;
  };

  return {
    append(stream: string, expected: ExpectedVersion, events: EventToAppend[], bytes: number) {
      return new Promise<AppendResult>((resolve, reject) => {
        if (waiting.length >= maxWaiting) {
          reject(new StoreUnavailable('too many appends are waiting'));
          return;
        }
        const version = expected === 'no-stream' ? -1n : expected;
        waiting.push({ stream, expected: version, events, bytes, resolve, reject });
        // Begins after the current turn, so that what arrives together is written together.
        running ??= Promise.resolve().then(run);
      });
    },
    /** Resolves when nothing is waiting or being written. */
    async drain(): Promise<void> {
      while (running) await running;
    },
  };
};
