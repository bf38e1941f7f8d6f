/**
 * Follows the log for a consumer. It owns the work, so that one process at a time does it; begins at the
 * consumer's checkpoint; hands over one batch after the other; tries again after a failure; reports. Each
 * batch comes at least once, in order.
 */
import { createBackoff } from '../ground/backoff.ts';
import { createIncident, type IncidentStatus } from '../ground/incident.ts';
import type { Log } from '../ground/log.ts';
import { realTime, type Time } from '../ground/time.ts';
import { inSpan, linksTo } from '../ground/tracing.ts';
import { createCollector, usualCollectMs } from './collect.ts';
import { type EventBatch, type EventStore, OtherLog, type RecordedEvent } from './event-store.ts';
import { type Lease, type Leases, noLeases } from './lease.ts';
import type { Position } from './position.ts';

/** `after`: the place before its first event, as the store gave it. */
export type FollowedBatch = EventBatch & { after: Position };

/** A consumer of the log. */
export type Consumer = {
  name: string;
  /** Events in a batch at most; absent: what the store gives. */
  limit?: number;
  /**
   * How far apart small batches begin, in milliseconds. The first batch after an idle time and the batch after a
   * large one begin at once. 0: every batch begins at once. Absent: as read models do.
   */
  collectMs?: number;
  /**
   * The position to start from. Called at every start: as a new owner, and again after a failure. State in
   * memory is of no use then.
   */
  place(lease: Lease): Promise<bigint>;
  /**
   * Does, or makes sure of, what follows from a batch. The next one comes when it resolves.
   * @throws PlaceMoved to begin anew at once; anything else to begin anew after a pause, reported
   */
  take(batch: FollowedBatch, lease: Lease): Promise<void>;
  /**
   * Called when the owner ends in order, still owning: running work may end, and its checkpoint may be saved.
   */
  finish?(lease: Lease): Promise<void>;
  /** It has a span for each task instead of one for each batch. */
  tracesTasks?: boolean;
  /** Status that the follower does not know by itself. */
  report?(): Partial<
    Pick<
      FollowerStatus,
      'position' | 'seen' | 'oldestAt' | 'failing' | 'failingCount' | 'parked' | 'parkedCount'
    >
  >;
};

export type FailingTask = { stream: string; type: string; position: Position; error: string };

/** A stream that is put aside from an event on that cannot be read, or whose task is refused again and again. */
export type ParkedStream = { stream: string; version: bigint; type: string; error: string };

export type FollowerStatus = {
  name: string;
  /** `standing-by`: it is not this process's to do. `stuck`: it tries, and does not get on. */
  state: 'running' | 'standing-by' | 'stuck';
  /** Everything up to here is done. */
  position: Position;
  /** Up to here the log was read. */
  seen: Position;
  /** When it last got on, epoch ms. */
  movedAt: number;
  /** Why it does not get on. */
  incident?: IncidentStatus;
  /** The store came back with another log: nothing continues until the right one is there. */
  otherLog?: true;
  /** When the oldest event happened that came and is not done, epoch ms. */
  oldestAt?: number;
  /** Some of the tasks that failed and wait for another try. */
  failing: FailingTask[];
  /** The number of all of them. */
  failingCount: number;
  /** Some of the parked streams. */
  parked: ParkedStream[];
  /** The number of all of them. */
  parkedCount: number;
};

export type Follower = {
  status(): FollowerStatus;
  /** Begins anew at its place, because that may have changed. */
  restart(): void;
  /** Somebody waits for `position`: until it is handled, batches follow each other without a pause. */
  want(position: bigint): void;
  /** Resolves when it has ended in order. */
  stop(): Promise<void>;
};

export type FollowerPorts = {
  store: Pick<EventStore, 'subscribe' | 'floor'>;
  /** Absent: several may follow at once; they move their checkpoint by compare-and-set. */
  leases?: Leases;
  log: Pick<Log, 'warn' | 'error'>;
  time?: Time;
};

/** The place is not where the consumer left it. No failure: somebody else wrote, or an answer was lost. */
export class PlaceMoved extends Error {}

const movedMs = 50;
const retryAfter = { firstMs: 250, mostMs: 5_000 };

