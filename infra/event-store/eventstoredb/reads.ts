import type {
  AllStreamResolvedEvent,
  EventStoreDBClient,
  Position,
  ResolvedEvent,
  StreamingRead,
} from '@eventstore/db-client';
import { BACKWARDS, END, START, StreamNotFoundError } from '@eventstore/db-client';
import {
  type EventMark,
  InvalidPosition,
  type RecordedEvent,
} from '../../../events/event-store.ts';
import { asPosition, type Position as LogPosition } from '../../../events/position.ts';
import { freshTurn } from './calls.ts';
import { recordedEvent, usablePosition } from './recorded.ts';

/** `closing`: no call begins once it has aborted. */
export type Reads = { client: EventStoreDBClient; timeoutMs: number; closing: AbortSignal };

/** Events that a search begins with; each page of system events is followed by a larger one. */
const firstPage = 4;
const largestPage = 1_000;

/**
 * Every event of a read. The client gives reads no deadline, so one without progress is cancelled.
 * @param timeoutMs longest pause between two events
 */
function collect<E>(read: StreamingRead<E>, timeoutMs: number): Promise<E[]> {
  return new Promise((resolve, reject) => {
    const events: E[] = [];
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      read.cancel().catch(() => {});
    };
    const timer = setTimeout(() => fail(new Error(`no event within ${timeoutMs} ms`)), timeoutMs);
    // The listener stays: an error that comes after the end would otherwise end the process.
    read.on('error', fail);
    read.on('close', () => fail(new Error('the read was closed before its end')));
    read.on('end', () => {
      clearTimeout(timer);
      resolve(events);
    });
    read.on('data', (event) => {
      timer.refresh();
      events.push(event);
    });
  });
}

/** @throws what the client throws, except for a stream that does not exist: `[]` */
export async function readStream(
  { client, timeoutMs, closing }: Reads,
  stream: string,
  { from = 0n, limit }: { from?: bigint; limit?: number },
): Promise<RecordedEvent[]> {
  if (limit !== undefined && limit <= 0) return [];
  await freshTurn(closing);
  const options = { fromRevision: from, requiresLeader: true, maxCount: limit };
  try {
    const events = await collect<ResolvedEvent>(client.readStream(stream, options), timeoutMs);
    return events.map(recordedEvent).filter((event) => event !== undefined);
  } catch (error) {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  }
}

/** Pages until `limit` events of ours are found. The server's reads include their start position. */
export async function readAll(
  { client, timeoutMs, closing }: Reads,
  { after, limit }: { after: LogPosition; limit: number },
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let from = after;
  // One more for the event at the start, and ever more where only system events come.
  for (let least = firstPage; found.length < limit; least *= 4) {
    await freshTurn(closing);
    const maxCount = Math.min(largestPage, Math.max(limit - found.length + 1, least));
    const options = { fromPosition: positionAt(from), maxCount, requiresLeader: true };
    const page = await collect<AllStreamResolvedEvent>(client.readAll(options), timeoutMs).catch(
      (error) => {
        throw isInvalidPosition(error) ? new InvalidPosition(from) : error;
      },
    );
    for (const resolved of page) {
      const event = recordedEvent(resolved);
      if (event !== undefined && event.position > from) found.push(event);
    }
    from = lastPosition(page) ?? from;
    if (page.length < maxCount) break;
  }
  return found.slice(0, limit);
}

/** The record at a position, by any writer; undefined where there is none. */
async function resolvedAt(
  { client, timeoutMs, closing }: Reads,
  position: bigint,
): Promise<AllStreamResolvedEvent | undefined> {
  if (position <= 0n) return undefined;
  await freshTurn(closing);
  const options = { fromPosition: positionAt(position), maxCount: 1, requiresLeader: true };
  const page = collect<AllStreamResolvedEvent>(client.readAll(options), timeoutMs);
  const [found] = await page.catch((error) => {
    if (isInvalidPosition(error)) return [];
    throw error;
  });
  return found && lastPosition([found]) === position ? found : undefined;
}

