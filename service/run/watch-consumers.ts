/**
 * Watches every consumer of the log, now and then and whenever a probe asks: how far behind it is, since when
 * it is stuck, and why. Logs consumers that are stuck without knowing it.
 */

import type { FollowerStatus } from '../../events/follow-log.ts';
import { within } from '../../ground/deadline.ts';
import { createIncident, type Incident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import { singleFlight } from '../../ground/single-flight.ts';
import type { ProjectionStatus } from '../../projections/status-board.ts';
import { createStallWatch, lagOf, lagSecondsOf, presentFollower } from './follower-health.ts';

/** Further behind than this the service is not ready. */
const maxLag = { events: 10_000n, seconds: 30 };
const lookEveryMs = 5_000;
/** How long a probe waits for the log or the database. Probes give up after a second or two themselves. */
export const patienceMs = 1_000;

export type ConsumerPorts = {
  clock: () => number;
  head: () => Promise<bigint>;
  /** When the first event after a position happened, epoch ms. */
  happenedAfter: (position: bigint) => Promise<number | undefined>;
  projections: () => ProjectionStatus[];
  reactors: () => FollowerStatus[];
  log: Pick<Log, 'warn' | 'error'>;
};

export type Outlook = Awaited<ReturnType<ReturnType<typeof createConsumerWatch>['look']>>;

const inTime = <T>(work: Promise<T>): Promise<T> =>
  within(patienceMs, work, () => {
    const seconds = patienceMs / 1_000;
    return new Error(`the event store does not answer within ${seconds} s`);
  });

export const createConsumerWatch = (ports: ConsumerPorts) => {
  const { clock, log } = ports;
  const stalledSince = createStallWatch();
  const incidents = new Map<string, Incident>();
  const currentHead = singleFlight(ports.head);
  let head = 0n;

  /** The head as it is, or was when it could last be read. */
  const readHead = async (): Promise<{ away?: unknown }> => {
    try {
      head = await inTime(currentHead());
      return {};
    } catch (away) {
      return { away };
    }
  };

  /** The age of what is behind each of these positions, as the log tells it. */
  const happened = async (positions: bigint[]): Promise<Map<bigint, number | undefined>> => {
    const behind = [...new Set(positions)].filter((position) => position < head);
    const times = behind.map(async (position) => {
      const at = await inTime(ports.happenedAfter(position)).catch(() => undefined);
      return [position, at] as const;
    });
    return new Map(await Promise.all(times));
  };

  const report = (incident: Incident, position: bigint): void =>
    incident.report(`the log continues after position ${position}`, 'processes nothing of the log');

  const tell = (name: string, stalled: number | undefined, position: bigint): void => {
    const incident = incidents.get(name) ?? createIncident(log, { follower: name });
    incidents.set(name, incident);
    if (stalled === undefined) incident.over();
    else report(incident, position);
  };

  /** Read models take the log together: one line tells of all that stand still. */
  let still: string[] = [];
  const ofProjections = createIncident(log, () => ({ follower: 'projections', names: still }));
  const tellOfProjections = (silent: ProjectionStatus[]): void => {
    const [first] = silent;
    if (first) {
      still = silent.map(({ name }) => name);
      report(ofProjections, first.position);
    } else ofProjections.over();
  };

  const projectionStalledSince = (status: ProjectionStatus, now: number): number | undefined =>
    stalledSince(
      { ...status, name: `projection ${status.name}`, seen: status.position },
      head,
      now,
    );

  const presentProjection = (
    status: ProjectionStatus,
    { now, stalled }: { now: number; stalled: number | undefined },
  ) => {
    const { name, position, oldestAt } = status;
    const silent =
      stalled === undefined
        ? undefined
        : { since: stalled, error: 'The log advances, but none of it is processed.' };
    const { since, error } = status.error === undefined ? (silent ?? {}) : status;
    const seconds = lagSecondsOf({ position, ...(oldestAt ? { oldestAt } : {}) }, head, now);
    return {
      name,
      state: status.state === 'running' && error !== undefined ? ('stuck' as const) : status.state,
      position: String(position),
      lag: lagOf(head, position),
      ...(seconds === undefined ? {} : { lag_seconds: seconds }),
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      ...(error === undefined ? {} : { error }),
    };
  };

  const presentReactor = (status: FollowerStatus, now: number) => {
    const stalled = stalledSince(status, head, now);
    tell(status.name, status.incident ? undefined : stalled, status.seen);
    return presentFollower(status, head, now, stalled);
  };

  const look = async () => {
    const { away } = await readHead();
    const [projections, reactors] = [ports.projections(), ports.reactors()];
    const unaged = [...projections, ...reactors].filter(({ oldestAt }) => oldestAt === undefined);
    const times = away ? undefined : await happened(unaged.map(({ position }) => position));
    const aged = <S extends { position: bigint; oldestAt?: number }>(status: S): S => {
      const oldestAt = status.oldestAt ?? times?.get(status.position);
      return oldestAt === undefined ? status : { ...status, oldestAt };
    };
    const now = clock();
    const stalls = projections.map((status) => projectionStalledSince(status, now));
    tellOfProjections(
      projections.filter((status, n) => status.error === undefined && stalls[n] !== undefined),
    );
    latest = {
      head,
      /** The error that prevents reading the head. */
      away,
      projections: projections.map((status, n) =>
        presentProjection(aged(status), { now, stalled: stalls[n] }),
      ),
      reactors: reactors.map((status) => presentReactor(aged(status), now)),
    };
    return latest;
  };

  type Looked = {
    head: bigint;
    away: unknown;
    projections: ReturnType<typeof presentProjection>[];
    reactors: ReturnType<typeof presentReactor>[];
  };
  let latest: Looked = { head, away: undefined, projections: [], reactors: [] };
  const timer = setInterval(() => void look().catch(() => {}), lookEveryMs);
  timer.unref();

  return {
    look,
    /** The last observation, at most five seconds old. */
    latest: () => latest,
    stop: () => clearInterval(timer),
  };
};

/** Whether a read model may lack a new write, and will for some time. */
export const isBehind = (
  { position, state, error, lag, lag_seconds: seconds = 0 }: Outlook['projections'][number],
  { head, dense }: { head: bigint; dense: boolean },
): boolean => {
  if (state === 'halted') return true;
  if (BigInt(position) < head && error !== undefined) return true;
  return dense ? BigInt(lag) > maxLag.events : seconds > maxLag.seconds;
};
