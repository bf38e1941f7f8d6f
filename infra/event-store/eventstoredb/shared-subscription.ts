import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventBatch,
  type EventStore,
  InvalidPosition,
  OtherLog,
  type RecordedEvent,
} from '../../../events/event-store.ts';
import type { Position } from '../../../events/position.ts';
import { createAnchor } from '../anchor.ts';
import { createTail } from '../tail.ts';
import { type RetryOptions, retryPauseMs } from './calls.ts';

type Ports = Pick<EventStore, 'eventAt'> & {
  retry: RetryOptions;
  /** A subscription to the whole log: subscribes again by itself. */
  open(options: {
    after: Position;
    stop: AbortSignal;
    onTrouble: (error: unknown) => void;
    onConfirmed: () => void;
    /** Before it subscribes again. */
    check: () => Promise<void>;
  }): AsyncIterable<EventBatch>;
  /** The last record of the log, by any writer. */
  last(): Promise<Position>;
  /** A page, read once for all who ask for it at the same time; not tried again by itself. */
  page(after: Position, limit: number): Promise<RecordedEvent[]>;
  onEvents(events: RecordedEvent[]): void;
};

type Follow = {
  after: Position;
  limit: number;
  stop: AbortSignal;
  onTrouble: (error: unknown) => void;
  onIdle: () => void;
};

/** A subscription that held for so long counts as one that holds: some end as soon as they are confirmed. */
const holdsAfterMs = 500;

/** A consumer that follows the log. */
type Follower = { wake(): void; trouble(error: unknown): void };

/** News for one follower while it reads. */
const createFollower = (stop: AbortSignal, trouble: (error: unknown) => void) => {
  let stirred = false;
  let resume = (): void => {};
  return {
    trouble,
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

/**
 * One subscription to the whole log for everyone in this process who follows it: new events are kept for a
 * while and served from memory at the pace of each follower. A follower that is further behind pages
 * through the log until it catches up. It subscribes when the first follower comes and ends with the last.
 */
export const createSharedSubscription = (ports: Ports) => {
  const { retry } = ports;
  const tail = createTail();
  const anchor = createAnchor(ports);
  const followers = new Set<Follower>();
  let pump: AbortController | undefined;
  /** Whether it is known that the log is still the one that was followed before. */
  let begun = false;
  /** Whether what comes is heard. */
  let holds = false;
  let holding: NodeJS.Timeout | undefined;
  let otherLog: OtherLog | undefined;

  const wakeAll = (): void => {
    for (const { wake } of followers) wake();
  };
  const isBroken = (): void => {
    clearTimeout(holding);
    holds = false;
  };
  const onConfirmed = (): void => {
    clearTimeout(holding);
    holding = setTimeout(() => {
      holds = true;
      wakeAll();
    }, holdsAfterMs);
  };
  const troubleAll = (error: unknown): void => {
    isBroken();
    for (const { trouble } of followers) trouble(error);
  };

  const begin = async (stop: AbortSignal): Promise<Position> => {
    await anchor.check();
    const after = await ports.last();
    if (stop.aborted) return after;
    begun = true;
    tail.begin(after);
    wakeAll();
    return after;
  };

  /** Reads the subscription into the tail until `stop` aborts. */
  const run = async (stop: AbortSignal): Promise<void> => {
    const { check } = anchor;
    for (let failures = 1; !stop.aborted; failures++) {
      try {
        const after = await begin(stop);
        const options = { after, stop, onTrouble: troubleAll, onConfirmed, check };
        for await (const batch of ports.open(options)) {
          if (stop.aborted) return;
          failures = 0;
          anchor.keep(batch.events.at(-1));
          ports.onEvents(batch.events);
          tail.push({ after: tail.end(), ...batch });
          wakeAll();
        }
      } catch (error) {
        if (stop.aborted) return;
        if (error instanceof OtherLog) {
          // Every follower gets the error and leaves; the next one that joins makes it look again.
          otherLog = error;
          wakeAll();
          return;
        }
        troubleAll(error);
        await sleep(retryPauseMs(failures, retry), undefined, { signal: stop }).catch(() => {});
      }
    }
  };

  const join = (follower: Follower): void => {
    followers.add(follower);
    if (pump) return;
    pump = new AbortController();
    begun = false;
    otherLog = undefined;
    void run(pump.signal);
  };

  const leave = (follower: Follower): void => {
    followers.delete(follower);
    if (followers.size > 0) return;
    isBroken();
    pump?.abort();
    pump = undefined;
  };

  /** What follows on a place of which memory does not know. @throws InvalidPosition; OtherLog */
  const pageAfter = async (position: Position, limit: number, isRetry: boolean) => {
    if (isRetry) await anchor.check();
    // Whatever comes behind this was not there when the page was read.
    const met = tail.start();
    const events = await ports.page(position, limit);
    const last = events.at(-1);
    anchor.keep(last);
    const reached = last?.position ?? (met > position ? met : position);
    return { events, position: reached };
  };

  /** @throws InvalidPosition where no record begins at `after`; OtherLog */
  return async function* follow({
    after,
    limit,
    stop,
    onTrouble,
    onIdle,
  }: Follow): AsyncGenerator<EventBatch, void> {
    const self = createFollower(stop, onTrouble);
    stop.addEventListener('abort', self.wake);
    join(self);
    let position = after;
    let failures = 0;
    // Only the server, and what came from it, can tell whether its first place is one.
    let isPlace = false;
    try {
      while (!stop.aborted) {
        if (otherLog) throw otherLog;
        isPlace ||= tail.isPlace(position);
        const known = isPlace ? tail.read(position, limit) : undefined;
        if (known) {
          position = known.position;
          yield known;
        } else if (!begun || (isPlace && tail.reaches(position))) {
          if (begun && holds) onIdle();
          await self.news();
        } else {
          try {
            const page = await pageAfter(position, limit, failures > 0);
            [failures, isPlace] = [0, true];
            if (page.position === position) continue;
            position = page.position;
            yield page;
          } catch (error) {
            if (error instanceof InvalidPosition || error instanceof OtherLog) throw error;
            if (stop.aborted) return;
            onTrouble(error);
            await sleep(retryPauseMs(++failures, retry), undefined, { signal: stop }).catch(
              () => {},
            );
          }
        }
      }
    } finally {
      stop.removeEventListener('abort', self.wake);
      leave(self);
    }
  };
};
