import { Worker } from 'node:worker_threads';
import { createFairQueue } from '../fair-queue.ts';
import { compilePdfium } from '../pdf/pdfium-module.ts';
import type { Answer, Job } from './messages.ts';

/** Why a job has no result: the document is at fault. */
export type JobFailure = { kind: 'timeout' | 'crash'; reason: string };
export type JobAnswer = Exclude<Answer, { kind: 'ready' | 'failed' }> | JobFailure;

export type WorkerPool = {
  /**
   * In turn between accounts; without one for the service itself.
   * @throws AppError `overloaded` when too many jobs wait or the pool is closed, `rate_limited` for an
   * account whose jobs took too long lately
   */
  run(job: Job, account?: string): Promise<JobAnswer>;
  close(): Promise<void>;
};

/** CHOICE: the picture of a page that is scanned at 600 dpi in colour takes about 200 MiB. */
const pdfiumBytesMax = 512 * 1024 * 1024;
/** PDFium never gives memory back: a worker that holds more is replaced when it is idle. */
const pdfiumBytesKept = 192 * 1024 * 1024;
const resourceLimits = {
  maxOldGenerationSizeMb: 256,
  maxYoungGenerationSizeMb: 32,
  stackSizeMb: 4,
};
const startTimeoutMs = 20_000;
/** What starting a worker may take on a busy machine. */
const startMs = 5_000;
const waitingPerWorker = 16;

/** The next answer of a worker; a failure when it takes too long, throws or ends. */
function nextAnswer(worker: Worker, timeoutMs: number): Promise<Answer | JobFailure> {
  return new Promise((resolve) => {
    const settle = (answer: Answer | JobFailure): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', onError).off('exit', onExit);
      resolve(answer);
    };
    const onError = (error: Error): void => settle({ kind: 'crash', reason: error.message });
    const onExit = (): void => settle({ kind: 'crash', reason: 'the worker ended' });
    const timer = setTimeout(
      () => settle({ kind: 'timeout', reason: `more than ${timeoutMs} ms` }),
      timeoutMs,
    );
    worker.on('message', settle).on('error', onError).on('exit', onExit);
  });
}

async function startWorker(wasm: WebAssembly.Module): Promise<Worker> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: wasm,
    resourceLimits,
    stdout: true,
    stderr: true,
  });
  // PDFium writes about every damaged document; what it writes may quote the document.
  worker.stdout.resume();
  worker.stderr.resume();
  // A worker without a listener for its error would end the process; `exit` follows.
  worker.on('error', () => undefined);
  const answer = await nextAnswer(worker, startTimeoutMs);
  if (answer.kind === 'ready') return worker;
  await worker.terminate();
  throw new Error(`a preflight worker did not start: ${JSON.stringify(answer)}`);
}

/**
 * A few threads, each with one job at a time. A thread that exceeds its time or memory is killed
 * and replaced; the job that was in it gets a `timeout` or `crash`. Threads start when they are
 * first needed.
 */
export function createWorkerPool(options: { size: number; timeoutMs: number }): WorkerPool {
  const { size, timeoutMs } = options;
  const idle: Worker[] = [];
  const workers = new Set<Worker>();
  const queue = createFairQueue({
    slots: Array.from({ length: size }, (_, slot) => slot),
    queueMax: size * waitingPerWorker,
    // Longer than what is ahead may take: one slow document is nobody else's refusal.
    waitMs: timeoutMs + startMs,
    tooMany: 'Too many documents are being checked; try again in a moment.',
    retryAfterSeconds: 2,
  });
  let closed = false;
  let compiled: Promise<WebAssembly.Module> | undefined;

  const takeWorker = async (): Promise<Worker> => {
    const free = idle.pop();
    if (free !== undefined) return free;
    compiled ??= compilePdfium(pdfiumBytesMax);
    const worker = await startWorker(await compiled);
    workers.add(worker);
    worker.once('exit', () => {
      workers.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    });
    return worker;
  };

  const runOn = async (worker: Worker, job: Job): Promise<JobAnswer> => {
    const next = nextAnswer(worker, timeoutMs);
    worker.postMessage(job);
    const answer = await next;
    if (answer.kind === 'ready' || !('heapBytes' in answer)) {
      await worker.terminate();
      const reason = 'reason' in answer ? answer.reason : answer.kind;
      return { kind: answer.kind === 'timeout' ? 'timeout' : 'crash', reason };
    }
    if (answer.heapBytes > pdfiumBytesKept || closed) await worker.terminate();
    else idle.push(worker);
    return answer;
  };

  return {
    run: (job, account) => queue.run(account, async () => runOn(await takeWorker(), job)),
    close: async () => {
      closed = true;
      queue.close();
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
