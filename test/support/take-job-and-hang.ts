/** Takes the job `hang` out of the database that it is given, says so, and never ends. */
import { startJobs } from '../../infra/jobs/jobs.ts';

const quiet = () => undefined;

startJobs({
  url: process.argv[2] ?? '',
  log: { debug: quiet, warn: quiet, error: quiet },
  concurrency: 1,
  tasks: {
    hang: () => {
      process.stdout.write('taken\n');
      return new Promise(() => undefined);
    },
  },
});
