import { Worker } from 'node:worker_threads';
import { AppError } from '../contract/errors.ts';
import { countShared } from '../ground/shared-bytes.ts';
import type { Budget } from './budgets.ts';
import { createFairQueue } from './fair-queue.ts';
import { defaultLimits } from './table.ts';
import type { Turn } from './turn.ts';
import type { ThreadAnswer, ThreadJob } from './worker-messages.ts';

/**
 * A function that runs in a thread. Its input and output are copied as `structuredClone` does,
 * except bytes that are shared (`ground/shared-bytes.ts`). Whole buffers of the output are handed over.
 */
export type Task<I, O> = {
  module: URL;
  /** Of the function in its module. */
  name: string;
  /** A task that takes longer is killed with its thread. */
  timeoutMs: number;
  /** It takes less than a second: a thread is kept for such tasks, so that they do not wait for long ones. */
  brief: boolean;
  /** Only for its type. */
  run?: (input: I) => O | Promise<O>;
};

/** A task of a module. `T` is the type of its function: `typeof import('./its-module.ts').itsName`. */
export const taskOf = <T extends (input: never) => unknown>(task: {
  module: URL;
  name: string;
  timeoutMs: number;
  brief?: boolean;
}): Task<Parameters<T>[0], Awaited<ReturnType<T>>> => ({ brief: false, ...task });

/** Why a task has no output: it took too long, took too much memory, or failed. */
export class TaskFailure extends Error {
  readonly kind: 'timeout' | 'crash' | 'failed';

  constructor(kind: TaskFailure['kind'], reason: string) {
    super(reason);
    this.name = 'TaskFailure';
    this.kind = kind;
  }
}

type TaskOptions = {
  /** Buffers of the input that are handed over instead of copied. They are empty afterwards. */
  transfer?: readonly ArrayBuffer[];
  /** The CPU time of the task is charged to it. */
  budget?: Budget | undefined;
};

export type WorkerPoolStats = {
  threads: number;
  busy: number;
  waiting: number;
  /** Tasks that found no slot in time. */
  refused: number;
  /** Threads that were killed, or ended for the memory that they held. */
  replaced: number;
  /** By the name of the task: how many ran, and how long altogether. */
  tasks: Record<string, { count: number; ms: number }>;
};

export type WorkerPool = {
  /**
   * Runs a task in a thread, in turn with other callers.
   * @throws AppError of the task itself; `overloaded` when too many tasks wait or the pool is closed;
   * `rate_limited` for a caller whose tasks took too long lately
   * @throws TaskFailure when the task exceeds its limits or fails otherwise
   */
  run<I, O>(task: Task<I, O>, input: I, turn: Turn, options?: TaskOptions): Promise<O>;
  stats(): WorkerPoolStats;
  close(): Promise<void>;
};

/** A thread that holds more memory of this kind is replaced when it is idle. */
const heldBytesMax = 192 * 1024 * 1024;
const resourceLimits = {
  maxOldGenerationSizeMb: 256,
  maxYoungGenerationSizeMb: 32,
  stackSizeMb: 4,
};
/** For a thread to start, and again for the modules of a task to load, on a busy machine. */
const startTimeoutMs = 20_000;
const { workerThreads, tasksWaitingPerThread } = defaultLimits;
/** CHOICE: a thread holds 30 to 250 MB and starts within a second. */
const usualIdleMs = 60_000;
/** A caller waits longer than what is ahead of it may take: one slow task refuses nobody else. */
const waitMs = 15_000;

type Final = Exclude<ThreadAnswer, { kind: 'ready' | 'began' }>;
type Outcome = ThreadAnswer | { kind: 'timeout' | 'crash'; reason: string };

/**
 * The answer of a thread; a failure when it takes too long, throws or ends.
 * @param taskMs how long it may take from the moment that its task begins
 */
function nextAnswer(worker: Worker, timeoutMs: number, taskMs = timeoutMs): Promise<Outcome> {
  return new Promise((resolve) => {
    const settle = (answer: Outcome): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve(answer);
    };
    const startTimer = (ms: number): NodeJS.Timeout =>
      setTimeout(() => settle({ kind: 'timeout', reason: `more than ${ms} ms` }), ms);
    const onMessage = (answer: ThreadAnswer): void => {
      clearTimeout(timer);
      if (answer.kind === 'began') timer = startTimer(taskMs);
      else settle(answer);
    };
    const onError = (error: Error): void => settle({ kind: 'crash', reason: error.message });
    const onExit = (): void => settle({ kind: 'crash', reason: 'the thread ended' });
    let timer = startTimer(timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}

async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
    resourceLimits,
    stdout: true,
    stderr: true,
  });
  // A worker without a listener for its error would end the process; `exit` follows.
  worker.on('error', () => undefined);
  const answer = await nextAnswer(worker, startTimeoutMs);
  if (answer.kind === 'ready') return worker;
  await worker.terminate();
  throw new Error(`a worker thread did not start: ${JSON.stringify(answer)}`);
}

