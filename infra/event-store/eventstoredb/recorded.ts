import type { RecordedEvent as ClientEvent, ResolvedEvent } from '@eventstore/db-client';
import type { RecordedEvent } from '../../../events/event-store.ts';
import { StoreUnavailable } from '../../../events/event-store.ts';
import { asPosition, type Position } from '../../../events/position.ts';

/** Largest value of a signed 64 bit integer; the server sends -1 for "not known" as unsigned. */
const largestPosition = 2n ** 63n - 1n;

/** A commit position if it is one. No event of ours is at 0: the server writes its own first. */
export function usablePosition(position: { commit: bigint } | undefined): Position | undefined {
  const commit = position?.commit ?? 0n;
  return commit > 0n && commit <= largestPosition ? asPosition(commit) : undefined;
}

const isObject = (content: unknown): boolean =>
  typeof content === 'object' &&
  content !== null &&
  !Array.isArray(content) &&
  !(content instanceof Uint8Array);

/**
 * Whether an event can be ours. Streams and types with `$` belong to the server and its projections. Others
 * wrote events that are not JSON objects: this service never appends them.
 */
export const isOurs = ({ streamId, type, data, metadata }: ClientEvent): boolean =>
  !streamId.startsWith('$') &&
  !type.startsWith('$') &&
  isObject(data) &&
  (metadata === undefined || isObject(metadata));

/** @throws StoreUnavailable if the server does not say where in the log the event is */
export function recordedEvent(resolved: ResolvedEvent): RecordedEvent | undefined {
  const { event } = resolved;
  if (event === undefined || !isOurs(event)) return undefined;
  const position = usablePosition(event.position);
  if (position === undefined) {
    throw new StoreUnavailable(`this server is too old: event ${event.id} has no log position`);
  }
  return {
    id: event.id,
    type: event.type,
    data: textOf(event.data),
    metadata: textOf(event.metadata),
    stream: event.streamId,
    version: event.revision,
    position,
  };
}

/**
 * The stored text again. The client has parsed it, and printing gives the same bytes because only
 * what `JSON.stringify` writes is ever appended.
 */
const textOf = (content: unknown): string =>
  content === undefined ? '{}' : JSON.stringify(content);
