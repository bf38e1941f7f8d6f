/** Jobs that threw: those that wait for another attempt, and those that have none left. */
import type { Db } from '../../ground/db.ts';
import { jobsSchema } from './add-job.ts';

export type FailedJob = {
  id: string;
  task: string;
  attempts: number;
  max_attempts: number;
  run_at: Date;
  last_error: string;
};

/** The ones that were added first come first. */
export const failedJobs = async (db: Db, limit: number): Promise<FailedJob[]> => {
  const { rows } = await db.query<FailedJob>(
    `select id::text, task_identifier as task, attempts, max_attempts, run_at, last_error
     from ${jobsSchema}.jobs where last_error is not null order by id limit $1`,
    [limit],
  );
  return rows;
};

/** Whether there was such a job that does not run now. */
export const retryJob = async (db: Db, id: string): Promise<boolean> => {
  const { rows } = await db.query(
    `select from ${jobsSchema}.reschedule_jobs(array[$1::bigint], run_at := now(), attempts := 0)`,
    [id],
  );
  return rows.length > 0;
};

/** Whether there was such a job that does not run now. It stays in the table, and is not tried again. */
export const giveUpJob = async (db: Db, id: string): Promise<boolean> => {
  const { rows } = await db.query(
    `select from ${jobsSchema}.permanently_fail_jobs(array[$1::bigint], 'given up by the operator')`,
    [id],
  );
  return rows.length > 0;
};
