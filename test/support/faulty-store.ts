import type { EventStore } from '../../events/event-store.ts';

type Append = EventStore['append'];
type AppendAll = NonNullable<EventStore['appendAll']>;

/** A store whose appends a test can count, hold up or make fail. */
export const withAppend = (
  store: EventStore,
  append: (next: Append, ...call: Parameters<Append>) => ReturnType<Append>,
): EventStore => ({
  ...store,
  append: (...call) => append(store.append, ...call),
});

/** The same for appends to several streams at once, where the store has them. */
export const withAppendAll = (
  store: EventStore,
  appendAll: (next: AppendAll, ...call: Parameters<AppendAll>) => ReturnType<AppendAll>,
): EventStore => {
  const next = store.appendAll;
  return next ? { ...store, appendAll: (...call) => appendAll(next, ...call) } : store;
};

/** A gate that a test opens. Code that awaits `passed` continues then. */
export const createGate = () => {
  let open = (): void => {};
  let reach = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    open: () => open(),
    /** Resolves when somebody stands before the gate. */
    reached,
    pass(): Promise<void> {
      reach();
      return opened;
    },
  };
};
