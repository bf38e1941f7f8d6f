import {
  type EventBatch,
  type EventStore,
  OtherLog,
  StoreUnavailable,
} from '../../events/event-store.ts';

/**
 * The same store, which accepts no appends while it is known to hold another log than the one that was
 * followed: events acknowledged there would be lost. Only a subscription that begins after this was detected
 * can show that the right log is back: an earlier one may still deliver events that it read before. A process that
 * follows nothing knows it from the questions (`ping`) alone.
 */
export const refuseOtherLog = (store: EventStore): EventStore => {
  let other: OtherLog | undefined;
  let answeredByOther: OtherLog | undefined;
  const guarded =
    <A extends unknown[], R>(append: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const known = other ?? answeredByOther;
      if (known) throw new StoreUnavailable(known.message, known);
      try {
        return await append(...args);
      } catch (error) {
        throw error instanceof OtherLog ? new StoreUnavailable(error.message, error) : error;
      }
    };
  const { ping } = store;
  const asked = async (question: () => Promise<void>): Promise<void> => {
    try {
      await question();
      answeredByOther = undefined;
    } catch (error) {
      if (error instanceof OtherLog) answeredByOther = error;
      throw error;
    }
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
    ...(ping ? { ping: () => asked(ping) } : {}),
    subscribe,
  };
};
