/**
 * Runs what follows from events: at least once, in order per stream, each reactor from its own checkpoint.
 * A task that fails is tried again while other streams go on; the checkpoint stays before the oldest
 * unfinished event, so that nothing is forgotten by a crash. A stream whose task fails again and again is parked from
 * its event on: the checkpoint moves on, and the stream is tried again with growing pauses until it is done. A stream
 * with an event that this version of the program cannot read waits for the next owner.
 */

import { type AnyEvent, decodeEvent } from '../events/envelope.ts';
import type { EventMark, EventStore, RecordedEvent } from '../events/event-store.ts';
import { type FollowedBatch, type Follower, followLog } from '../events/follow-log.ts';
import { type Lease, LeaseLost, type Leases } from '../events/lease.ts';
import { earlier, type Position } from '../events/position.ts';
import { UnknownEventType } from '../events/registry.ts';
import { createIncident } from '../ground/incident.ts';
import type { Log } from '../ground/log.ts';
import { realTime, type Time } from '../ground/time.ts';
import { inSpan, linksTo } from '../ground/tracing.ts';
import { createParkedStreams, type ParkedFrom } from './parked-streams.ts';
import { type Cause, createStreamTasks } from './stream-tasks.ts';

/** Safe to repeat. Asks `lease.check()` before what cannot be taken back and what nothing else guards. */
export type Task = (lease: Lease) => Promise<void>;

export type Reactor = {
  name: string;
  /** Streams whose tasks run at once. Absent: 64. */
  mostAtOnce?: number;
  /** The task for an event. `before`: the position before it, to be given back by `holds`. */
  react(event: AnyEvent, before: Position): Task | undefined;
  /** From where on it still needs to be shown the log after a restart. */
  holds?(): Position | undefined;
  /** Another process may have continued meanwhile: events in memory are of no use. */
  forget?(): void;
  /** A stream of which it is shown nothing more for now. */
  parked?(stream: string): void;
};

/** Checkpoints of reactors in the log. Writes count under the lease only. @throws LeaseLost */
export type Checkpoints = {
  read(name: string): Promise<bigint>;
  /** `last`: the last event that came, which may be behind `position`. */
  save(name: string, position: Position, lease: Lease, last?: EventMark): Promise<void>;
  parked(name: string): Promise<ParkedFrom[]>;
  park(name: string, stream: ParkedFrom, lease: Lease): Promise<void>;
  unpark(name: string, stream: string, lease: Lease): Promise<void>;
};

type Ports = {
  store: Pick<EventStore, 'subscribe' | 'floor' | 'readStream'>;
  checkpoints: Checkpoints;
  leases: Leases;
  log: Pick<Log, 'warn' | 'error'>;
  time?: Time;
};

const maxOpen = 5_000;
/** Parked streams in memory. More of them are not the fault of single streams, so the log waits. */
const maxParked = 50_000;
/** Tries of a task before its stream is parked. They take about six seconds. */
const triesBeforeParking = 6;
const saveEveryMs = 1_000;

/** The task for an event, and when the event happened. @throws Error for an event that cannot be read */
const taskOf = (
  reactor: Reactor,
  recorded: RecordedEvent,
  before: Position,
): { task: Task; at: string } | undefined => {
  try {
    const event = decodeEvent(recorded);
    const task = reactor.react(event, before);
    return task && { task, at: event.metadata.at };
  } catch (error) {
    // A type that this program does not know needs no reaction.
    if (error instanceof UnknownEventType) return undefined;
    throw error;
  }
};

