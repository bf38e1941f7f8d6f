import type { Db } from '../../ground/db.ts';
import type { Log } from '../../ground/log.ts';
import { jobsSchema } from './add-job.ts';

/**
 * Makes the tables that jobs are added to, where there are none. Processes that run jobs upgrade the
 * tables; processes that only add jobs do not need the library.
 */
export const prepareJobs = async (
  db: Db,
  options: { url: string; log: Pick<Log, 'debug' | 'warn' | 'error'> },
): Promise<void> => {
  const { rows } = await db.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [`${jobsSchema}.jobs`],
  );
  if (rows[0]?.there) return;
  const { upgradeJobs } = await import('./jobs.ts');
  await upgradeJobs(options);
};
