import type { Position, RecordedEvent } from '../../events/event-store.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';

type Read = (after: Position, limit: number) => Promise<RecordedEvent[]>;

/** Consumers that keep up ask for the same page. Concurrent reads of one page share one query. */
export const shareReads = (read: Read): Read => {
  const share = singleFlightByKey<string, RecordedEvent[]>();
  return (after, limit) => share(`${after} ${limit}`, () => read(after, limit));
};
