/** Background jobs that failed, and streams that reactors put aside. */
import {
  giveUp,
  jobLines,
  parkedLines,
  remove,
  replayParked,
  retry,
  usuallyShown,
} from '../service/operating/desk/machinery.ts';
import { parseLimit } from './accounts.ts';
import { type CommandWork, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { printList } from './table.ts';

type ListOptions = { limit?: string; json?: boolean };

type JobOptions = { retry?: string; 'give-up'?: string; remove?: string } & ListOptions;

/** A list that ends at its limit must not pass for a whole one. */
const sayMore = (print: Print, rows: unknown[], limit: number, json: boolean | undefined): void => {
  if (rows.length >= limit && !json) print(`The first ${limit}; --limit shows more.`);
};

/** @throws UsageError */
const jobs = (positionals: string[], options: JobOptions): CommandWork => {
  const { retry: again, 'give-up': over, remove: gone, json } = options;
  if (positionals.length > 0) throw new UsageError('jobs takes no arguments, only options');
  if ([again, over, gone].filter((one) => one !== undefined).length > 1) {
    throw new UsageError('jobs takes one of --retry, --give-up and --remove');
  }
  const limit = parseLimit(options.limit, usuallyShown);
  return async (foundation, print) => {
    if (again !== undefined) {
      await retry(foundation, again);
      print(`Job ${again} runs again, with all its attempts.`);
    } else if (over !== undefined) {
      await giveUp(foundation, over);
      print(`Job ${over} is given up.`);
    } else if (gone !== undefined) {
      await remove(foundation, gone);
      print(`Job ${gone} is removed.`);
    } else {
      const head = ['job', 'task', 'attempts', 'since', 'next', 'error'];
      const rows = (await jobLines(foundation, limit)).map((job) => [
        job.key,
        job.task,
        `${job.attempts.made} of ${job.attempts.most}`,
        job.failingSince ?? '',
        job.failed ? '' : job.nextAt,
        job.error ?? '',
      ]);
      printList(print, head, rows, { json });
      sayMore(print, rows, limit, json);
    }
  };
};

export const jobsCommand = defineCommand({
  name: 'jobs',
  usage: '[--retry JOB | --give-up JOB | --remove JOB] [--limit N] [--json]',
  summary: 'Lists background jobs that failed; runs one of them again, gives it up, or removes it.',
  help: 'A job without a next time has no attempt left. The error is of the last run, without personal data. --retry gives it all its attempts again. --give-up leaves it none. --remove takes a job without an attempt off the list, and out of the incidents of the console. What the job did not do stays undone, for example an erasure.',
  examples: ['jobs --retry mail:7c1e…'],
  options: { retry: 'text', 'give-up': 'text', remove: 'text', limit: 'text', json: 'flag' },
  read: jobs,
});

/** @throws UsageError */
const parked = (
  positionals: string[],
  { replay, limit: most, json }: { replay?: string } & ListOptions,
): CommandWork => {
  if (positionals.length > 0) throw new UsageError('parked takes no arguments, only options');
  const limit = parseLimit(most, usuallyShown);
  return async (foundation, print) => {
    if (replay !== undefined) {
      await replayParked(foundation, replay);
      print(`${replay} reads its parked streams again.`);
      return;
    }
    const head = ['reactor', 'stream', 'version', 'event', 'since', 'error'];
    const rows = (await parkedLines(foundation, limit)).map((row) => [
      ...[row.reactor, row.stream, row.version, row.type, row.at, row.error],
    ]);
    printList(print, head, rows, { json });
    sayMore(print, rows, limit, json);
  };
};

export const parkedCommand = defineCommand({
  name: 'parked',
  usage: '[--replay REACTOR] [--limit N] [--json]',
  summary:
    'Lists streams that reactors put aside because of an event that they cannot read or handle.',
  help: 'The reactor tries the streams again by itself, at least every five minutes, except those with an event that only a newer version can read. --replay: the reactor begins anew and tries its parked streams at once.',
  options: { replay: 'text', limit: 'text', json: 'flag' },
  read: parked,
});
