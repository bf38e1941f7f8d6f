/**
 * Work on one stream waits for the work before it in this process, and is then done together: while
 * one lot is being written, the next one gathers.
 */
export const createStreamQueues = () => {
  const queues = new Map<string, unknown[]>();

  const drain = async <T>(
    key: string,
    queue: T[],
    work: (lot: T[]) => Promise<void>,
  ): Promise<void> => {
    while (queue.length > 0) await work(queue.splice(0, queue.length));
    queues.delete(key);
  };

  return {
    /**
     * All items of one key are of one kind, so that the `work` of the first is that of all. It settles
     * every item of its lot, and never rejects.
     */
    add<T>(key: string, item: T, work: (lot: T[]) => Promise<void>): void {
      const running = queues.get(key) as T[] | undefined;
      if (running) {
        running.push(item);
        return;
      }
      const queue = [item];
      queues.set(key, queue);
      void drain(key, queue, work);
    },
    /** Number of streams that have work waiting or running. */
    busy: (): number => queues.size,
  };
};