/** The state of an owner in memory, from when it begins until the lease is over. */
const createSession = (reactor: Reactor, ports: Ports, lease: Lease, begunAt: bigint) => {
  const { checkpoints, store, log, time = realTime } = ports;
  const { name } = reactor;
  const { signal } = lease;
  const tasks = createStreamTasks({
    reactor: name,
    log,
    signal,
    time,
    mostAtOnce: reactor.mostAtOnce,
  });
  const saving = createIncident(log, { reactor: name });
  let seen: Position | undefined;
  let last: EventMark | undefined;
  let saved: Position | undefined;

  /** Does what follows from an event, if anything does. */
  const perform = (recorded: RecordedEvent, task: Task): Promise<void> =>
    inSpan(
      `react ${name}`,
      { parent: 'none', attributes: { 'letters.event_type': recorded.type } },
      async (span) => {
        if (span.isRecording()) span.addLinks(linksTo([recorded.traceparent]));
        await lease.check();
        await task(lease);
      },
    );

  const parked = createParkedStreams({
    reactor: name,
    store,
    records: checkpoints,
    lease,
    tasks,
    log,
    react(recorded, before) {
      const found = taskOf(reactor, recorded, before);
      return found && perform(recorded, found.task);
    },
    onPark: reactor.parked,
  });

  /** Tries a task, and after some tries all that follows in its stream. */
  const untilParked = (
    recorded: RecordedEvent,
    cause: Cause & { before: Position },
    task: Task,
  ) => {
    let failures = 0;
    let work = async (): Promise<void> => {
      try {
        await perform(recorded, task);
      } catch (error) {
        failures += 1;
        const isParked = failures >= triesBeforeParking && !(error instanceof LeaseLost);
        if (isParked) work = parked.park(recorded, cause);
        throw error;
      }
    };
    return () => work();
  };

  const add = (recorded: RecordedEvent, before: Position): void => {
    const { stream, type, position } = recorded;
    if (parked.takes(recorded)) return;
    try {
      const found = taskOf(reactor, recorded, before);
      if (!found) return;
      const { task, at } = found;
      const timed = { stream, type, position, before, at };
      tasks.add(timed, untilParked(recorded, timed, task));
    } catch {
      const now = { stream, type, position, before, at: new Date().toISOString() };
      tasks.add(now, parked.park(recorded, now));
    }
  };

  /** Everything up to here is done. */
  const done = (): Position | undefined => {
    if (seen === undefined) return undefined;
    const before = [tasks.before(), reactor.holds?.()].filter((one) => one !== undefined);
    return before.reduce(earlier, seen);
  };

  const save = async (): Promise<void> => {
    const position = done();
    if (position === undefined || (saved !== undefined && position <= saved)) return;
    await checkpoints.save(name, position, lease, last);
    saved = position;
  };

  return {
    lease,
    /** Where it goes on with the log. */
    place: (): bigint => seen ?? begunAt,
    /** Takes up parked streams, each from the event on that is not done. */
    readParked: async (): Promise<void> => parked.takeUp(await checkpoints.parked(name)),
    /** Saves its place now and then for as long as it owns. */
    async saver(): Promise<void> {
      while (!signal.aborted) {
        await time.pause(saveEveryMs, signal);
        try {
          await save();
          saving.over();
        } catch (error) {
          if (!(error instanceof LeaseLost)) saving.report(error, 'the checkpoint is not saved');
        }
      }
    },
    async take(batch: FollowedBatch): Promise<void> {
      let before = batch.after;
      for (const event of batch.events) {
        add(event, before);
        before = event.position;
      }
      seen = batch.position;
      last = batch.events.at(-1) ?? last;
      while ((tasks.size() > maxOpen || parked.size() > maxParked) && !signal.aborted)
        await time.pause(20, signal);
    },
    async finish(): Promise<void> {
      await tasks.idle();
      await save();
    },
    report() {
      const [position, oldestAt] = [done(), tasks.oldestAt()];
      return {
        ...parked.report(),
        ...(position === undefined ? {} : { position }),
        ...(oldestAt === undefined ? {} : { oldestAt }),
      };
    },
  };
};

export const startReactor = (reactor: Reactor, ports: Ports): Follower => {
  const { name } = reactor;
  let session: ReturnType<typeof createSession> | undefined;
  return followLog(
    {
      name,
      tracesTasks: true,
      async place(lease) {
        // Events already received and parked streams are in memory and in work: only a new owner begins at the
        // checkpoint.
        if (session?.lease === lease) return session.place();
        reactor.forget?.();
        const begun = createSession(reactor, ports, lease, await ports.checkpoints.read(name));
        await begun.readParked();
        session = begun;
        void begun.saver();
        return begun.place();
      },
      take: async (batch) => session?.take(batch),
      finish: async () => session?.finish(),
      report: () => session?.report() ?? {},
    },
    ports,
  );
};
