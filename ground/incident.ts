import type { Log } from './log.ts';
import { messageOf } from './message-of.ts';

/** Since when something cannot go on (epoch ms), and why. */
export type IncidentStatus = { since: number; error: string };

const sayEveryMs = 30_000;

/**
 * A condition that keeps a part of the service from continuing. Logged at once, every 30 s while it lasts,
 * and when it ends.
 */
export const createIncident = (
  log: Pick<Log, 'warn' | 'error'>,
  fields: object | (() => object),
  /** It is over only when nothing was reported for this time. */
  { calmMs = 0 }: { calmMs?: number } = {},
) => {
  const about = (): object => (typeof fields === 'function' ? fields() : fields);
  let status: IncidentStatus | undefined;
  let times = 0;
  let saidMs = 0;
  let reportedMs = 0;

  return {
    status: (): IncidentStatus | undefined => status,
    report(error: unknown, what: string): void {
      const begins = status === undefined;
      status = { since: status?.since ?? Date.now(), error: messageOf(error) };
      times++;
      reportedMs = performance.now();
      if (!begins && performance.now() - saidMs < sayEveryMs) return;
      saidMs = performance.now();
      const since = new Date(status.since).toISOString();
      log.error({ ...about(), err: status.error, since, times }, what);
    },
    over(): void {
      if (status === undefined || performance.now() - reportedMs < calmMs) return;
      const forMs = Date.now() - status.since;
      log.warn({ ...about(), forMs, times }, 'goes on again');
      status = undefined;
      times = 0;
    },
  };
};

export type Incident = ReturnType<typeof createIncident>;
