import { Worker } from 'node:worker_threads';
import { AppError } from '../../contract/errors.ts';
import { compilePdfium } from '../pdf/pdfium-module.ts';
import type { Answer, Job } from './messages.ts';

/** Why a job has no result: the document is at fault. */
export type JobFailure = { kind: 'timeout' | 'crash'; reason: string };
export type JobAnswer = Exclude<Answer, { kind: 'ready' | 'failed' }> | JobFailure;

export type WorkerPool = {
  /** @throws AppError `overloaded` when too many jobs wait or the pool is closed */
  run(job: Job): Promise<JobAnswer>;
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
const waitingPerWorker = 16;

type Waiting = { job: Job; resolve(answer: JobAnswer): void; reject(error: Error): void };

const overloaded = (detail: string): AppError =>
  new AppError('overloaded', detail, { headers: { 'Retry-After': '2' } });

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
  const waiting: Waiting[] = [];
  const workers = new Set<Worker>();
  let active = 0;
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

  const serve = async (): Promise<void> => {
    active++;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        next.resolve(await runOn(await takeWorker(), next.job));
      } catch (error) {
        next.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
    active--;
  };

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        if (closed || waiting.length >= size * waitingPerWorker) {
          reject(overloaded('Too many documents are being checked; try again in a moment.'));
          return;
        }
        waiting.push({ job, resolve, reject });
        if (active < size) void serve();
      }),
    close: async () => {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(overloaded('The service is stopping.'));
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
