import { randomUUID } from 'node:crypto';
import type { Db } from '../../ground/db.ts';
import { traced } from './trace-job.ts';

/** A job to add. The payload is stored as it is, with the span that adds it: ids only, nothing personal, no secrets. */
type NewJob = {
  /** Adding a job again under its key replaces it, also while it runs: two runs may then overlap. */
  key: string;
  payload: object;
  /** Epoch ms by the clock of the database; absent: at once. */
  runAtMs?: number;
  /** Instead of `runAtMs`: how long it waits, for a caller whose clock may differ from that of the database. */
  waitMs?: number;
};

/** Of a job that waits under the same key: the time of the new one, or the earlier of both. */
type OnConflict = 'replace' | 'earliest';

/** Adds jobs of one task, in the transaction that `db` is: they exist exactly when the rest of it does. */
export const addJobs = async (
  db: Db,
  task: string,
  jobs: NewJob[],
  onConflict: OnConflict = 'replace',
): Promise<void> => {
  if (jobs.length === 0) return;
  const rows = jobs.map(({ key, payload, runAtMs, waitMs = 0 }) => ({
    key,
    payload: traced(payload),
    run_at: runAtMs === undefined ? null : new Date(runAtMs).toISOString(),
    wait_ms: waitMs,
  }));
  // In the order of their keys, so that no two calls wait for each other.
  await db.query(
    `insert into work.jobs as known (key, task, payload, run_at)
     select distinct on (key) key, $1, payload, coalesce(run_at, now() + wait_ms * interval '1 ms')
     from json_to_recordset($2::json)
       as added (key text collate "C", payload json, run_at timestamptz, wait_ms double precision)
     order by key
     on conflict (key) do update set task = excluded.task, payload = excluded.payload,
       run_at = case when $3 and (known.claim is null or known.claimed_until < now())
         then least(known.run_at, excluded.run_at) else excluded.run_at end,
       attempts = 0, claim = null, claimed_until = null, error = null,
       failing_since = null`,
    [task, JSON.stringify(rows), onConflict === 'earliest'],
  );
};

/** Adds one job. As `addJobs`. */
export const addJob = (
  db: Db,
  task: string,
  payload: object,
  {
    key = randomUUID(),
    onConflict,
    ...when
  }: Partial<Omit<NewJob, 'payload'>> & { onConflict?: OnConflict } = {},
): Promise<void> => addJobs(db, task, [{ key, payload, ...when }], onConflict);
