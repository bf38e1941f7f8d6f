/**
 * graphile-worker 0.17 gives the jobs of its local queue back in a promise that nobody awaits: when the
 * database is away at the end of a pool, its rejection would end the process. What it did not give back
 * is freed as the jobs of a dead worker are (`dead-pools.ts`).
 */
const givenBack = /whilst returning jobs from local queue/;

/** Tells `onError` of such rejections until the function that it answers with is called. */
export const catchUnawaited = (onError: (error: Error) => void): (() => void) => {
  const listener = (reason: unknown): void => {
    // Everything else ends the process, as it does without a listener.
    if (!(reason instanceof Error && givenBack.test(reason.message))) throw reason;
    onError(reason);
  };
  process.on('unhandledRejection', listener);
  return () => {
    process.off('unhandledRejection', listener);
  };
};
