/** Takes the job `hang` out of the database that it is given, says so, and never ends. */
import { startJobs } from '../../infra/jobs/jobs.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';

const quiet = () => undefined;

const url = process.argv[2] ?? '';

startJobs({
  db: createReadDb({ url, max: 2, applicationName: 'test-hang', onError: quiet }),
  url,
  log: { warn: quiet, error: quiet },
  concurrency: 1,
  tasks: {
    hang: () => {
      process.stdout.write('taken\n');
      return new Promise(() => undefined);
    },
  },
});
