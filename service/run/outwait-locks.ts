/** A start that waits for locks which others hold in the database, for example a long statement of an administrator. */
import { StartRefused } from '../../contract/start-refused.ts';
import type { Log } from '../../ground/log.ts';
import { pause } from '../../ground/pause.ts';
import { connectClient, createClient } from '../../infra/event-store/postgres/connection.ts';

const usualPatienceMs = 600_000;
const lookMs = 1_000;
/** A statement of the service that waited for a lock has failed within this time (`queryTimeoutMs`). */
const recentMs = 15_000;

type Wait = { waiting: string; holder: string; pid: number };

/** Connections of the service that wait for others. Prepared transactions have no connection: their id is 0. */
const question = `
select waiting.application_name as waiting, held.pid,
  coalesce(nullif(holder.application_name, ''), 'without a name')
    || coalesce(' of ' || holder.usename, '') as holder
from pg_stat_activity waiting
cross join lateral unnest(pg_blocking_pids(waiting.pid)) as held (pid)
left join pg_stat_activity holder on holder.pid = held.pid
where waiting.datname = current_database() and waiting.application_name like 'letters-%'
  and coalesce(holder.application_name, '') not like 'letters-%'
order by waiting.query_start limit 1`;

const describeWait = ({ waiting, holder, pid }: Wait): string =>
  pid === 0
    ? `${waiting} waits for a lock that a prepared transaction holds`
    : `${waiting} waits for a lock that another connection (${holder}, process ${pid}) holds`;

const remedyOf = ({ pid }: Wait): string =>
  pid === 0 ? 'end it (pg_prepared_xacts)' : `end it, or run: select pg_terminate_backend(${pid})`;

/** Looks for locks until `signal` aborts. `over`: rejects when the start has waited for as long as it may. */
const watchLocks = (url: string, log: Log, patienceMs: number, signal: AbortSignal) => {
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let sinceMs: number | undefined;
  let said = '';
  const see = (wait: Wait | undefined): void => {
    const nowMs = performance.now();
    if (!wait) {
      // Between two attempts nothing waits.
      if (nowMs - seenAtMs > recentMs) sinceMs = undefined;
      return;
    }
    seenAtMs = nowMs;
    sinceMs ??= nowMs;
    const described = describeWait(wait);
    if (described !== said) log.warn({}, `the start waits: ${described}; ${remedyOf(wait)}`);
    said = described;
    if (nowMs - sinceMs < patienceMs) return;
    const seconds = Math.round(patienceMs / 1_000);
    reject(
      new StartRefused(
        `DATABASE_URL: after ${seconds} s ${described}; ${remedyOf(wait)}, and start again.`,
      ),
    );
  };
  const look = async (): Promise<void> => {
    const client = createClient({ url, applicationName: 'lock-watch', query_timeout: lookMs * 5 });
    try {
      await connectClient(client);
      while (!signal.aborted) {
        await pause(lookMs, signal);
        if (!signal.aborted) see((await client.query<Wait>(question)).rows[0]);
      }
    } finally {
      await client.end();
    }
  };
  const ended = (async () => {
    while (!signal.aborted) {
      await look().catch(() => undefined);
      await pause(lookMs, signal);
    }
  })();
  const isRecent = (): boolean => performance.now() - seenAtMs < recentMs;
  return { over, reject, isRecent, ended };
};

/**
 * Starts again as long as the start fails while it waits for a lock that somebody else holds.
 * @throws StartRefused when that takes too long; the reason of `stopping` when that aborts meanwhile
 */
export const outwaitLocks = async <T>(
  options: { url: string; log: Log; stopping: AbortSignal; patienceMs?: number },
  start: () => Promise<T>,
): Promise<T> => {
  const { url, log, stopping, patienceMs = usualPatienceMs } = options;
  const watching = new AbortController();
  const watch = watchLocks(url, log, patienceMs, watching.signal);
  const stop = (): void => {
    if (watch.isRecent()) watch.reject(stopping.reason);
  };
  stopping.addEventListener('abort', stop);
  try {
    for (;;) {
      try {
        return await Promise.race([start(), watch.over]);
      } catch (error) {
        const isFinal = error instanceof StartRefused || stopping.aborted || !watch.isRecent();
        if (isFinal) throw error;
        log.warn({}, 'the start waited for a lock in vain and begins again');
      }
    }
  } finally {
    stopping.removeEventListener('abort', stop);
    watching.abort();
    await watch.ended;
  }
};
