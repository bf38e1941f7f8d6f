/** Jobs, parked streams, and what checks found. */
import { Refused } from '../../../contract/operator-refused.ts';
import {
  failedJobs,
  giveUpJob,
  hasJob,
  removeJob,
  retryJob,
} from '../../../infra/jobs/failed-jobs.ts';
import { everyParkedStream, parkedStreams } from '../../../infra/postgres/checkpoints.ts';
import { commandRuns, judgeRun, recordedCommands } from '../../../infra/postgres/command-runs.ts';
import { lastDoctorRun } from '../../../infra/postgres/doctor-runs.ts';
import { endLease } from '../../../infra/postgres/leases.ts';
import type { CheckLine, Desk } from '../../../pages/console/operator/desk.ts';
import type { Foundation } from '../../foundation/wing.ts';

/** How many rows a list has unless more are asked for. */
export const usuallyShown = 100;

/** @throws Refused */
const changeJob = async (change: typeof retryJob, { storage }: Foundation, key: string) => {
  if (await change(storage.readDb, key)) return;
  throw new Refused(`There is no job ${key} that waits. It may run now, or be done.`);
};

export const retry = (foundation: Foundation, key: string): Promise<void> =>
  changeJob(retryJob, foundation, key);

export const giveUp = (foundation: Foundation, key: string): Promise<void> =>
  changeJob(giveUpJob, foundation, key);

/** @throws Refused */
export const remove = async ({ storage }: Foundation, key: string): Promise<void> => {
  if (await removeJob(storage.readDb, key)) return;
  throw new Refused(
    (await hasJob(storage.readDb, key))
      ? `Job ${key} runs, or has an attempt left. Give it up first.`
      : `There is no job ${key}.`,
  );
};

export const jobLines = async ({ storage }: Pick<Foundation, 'storage'>, limit = usuallyShown) =>
  (await failedJobs(storage.readDb, limit)).map((job) => ({
    key: job.key,
    task: job.task,
    attempts: { made: job.attempts, most: job.max_attempts },
    failingSince: job.failing_since?.toISOString(),
    nextAt: job.run_at.toISOString(),
    failed: job.attempts >= job.max_attempts,
    error: job.error ?? undefined,
  }));

export const parkedLines = async ({ storage }: Pick<Foundation, 'storage'>, limit = usuallyShown) =>
  (await everyParkedStream(storage.readDb, limit)).map((row) => ({
    reactor: row.name,
    stream: row.stream,
    version: String(row.version),
    type: row.type,
    at: row.at.toISOString(),
    error: row.error,
  }));

/** The reactor begins anew, in this process or another one, and reads its parked streams again. @throws Refused */
export const replayParked = async ({ storage }: Foundation, reactor: string): Promise<void> => {
  const { readDb } = storage;
  const parked = await parkedStreams(readDb, reactor);
  if (parked.length === 0) throw new Refused(`Reactor ${reactor} has no parked stream.`);
  await endLease(readDb, reactor);
};

const runLines = async ({ storage, clock }: Foundation): Promise<CheckLine[]> => {
  const runs = await commandRuns(storage.readDb);
  return recordedCommands.map((command) => ({
    name: command,
    ...judgeRun(
      command,
      runs.find((run) => run.command === command),
      clock(),
    ),
  }));
};

export const checksOf = async (foundation: Foundation): ReturnType<Desk['checks']> => {
  const [runs, last] = await Promise.all([
    runLines(foundation),
    lastDoctorRun(foundation.storage.readDb),
  ]);
  const doctor = last && { ranAt: last.ran_at.toISOString(), results: last.results };
  return { runs, doctor };
};
