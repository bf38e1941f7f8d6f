/** Which trace appended an event, in PostgreSQL: read by the processes that do what follows from it. */
import type { Traces } from '../../events/traces.ts';
import type { Db } from '../../ground/db.ts';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import type { TraceParent } from '../../ground/tracing.ts';

export type TraceParents = Traces & {
  /** Removes entries older than a week. */
  forget(): Promise<void>;
};

const insert = `insert into tracing.parents (key, traceparent)
  select * from unnest($1::text[], $2::text[]) on conflict do nothing`;

export const createTraceParents = (db: Db, log: Pick<Log, 'warn' | 'error'>): TraceParents => {
  const incident = createIncident(log, {});
  const unlessTrouble = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      const done = await work();
      incident.over();
      return done;
    } catch (error) {
      incident.report(error, 'spans are not linked');
      return undefined;
    }
  };
  return {
    async note(parents) {
      if (parents.size === 0) return;
      await unlessTrouble(() => db.query(insert, [[...parents.keys()], [...parents.values()]]));
    },
    async of(keys) {
      const found = await unlessTrouble(() =>
        db.query<{ key: string; traceparent: TraceParent }>(
          'select key, traceparent from tracing.parents where key = any($1)',
          [keys],
        ),
      );
      return new Map(found?.rows.map(({ key, traceparent }) => [key, traceparent]));
    },
    async forget() {
      await db.query(`delete from tracing.parents where noted_at < now() - interval '7 days'`);
    },
  };
};
