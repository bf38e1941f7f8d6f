/**
 * Streams that a reactor put aside, each from an event on. The reaction to that event is tried again with growing
 * pauses, and the later events follow in their order. Once a stream is on record, the checkpoint passes its events.
 */
import { isRefusal } from '../contract/errors.ts';
import type { EventStore, RecordedEvent } from '../events/event-store.ts';
import type { FollowerStatus, ParkedStream } from '../events/follow-log.ts';
import { type Lease, LeaseLost } from '../events/lease.ts';
import type { Position } from '../events/position.ts';
import type { Log } from '../ground/log.ts';
import { publicErrorOf } from '../ground/public-error.ts';
import type { Cause, createStreamTasks } from './stream-tasks.ts';

/** `before`: the place before the first event that is not done. */
export type ParkedFrom = ParkedStream & { before: Position };

/**
 * `failing`: the cause may pass by itself. `refused`: somebody has to remove the cause. `unreadable`: this version of
 * the program does not try again.
 */
type Why = 'failing' | 'refused' | 'unreadable';

type Parked = ParkedFrom & {
  why: Why;
  /** The version of the last event that came since. */
  latest: bigint;
  /** The version and the error on record. */
  onRecord: { version: bigint; error: string } | undefined;
};

/** Of the tasks and streams in a report. It goes from process to process, several times a second. */
const mostReported = 100;

class Unreadable extends Error {}

const whyOf = (error: unknown): Why => {
  if (error instanceof Unreadable) return 'unreadable';
  return isRefusal(error) ? 'refused' : 'failing';
};

type Ports = {
  reactor: string;
  store: Pick<EventStore, 'readStream'>;
  records: {
    park(name: string, stream: ParkedFrom, lease: Lease): Promise<void>;
    unpark(name: string, stream: string, lease: Lease): Promise<void>;
  };
  lease: Lease;
  tasks: Pick<ReturnType<typeof createStreamTasks>, 'add' | 'takeOver' | 'release' | 'failing'>;
  log: Pick<Log, 'error'>;
  /** Does what follows from an event. Throws, instead of rejecting, for an event that cannot be read. */
  react(recorded: RecordedEvent, before: Position): Promise<void> | undefined;
  /** A stream was parked. */
  onPark?: ((stream: string) => void) | undefined;
};

/** How a parked stream is tried again. `ended`: it is done up to its last event. */
const createRetry = (
  { reactor, store, records, lease, tasks, log, react }: Ports,
  parked: ReadonlyMap<string, Parked>,
  ended: (entry: Parked) => void,
) => {
  const reaction = (recorded: RecordedEvent, before: Position): Promise<void> | undefined => {
    try {
      return react(recorded, before);
    } catch (error) {
      throw new Unreadable(publicErrorOf(error));
    }
  };

  /** Reads the stream to its end and does what follows. */
  const catchUp = async (entry: Parked): Promise<void> => {
    const { stream } = entry;
    for (let isEnd = false; !isEnd; isEnd = entry.latest < entry.version) {
      const events = await store.readStream(stream, { from: entry.version });
      if (events.length === 0 && entry.latest >= entry.version) {
        throw new Error('The stream cannot be read up to its last event.');
      }
      for (const event of events) {
        Object.assign(entry, { version: event.version, type: event.type });
        await reaction(event, entry.before);
        Object.assign(entry, { version: event.version + 1n, before: event.position });
      }
    }
    ended(entry);
  };

  /** Records from which event on the stream is not done, and why. */
  const record = async (entry: Parked, cause: Cause, reason: unknown): Promise<void> => {
    const { stream, type, version, before, onRecord } = entry;
    const error = publicErrorOf(reason);
    const why = whyOf(reason);
    if (why !== entry.why && why !== 'failing') {
      log.error({ reactor, stream, type, err: error }, 'a stream is parked');
    }
    Object.assign(entry, { error, why });
    if (onRecord?.version !== version || onRecord.error !== error) {
      await records.park(reactor, { stream, version, type, error, before }, lease);
      entry.onRecord = { version, error };
    }
    tasks.release(cause);
  };

  return async (entry: Parked, cause: Cause): Promise<void> => {
    try {
      if (parked.get(entry.stream) === entry) await catchUp(entry);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      await record(entry, cause, error);
      if (entry.why === 'unreadable') return;
      throw error;
    }
    if (entry.onRecord) await records.unpark(reactor, entry.stream, lease);
  };
};

export const createParkedStreams = (ports: Ports) => {
  const { tasks } = ports;
  const parked = new Map<string, Parked>();
  /** Streams that were parked, and the version up to which they are done. */
  const doneUpTo = new Map<string, bigint>();

  const resume = createRetry(ports, parked, ({ stream, version, latest }) => {
    parked.delete(stream);
    const done = version - 1n;
    if (latest < done) doneUpTo.set(stream, done);
  });

  return {
    /**
     * Whether an event needs no task of its own: its stream is parked, or was and has been read further.
     */
    takes({ stream, version }: RecordedEvent): boolean {
      const entry = parked.get(stream);
      if (entry) entry.latest = version;
      const done = doneUpTo.get(stream) ?? -1n;
      if (version >= done) doneUpTo.delete(stream);
      return entry !== undefined || version <= done;
    },
    /** Parks the stream of a task. Returns the task's work from now on. */
    park(recorded: RecordedEvent, cause: Cause & { before: Position }): () => Promise<void> {
      const { stream, version, type } = recorded;
      const { before } = cause;
      const latest = parked.get(stream)?.latest ?? version;
      const entry: Parked = {
        stream,
        version,
        type,
        before,
        latest,
        error: '',
        why: 'failing',
        onRecord: undefined,
      };
      parked.set(stream, entry);
      tasks.takeOver(cause);
      ports.onPark?.(stream);
      return () => resume(entry, cause);
    },
    /** Takes up the streams that the previous owner left. */
    takeUp(streams: readonly ParkedFrom[]): void {
      for (const one of streams) {
        const { stream, version, type, error, before } = one;
        const onRecord = { version, error };
        const entry: Parked = { ...one, why: 'refused', latest: version - 1n, onRecord };
        parked.set(stream, entry);
        const cause = { stream, type, position: before, at: new Date().toISOString() };
        tasks.add(cause, () => resume(entry, cause));
      }
    },
    size: (): number => parked.size,
    /** Streams whose cause may pass by itself are failing, like other tasks that are tried again. */
    report(): Pick<FollowerStatus, 'failing' | 'failingCount' | 'parked' | 'parkedCount'> {
      const aside = [...parked.values()].filter(({ why }) => why !== 'failing');
      const names = new Set(aside.map(({ stream }) => stream));
      const failing = tasks.failing().filter(({ stream }) => !names.has(stream));
      return {
        failing: failing.slice(0, mostReported),
        failingCount: failing.length,
        parked: aside
          .slice(0, mostReported)
          .map(({ stream, version, type, error }) => ({ stream, version, type, error })),
        parkedCount: aside.length,
      };
    },
  };
};
