import {
  type EventBatch,
  type EventStore,
  OtherLog,
  StoreUnavailable,
} from '../../events/event-store.ts';

/**
 * The same store, which accepts no appends while it is known to hold another log than the one that was
 * followed: events acknowledged there would be lost. Only a subscription that begins after this was detected
 * can show that the right log is back: an earlier one may still deliver events that it read before.
 */
export const refuseOtherLog = (store: EventStore): EventStore => {
  let other: OtherLog | undefined;
  const guarded =
    <A extends unknown[], R>(append: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (other) throw new StoreUnavailable(other.message, other);
      return append(...args);
    };
  const subscribe = async function* (
    options: Parameters<EventStore['subscribe']>[0],
  ): AsyncGenerator<EventBatch, void> {
    const before = other;
    const isRight = (): void => {
      if (other === before) other = undefined;
    };
    const onIdle = (): void => {
      isRight();
      options.onIdle?.();
    };
    try {
      for await (const batch of store.subscribe({ ...options, onIdle })) {
        isRight();
        yield batch;
      }
    } catch (error) {
      if (error instanceof OtherLog) other = error;
      throw error;
    }
  };
  const { appendAll } = store;
  return {
    ...store,
    append: guarded(store.append),
    ...(appendAll ? { appendAll: guarded(appendAll) } : {}),
    subscribe,
  };
};
