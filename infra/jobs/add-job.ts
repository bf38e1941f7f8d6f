import type { Db } from '../../ground/db.ts';
import { traced } from './trace-job.ts';

/** The schema of graphile-worker's tables, in the database of the read models. */
export const jobsSchema = 'jobs';

type JobOptions = {
  /** Epoch ms; absent: at once. */
  runAtMs?: number;
  /**
   * One waiting job per key: adding it again replaces payload and time. A job that runs already is not
   * held back by it, so a task must bear two runs of one key at the same time.
   */
  key?: string;
  /** With a waiting job of the same key: `replace` its time, keep it, or take the earlier of both. */
  onConflict?: 'replace' | 'keep-time' | 'earliest';
  /** Runs of the task in all, as long as it throws; absent: 25, which is about three days. */
  maxAttempts?: number;
  /** Lower goes first. 0 when absent. */
  priority?: number;
};

const earliest = `least(coalesce($3::timestamptz, now()),
  (select j.run_at from ${jobsSchema}.jobs j where j.key = $5 and j.locked_at is null))`;

/**
 * Adds a job in the transaction that `db` is, so that it exists exactly when the rest of it does. The
 * payload is stored as it is: ids only, nothing personal, no secrets. With it goes the running span, if one is
 * recorded.
 */
export const addJob = async (
  db: Db,
  task: string,
  payload: object,
  options: JobOptions = {},
): Promise<void> => {
  const runAt = options.onConflict === 'earliest' ? earliest : '$3::timestamptz';
  await db.query(
    `select 1 from ${jobsSchema}.add_job($1, $2::json, null, ${runAt}, $4::int, $5, $6::int, null, $7)`,
    [
      task,
      JSON.stringify(traced(payload)),
      options.runAtMs === undefined ? null : new Date(options.runAtMs).toISOString(),
      options.maxAttempts ?? null,
      options.key ?? null,
      options.priority ?? null,
      options.onConflict === 'keep-time' ? 'preserve_run_at' : 'replace',
    ],
  );
};

/**
 * Adds many jobs of one task in one call, each under its own key, to run at once. As `addJob`.
 */
export const addJobs = async (
  db: Db,
  task: string,
  jobs: { key: string; payload: object }[],
): Promise<void> => {
  if (jobs.length === 0) return;
  const specs = jobs.map(({ key, payload }) => ({ key, payload: traced(payload) }));
  await db.query(
    `select 1 from ${jobsSchema}.add_jobs(array(
       select row($1::text, job->'payload', null, null, null, job->>'key', null, null)::${jobsSchema}.job_spec
       from json_array_elements($2::json) as job))`,
    [task, JSON.stringify(specs)],
  );
};
