import type { Position, RecordedEvent } from '../../events/event-store.ts';

type Read = (after: Position, limit: number) => Promise<RecordedEvent[]>;

/** Who keeps up asks for the same as the others: what they ask for at the same time is read once. */
export const joinReads = (read: Read): Read => {
  const underWay = new Map<string, Promise<RecordedEvent[]>>();
  return (after, limit) => {
    const key = `${after} ${limit}`;
    const before = underWay.get(key);
    if (before) return before;
    const reading = read(after, limit).finally(() => underWay.delete(key));
    underWay.set(key, reading);
    return reading;
  };
};