/** When an event happened, epoch ms. Undefined for events of others. */
export const happenedAt = ({ metadata }: Pick<RecordedEvent, 'metadata'>): number | undefined => {
  const at = /"at":"([^"]{20,40})"/.exec(metadata)?.[1];
  return at === undefined ? undefined : Date.parse(at);
};

/** Does what follows from a batch in a trace of its own, linked to those that appended its events. */
const traceBatch = (
  { name, tracesTasks }: Consumer,
  { events }: EventBatch,
  take: () => Promise<void>,
): Promise<void> => {
  if (tracesTasks || events.length === 0) return take();
  return inSpan(`follow ${name}`, { parent: 'none' }, (span) => {
    if (span.isRecording()) {
      span.addLinks(linksTo(events.map(({ traceparent }) => traceparent)));
      span.setAttribute('letters.events', events.length);
    }
    return take();
  });
};

/** Follows the log until `stop`. */
export const followLog = (consumer: Consumer, ports: FollowerPorts): Follower => {
  const { store, leases = noLeases, log, time = realTime } = ports;
  const { name } = consumer;
  const stopping = new AbortController();
  const incident = createIncident(log, () => ({ follower: name, position: String(seen) }));
  let restarting = new AbortController();
  let owner = false;
  let seen: Position = 0n;
  let movedAt = Date.now();
  let inHand: EventBatch | undefined;
  const backoff = createBackoff(retryAfter);
  let otherLog = false;
  const collector = createCollector(consumer.collectMs ?? usualCollectMs, time);

  const isWell = (): void => {
    backoff.reset();
    otherLog = false;
    incident.over();
  };

  const gotOn = (): void => {
    movedAt = Date.now();
    inHand = undefined;
    isWell();
  };

  /** From its place on, until it is to begin anew. */
  const follow = async (lease: Lease): Promise<void> => {
    restarting = new AbortController();
    seen = await store.floor(await consumer.place(lease));
    const signal = AbortSignal.any([lease.signal, restarting.signal]);
    const batches = store.subscribe({
      after: seen,
      signal,
      onIncident: (error) => incident.report(error, 'the log cannot be read'),
      onIdle: isWell,
      ...(consumer.limit === undefined ? {} : { limit: consumer.limit }),
    });
    for await (const batch of batches) {
      if (signal.aborted) return;
      const beganMs = time.elapsedMs();
      inHand = batch;
      await traceBatch(consumer, batch, () => consumer.take({ ...batch, after: seen }, lease));
      seen = batch.position;
      gotOn();
      await collector.collect({ size: batch.events.length, position: seen, beganMs }, signal);
    }
  };

  const followWhileOwned = async (lease: Lease): Promise<void> => {
    while (!lease.signal.aborted) {
      try {
        await follow(lease);
      } catch (error) {
        if (lease.signal.aborted) return;
        if (error instanceof PlaceMoved) await time.pause(movedMs, lease.signal);
        else {
          otherLog = error instanceof OtherLog;
          incident.report(error, 'does not get on with the log and tries again');
          await time.pause(backoff.nextMs(), lease.signal);
        }
      }
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const lease = await leases.own(name, stopping.signal);
      if (!lease) return;
      owner = true;
      const signal = AbortSignal.any([stopping.signal, lease.signal]);
      await followWhileOwned({ ...lease, signal });
      if (!lease.signal.aborted) {
        await consumer.finish?.(lease).catch((error) => {
          log.warn({ follower: name, err: String(error) }, 'its place is not saved');
        });
      } else log.warn({ follower: name }, 'is not owned by this process any more');
      owner = false;
      inHand = undefined;
      await lease.release();
    }
  };

  const ended = run();

  return {
    status() {
      const first = inHand?.events[0];
      const {
        seen: read = seen,
        position = read,
        oldestAt = first && happenedAt(first),
        failing = [],
        failingCount = failing.length,
        parked = [],
        parkedCount = parked.length,
      } = consumer.report?.() ?? {};
      const why = incident.status();
      return {
        name,
        state: why ? 'stuck' : owner ? 'running' : 'standing-by',
        position,
        seen: read,
        movedAt,
        failing,
        failingCount,
        parked,
        parkedCount,
        ...(why ? { incident: why } : {}),
        ...(otherLog ? { otherLog } : {}),
        ...(oldestAt === undefined ? {} : { oldestAt }),
      };
    },
    restart: () => restarting.abort(),
    want: (position) => collector.want(position),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
};
