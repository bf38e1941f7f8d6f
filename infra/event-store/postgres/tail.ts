import type { RecordedEvent } from '../../../events/event-store.ts';

const maxEvents = 4_096;
const maxChars = 16 * 1024 * 1024;

const size = (event: RecordedEvent): number => event.data.length + event.metadata.length;

/**
 * The newest events of the log, as this process committed or read them: readers that keep up are served
 * from memory, and share what each was decoded to. Always contiguous; after a gap it starts anew.
 */
export const createTail = () => {
  let events: RecordedEvent[] = [];
  let chars = 0;

  return {
    push(committed: RecordedEvent[]): void {
      for (const event of committed) {
        const last = events.at(-1);
        if (last && event.position <= last.position) continue;
        if (last && event.position !== last.position + 1n) {
          events = [];
          chars = 0;
        }
        events.push(event);
        chars += size(event);
      }
      if (events.length <= maxEvents && chars <= maxChars) return;
      let drop = 0;
      while (
        events.length - drop > maxEvents / 2 ||
        (chars > maxChars / 2 && drop < events.length)
      ) {
        chars -= size(events[drop] as RecordedEvent);
        drop++;
      }
      events = events.slice(drop);
    },
    /** Events after `after`, if the tail reaches back that far. */
    read(after: bigint, limit: number): RecordedEvent[] | undefined {
      const first = events[0];
      if (!first || after + 1n < first.position) return undefined;
      const start = Number(after + 1n - first.position);
      return start >= events.length ? undefined : events.slice(start, start + limit);
    },
  };
};
