/**
 * Opens many sealed documents (JSON) off this thread: each takes 4 µs, and a long statement has 100,000.
 */
import { Worker } from 'node:worker_threads';
import type { DataKey } from '../../events/data-keys.ts';

/** A document in a line, and the context of each: one text is copied faster than a thousand. */
export type ManySealed = { number: number; key: DataKey; sealed: string; contexts: string };
/** An array of them all. */
export type ManyOpened = { number: number } & ({ json: string } | { failed: string });

type Sealed = { sealed: string; context: string };

/** So long after its last work the thread ends. */
const restMs = 10_000;

type Waiting = { resolve: (json: string) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; waiting: Map<number, Waiting>; ending?: NodeJS.Timeout };

/** A thread that starts with the first of them, and keeps no process from ending. */
export const createOpenMany = () => {
  let current: Thread | undefined;
  let last = 0;

  const rest = (thread: Thread): void => {
    thread.worker.unref();
    thread.ending = setTimeout(() => {
      if (current === thread) current = undefined;
      void thread.worker.terminate();
    }, restMs).unref();
  };

  const start = (): Thread => {
    const worker = new Worker(new URL('./open-thread.ts', import.meta.url));
    const thread: Thread = { worker, waiting: new Map() };
    const take = (number: number): Waiting | undefined => {
      const one = thread.waiting.get(number);
      thread.waiting.delete(number);
      if (thread.waiting.size === 0) rest(thread);
      return one;
    };
    const fail = (error: Error): void => {
      if (current === thread) current = undefined;
      clearTimeout(thread.ending);
      for (const { reject } of thread.waiting.values()) reject(error);
      thread.waiting.clear();
    };
    worker.on('message', (answer: ManyOpened) => {
      const one = take(answer.number);
      if ('json' in answer) one?.resolve(answer.json);
      else one?.reject(new Error(answer.failed));
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the thread that opens sealed texts ended')));
    return thread;
  };

  const ask = (many: Omit<ManySealed, 'number'>): Promise<string> =>
    new Promise((resolve, reject) => {
      current ??= start();
      const { worker, waiting, ending } = current;
      clearTimeout(ending);
      worker.ref();
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ ...many, number: last } satisfies ManySealed);
    });

  /** @param all at least one @throws Error when one of them cannot be opened */
  return async <T>(key: DataKey, all: readonly Sealed[]): Promise<T[]> => {
    const sealed = all.map((one) => one.sealed).join('\n');
    const contexts = all.map(({ context }) => context).join('\n');
    return JSON.parse(await ask({ key, sealed, contexts }));
  };
};