const isFinal = (answer: Outcome): answer is Final =>
  answer.kind === 'done' || answer.kind === 'refused' || answer.kind === 'failed';

/**
 * The threads of a process. Each runs one task at a time and starts when it is first needed. A thread that
 * exceeds its time or memory is killed and replaced; the task that was in it fails.
 * @param options.threads for any task; one more is kept for brief tasks
 * @param options.idleMs after which a thread without work ends
 */
export function createWorkerPool(options: {
  threads?: number;
  budget?: Budget;
  idleMs?: number;
}): WorkerPool {
  const { threads = workerThreads, budget, idleMs = usualIdleMs } = options;
  const idle: { worker: Worker; retirement: NodeJS.Timeout }[] = [];
  const spent = new Map<string, { count: number; ms: number }>();
  const workers = new Set<Worker>();
  const slots = threads + 1;
  const queue = createFairQueue({
    slots: Array.from({ length: slots }, (_, slot) => slot),
    briefSlots: 1,
    queueMax: slots * tasksWaitingPerThread,
    waitMs,
    limit: 'tasksWaitingPerThread',
    tooMany: 'Too many documents are being worked on; try again in a moment.',
    retryAfterSeconds: 2,
    ...(budget ? { budget } : {}),
  });
  let replaced = 0;
  let closed = false;

  const forget = (worker: Worker): void => {
    const at = idle.findIndex((one) => one.worker === worker);
    if (at < 0) return;
    clearTimeout(idle[at]?.retirement);
    idle.splice(at, 1);
  };

  const takeThread = async (): Promise<Worker> => {
    const free = idle.pop();
    if (free !== undefined) {
      clearTimeout(free.retirement);
      free.worker.ref();
      return free.worker;
    }
    const worker = await startThread();
    workers.add(worker);
    worker.once('exit', () => {
      workers.delete(worker);
      forget(worker);
    });
    return worker;
  };

  /** An idle thread does not keep the process alive, and ends after some time. */
  const rest = (worker: Worker): void => {
    worker.unref();
    const retire = (): void => {
      forget(worker);
      void worker.terminate();
    };
    idle.push({ worker, retirement: setTimeout(retire, idleMs).unref() });
  };

  const count = (name: string, ms: number): void => {
    const known = spent.get(name) ?? { count: 0, ms: 0 };
    spent.set(name, { count: known.count + 1, ms: known.ms + ms });
  };

  const replace = async (worker: Worker): Promise<void> => {
    replaced++;
    await worker.terminate();
  };

  const runOn = async (
    worker: Worker,
    job: ThreadJob,
    timeoutMs: number,
    { transfer = [] }: TaskOptions,
  ): Promise<Exclude<Final, { kind: 'failed' }>> => {
    const answer = nextAnswer(worker, startTimeoutMs, timeoutMs);
    try {
      worker.postMessage(job, [...transfer]);
    } catch (error) {
      // The input cannot be copied.
      await replace(worker);
      throw error;
    }
    const outcome = await answer;
    if (!isFinal(outcome) || outcome.kind === 'failed') {
      await replace(worker);
      if (!('reason' in outcome)) throw new TaskFailure('crash', outcome.kind);
      throw new TaskFailure(outcome.kind, outcome.reason);
    }
    if (outcome.heldBytes > heldBytesMax) await replace(worker);
    else if (closed) await worker.terminate();
    else rest(worker);
    return outcome;
  };

  return {
    async run<I, O>(task: Task<I, O>, input: I, turn: Turn, more: TaskOptions = {}): Promise<O> {
      const { module, name, timeoutMs, brief } = task;
      more.budget?.assertLeft(turn);
      const job = { module: module.href, name, input };
      const work = async () => {
        const began = performance.now();
        try {
          return await runOn(await takeThread(), job, timeoutMs, more);
        } finally {
          count(name, performance.now() - began);
        }
      };
      const outcome = await queue.run(turn, work, brief);
      more.budget?.charge(turn, outcome.cpuMs);
      if (outcome.kind === 'done') {
        countShared(outcome.output);
        return outcome.output as O;
      }
      const { errors, extra, headers } = outcome.more;
      throw new AppError(outcome.code, outcome.detail, {
        ...(errors && { errors }),
        ...(extra && { extra }),
        ...(headers && { headers }),
      });
    },
    stats: () => ({
      ...queue.stats(),
      threads: workers.size,
      replaced,
      tasks: Object.fromEntries(spent),
    }),
    close: async () => {
      closed = true;
      queue.close();
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
