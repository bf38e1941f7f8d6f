import type {
  AllStreamResolvedEvent,
  EventStoreDBClient,
  Position,
  ResolvedEvent,
  StreamingRead,
} from '@eventstore/db-client';
import { BACKWARDS, END, START, StreamNotFoundError } from '@eventstore/db-client';
import type { RecordedEvent } from '../../../events/event-store.ts';
import { freshTurn } from './calls.ts';
import { isOurs, recordedEvent, usablePosition } from './recorded.ts';

type Reads = { client: EventStoreDBClient; timeoutMs: number };

/** Events read backwards at first for the head; more with every page of system events. */
const firstHeadPage = 4;
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
  { client, timeoutMs }: Reads,
  stream: string,
  { from = 0n, limit }: { from?: bigint; limit?: number },
): Promise<RecordedEvent[]> {
  if (limit !== undefined && limit <= 0) return [];
  await freshTurn();
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
  { client, timeoutMs }: Reads,
  { after, limit }: { after: bigint; limit: number },
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let from = after;
  while (found.length < limit) {
    await freshTurn();
    // One more for the event at the start, and never so few that system events cost many calls.
    const maxCount = Math.min(largestPage, Math.max(limit - found.length + 1, firstHeadPage));
    const options = { fromPosition: positionAt(from), maxCount, requiresLeader: true };
    const page = await collect<AllStreamResolvedEvent>(client.readAll(options), timeoutMs);
    for (const resolved of page) {
      const event = recordedEvent(resolved);
      if (event !== undefined && event.position > from) found.push(event);
    }
    from = lastPosition(page) ?? from;
    if (page.length < maxCount) break;
  }
  return found.slice(0, limit);
}

/** Position of the last event of ours, `0n` without one. */
export async function readHead({ client, timeoutMs }: Reads): Promise<bigint> {
  let fromPosition: Position | typeof END = END;
  for (let maxCount = firstHeadPage; ; maxCount = Math.min(largestPage, maxCount * 4)) {
    await freshTurn();
    const options = { direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true } as const;
    const page: AllStreamResolvedEvent[] = await collect(client.readAll(options), timeoutMs);
    const ours = page.find((resolved) => resolved.event !== undefined && isOurs(resolved.event));
    if (ours !== undefined) return usablePosition(ours.event?.position) ?? 0n;
    const last = lastPosition(page);
    if (last === undefined || page.length < maxCount) return 0n;
    fromPosition = { commit: last, prepare: last };
  }
}

/** Commit and prepare position are equal for what was written over gRPC. */
export const positionAt = (position: bigint): Position | typeof START =>
  position <= 0n ? START : { commit: position, prepare: position };

function lastPosition(page: AllStreamResolvedEvent[]): bigint | undefined {
  const last = page.at(-1);
  return usablePosition(last?.event?.position) ?? usablePosition(last?.link?.position);
}