/** The event of ours at a position; undefined where there is none. */
export async function eventAt(reads: Reads, position: bigint): Promise<RecordedEvent | undefined> {
  const found = await resolvedAt(reads, position);
  return found && recordedEvent(found);
}

const markOf = (resolved: AllStreamResolvedEvent | undefined): EventMark | undefined => {
  const record = resolved?.event ?? resolved?.link;
  const position = usablePosition(record?.position);
  return record && position !== undefined ? { id: record.id, position } : undefined;
};

/** The record at a position, by any writer; undefined where there is none. */
export const recordAt = async (reads: Reads, position: bigint): Promise<EventMark | undefined> =>
  markOf(await resolvedAt(reads, position));

/** The last record of any writer; undefined for an empty log. */
export async function lastRecord({
  client,
  timeoutMs,
  closing,
}: Reads): Promise<EventMark | undefined> {
  await freshTurn(closing);
  const options = {
    direction: BACKWARDS,
    fromPosition: END,
    maxCount: 1,
    requiresLeader: true,
  } as const;
  const page: AllStreamResolvedEvent[] = await collect(client.readAll(options), timeoutMs);
  return markOf(page.at(-1));
}

/** The records of the log, by any writer, in pages that grow. */
export async function* newestFirst({
  client,
  timeoutMs,
  closing,
}: Reads): AsyncGenerator<AllStreamResolvedEvent> {
  let fromPosition: Position | typeof END = END;
  for (let maxCount = firstPage; ; maxCount = Math.min(largestPage, maxCount * 4)) {
    await freshTurn(closing);
    const options = { direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true } as const;
    const page: AllStreamResolvedEvent[] = await collect(client.readAll(options), timeoutMs);
    yield* page;
    const last = lastPosition(page);
    if (last === undefined || page.length < maxCount) return;
    fromPosition = { commit: last, prepare: last };
  }
}

/**
 * How the server says that no record begins at a position: by the result of the read, whose name
 * changed (24.10: `InvalidPosition`, 23.10: `Error`), and at the end of a subscription.
 */
export const isInvalidPosition = (error: unknown): boolean =>
  error instanceof Error &&
  /ReadAllResult: (InvalidPosition|Error)|invalid position|thrown by handler/i.test(error.message);

/** The record before a position at which one begins; undefined where none does. */
async function recordBefore(
  { client, timeoutMs, closing }: Reads,
  position: bigint,
): Promise<LogPosition | undefined> {
  await freshTurn(closing);
  const fromPosition = { commit: position, prepare: position };
  const options = {
    direction: BACKWARDS,
    fromPosition,
    maxCount: 1,
    requiresLeader: true,
  } as const;
  const page = collect<AllStreamResolvedEvent>(client.readAll(options), timeoutMs);
  return page.then(
    (found) => lastPosition(found) ?? 0n,
    (error) => {
      if (isInvalidPosition(error)) return undefined;
      throw error;
    },
  );
}

/** The last position at or before `position` at which a record begins, or `0n`. */
export async function floorPosition(reads: Reads, position: bigint): Promise<LogPosition> {
  if (position <= 0n) return 0n;
  if ((await recordBefore(reads, position)) !== undefined) return asPosition(position);
  // Older versions computed such a position: that of an event, less one.
  const before = await recordBefore(reads, position + 1n);
  if (before !== undefined) return before;
  for await (const { event } of newestFirst(reads)) {
    const found = usablePosition(event?.position);
    if (found !== undefined && found <= position) return found;
  }
  return 0n;
}

/** Commit and prepare position are equal for events that were written over gRPC. */
export const positionAt = (position: bigint): Position | typeof START =>
  position <= 0n ? START : { commit: position, prepare: position };

function lastPosition(page: AllStreamResolvedEvent[]): LogPosition | undefined {
  const last = page.at(-1);
  return usablePosition(last?.event?.position) ?? usablePosition(last?.link?.position);
}
