import type { EventBatch, RecordedEvent } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';

const defaults = { maxEvents: 4_096, maxChars: 16 * 1024 * 1024 };

const size = (event: RecordedEvent): number => event.data.length + event.metadata.length;

/** Everything of the log between `after` and `position`. */
type Stretch = EventBatch & { after: Position };

/**
 * The newest part of the log, as this process read or wrote it. Readers that keep up are served from memory
 * and share the decoded events. It is always without gaps: events that do not follow its end make it start
 * anew. It stays within its limits even if a reader is slow: a reader that falls behind its beginning reads
 * from the store until it reaches it again.
 */
export const createRecentEvents = ({ maxEvents, maxChars }: typeof defaults = defaults) => {
  let events: RecordedEvent[] = [];
  let chars = 0;
  /** It holds all that lies after `start`, up to `end`. */
  let start: Position = 0n;
  let end: Position = 0n;

  const begin = (at: Position): void => {
    [events, chars, start, end] = [[], 0, at, at];
  };

  /** Index of the first event after a place. */
  const indexAfter = (place: bigint): number => {
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((events[middle] as RecordedEvent).position > place) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  const shrink = (): void => {
    if (events.length <= maxEvents && chars <= maxChars) return;
    let drop = 0;
    while (drop < events.length && (events.length - drop > maxEvents / 2 || chars > maxChars / 2)) {
      chars -= size(events[drop] as RecordedEvent);
      drop++;
    }
    start = events[drop - 1]?.position ?? start;
    events = events.slice(drop);
  };

  return {
    /** Starts anew: it holds all after `at`, of which nothing is known yet. */
    begin,
    push({ after, events: found, position }: Stretch): void {
      if (after > end) begin(after);
      if (position <= end) return;
      for (const event of found) {
        if (event.position <= end) continue;
        events.push(event);
        chars += size(event);
      }
      end = position;
      shrink();
    },
    /** Whether everything after a place is here, as far as anything is known. */
    reaches: (after: bigint): boolean => after >= start,
    /** Whether it is known that a reader may begin at a place: not one that somebody computed. */
    isPlace: (place: bigint): boolean =>
      place === start || place === end || events[indexAfter(place) - 1]?.position === place,
    start: (): Position => start,
    end: (): Position => end,
    /** The events after `after`; undefined if they are not in memory, or not known yet. */
    read(after: bigint, limit: number): EventBatch | undefined {
      if (after < start || after >= end) return undefined;
      const from = indexAfter(after);
      const found = events.slice(from, from + limit);
      const isRest = from + found.length === events.length;
      return { events: found, position: isRest ? end : (found.at(-1)?.position ?? end) };
    },
  };
};
