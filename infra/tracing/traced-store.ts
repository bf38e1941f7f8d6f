import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import type { Traces } from '../../events/traces.ts';

/** A store whose subscriptions tell the trace that appended each event, where it is known. */
export const tracedStore = (store: EventStore, traces: Pick<Traces, 'of'>): EventStore => {
  /** Subscriptions share events: each is asked for once. */
  const asked = new WeakSet<RecordedEvent>();

  const learn = async (events: readonly RecordedEvent[]): Promise<void> => {
    const unknown = events.filter((event) => !asked.has(event));
    if (unknown.length === 0) return;
    const parents = await traces.of(unknown.map(({ id }) => id));
    for (const event of unknown) {
      asked.add(event);
      const traceparent = parents.get(event.id);
      if (traceparent !== undefined) event.traceparent = traceparent;
    }
  };

  async function* subscribe(options: Parameters<EventStore['subscribe']>[0]) {
    for await (const batch of store.subscribe(options)) {
      await learn(batch.events);
      yield batch;
    }
  }
  return { ...store, subscribe };
};
