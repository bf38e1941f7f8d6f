import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventBatch,
  InvalidPosition,
  OtherLog,
  type RecordedEvent,
} from '../../../events/event-store.ts';
import type { Position } from '../../../events/position.ts';
import { createRecentEvents } from '../recent-events.ts';
import type { createSameLogCheck } from '../same-log.ts';
import { type RetryOptions, retryPauseMs } from './calls.ts';

type Ports = {
  retry: RetryOptions;
  /** A subscription to the whole log: subscribes again by itself. */
  open(options: {
    after: Position;
    stop: AbortSignal;
    onIncident: (error: unknown) => void;
    onConfirmed: () => void;
    /** Before it subscribes again. */
    check: () => Promise<void>;
  }): AsyncIterable<EventBatch>;
  /** The last record of the log, by any writer. */
  last(): Promise<Position>;
  /** A page, read once for all who ask for it at the same time; not tried again by itself. */
  page(after: Position, limit: number): Promise<RecordedEvent[]>;
  onEvents(events: RecordedEvent[]): void;
  sameLog: Pick<ReturnType<typeof createSameLogCheck>, 'keep'> & { check(): Promise<void> };
};

type Follow = {
  after: Position;
  limit: number;
  stop: AbortSignal;
  onIncident: (error: unknown) => void;
  onIdle: () => void;
};

/** After this time a subscription counts as stable: some end as soon as they are confirmed. */
const holdsAfterMs = 500;

/** A consumer that follows the log. */
type Follower = { wake(): void; incident(error: unknown): void };

/** News for one follower while it reads. */
const createFollower = (stop: AbortSignal, incident: (error: unknown) => void) => {
  let stirred = false;
  let resume = (): void => {};
  return {
    incident,
    wake(): void {
      stirred = true;
      resume();
    },
    /** Resolves when something came since the last call, or `stop` aborts. */
    async news(): Promise<void> {
      if (!stirred && !stop.aborted) await new Promise<void>((resolve) => (resume = resolve));
      stirred = false;
    },
  };
};

type Shared = {
  ports: Ports;
  retry: RetryOptions;
  recent: ReturnType<typeof createRecentEvents>;
  sameLog: Ports['sameLog'];
  followers: Set<Follower>;
  pump: AbortController | undefined;
  /** Whether it is known that the log is still the one that was followed before. */
  begun: boolean;
  /** Whether new events are heard. */
  holds: boolean;
  holding: NodeJS.Timeout | undefined;
  otherLog: OtherLog | undefined;
};

const nothingShared = (ports: Ports): Shared => ({
  ports,
  retry: ports.retry,
  recent: createRecentEvents(),
  sameLog: ports.sameLog,
  followers: new Set(),
  pump: undefined,
  begun: false,
  holds: false,
  holding: undefined,
  otherLog: undefined,
});

const wakeAll = (shared: Shared): void => {
  for (const { wake } of shared.followers) wake();
};

const isBroken = (shared: Shared): void => {
  clearTimeout(shared.holding);
  shared.holds = false;
};

const onConfirmed = (shared: Shared): void => {
  clearTimeout(shared.holding);
  shared.holding = setTimeout(() => {
    shared.holds = true;
    wakeAll(shared);
  }, holdsAfterMs);
};

const reportAll = (shared: Shared, error: unknown): void => {
  isBroken(shared);
  for (const { incident } of shared.followers) incident(error);
};

const begin = async (shared: Shared, stop: AbortSignal): Promise<Position> => {
  await shared.sameLog.check();
  const after = await shared.ports.last();
  if (stop.aborted) return after;
  shared.begun = true;
  shared.recent.begin(after);
  wakeAll(shared);
  return after;
};

