/** The state of the followers of the log, for probes. */

import type { FollowerStatus } from '../../events/follow-log.ts';
import { Type } from '../../ground/type.ts';
import { OneOf, Timestamp } from '../../presenters/common.ts';

const stalledMs = 10_000;

export const lagOf = (head: bigint, position: bigint): string =>
  String(head > position ? head - position : 0n);

/** Seconds since the oldest event happened that is not done. */
export const lagSecondsOf = (
  { position, oldestAt }: { position: bigint; oldestAt?: number },
  head: bigint,
  now: number,
): number | undefined => {
  if (position >= head) return 0;
  return oldestAt === undefined ? undefined : Math.max(0, Math.round((now - oldestAt) / 1_000));
};

export const FollowerHealth = Type.Named('ReactorStatus', {
  name: Type.String(),
  state: OneOf(['running', 'standing-by', 'stuck']),
  position: Type.String(),
  lag: Type.String({ description: 'As of projections.' }),
  lag_seconds: Type.Optional(
    Type.Integer({ description: 'Seconds since the oldest unprocessed event happened.' }),
  ),
  failing: Type.Integer({ description: 'Failures that are tried again.' }),
  parked: Type.Integer({
    description:
      'Streams that were put aside because only a newer version of the service can read an event, or because what follows from an event is refused.',
  }),
  since: Type.Optional(Timestamp),
  error: Type.Optional(
    Type.String({
      description: 'Why it does not advance, or why one of the failing or parked reactions fails.',
    }),
  ),
});

/**
 * A follower that is behind the log and has not moved between two looks ten seconds apart makes no progress,
 * even if it reports otherwise. Answers with since when, epoch ms.
 */
export const createStallWatch = () => {
  const behind = new Map<string, { seen: bigint; since: number }>();
  return (
    { name, seen, state }: { name: string; seen: bigint; state: string },
    head: bigint,
    now: number,
  ): number | undefined => {
    if (state === 'standing-by' || seen >= head) {
      behind.delete(name);
      return undefined;
    }
    const before = behind.get(name);
    if (before?.seen === seen) return now - before.since > stalledMs ? before.since : undefined;
    behind.set(name, { seen, since: now });
    return undefined;
  };
};

/** Why a follower, or a part of its work, does not get on, and since when (epoch ms). */
const incidentOf = (
  { state, incident, failing, parked }: FollowerStatus,
  stalledSince: number | undefined,
): { since?: number; error: string } | undefined => {
  if (state === 'standing-by') return undefined;
  if (incident) return incident;
  if (stalledSince !== undefined) {
    return { since: stalledSince, error: 'The log advances, but none of it is processed.' };
  }
  const [first] = [...parked, ...failing];
  return first && { error: first.error };
};

export const presentFollower = (
  status: FollowerStatus,
  head: bigint,
  now: number,
  stalledSince: number | undefined,
) => {
  const incident = incidentOf(status, stalledSince);
  const lagSeconds = lagSecondsOf(status, head, now);
  const failing = status.failingCount + (status.incident ? 1 : 0);
  return {
    name: status.name,
    state: stalledSince === undefined ? status.state : ('stuck' as const),
    position: String(status.position),
    lag: lagOf(head, status.position),
    ...(lagSeconds === undefined ? {} : { lag_seconds: lagSeconds }),
    failing,
    parked: status.parkedCount,
    ...(incident?.since === undefined ? {} : { since: new Date(incident.since).toISOString() }),
    ...(incident ? { error: incident.error } : {}),
  };
};
