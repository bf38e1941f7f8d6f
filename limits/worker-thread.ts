/** The thread of the worker pool. It runs one task at a time: a function of a module that the task names. */
import { parentPort } from 'node:worker_threads';
import { isAppError } from '../contract/errors.ts';
import { countShared, wholeBuffers } from '../ground/shared-bytes.ts';
import { workClock } from './budgets.ts';
import type { ThreadAnswer, ThreadJob } from './worker-messages.ts';

type TaskModule = {
  /** Prepares what the tasks need, once per thread. Does not count against the time limit of a task. */
  open?: () => Promise<void>;
  /** Memory that the limits of the thread do not count and that it does not give back, bytes. */
  heldBytes?: () => number;
} & Record<string, unknown>;

const port = parentPort;
if (port === null) throw new Error('worker-thread.ts runs as a worker thread');

/**
 * Drops what libraries write about damaged documents: it may quote them. A parent that read it instead would be kept
 * alive by the stream, and without a reader it would pile up here.
 */
const drop = (...given: unknown[]): boolean => {
  const done = given.at(-1);
  if (typeof done === 'function') queueMicrotask(() => done());
  return true;
};
process.stdout.write = drop;
process.stderr.write = drop;

const modules = new Map<string, Promise<TaskModule>>();

const load = async (url: string): Promise<TaskModule> => {
  const loaded = (await import(url)) as TaskModule;
  await loaded.open?.();
  return loaded;
};

const moduleOf = (url: string): Promise<TaskModule> => {
  const loading = modules.get(url) ?? load(url);
  modules.set(url, loading);
  return loading;
};

const answerOf = async ({ module, name, input }: ThreadJob): Promise<ThreadAnswer> => {
  const loaded = await moduleOf(module);
  const task = loaded[name];
  if (typeof task !== 'function') throw new Error(`${module} has no task ${name}`);
  countShared(input);
  port.postMessage({ kind: 'began' } satisfies ThreadAnswer);
  const before = workClock.workedMs();
  const spent = () => ({
    cpuMs: workClock.workedMs() - before,
    heldBytes: loaded.heldBytes?.() ?? 0,
  });
  try {
    const output: unknown = await task(input);
    return { kind: 'done', output, ...spent() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, errors, extra, headers } = error;
    return { kind: 'refused', code, detail: message, more: { errors, extra, headers }, ...spent() };
  }
};

const answer = async (job: ThreadJob): Promise<void> => {
  try {
    const made = await answerOf(job);
    port.postMessage(made, made.kind === 'done' ? wholeBuffers(made.output) : []);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    port.postMessage({ kind: 'failed', reason } satisfies ThreadAnswer);
  }
};

port.on('message', (job: ThreadJob) => void answer(job));
port.postMessage({ kind: 'ready' } satisfies ThreadAnswer);
