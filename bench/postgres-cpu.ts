/** Where PostgreSQL's CPU time goes, by the names its clients gave themselves. */
import type pg from 'pg';
import { cpuMs } from './process-stats.ts';

type Backend = { pid: number; name: string };
type Snapshot = { at: number; ms: Map<number, { name: string; ms: number }> };

const snapshot = async (client: pg.Client): Promise<Snapshot> => {
  const { rows } = await client.query<Backend>(
    `select pid, coalesce(nullif(application_name, ''), backend_type) as name from pg_stat_activity
     where pid <> pg_backend_pid()`,
  );
  const ms = new Map<number, { name: string; ms: number }>();
  for (const { pid, name } of rows) {
    const used = cpuMs(pid);
    if (used !== undefined) ms.set(pid, { name, ms: used });
  }
  return { at: performance.now(), ms };
};

/** Cores used between now and `stop`, by application name, most first. */
export const watchPostgresCpu = async (
  client: pg.Client,
): Promise<{ stop(): Promise<[name: string, cores: number][]> }> => {
  const before = await snapshot(client);
  return {
    async stop() {
      const after = await snapshot(client);
      const elapsed = after.at - before.at;
      const cores = new Map<string, number>();
      for (const [pid, { name, ms }] of after.ms) {
        const used = (ms - (before.ms.get(pid)?.ms ?? 0)) / elapsed;
        cores.set(name, (cores.get(name) ?? 0) + used);
      }
      return [...cores].filter(([, used]) => used >= 0.005).sort(([, a], [, b]) => b - a);
    },
  };
};
