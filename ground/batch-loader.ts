/**
 * Joins concurrent requests into few calls: while `running` calls are under way, the next call gathers requests.
 * `load` answers in the order of the requests. If it throws, all of its callers get the error.
 */
export const createBatchLoader = <Q, A>(options: {
  load(batch: Q[]): Promise<A[]>;
  maxBatch: number;
  running?: number;
}): ((question: Q) => Promise<A>) => {
  const { load, maxBatch, running: maxRunning = 1 } = options;
  type Waiting = { question: Q; resolve: (answer: A) => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let running = 0;

  const run = async (): Promise<void> => {
    // Requests of the same turn are loaded together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch);
      try {
        const answers = await load(batch.map(({ question }) => question));
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as A);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running--;
  };

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (running >= maxRunning) return;
      running++;
      void run();
    });
};
