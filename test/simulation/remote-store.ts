/** The log as a process has it, over its link. */
import type { DataKeys } from '../../events/data-keys.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import type { Actor } from './actor.ts';
import type { Link } from './network.ts';
import { between, type Schedule } from './schedule.ts';

const gone = (): Error => new StoreUnavailable('simulation');

/** Wakes those who wait for more of the log, each after a while of its own. */
export const createAppendNotice = (schedule: Schedule) => {
  const waiting = new Set<() => void>();
  return {
    tell(): void {
      for (const wake of waiting) schedule.after(between(schedule.random, 1, 30), wake);
      waiting.clear();
    },
    wait: (wake: () => void): void => void waiting.add(wake),
  };
};

type AppendNotice = ReturnType<typeof createAppendNotice>;

/** Without a notice the log is read again after this time. */
const lookAgainMs = 2_000;

type Ports = {
  actor: Actor;
  link: Link;
  notice: AppendNotice;
  /** Whether it says yes to an append and forgets it: broken on purpose. */
  forgets: () => boolean;
};

/** Passed to `abort`. Without a reason, `abort` makes an error with a stack trace. */
const noReason = null;

export const remoteStore = (
  store: EventStore,
  { actor, link, notice, forgets }: Ports,
): EventStore => {
  const { appendAll } = store;
  const append: EventStore['append'] = (...call) =>
    link.call(async () => {
      const [, expected, events] = call;
      const version = (expected === 'no-stream' ? -1n : expected) + BigInt(events.length);
      if (forgets()) return { version, position: 1n as Position };
      const result = await store.append(...call);
      notice.tell();
      return result;
    }, gone);

  /** Until something was appended, or the notice was lost. */
  const more = async (signal: AbortSignal): Promise<void> => {
    const told = new AbortController();
    notice.wait(() => actor.meet(() => told.abort(noReason)));
    await actor.time.pause(lookAgainMs, AbortSignal.any([signal, told.signal]));
  };

  async function* subscribe({
    after,
    limit = 500,
    signal = new AbortController().signal,
    onIncident = () => {},
    onIdle = () => {},
  }: Parameters<EventStore['subscribe']>[0]) {
    let position: Position = after;
    while (!signal.aborted) {
      try {
        const from = position;
        const events = await link.call(() => store.readAll({ after: from, limit }), gone);
        const last = events.at(-1);
        if (!last) {
          onIdle();
          await more(signal);
        } else {
          position = last.position;
          yield { events, position };
        }
      } catch (error) {
        onIncident(error);
        await actor.time.pause(250, signal);
      }
    }
  }

  return {
    dense: store.dense,
    uniqueIds: store.uniqueIds,
    append,
    ...(appendAll
      ? {
          appendAll: (...call: Parameters<typeof appendAll>) =>
            link.call(async () => {
              const results = await appendAll(...call);
              notice.tell();
              return results;
            }, gone),
        }
      : {}),
    readStream: (...call) => link.call(() => store.readStream(...call), gone),
    readAll: (options) => link.call(() => store.readAll(options), gone),
    subscribe,
    eventAt: (position) => link.call(() => store.eventAt(position), gone),
    head: () => link.call(() => store.head(), gone),
    floor: (position) => link.call(() => store.floor(position), gone),
    close: async () => {},
  };
};

export const remoteKeys = (keys: DataKeys, link: Link): DataKeys => ({
  draft: keys.draft,
  create: (subject) => link.call(() => keys.create(subject), gone),
  get: (subject) => link.call(() => keys.get(subject), gone),
  getMany: (subjects) => link.call(() => keys.getMany(subjects), gone),
  erase: (subject) => link.call(() => keys.erase(subject), gone),
});
