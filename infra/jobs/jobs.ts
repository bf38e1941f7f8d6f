/**
 * Background jobs on graphile-worker, in the database of the read models, schema `jobs`.
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
import { EventEmitter } from 'node:events';
import { Logger as GraphileLogger, type Job, run, runMigrations, type Task } from 'graphile-worker';
import { endsWithin } from '../../ground/deadline.ts';
import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import { pause } from '../../ground/pause.ts';
import { createPool } from '../event-store/postgres/connection.ts';
import { jobsSchema } from './add-job.ts';
import { watchDeadPools } from './dead-pools.ts';
import { inJobSpan } from './trace-job.ts';
import { catchUnawaited } from './unawaited.ts';

type JobContext = {
  /** 1 for the first run. */
  attempt: number;
  /** When this run throws, there is no other. */
  lastAttempt: boolean;
  /** Aborts when the service stops: finish within two seconds, or throw. */
  signal: AbortSignal;
};

export type JobTask = (payload: unknown, context: JobContext) => Promise<void>;

type JobLog = Pick<Log, 'debug' | 'warn' | 'error'>;

/** How often the database is asked for jobs whose time has come. New ones are announced at once. */
const pollMs = 1_000;
const restartMs = 1_000;
/** The service has ten seconds to stop in; what runs then is left to the next start. */
const stopMs = 4_000;

/** Library messages at debug level: failures arrive as events, without payloads. */
const quiet = (log: JobLog): GraphileLogger =>
  new GraphileLogger(() => (level, message) => log.debug({ level, source: 'jobs' }, message));

/** Makes or upgrades the tables. Safe to run in several processes at once. */
export const upgradeJobs = (options: { url: string; log: JobLog }): Promise<void> =>
  runMigrations({
    connectionString: options.url,
    schema: jobsSchema,
    logger: quiet(options.log),
  });

const toGraphileTask =
  (name: string, task: JobTask, signal: AbortSignal): Task =>
  async (stored, { job: { attempts: attempt, max_attempts: most } }) =>
    inJobSpan(name, attempt, stored, (payload) =>
      task(payload, { attempt, lastAttempt: attempt >= most, signal }),
    );

const logFailures = (events: EventEmitter, log: JobLog): void => {
  events.on('job:error', ({ job, error }: { job: Job; error: unknown }) =>
    log.error(
      {
        task: job.task_identifier,
        job: String(job.id),
        attempt: job.attempts,
        err: messageOf(error),
      },
      'a job failed and will be tried again',
    ),
  );
  events.on('job:failed', ({ job }: { job: Job }) =>
    log.error(
      { task: job.task_identifier, job: String(job.id), attempts: job.attempts },
      'a job failed for good',
    ),
  );
  for (const name of ['pool:fatalError', 'worker:fatalError', 'pool:listen:error']) {
    events.on(name, ({ error }: { error: unknown }) =>
      log.warn({ err: messageOf(error), event: name }, 'trouble with the jobs'),
    );
  }
};

/** The size of the connection pool, for any number of tasks. */
const maxConnections = 6;

/**
 * Runs the jobs of `tasks` until `stop`; after trouble with the database it starts again by itself.
 * @param options.concurrency how many jobs run at the same time in this process
 */
export const startJobs = (options: {
  url: string;
  tasks: Record<string, JobTask>;
  log: JobLog;
  concurrency: number;
}) => {
  const { url, log, concurrency } = options;
  const stopping = new AbortController();
  const pool = createPool({
    url,
    max: maxConnections,
    applicationName: 'letters-jobs',
    onError: (error) => log.warn({ err: error.message }, 'trouble with the jobs'),
  });
  const uncatch = catchUnawaited((error) =>
    log.warn({ err: error.message }, 'trouble with the jobs'),
  );
  const dead = watchDeadPools({
    url,
    onError: (error) => log.warn({ err: messageOf(error) }, 'looking for dead workers failed'),
  });
  const taskList = Object.fromEntries(
    Object.entries(options.tasks).map(([name, task]) => [
      name,
      toGraphileTask(name, task, stopping.signal),
    ]),
  );

  /** Runs one pool of workers to its end. */
  const runOnce = async (): Promise<void> => {
    const events = new EventEmitter();
    let poolId = '';
    events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => {
      poolId = workerPool.id;
      dead.announce(poolId).catch((error) => log.warn({ err: messageOf(error) }, 'no lock yet'));
    });
    logFailures(events, log);
    const runner = await run({
      pgPool: pool,
      schema: jobsSchema,
      taskList,
      concurrency,
      pollInterval: pollMs,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: stopMs,
      logger: quiet(log),
      events,
      preset: {
        worker: {
          localQueue: { size: concurrency },
          completeJobBatchDelay: 0,
          // Without a delay nobody awaits the call, and a lost connection would end the process.
          failJobBatchDelay: 0,
        },
      },
    });
    const stop = () => void runner.stop().catch(() => {});
    stopping.signal.addEventListener('abort', stop, { once: true });
    if (stopping.signal.aborted) stop();
    // A pool that shuts down after trouble with the database may wait for ever.
    const stuck = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    events.once('pool:gracefulShutdown', () => {
      const giveUp = (): void => stuck.reject(new Error('a pool of workers did not end by itself'));
      timer = setTimeout(giveUp, stopMs + restartMs);
    });
    try {
      await Promise.race([runner.promise, stuck.promise]);
    } catch (error) {
      runner.kill?.().catch(() => {});
      throw error;
    } finally {
      clearTimeout(timer);
      stopping.signal.removeEventListener('abort', stop);
      // However it ended: what it left locked is then found and freed.
      await dead.withdraw(poolId).catch(() => {});
    }
  };

  const ended = (async () => {
    while (!stopping.signal.aborted) {
      await runOnce().catch((error) =>
        log.error({ err: messageOf(error) }, 'the jobs ended and are started again'),
      );
      await pause(restartMs, stopping.signal);
    }
  })();

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    const lateMs = performance.now() + stopMs;
    await endsWithin(stopMs, ended);
    await dead.stop();
    await endsWithin(Math.max(0, lateMs - performance.now()), pool.end());
    uncatch();
  };

  return {
    /** Takes no more jobs and waits up to four seconds for those that run. */
    stop(): Promise<void> {
      stopped ??= stop();
      return stopped;
    },
  };
};
