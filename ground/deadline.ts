/**
 * Waits for `work`, but not longer than `ms`. Late work continues, and its failure is ignored.
 * @throws Error of `late` when the time is over; errors of `work`
 */
export const within = async <T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Waits until `work` ends, but not longer than `ms`. False when the time is over. Late work continues, and
 * its failure is ignored.
 * @throws errors of `work` in time
 */
export const endsWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Waits for `work`, unless `signal` aborts first. Late work continues, and its failure is ignored.
 * @throws Error of `why` when the signal aborts; errors of `work`
 */
export const unlessAborted = async <T>(
  signal: AbortSignal,
  work: Promise<T>,
  why: () => Error,
): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(why());
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
};
