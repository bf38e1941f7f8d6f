/** Jobs that failed: those that wait for another attempt, and those that have none left. */
import { allRows, type Db } from '../../ground/db.ts';

type FailedJob = {
  key: string;
  task: string;
  attempts: number;
  max_attempts: number;
  run_at: Date;
  /** The error of the last run that ended; null if its process stopped without recording one. */
  error: string | null;
  /** When a run failed first after the job was added or retried. */
  failing_since: Date | null;
};

const isFree = '(claim is null or claimed_until < now())';

/** Those without an attempt left come first, then those that wait longest. */
export const failedJobs = (db: Db, limit: number): Promise<FailedJob[]> =>
  allRows(
    db,
    `select key, task, attempts, max_attempts, run_at, error, failing_since from work.jobs
     where attempts > 0 and ${isFree}
     order by attempts < max_attempts, run_at, key limit $1`,
    [limit],
  );

/** Runs a job again, with all its attempts. Whether there was such a job that does not run now. */
export const retryJob = async (db: Db, key: string): Promise<boolean> => {
  const { rows } = await db.query(
    `update work.jobs set attempts = 0, run_at = now(), failing_since = null where key = $1 and ${isFree} returning 1`,
    [key],
  );
  if (rows.length > 0) await db.query('notify jobs_added');
  return rows.length > 0;
};

export const hasJob = async (db: Db, key: string): Promise<boolean> =>
  (await db.query('select 1 from work.jobs where key = $1', [key])).rows.length > 0;

/** Deletes a job that has no attempt left. Whether there was one. */
export const removeJob = async (db: Db, key: string): Promise<boolean> => {
  const { rows } = await db.query(
    `delete from work.jobs where key = $1 and attempts >= max_attempts and ${isFree} returning 1`,
    [key],
  );
  return rows.length > 0;
};

/** Leaves a job no attempt. Whether there was such a job that does not run now. */
export const giveUpJob = async (db: Db, key: string): Promise<boolean> => {
  const { rows } = await db.query(
    `update work.jobs set attempts = max_attempts where key = $1 and ${isFree} returning 1`,
    [key],
  );
  return rows.length > 0;
};
