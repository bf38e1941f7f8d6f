/** The rows of jobs: how they are claimed, kept, and settled. */
import { backoffMs } from '../../ground/backoff.ts';
import { allRows, type Db } from '../../ground/db.ts';

/** A job that this process runs. */
export type ClaimedJob = {
  key: string;
  /** Names this run: nothing is settled for a job that was claimed or added again. */
  claim: string;
  task: string;
  payload: unknown;
  /** 1 for the first run. */
  attempt: number;
  lastAttempt: boolean;
};

/** How long a process that stays silent keeps its jobs. */
const claimSeconds = 6;
export const renewEveryMs = (claimSeconds * 1_000) / 4;

/** Pauses between the runs of a job that fails. */
const retryPauses = { firstMs: 2_000, mostMs: 6 * 3_600_000 };

/** Claims up to `limit` jobs that are due, the longest due first. */
export const claimJobs = (db: Db, tasks: string[], limit: number): Promise<ClaimedJob[]> =>
  allRows(
    db,
    `update work.jobs as due set attempts = attempts + 1, claim = gen_random_uuid(),
       claimed_until = now() + $3 * interval '1 second'
     where key = any(array(
       select key from work.jobs
       where task = any($1) and run_at <= now() and attempts < max_attempts
         and (claim is null or claimed_until < now())
       order by run_at limit $2 for update skip locked))
     returning key, claim, task, payload, attempts as attempt, attempts >= max_attempts as "lastAttempt"`,
    [tasks, limit, claimSeconds],
  );

type Run = Pick<ClaimedJob, 'key' | 'claim'>;

/** The runs as a table, and its values. */
const runsTable = 'unnest($1::text[], $2::uuid[]) as run (key, claim)';
const valuesOf = (runs: readonly Run[]): unknown[] => [
  runs.map(({ key }) => key),
  runs.map(({ claim }) => claim),
];
const isClaimed = 'job.key = run.key and job.claim = run.claim';

/** Keeps the claims of what runs. */
export const renewClaims = async (db: Db, runs: readonly Run[]): Promise<void> => {
  if (runs.length === 0) return;
  await db.query(
    `update work.jobs job set claimed_until = now() + $3 * interval '1 second'
     from ${runsTable} where ${isClaimed}`,
    [...valuesOf(runs), claimSeconds],
  );
};

/** Deletes the jobs of runs that succeeded. */
export const deleteDone = async (db: Db, runs: readonly Run[]): Promise<void> => {
  if (runs.length === 0) return;
  await db.query(`delete from work.jobs job using ${runsTable} where ${isClaimed}`, valuesOf(runs));
};

/** Frees the jobs of runs that a stop of this process cut short. They run again at once, and the attempt does not count. */
export const freeCutShort = async (db: Db, runs: readonly Run[]): Promise<void> => {
  if (runs.length === 0) return;
  await db.query(
    `update work.jobs job set claim = null, claimed_until = null, attempts = attempts - 1
     from ${runsTable} where ${isClaimed}`,
    valuesOf(runs),
  );
};

export type FailedRun = Run & Pick<ClaimedJob, 'attempt'> & { error: string };

/** Frees the jobs of runs that failed, to run again after a pause. After the last attempt they stay as they are. */
export const retryFailed = async (db: Db, runs: readonly FailedRun[]): Promise<void> => {
  if (runs.length === 0) return;
  await db.query(
    `update work.jobs job set claim = null, claimed_until = null,
       run_at = now() + run.pause_ms * interval '1 millisecond', error = run.error,
       failing_since = coalesce(job.failing_since, now())
     from unnest($1::text[], $2::uuid[], $3::int[], $4::text[]) as run (key, claim, pause_ms, error)
     where ${isClaimed}`,
    [
      ...valuesOf(runs),
      runs.map(({ attempt }) => Math.round(backoffMs(attempt, retryPauses))),
      runs.map(({ error }) => error),
    ],
  );
};