/** Reads the subscription into the recent until `stop` aborts. */
const run = async (shared: Shared, stop: AbortSignal): Promise<void> => {
  const { check } = shared.sameLog;
  for (let failures = 1; !stop.aborted; failures++) {
    try {
      const after = await begin(shared, stop);
      const options = {
        after,
        stop,
        onIncident: (error: unknown) => reportAll(shared, error),
        onConfirmed: () => onConfirmed(shared),
        check,
      };
      for await (const batch of shared.ports.open(options)) {
        if (stop.aborted) return;
        failures = 0;
        shared.sameLog.keep(batch.events.at(-1));
        shared.ports.onEvents(batch.events);
        shared.recent.push({ after: shared.recent.end(), ...batch });
        wakeAll(shared);
      }
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof OtherLog) {
        // Every follower gets the error and leaves; the next one that joins makes it look again.
        shared.otherLog = error;
        wakeAll(shared);
        return;
      }
      reportAll(shared, error);
      await sleep(retryPauseMs(failures, shared.retry), undefined, { signal: stop }).catch(
        () => {},
      );
    }
  }
};

const join = (shared: Shared, follower: Follower): void => {
  shared.followers.add(follower);
  if (shared.pump) return;
  shared.pump = new AbortController();
  shared.begun = false;
  shared.otherLog = undefined;
  void run(shared, shared.pump.signal);
};

const leave = (shared: Shared, follower: Follower): void => {
  shared.followers.delete(follower);
  if (shared.followers.size > 0) return;
  isBroken(shared);
  shared.pump?.abort();
  shared.pump = undefined;
};

/** Reads the page after a position that is not in memory. @throws InvalidPosition; OtherLog */
const pageAfter = async (shared: Shared, position: Position, limit: number, isRetry: boolean) => {
  if (isRetry) await shared.sameLog.check();
  // Events behind this position were not there when the page was read.
  const met = shared.recent.start();
  const events = await shared.ports.page(position, limit);
  const last = events.at(-1);
  shared.sameLog.keep(last);
  const reached = last?.position ?? (met > position ? met : position);
  return { events, position: reached };
};

/**
 * One subscription to the whole log for everyone in this process who follows it: new events are kept for a
 * while and served from memory at the pace of each follower. A follower that is further behind pages
 * through the log until it catches up. It subscribes when the first follower comes and ends with the last.
 */
export const createSharedSubscription = (ports: Ports) => {
  const { retry } = ports;
  const shared = nothingShared(ports);
  const { recent } = shared;

  /** @throws InvalidPosition where no record begins at `after`; OtherLog */
  return async function* follow({
    after,
    limit,
    stop,
    onIncident,
    onIdle,
  }: Follow): AsyncGenerator<EventBatch, void> {
    const self = createFollower(stop, onIncident);
    stop.addEventListener('abort', self.wake);
    join(shared, self);
    let position = after;
    let failures = 0;
    // Only the server, and what came from it, can tell whether its first place is one.
    let isPlace = false;
    try {
      while (!stop.aborted) {
        if (shared.otherLog) throw shared.otherLog;
        isPlace ||= recent.isPlace(position);
        // Until the log is known to be the same, memory may hold what it has lost.
        const known = shared.begun && isPlace ? recent.read(position, limit) : undefined;
        if (known) {
          position = known.position;
          yield known;
        } else if (!shared.begun || (isPlace && recent.reaches(position))) {
          if (shared.begun && shared.holds) onIdle();
          await self.news();
        } else {
          try {
            const page = await pageAfter(shared, position, limit, failures > 0);
            if (shared.otherLog) throw shared.otherLog;
            [failures, isPlace] = [0, true];
            if (page.position === position) continue;
            position = page.position;
            yield page;
          } catch (error) {
            if (error instanceof InvalidPosition || error instanceof OtherLog) throw error;
            if (stop.aborted) return;
            onIncident(error);
            await sleep(retryPauseMs(++failures, retry), undefined, { signal: stop }).catch(
              () => {},
            );
          }
        }
      }
    } finally {
      stop.removeEventListener('abort', self.wake);
      leave(shared, self);
    }
  };
};
