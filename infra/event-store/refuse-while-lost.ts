import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';

/**
 * The same store, whose calls fail at once while it is known to hang or to take no writes. Subscriptions wait without help.
 * @param isLost whether the database behind the store gives no answer or takes no writes
 */
export const refuseWhileLost = (store: EventStore, isLost: () => boolean): EventStore => {
  const guarded =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isLost())
        throw new StoreUnavailable('it gives no answer, or takes no writes, at the moment');
      return call(...args);
    };
  const { appendAll } = store;
  return {
    ...store,
    append: guarded(store.append),
    ...(appendAll ? { appendAll: guarded(appendAll) } : {}),
    readStream: guarded(store.readStream),
    readAll: guarded(store.readAll),
    head: guarded(store.head),
    floor: guarded(store.floor),
  };
};
