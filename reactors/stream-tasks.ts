/**
 * Tasks that follow from events: one after the other in a stream, many streams at once, each tried with
 * growing pauses until it is done or no longer wanted.
 */

import type { FailingTask } from '../events/follow-log.ts';
import { earlier, type Position } from '../events/position.ts';
import { backoffMs } from '../ground/backoff.ts';
import { createInTurn } from '../ground/in-turn.ts';
import { createIncident, type Incident } from '../ground/incident.ts';
import type { Log } from '../ground/log.ts';
import { publicErrorOf } from '../ground/public-error.ts';
import type { Time } from '../ground/time.ts';
import { createSlots } from '../limits/slots.ts';

/** The event that a task follows from. */
export type Cause = {
  stream: string;
  type: string;
  position: Position;
  /** The place before the event. Absent: it is on record that the event is not done, so the checkpoint may pass it. */
  before?: Position;
  /** When it happened, RFC 3339. */
  at: string;
};

const defaultAtOnce = 64;
/** One slot in this many is for tasks of events on record as not done, because many of them may fail slowly at once. */
const slotsForEachRetry = 4;
const retryAfter = { firstMs: 200, mostMs: 60_000 };
/** For events on record as not done. There may be tens of thousands of them, and each try reads a stream. */
const retryOnRecordAfter = { ...retryAfter, mostMs: 300_000 };
/** The number of distinct problems; beyond that the oldest is logged again. */
const mostIncidents = 50;

/** The tasks that fail, and what is logged of them. */
const createFailures = (reactor: string, log: Pick<Log, 'warn' | 'error'>) => {
  const failing = new Map<Cause, FailingTask>();
  /** Incidents by fault: an outage is one incident, even if many tasks fail because of it. */
  const incidents = new Map<string, Incident>();

  return {
    report(cause: Cause, error: unknown): void {
      const message = publicErrorOf(error);
      const { stream, type, position } = cause;
      failing.set(cause, { stream, type, position, error: message });
      let incident = incidents.get(message);
      if (!incident) {
        const [oldest] = incidents.keys();
        if (oldest !== undefined && incidents.size >= mostIncidents) incidents.delete(oldest);
        incident = createIncident(log, () => ({ reactor, stream, failing: failing.size }));
        incidents.set(message, incident);
      }
      incident.report(message, `a reaction to ${type} failed and will be tried again`);
    },
    over(cause: Cause): void {
      if (!failing.delete(cause) || failing.size > 0) return;
      for (const incident of incidents.values()) incident.over();
      incidents.clear();
    },
    list: (): FailingTask[] => [...failing.values()],
  };
};

export const createStreamTasks = (ports: {
  reactor: string;
  log: Pick<Log, 'warn' | 'error'>;
  /** When it aborts, nothing is tried any more. */
  signal: AbortSignal;
  time: Time;
  /** Streams whose tasks run at once. */
  mostAtOnce?: number | undefined;
}) => {
  const { reactor, log, signal, time, mostAtOnce = defaultAtOnce } = ports;
  /** Tasks that hold the checkpoint. */
  const open = new Map<Cause, Position>();
  /** Tasks that another task of their stream does. */
  const dropped = new WeakSet<Cause>();
  const failures = createFailures(reactor, log);
  const inTurn = createInTurn();
  const underWay = new Set<Promise<void>>();
  const slots = createSlots(mostAtOnce);
  const retrySlots = createSlots(Math.max(1, Math.floor(mostAtOnce / slotsForEachRetry)));
  /** Tasks of events that are on record as not done. */
  const onRecord = new WeakSet<Cause>();

  /** Whether the work was done: false when it was no longer wanted by its turn. */
  const withSlot = (cause: Cause, work: () => Promise<void>): Promise<boolean> => {
    const inSlot = () =>
      slots.whenFree(async () => {
        if (signal.aborted) return false;
        await work();
        return true;
      });
    return onRecord.has(cause) ? retrySlots.whenFree(inSlot) : inSlot();
  };

  const perform = async (cause: Cause, work: () => Promise<void>): Promise<void> => {
    let tries = 0;
    while (!signal.aborted && !dropped.has(cause)) {
      try {
        if (!(await withSlot(cause, work))) return;
        open.delete(cause);
        failures.over(cause);
        return;
      } catch (error) {
        if (signal.aborted) return;
        failures.report(cause, error);
        const backoff = onRecord.has(cause) ? retryOnRecordAfter : retryAfter;
        await time.pause(backoffMs(++tries, backoff), signal);
      }
    }
  };

  return {
    add(cause: Cause, work: () => Promise<void>): void {
      if (cause.before === undefined) onRecord.add(cause);
      else open.set(cause, cause.before);
      const task = inTurn(cause.stream, () => perform(cause, work));
      underWay.add(task);
      void task.then(() => underWay.delete(task));
    },
    /** The task also does the work of the tasks that wait behind it in its stream. */
    takeOver(by: Cause): void {
      let isBehind = false;
      for (const cause of open.keys()) {
        if (isBehind && cause.stream === by.stream) {
          open.delete(cause);
          dropped.add(cause);
        }
        isBehind ||= cause === by;
      }
    },
    /** A task that is tried again no longer holds the checkpoint: it is on record that its event is not done. */
    release(cause: Cause): void {
      open.delete(cause);
      onRecord.add(cause);
    },
    size: (): number => open.size,
    failing: failures.list,
    /** The place before everything that is not done, and not on record. */
    before(): Position | undefined {
      let oldest: Position | undefined;
      for (const before of open.values())
        oldest = oldest === undefined ? before : earlier(oldest, before);
      return oldest;
    },
    /** When the oldest event happened that holds the checkpoint, epoch ms. */
    oldestAt(): number | undefined {
      let oldest: string | undefined;
      for (const { at } of open.keys()) if (oldest === undefined || at < oldest) oldest = at;
      return oldest === undefined ? undefined : Date.parse(oldest);
    },
    /** Resolves when no task runs. */
    async idle(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
};
