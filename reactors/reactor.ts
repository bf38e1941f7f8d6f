/**
 * Runs what follows from events: at least once, in order per stream, each reactor from its own checkpoint.
 * A task that fails is tried again while other streams go on; the checkpoint stays before the oldest
 * unfinished event, so that nothing is forgotten by a crash. A stream is parked from an event on that this
 * version of the program cannot read, or whose command is refused again and again: the checkpoint moves on,
 * and the next owner tries the stream again.
 */

import { type AnyEvent, decodeEvent } from '../events/envelope.ts';
import type { EventMark, EventStore, RecordedEvent } from '../events/event-store.ts';
import {
  type FollowedBatch,
  type Follower,
  followLog,
  type ParkedStream,
} from '../events/follow-log.ts';
import { type Lease, LeaseLost, type Leases } from '../events/lease.ts';
import { earlier, type Position } from '../events/position.ts';
import { UnknownEventType } from '../events/registry.ts';
import { createIncident } from '../ground/incident.ts';
import type { Log } from '../ground/log.ts';
import { publicErrorOf } from '../ground/public-error.ts';
import { realTime, type Time } from '../ground/time.ts';
import { inSpan, linksTo } from '../ground/tracing.ts';
import { createStreamTasks } from './stream-tasks.ts';
import { untilRefused } from './until-refused.ts';

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

/** `before`: the place before the first event that cannot be read. */
export type ParkedFrom = ParkedStream & { before: Position };

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
const saveEveryMs = 1_000;

/** The state of an owner in memory, from when it begins until the lease is over. */
const createSession = (reactor: Reactor, ports: Ports, lease: Lease) => {
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
  const parked = new Map<string, ParkedFrom>();
  /** Streams that were parked, and the version up to which they were read again. */
  const readAgain = new Map<string, bigint>();
  const saving = createIncident(log, { reactor: name });
  let seen: Position | undefined;
  let last: EventMark | undefined;
  let saved: Position | undefined;

  const park = (recorded: RecordedEvent, before: Position, reason: unknown): void => {
    const { stream, version, type, position } = recorded;
    const error = publicErrorOf(reason);
    const entry = { stream, version, type, error, before };
    parked.set(stream, entry);
    reactor.parked?.(stream);
    log.error({ reactor: name, stream, type, err: error }, 'a stream is parked');
    const cause = { stream, type, position, before, at: new Date().toISOString() };
    tasks.add(cause, () => checkpoints.park(name, entry, lease));
  };

  const add = (recorded: RecordedEvent, before: Position): void => {
    const { stream, version, type, position } = recorded;
    if (parked.has(stream)) return;
    try {
      const event = decodeEvent(recorded);
      const task = reactor.react(event, before);
      if (!task) return;
      const about = { parent: 'none', attributes: { 'letters.event_type': type } } as const;
      const work = () =>
        inSpan(`react ${name}`, about, async (span) => {
          // The stream may be parked since, because an event before this one is refused.
          const from = parked.get(stream)?.version;
          if (from !== undefined && from <= version) return;
          if (span.isRecording()) span.addLinks(linksTo([recorded.traceparent]));
          await lease.check();
          await task(lease);
        });
      tasks.add(
        { stream, type, position, before, at: event.metadata.at },
        untilRefused(work, (error) => park(recorded, before, error)),
      );
    } catch (error) {
      // A type that this program does not know needs no reaction.
      if (!(error instanceof UnknownEventType)) park(recorded, before, error);
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
    seen: () => seen,
    /** Reads parked streams again, from the event on that could not be read. */
    async readParked(): Promise<void> {
      for (const entry of await checkpoints.parked(name)) {
        const { stream, version, before } = entry;
        const events = await store.readStream(stream, { from: version });
        const [first] = events;
        for (const event of events) add(event, before);
        readAgain.set(stream, events.at(-1)?.version ?? version - 1n);
        if (!first || parked.has(stream)) continue;
        const { type, position } = first;
        const cause = { stream, type, position, before, at: new Date().toISOString() };
        tasks.add(cause, async () => {
          if (!parked.has(stream)) await checkpoints.unpark(name, stream, lease);
        });
      }
    },
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
        if (event.version > (readAgain.get(event.stream) ?? -1n)) add(event, before);
        before = event.position;
      }
      seen = batch.position;
      last = batch.events.at(-1) ?? last;
      while (tasks.size() > maxOpen && !signal.aborted) await time.pause(20, signal);
    },
    async finish(): Promise<void> {
      await tasks.idle();
      await save();
    },
    report() {
      const [position, oldestAt] = [done(), tasks.oldestAt()];
      return {
        failing: tasks.failing(),
        parked: [...parked.values()].map(({ stream, version, type, error }) => ({
          stream,
          version,
          type,
          error,
        })),
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
        // Events already received are in memory and in work: only a new owner begins at the checkpoint.
        if (session?.lease === lease) {
          const seen = session.seen();
          if (seen !== undefined) return seen;
        }
        reactor.forget?.();
        const begun = createSession(reactor, ports, lease);
        const place = await ports.checkpoints.read(name);
        await begun.readParked();
        session = begun;
        void begun.saver();
        return place;
      },
      take: async (batch) => session?.take(batch),
      finish: async () => session?.finish(),
      report: () => session?.report() ?? {},
    },
    ports,
  );
};
