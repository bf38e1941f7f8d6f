/**
 * Background jobs, in the database of the read models.
 *
 * To add a task:
 * 1. Write it as a `JobTask` and give it a name: `{ 'send-mail': createSendMail(ports) }`; put it
 *    among the `tasks` of its wing (service/foundation/wing.ts).
 * 2. Add its jobs by `addJob(db, 'send-mail', { mailId })` (infra/jobs/add-job.ts). Inside of
 *    `db.transaction` the job exists exactly when the rest of the transaction does.
 *
 * A task runs at least once: after a kill, or when it throws, it runs again. It throws to be tried
 * later, with growing pauses; what should not be tried again must return. Payloads hold ids only.
 */
import type { Db } from '../../ground/db.ts';
import { endsWithin } from '../../ground/deadline.ts';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import { pause } from '../../ground/pause.ts';
import { publicErrorOf } from '../../ground/public-error.ts';
import { listenTo } from '../postgres/listen.ts';
import {
  type ClaimedJob,
  claimJobs,
  deleteDone,
  type FailedRun,
  freeCutShort,
  renewClaims,
  renewEveryMs,
  retryFailed,
} from './claims.ts';
import { inJobSpan } from './trace-job.ts';

type JobContext = Pick<ClaimedJob, 'attempt' | 'lastAttempt'> & {
  /** Aborts when the service stops: finish within two seconds, or throw. */
  signal: AbortSignal;
};

export type JobTask = (payload: unknown, context: JobContext) => Promise<void>;

type JobOptions = {
  db: Db;
  /** Of the same database, to hear of new jobs. */
  url: string;
  tasks: Record<string, JobTask>;
  log: Pick<Log, 'warn' | 'error'>;
  /** Jobs that run at the same time in this process, without the tasks in `slotsOf`. */
  concurrency: number;
  /** Tasks with slots of their own: how many jobs of each run at the same time. */
  slotsOf?: Readonly<Record<string, number>>;
};

/** How often the database is asked for jobs whose time has come. New ones are announced at once. */
const pollMs = 1_000;
/** Jobs of earlier versions, whose processes may still add some. */
const takeOverEveryMs = 10_000;
/** The service has ten seconds to stop. Jobs that run then are left to the next start. */
const stopMs = 4_000;

type Working = JobOptions & {
  stopping: AbortController;
  running: Map<ClaimedJob, Promise<void>>;
  done: ClaimedJob[];
  failed: FailedRun[];
  /** Jobs that threw because this process stops. */
  cutShort: ClaimedJob[];
  renewedMs: number;
  takenOverMs: number;
  /** Ends the pause until the next look. */
  wake: () => void;
};

const logFailure = ({ log }: Working, job: ClaimedJob, error: string): void => {
  const { key, task, attempt, lastAttempt } = job;
  const message = lastAttempt ? 'a job failed for good' : 'a job failed and will be tried again';
  log.error({ task, job: key, attempt, err: error }, message);
};

const begin = (working: Working, job: ClaimedJob): void => {
  const { tasks, stopping, running, done, failed, cutShort } = working;
  const { task, attempt, lastAttempt } = job;
  const work = async (): Promise<void> => {
    try {
      await inJobSpan(job, async (stored) =>
        tasks[task]?.(stored, { attempt, lastAttempt, signal: stopping.signal }),
      );
      done.push(job);
    } catch (error) {
      if (stopping.signal.aborted) {
        cutShort.push(job);
      } else {
        const why = publicErrorOf(error);
        logFailure(working, job, why);
        failed.push({ ...job, error: why });
      }
    }
    running.delete(job);
    working.wake();
  };
  running.set(job, work());
};

/**
 * Records jobs that ended. If that fails, they are recorded later, or the claim ends and the job runs again.
 */
const settle = async ({ db, done, failed, cutShort }: Working): Promise<void> => {
  const ended = { done: [...done], failed: [...failed], cutShort: [...cutShort] };
  await deleteDone(db, ended.done);
  done.splice(0, ended.done.length);
  await retryFailed(db, ended.failed);
  failed.splice(0, ended.failed.length);
  await freeCutShort(db, ended.cutShort);
  cutShort.splice(0, ended.cutShort.length);
};

const keepClaims = async (working: Working): Promise<void> => {
  const now = performance.now();
  if (now - working.renewedMs < renewEveryMs) return;
  working.renewedMs = now;
  await renewClaims(working.db, [...working.running.keys()]);
};

const takeOver = async (working: Working): Promise<void> => {
  const now = performance.now();
  if (now - working.takenOverMs < takeOverEveryMs) return;
  working.takenOverMs = now;
  await working.db.query('select work.take_over()');
};

/** Tasks that share slots, and how many of these are free. */
const freeSlots = (working: Working): { tasks: string[]; free: number }[] => {
  const { tasks, concurrency, slotsOf = {}, running } = working;
  const shared = Object.keys(tasks).filter((task) => slotsOf[task] === undefined);
  const own = Object.keys(tasks).filter((task) => slotsOf[task] !== undefined);
  const groups = [shared, ...own.map((task) => [task])];
  return groups.map((group) => {
    const taken = [...running.keys()].filter(({ task }) => group.includes(task)).length;
    return { tasks: group, free: (slotsOf[group[0] ?? ''] ?? concurrency) - taken };
  });
};

const step = async (working: Working): Promise<void> => {
  const { db, stopping } = working;
  await settle(working);
  await keepClaims(working);
  if (stopping.signal.aborted) return;
  await takeOver(working);
  for (const { tasks, free } of freeSlots(working)) {
    if (tasks.length === 0 || free === 0) continue;
    for (const job of await claimJobs(db, tasks, free)) begin(working, job);
  }
};

/** Looks for jobs until it is stopped and nothing runs. */
const workOn = async (working: Working): Promise<void> => {
  const { stopping, running, log } = working;
  const incident = createIncident(log, {});
  while (!stopping.signal.aborted || running.size > 0) {
    const woken = new AbortController();
    working.wake = () => woken.abort();
    try {
      await step(working);
      incident.over();
    } catch (error) {
      incident.report(error, 'no jobs can be taken');
    }
    await pause(pollMs, woken.signal);
  }
  await settle(working).catch(() => {});
};

/** Runs the jobs of `tasks` until `stop`. */
export const startJobs = (options: JobOptions) => {
  const stopping = new AbortController();
  const long = Number.NEGATIVE_INFINITY;
  const working: Working = {
    ...options,
    stopping,
    running: new Map(),
    done: [],
    failed: [],
    cutShort: [],
    renewedMs: performance.now(),
    takenOverMs: long,
    wake: () => {},
  };
  const { url } = options;
  const heard = (): void => working.wake();
  const listening = listenTo({
    url,
    applicationName: 'letters-jobs',
    channel: 'jobs_added',
    heard,
  });
  const ended = workOn(working);
  return {
    /** Takes no more jobs and waits up to four seconds for those that run. */
    async stop(): Promise<void> {
      stopping.abort();
      working.wake();
      await endsWithin(stopMs, ended);
      await listening.stop();
    },
  };
};
