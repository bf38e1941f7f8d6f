/**
 * Work that keeps this process from everything else, one piece after the other: after each, the others have as
 * long as it took. So read models and deliveries follow the log also while long letters are made.
 */
export const createGently = (time: {
  /** Monotonic, ms. */
  elapsedMs(): number;
  pause(ms: number): Promise<void>;
}) => {
  /** CHOICE: nobody waits longer for the next piece. */
  const longestRestMs = 2_000;
  let free: Promise<void> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    let began = 0;
    const done = free.then(() => {
      began = time.elapsedMs();
      return work();
    });
    const rest = () => time.pause(Math.min(time.elapsedMs() - began, longestRestMs));
    free = done.then(rest, rest);
    return done;
  };
};
