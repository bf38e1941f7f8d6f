/** Looks things up that many ask for at the same time, with one query at a time. */
import { AppError } from '../../contract/errors.ts';

/** Keys of one query. */
const batchKeys = 256;
/** Of one address; more are refused. */
const maxWaitingKeys = 1_024;

type Waiting<T> = PromiseWithResolvers<T | undefined>;

/**
 * `readMany` returns the value of each key that exists. Addresses take turns, so that a caller who asks for
 * unknown keys delays only itself and occupies one connection.
 * @throws AppError rate_limited when too many keys of the address wait already
 */
export const createBatchedLookup = <T>(
  readMany: (keys: string[]) => Promise<ReadonlyMap<string, T>>,
): ((key: string, from: string) => Promise<T | undefined>) => {
  const queues = new Map<string, Map<string, Waiting<T>>>();
  let running = false;

  const takeBatch = (): [string, Waiting<T>][] => {
    const batch: [string, Waiting<T>][] = [];
    while (batch.length < batchKeys && queues.size > 0) {
      for (const [from, queue] of queues) {
        const [next] = queue;
        if (next) {
          batch.push(next);
          queue.delete(next[0]);
        }
        if (queue.size === 0) queues.delete(from);
        if (batch.length === batchKeys) break;
      }
    }
    return batch;
  };

  const readBatch = async (): Promise<void> => {
    const batch = takeBatch();
    try {
      const found = await readMany([...new Set(batch.map(([key]) => key))]);
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (queues.size > 0) await readBatch();
    running = false;
  };

  return (key, from) => {
    const queue = queues.get(from) ?? new Map<string, Waiting<T>>();
    const known = queue.get(key);
    if (known) return known.promise;
    if (queue.size >= maxWaitingKeys) {
      const message = `More than ${maxWaitingKeys} API keys from this address are waiting to be looked up. Retry in 1 s.`;
      throw new AppError('rate_limited', message, { headers: { 'Retry-After': '1' } });
    }
    const waiting: Waiting<T> = Promise.withResolvers();
    queue.set(key, waiting);
    queues.set(from, queue);
    void run();
    return waiting.promise;
  };
};
